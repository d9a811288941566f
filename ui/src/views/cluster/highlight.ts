// Python to coloured pieces of text, line by line. Pieces become text nodes: code from strangers is never markup.

import { highlightTree, tagHighlighter, tags } from '@lezer/highlight';
import { parser } from '@lezer/python';

export type Look = 'keyword' | 'string' | 'number' | 'comment' | 'name' | '';

export interface Piece {
  text: string;
  look: Look;
}

const looks = tagHighlighter([
  { tag: [tags.keyword, tags.controlKeyword, tags.operatorKeyword, tags.definitionKeyword, tags.moduleKeyword], class: 'keyword' },
  { tag: [tags.self, tags.bool, tags.null], class: 'keyword' },
  { tag: [tags.string, tags.special(tags.string)], class: 'string' },
  { tag: [tags.number], class: 'number' },
  { tag: [tags.comment, tags.lineComment], class: 'comment' },
  {
    tag: [tags.function(tags.variableName), tags.function(tags.definition(tags.variableName)), tags.function(tags.propertyName), tags.definition(tags.className)],
    class: 'name',
  },
]);

/** Beyond this, colours cost more than they tell. */
const mostCharacters = 100_000;

export function highlight(code: string): Piece[][] {
  const lines: Piece[][] = [[]];
  const put = (text: string, look: Look) => {
    text.split('\n').forEach((part, i) => {
      if (i > 0) lines.push([]);
      if (part !== '') lines[lines.length - 1]!.push({ text: part, look });
    });
  };
  let done = 0;
  if (code.length <= mostCharacters) {
    highlightTree(parser.parse(code), looks, (from, to, look) => {
      if (from > done) put(code.slice(done, from), '');
      put(code.slice(from, to), look as Look);
      done = to;
    });
  }
  put(code.slice(done), '');
  return lines;
}

/** The lines around one, first and one after the last; all of them where they are few. */
export function around(lines: number, line: number | null, reach: number): { first: number; last: number } {
  const size = 2 * reach + 1;
  if (lines <= size + 2) return { first: 0, last: lines };
  const middle = line ?? 0;
  const first = Math.max(0, Math.min(middle - reach, lines - size));
  return { first, last: Math.min(lines, first + size) };
}

/** The spaces that all lines share. */
export function indentOf(code: string): number {
  const indents = code
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => line.length - line.trimStart().length);
  return indents.length === 0 ? 0 : Math.min(...indents);
}
