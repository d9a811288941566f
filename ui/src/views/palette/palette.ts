// What the palette offers: actions with their keys, places, kept views and clusters, and what a search finds.

import type { ClusterRow, SavedView, SearchAnswer, SearchGroup, SearchHit, SearchKind, SealedLook } from '../../generated/api';
import { visible } from '../../format/visible';
import { count, plural } from '../../format/number';
import { stateWords } from '../../parts/stateWords';
import type { Action } from '../../state/actions.svelte';
import { cluster, clusters, write, type Tab } from '../../state/route';

export interface Entry extends Action {
  /** What else it is found by. */
  words?: string;
  /** The part that was found, where a search found it. */
  match?: [string, string, string];
  /** The palette stays open until it is done. */
  stays?: true;
}

export interface Group {
  title: string;
  entries: Entry[];
  /** Whether there are more. */
  truncated?: boolean;
  /** How many there are, where that is known. */
  total?: number;
}

/** Entries of a kind that are shown as long as something is looked for: each search has several kinds. */
const most = 4;

/** What there is of a kind: all of it, or the first that fit what is typed, and how many do. */
export function groupOf(title: string, entries: Entry[], typed: string): Group {
  return { title, entries: typed === '' ? entries : entries.slice(0, most), total: entries.length };
}

/** `, 4 of 8`: what is not shown is said. */
export function shownWords({ entries, truncated = false, total = entries.length }: Group): string {
  if (total > entries.length) return `, ${count(entries.length)} of ${count(total)}`;
  return truncated ? ', the newest' : '';
}

/** What Enter does: the first that begins with all that is typed, else the first. */
export function foremost(entries: readonly Entry[], typed: string): Entry | undefined {
  const text = typed.toLowerCase();
  return (text === '' ? undefined : entries.find(({ label }) => label.toLowerCase().startsWith(text))) ?? entries[0];
}

/** Entries that have each word of what is typed, in any order; those that begin with it first. */
export function matching(entries: readonly Entry[], typed: string): Entry[] {
  const words = typed.toLowerCase().split(/\s+/).filter((word) => word !== '');
  const text = (entry: Entry) => entry.label.toLowerCase();
  const found = entries.filter((entry) => words.every((word) => `${text(entry)} ${entry.hint.toLowerCase()} ${entry.words ?? ''}`.includes(word)));
  const begins = (entry: Entry) => words.length > 0 && text(entry).startsWith(words[0]!);
  return [...found.filter(begins), ...found.filter((entry) => !begins(entry))];
}

export function clusterEntry(row: ClusterRow): Entry {
  return {
    id: `cluster-${row.id}`,
    label: visible(row.name),
    hint: [stateWords[row.state].word, row.user, row.project].filter((part) => part !== null).map((part) => visible(part)).join(' · '),
    to: write(cluster(row.id)),
  };
}

export function viewEntry({ view }: SavedView): Entry & { to: string } {
  const { filter: text, order, direction, columns } = view;
  return {
    id: `view-${view.name}`,
    label: visible(view.name),
    hint: text === '' ? 'every cluster' : visible(text),
    to: write({ ...clusters, text, order, direction, columns } as typeof clusters),
  };
}

export const kinds: Record<SearchKind, { title: string; what: string; tab: Tab }> = {
  cluster: { title: 'Clusters', what: 'names, users, hosts and projects', tab: 'groups' },
  tag: { title: 'Tags', what: 'tags', tab: 'groups' },
  note: { title: 'Notes', what: 'notes', tab: 'groups' },
  function: { title: 'Prefixes', what: 'prefixes', tab: 'groups' },
  frame: { title: 'Functions in profiles', what: 'functions in profiles', tab: 'profile' },
  exception: { title: 'Exceptions', what: 'exception types', tab: 'exceptions' },
  message: { title: 'Exception messages', what: 'exception messages', tab: 'exceptions' },
  code: { title: 'Code', what: 'code', tab: 'computations' },
};

/** A value as the typed filter takes it. */
export function quoted(value: string): string {
  return /^[^\s"()=]+$/.test(value) ? value : `"${value.replace(/["\\]/g, '\\$&')}"`;
}

function hitEntry(kind: SearchKind, hit: SearchHit, at: number): Entry {
  const match: [string, string, string] = [visible(hit.before), visible(hit.matched), visible(hit.after)];
  const whole = hit.before + hit.matched + hit.after;
  // A function or a type that many clusters have leads to all of them.
  const inMany = (hit.clusters ?? 0) > 1;
  const many = (kind === 'function' || kind === 'exception') && inMany;
  // What its tab is narrowed by: prefixes, and functions of the profile.
  const text = kind === 'function' || kind === 'frame' ? whole : '';
  return {
    id: `${kind}-${at}-${hit.cluster_id}`,
    label: match.join(''),
    hint: inMany ? `in ${plural(hit.clusters!, 'cluster')}, last in ${visible(hit.cluster)}` : kind === 'cluster' && whole === hit.cluster ? '' : visible(hit.cluster),
    match,
    to: many
      ? write({ ...clusters, text: `${kind}:${quoted(whole)}` } as typeof clusters)
      : write({ ...cluster(hit.cluster_id, kinds[kind].tab, hit.item), text }),
  };
}

export function hitGroup(group: SearchGroup): Group {
  return {
    title: kinds[group.kind].title,
    entries: group.hits.map((hit, at) => hitEntry(group.kind, hit, at)),
    truncated: group.truncated,
  };
}

/** What was found so far, and what the next answer found further back. */
export function further(before: SearchAnswer, next: SearchAnswer): SearchAnswer {
  const kinds = [...new Set([...before.groups, ...next.groups].map(({ kind }) => kind))];
  const groups = kinds.map((kind) => {
    const [known, found] = [before, next].map(({ groups }) => groups.find((group) => group.kind === kind));
    const hits = [...(known?.hits ?? [])];
    // What came in between moves the newest on: the same text may be looked at twice.
    for (const hit of found?.hits ?? []) if (!hits.some(({ cluster_id, item }) => cluster_id === hit.cluster_id && item === hit.item)) hits.push(hit);
    return { kind, hits, truncated: false };
  });
  const truncated = ({ kind }: SearchGroup) => next.sealed.some((look) => look.kind === kind && look.looked < look.total);
  return { ...next, groups: groups.map((group) => ({ ...group, truncated: truncated(group) })) };
}

/** How far all kinds together were looked through. */
export function looked(sealed: readonly SealedLook[]): { looked: number; total: number } {
  // What went meanwhile cannot be looked at any more.
  return { looked: sealed.reduce((sum, one) => sum + Math.min(one.looked, one.total), 0), total: sealed.reduce((sum, one) => sum + one.total, 0) };
}

/** `Looked through the newest 400 of 5,312 messages and pieces of code`. */
export function lookedWords(sealed: readonly SealedLook[]): string {
  const { looked: done, total } = looked(sealed);
  return done < total ? `Searched the newest ${count(done)} of ${count(total)} messages and code snippets` : `Searched all ${count(total)} messages and code snippets`;
}

/** `names, tags and code`: what a search that found nothing has looked through. */
export function searchedWords(searched: readonly SearchKind[]): string {
  const words = searched.map((kind) => kinds[kind].what);
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
