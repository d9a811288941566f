// Which activity and which state has which colour and word. The order is the order in bars.

import type { Activities } from '../generated/api';
import { coreTime } from '../format/duration';
import { count, share } from '../format/number';
import { visible } from '../format/visible';

/** Tasks by Dask's own names of states; one that this Dask does not have is absent. */
export type TaskStates = { [state in string]: number };

export interface Part {
  key: string;
  label: string;
  colour: string;
  value: number;
  hatched?: boolean;
}

export const activities: { key: keyof Activities; label: string; colour: string; means: string }[] = [
  { key: 'compute', label: 'Compute', colour: 'var(--data-compute)', means: 'running your functions' },
  { key: 'transfer', label: 'Transfer', colour: 'var(--data-transfer)', means: 'moving data between workers' },
  { key: 'disk_read', label: 'Disk read', colour: 'var(--data-disk-read)', means: 'reading spilled data back' },
  { key: 'disk_write', label: 'Disk write', colour: 'var(--data-disk-write)', means: 'spilling data to disk' },
  { key: 'deserialize', label: 'Deserialize', colour: 'var(--data-deserialize)', means: 'unpickling functions and arguments' },
  { key: 'other', label: 'Other', colour: 'var(--data-other)', means: 'activities Bobbin has no name for' },
];

export function activityParts(seconds: Activities): Part[] {
  return activities.map(({ key, label, colour }) => ({ key, label, colour, value: seconds[key] }));
}

/** What a bar of times says; where it has several parts, with the share of each. */
export function partWords(parts: readonly Part[]): string {
  const told = parts.filter((part) => part.value > 0);
  const all = told.reduce((sum, part) => sum + part.value, 0);
  return told.map(({ label, value }) => `${label} ${coreTime(value)}${told.length > 1 ? ` (${share(value / all)})` : ''}`).join(', ');
}

export function activityTotal(seconds: Activities): number {
  return activities.reduce((sum, { key }) => sum + seconds[key], 0);
}

const knownStates: Record<string, { label: string; colour: string; hatched?: boolean }> = {
  erred: { label: 'Erred', colour: 'var(--state-erred)', hatched: true },
  processing: { label: 'Processing', colour: 'var(--state-processing)' },
  memory: { label: 'In memory', colour: 'var(--state-memory)' },
  released: { label: 'Released', colour: 'var(--state-released)' },
  forgotten: { label: 'Forgotten', colour: 'var(--state-forgotten)' },
  queued: { label: 'Queued', colour: 'var(--state-waiting)' },
  'no-worker': { label: 'No worker', colour: 'var(--state-waiting)' },
  waiting: { label: 'Waiting', colour: 'var(--state-waiting)' },
};

/** Errors first, then work, results, and what is still to come. States that this page does not know come last. */
export function stateParts(states: TaskStates): Part[] {
  const known = Object.entries(knownStates)
    .filter(([key]) => (states[key] ?? 0) > 0)
    .map(([key, look]) => ({ key, ...look, value: states[key] ?? 0 }));
  const others = Object.entries(states)
    .filter(([key, n]) => !Object.hasOwn(knownStates, key) && (n ?? 0) > 0)
    .map(([key, n]) => ({ key, label: visible(key), colour: 'var(--data-other)', value: n ?? 0 }));
  return [...known, ...others];
}

/** What a bar of states says. */
export function stateWords(states: TaskStates): string {
  return stateParts(states)
    .map((part) => `${part.label} ${count(part.value)}`)
    .join(', ');
}

/** The states of several groups together. A state may have any name, one that objects have of themselves too. */
export function stateSums(all: readonly TaskStates[]): TaskStates {
  const sums = new Map<string, number>();
  for (const states of all) for (const [state, n] of Object.entries(states)) sums.set(state, (sums.get(state) ?? 0) + n);
  return Object.fromEntries(sums);
}

export function stateTotal(states: TaskStates): number {
  return Object.values(states).reduce<number>((sum, n) => sum + (n ?? 0), 0);
}
