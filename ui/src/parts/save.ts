// What can be saved of what is shown, and what is said of it afterwards.

import type { Command, Request } from '../api';
import type { FlameRequest, PictureOf, Saved, SaveRequest } from '../generated/api';
import { count, plural } from '../format/number';
import { timeZone } from '../format/time';

export interface Choice {
  label: string;
  /** What it is for. */
  means: string;
  request: () => SaveRequest;
}

/** All rows of a command's answer. `list`: where in it they are, if not in `rows`; `.` is columns of one length. */
export function tableChoices<K extends Command>(command: K, request: () => Request<K>, list = '', name = ''): Choice[] {
  const table = () => ({ command, request: request(), list, name });
  return [
    { label: 'CSV', means: 'for spreadsheets', request: () => ({ is: 'table', table: table(), format: 'csv' }) },
    { label: 'JSON', means: 'with the row count', request: () => ({ is: 'table', table: table(), format: 'json' }) },
    { label: 'Parquet', means: 'for pandas, Dask, DuckDB', request: () => ({ is: 'table', table: table(), format: 'parquet' }) },
  ];
}

export function pictureChoices(of: () => PictureOf): Choice[] {
  const one = (label: string, means: string, format: 'svg' | 'png', dark: boolean): Choice => ({
    label,
    means,
    request: () => ({ is: 'picture', picture: { of: of(), format, dark, width: 0, zone: timeZone() } }),
  });
  return [one('SVG, light', 'sharp at any size', 'svg', false), one('SVG, dark', 'for dark slides', 'svg', true), one('PNG, light', 'for email and chat', 'png', false), one('PNG, dark', 'for dark slides', 'png', true)];
}

export function profileChoices(flame: () => FlameRequest): Choice[] {
  return [
    { label: 'speedscope', means: 'for speedscope.app', request: () => ({ is: 'profile', profile: { flame: flame(), format: 'speedscope' } }) },
    { label: 'Folded stacks', means: 'one line per stack', request: () => ({ is: 'profile', profile: { flame: flame(), format: 'folded' } }) },
    { label: 'pprof', means: 'for go tool pprof', request: () => ({ is: 'profile', profile: { flame: flame(), format: 'pprof' } }) },
  ];
}

/** The rows of the ledger as they stand. */
export const chainChoices: Choice[] = [{ label: 'NDJSON', means: 'with all hashes, to check the chain', request: () => ({ is: 'chain' }) }];

/** `Saved hours.csv, 2,000 of 3,412 rows`: what is left out is never silent. */
export function savedWords({ name, rows, total, truncated }: Saved): string {
  if (rows === null) return `Saved ${name}`;
  if (!truncated) return `Saved ${name}, ${plural(rows, 'row')}`;
  return total === null ? `Saved ${name}: the first ${plural(rows, 'row')}, there are more` : `Saved ${name}: ${count(rows)} of ${plural(total, 'row')}`;
}
