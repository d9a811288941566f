// What the tables of a comparison show.

import type { DiffLine, ExceptionDifference, GroupDifference, GroupSums } from '../../generated/api';
import { byteUnits, bytesParts, exactBytes } from '../../format/bytes';
import { exactCoreTime } from '../../format/duration';
import { hideSecrets } from '../../format/mask';
import { count, fixed, none, three } from '../../format/number';

/** One figure of the groups of a prefix, in both runs; down a column it has one unit. */
export interface Column {
  name: string;
  /** What the figures are in; empty for plain counts. */
  unit: string;
  of: (sums: GroupSums) => number | null;
  say: (value: number | null) => string;
  exact: (value: number | null) => string;
}

interface Measure {
  name: string;
  of: (sums: GroupSums) => number | null;
  /** The unit that suits a column whose largest figure is this, and by how much figures are divided for it. */
  unit: (most: number) => { unit: string; by: number };
  exact: (value: number) => string;
}

const plain = () => ({ unit: '', by: 1 });
/** By how much seconds of threads are divided, and what they are then. */
export const ofThreads = (most: number) => (most >= 3600 ? { unit: 'core-h', by: 3600 } : most >= 60 ? { unit: 'core-min', by: 60 } : { unit: 'core-s', by: 1 });
const ofTime = (most: number) => (most >= 60 ? { unit: 'min', by: 60 } : most >= 1 ? { unit: 's', by: 1 } : { unit: 'ms', by: 0.001 });
function ofBytes(most: number) {
  const { unit } = bytesParts(most);
  return { unit, by: byteUnits().base ** byteUnits().names.indexOf(unit) };
}

const measures: readonly Measure[] = [
  { name: 'Groups', of: (sums) => sums.groups, unit: plain, exact: count },
  { name: 'Tasks', of: (sums) => sums.tasks, unit: plain, exact: count },
  { name: 'Erred', of: (sums) => sums.erred, unit: plain, exact: count },
  { name: 'One task', of: (sums) => sums.task_seconds, unit: ofTime, exact: (value) => `${fixed(value, 6)} seconds of computing per task` },
  { name: 'Compute', of: (sums) => sums.seconds.compute, unit: ofThreads, exact: exactCoreTime },
  { name: 'Transfer', of: (sums) => sums.seconds.transfer, unit: ofThreads, exact: exactCoreTime },
  { name: 'Disk', of: (sums) => sums.seconds.disk_read + sums.seconds.disk_write, unit: ofThreads, exact: exactCoreTime },
  { name: 'Data', of: (sums) => sums.result_bytes, unit: ofBytes, exact: exactBytes },
];

/** What a column has to say of a run; null where the run has no such group. */
export function value(column: Pick<Column, 'of'>, sums: GroupSums | null): number | null {
  return sums === null ? null : column.of(sums);
}

/** All columns, or only those that tell the runs apart: a group that one run lacks counts as nothing. */
export function columns(rows: readonly GroupDifference[], telling: boolean): Column[] {
  const kept = measures.filter((measure) => !telling || rows.some((row) => (value(measure, row.a) ?? 0) !== (value(measure, row.b) ?? 0)));
  return kept.map(({ name, of, unit: unitOf, exact }) => {
    const most = Math.max(0, ...rows.flatMap((row) => [value({ of }, row.a) ?? 0, value({ of }, row.b) ?? 0]));
    const { unit, by } = unitOf(most);
    return {
      name,
      unit,
      of,
      say: (found) => (found === null ? none : unit === '' ? count(found) : three(found / by)),
      exact: (found) => (found === null ? 'not present' : exact(found)),
    };
  });
}

export function onlyInOne(rows: readonly ExceptionDifference[]): ExceptionDifference[] {
  return rows.filter((row) => row.a === 0 || row.b === 0);
}

const marks = (text: string) => text.split('‹secret›').length - 1;

/** Lines of a difference without what looks like a secret in the code of either run, which may span lines; and how many are hidden. */
export function withoutSecrets(lines: readonly DiffLine[]): { lines: DiffLine[]; secrets: number } {
  const sides = (['a', 'b'] as const).map((side) => {
    const own = lines.filter((line) => line[side] !== null);
    const shown = hideSecrets(own.map(({ text }) => text).join('\n')).text.split('\n');
    return new Map(own.map((line, i) => [line, shown[i] ?? '']));
  });
  const hidden = lines.map((line) => {
    const texts = sides.flatMap((side) => side.get(line) ?? []);
    return { ...line, text: texts.find((text) => text !== line.text) ?? line.text };
  });
  return { lines: hidden, secrets: hidden.reduce((sum, { text }, i) => sum + marks(text) - marks(lines[i]!.text), 0) };
}

export interface Fold {
  key: number;
  lines: DiffLine[];
  /** Lines of both that nobody needs to read. */
  folded: boolean;
}

/** Stretches of a difference: what changed with `reach` lines around it, and the rest folded. */
export function folds(lines: readonly DiffLine[], reach = 3): Fold[] {
  const near = lines.map((_, i) => lines.slice(Math.max(0, i - reach), i + reach + 1).some((line) => line.a === null || line.b === null));
  const found: Fold[] = [];
  lines.forEach((line, i) => {
    const folded = !near[i];
    const last = found.at(-1);
    if (last === undefined || last.folded !== folded) found.push({ key: i, lines: [line], folded });
    else last.lines.push(line);
  });
  return found;
}
