// Text from strangers as it can be shown: what would be invisible, or would move its neighbours, is drawn as a token.
// What is stored and what is copied raw stay as they were sent.

/** Colours and cursor movements of terminals: `ESC [ … m` and its kin. */
 
const terminal = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;

/** Controls, direction marks and overrides, zero-width and other invisible characters. */
const unseen =
   
  /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** Scripts and emoji in which the two joiners are part of the spelling. */
const joined = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{M}\ufe0f]|[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u;

function token(character: string): string {
  return `‹U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}›`;
}

function shown(text: string, kept: string): string {
  return text.replace(terminal, '').replace(unseen, (character, at: number, whole: string) => {
    if (kept.includes(character)) return character;
    if (character === '\u200c' || character === '\u200d') {
      const before = [...whole.slice(Math.max(0, at - 2), at)].at(-1) ?? '';
      if (joined.test(before)) return character;
    }
    return token(character);
  });
}

/** One line: names, paths, messages. Line breaks are tokens too, so that a name cannot look like two. */
export function visible(text: string): string {
  return shown(text, '');
}

/** Many lines: code, tracebacks. */
export function visibleLines(text: string): string {
  return shown(text.replace(/\r\n?/g, '\n'), '\n\t');
}
