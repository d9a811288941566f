// Text that has no room: what tells names of one kind apart is at their ends, so the middle is left out.

/** No more than so many letters. */
export function middle(text: string, letters: number): string {
  const all = [...text];
  if (all.length <= letters) return text;
  const kept = Math.max(1, letters - 1);
  const end = Math.floor(kept * 0.4);
  return `${all.slice(0, kept - end).join('')}…${end === 0 ? '' : all.slice(-end).join('')}`;
}

/** No more than so many letters of a list: what has no room is at its end. */
export function beginning(text: string, letters: number): string {
  const all = [...text];
  return all.length <= letters ? text : `${all.slice(0, Math.max(1, letters - 1)).join('')}…`;
}

/** A text in two lines, parted where a word of it ends; `cut` makes what has no room even so shorter. */
export function twoLines(text: string, letters: number, cut = middle): [string] | [string, string] {
  const all = [...text];
  if (all.length <= letters) return [text];
  let at = letters;
  for (let i = letters; i > letters / 2; i -= 1) {
    if (/[\s\-_.,:;/|]/.test(all[i - 1]!)) {
      at = i;
      break;
    }
  }
  return [all.slice(0, at).join('').trimEnd(), cut(all.slice(at).join('').trimStart(), letters)];
}
