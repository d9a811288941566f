// Values of SQL as they are shown.

import { visible } from '../../format/visible';
import type { SqlResult, SqlValue } from '../../generated/api';

export interface Cell {
  text: string;
  kind: 'null' | 'number' | 'text' | 'sealed' | 'blob';
}

export function cell(value: SqlValue): Cell {
  if (value === null) return { text: 'null', kind: 'null' };
  if (typeof value === 'number') return { text: String(value), kind: 'number' };
  if (typeof value === 'string') return { text: visible(value), kind: 'text' };
  if ('number' in value) return { text: value.number, kind: 'number' };
  if ('sealed_bytes' in value) return { text: `sealed, ${value.sealed_bytes} bytes`, kind: 'sealed' };
  return { text: `x'${value.hex}${value.blob_bytes * 2 > value.hex.length ? '…' : ''}' ${value.blob_bytes} bytes`, kind: 'blob' };
}

/** Which columns hold numbers and nothing else. */
export function numeric(result: SqlResult): boolean[] {
  return result.columns.map((_, at) => {
    const kinds = new Set(result.rows.map((row) => cell(row[at] ?? null).kind));
    return kinds.has('number') && [...kinds].every((kind) => kind === 'number' || kind === 'null');
  });
}

/** How wide each column is, in rem: as its longest text among the first rows, within bounds. */
export function widths(result: SqlResult): number[] {
  const narrowest = 5;
  const widest = 26;
  return result.columns.map((name, at) => {
    const lengths = result.rows.slice(0, 100).map((row) => cell(row[at] ?? null).text.length);
    const letters = Math.max(name.length, ...lengths);
    return Math.min(Math.max(letters * 0.5 + 1.5, narrowest), widest);
  });
}

/** The text with a word at the caret, apart from what stands around it; and where the caret is then. */
export function insert(text: string, from: number, to: number, word: string): { text: string; caret: number } {
  const before = text.slice(0, from);
  const space = before === '' || /[\s(.,]$/.test(before) ? '' : ' ';
  return { text: before + space + word + text.slice(to), caret: from + space.length + word.length };
}
