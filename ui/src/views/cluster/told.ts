// What a cluster does not tell, and why: switched off where it runs, or not in its version of Dask. Neither is a zero.

import type { ClusterFacts, SourceFormat } from '../../generated/api';
import { visible } from '../../format/visible';

export const categories = ['code', 'profile', 'exceptions', 'names', 'user', 'host', 'paths', 'events'] as const;
export type Category = (typeof categories)[number];

interface About {
  /** `Code is off at source`. */
  title: string;
  /** As a row of a table has it. */
  label: string;
  /** The setting that brings it back, as it is said. */
  setting: string;
  /** The same for the scheduler's environment. */
  variable: string;
  /** What is there instead. */
  instead: string;
}

function about(title: string, label: string, key: string, instead: string): About {
  return {
    title,
    label,
    setting: `bobbin.${key}.transmit: true`,
    variable: `DASK_BOBBIN__${key.toUpperCase()}__TRANSMIT=true`,
    instead,
  };
}

export const offWords: Record<Category, About> = {
  code: about('Code is', 'Code', 'code', 'Computations have their times and groups, but no source code.'),
  profile: about('Profiles are', 'Profiles', 'profile', 'Threads are not sampled, so it is unknown which functions took the time.'),
  exceptions: about('Exception text is', 'Exception text', 'exceptions', 'Failures have their types, groups, workers and counts, but no message, traceback or details.'),
  names: about('Task names are', 'Task names', 'names', 'Groups, prefixes and spans have made-up names. The same name gets the same one for as long as the scheduler runs. A group’s begins with its prefix’s.'),
  user: about('The user’s name is', 'User', 'user', 'It is left out, and masked in tracebacks.'),
  host: about('Host names and addresses are', 'Hosts and addresses', 'host', 'Workers are numbered.'),
  paths: about('Folders are', 'Folders', 'paths', 'File names show only the last part of the path.'),
  events: {
    title: 'Events are',
    label: 'Events',
    setting: 'bobbin.events.allow: ["all", "scheduler"]',
    variable: `DASK_BOBBIN__EVENTS__ALLOW='["all", "scheduler"]'`,
    instead: 'They are counted by topic.',
  },
};

/** Since when a category is off at source; null: it is sent. */
export function offSince(facts: ClusterFacts, category: Category): number | null {
  return Object.hasOwn(facts.off_since, category) ? (facts.off_since[category] ?? null) : null;
}

/** What a Dask that does not tell it calls so, and since when Dask does. */
const parts = new Map<string, { what: string; from: string | null }>([
  ['queued', { what: 'Queued tasks', from: '2022.9' }],
  ['spans', { what: 'Spans', from: '2023.6' }],
  ['metrics', { what: 'Worker activities', from: '2023.4' }],
  ['retries', { what: 'Retried attempts', from: '2023.7.1' }],
  ['idle_since', { what: 'Idle since', from: '2023.3.2' }],
  ['threads_history', { what: 'Exact cluster time', from: '2023.6.1' }],
  ['lost_workers', { what: 'Whether a worker that left was lost', from: '2024.6' }],
  ['memory_kills', { what: 'Whether a nanny killed a worker over its memory', from: '2024.4.2' }],
  ['code', { what: 'Code of computations', from: null }],
  // What files of other programs do not hold.
  ['computations', { what: 'Computations', from: null }],
  ['dependencies', { what: 'Dependencies of groups', from: null }],
  ['durations', { what: 'Durations of individual tasks', from: null }],
  ['events', { what: 'Events', from: null }],
  ['exceptions', { what: 'Exceptions', from: null }],
  ['groups', { what: 'Task groups', from: null }],
  ['memory', { what: 'Worker memory', from: null }],
  ['older_tasks', { what: 'Tasks before the newest 100,000', from: null }],
  ['profile', { what: 'Profiles', from: null }],
  ['profile_bytes', { what: 'Profiles in bytes, which Bobbin doesn’t read', from: null }],
  ['profile_leaves', { what: 'The innermost function of each stack', from: null }],
  ['result_bytes', { what: 'Result sizes', from: null }],
  ['sample_time', { what: 'Duration of one sample', from: null }],
  ['times', { what: 'When it ran: shown at the time of import', from: null }],
  ['versions', { what: 'Package versions', from: null }],
  ['waiting', { what: 'Waiting tasks', from: null }],
  ['worker_times', { what: 'When workers joined and left', from: null }],
  ['workers', { what: 'Workers', from: null }],
]);

const files: Record<SourceFormat, string> = {
  performance_report: 'a Dask performance report',
  cluster_dump: 'a cluster state dump',
  speedscope: 'a speedscope profile',
  folded_stacks: 'folded stacks',
};

/** `a Dask performance report`, for a cluster that was read from a file of another program. */
export function sourceWords(format: SourceFormat | null | undefined): string | null {
  return format == null ? null : files[format];
}

function isFromFile(facts: ClusterFacts): boolean {
  return facts.from_bundle?.source != null;
}

/** What tells less than Bobbin reads: `Dask 2022.6.1`, or the file that it was read from. */
export function teller(facts: ClusterFacts): string {
  return isFromFile(facts) ? 'this file' : daskVersion(facts);
}

export function daskVersion(facts: ClusterFacts): string {
  const version = facts.versions['distributed'] ?? facts.versions['dask'] ?? null;
  return version === null ? 'this version of Dask' : `Dask ${visible(version)}`;
}

/** `not available in Dask 2022.6.1`, or null where this Dask tells it. */
export function unavailable(facts: ClusterFacts, word: string): string | null {
  return facts.unavailable.includes(word) ? notAvailable(facts) : null;
}

/** For a figure that is null. */
export function notAvailable(facts: ClusterFacts): string {
  return isFromFile(facts) ? 'not in this file' : `not available in ${daskVersion(facts)}`;
}

/** `Dask reports it from 2023.6 on.` */
export function tellsFrom(word: string): string {
  const from = parts.get(word)?.from ?? null;
  return from === null ? '' : `Dask reports it from ${from} on.`;
}

/** Why a group has no times of single tasks: a plugin that would cost its scheduler too much times only some. */
export function untimed(compute_seconds: number, facts: ClusterFacts): string {
  if (compute_seconds === 0) return 'none of its tasks has finished';
  return unavailable(facts, 'durations') ?? 'none of its tasks was timed';
}

/** All of it as words for a list. */
export function unavailableWords(facts: ClusterFacts): string[] {
  return facts.unavailable.map((word) => parts.get(word)?.what ?? visible(word));
}
