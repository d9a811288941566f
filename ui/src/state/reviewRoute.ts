// The address of the review desk: which clusters, what of them, and what of that is looked at.

import type { Category, Choice, ClusterLevel, Identities, ItemOrder, Level } from '../generated/api';

export const categories: readonly Category[] = [
  'clusters', 'projects', 'functions', 'keys', 'spans', 'words', 'environment', 'exception_types', 'topics',
  'users', 'hosts', 'addresses', 'workers', 'paths', 'messages', 'tracebacks', 'code', 'lines', 'payloads',
];
const levels: readonly Level[] = ['metrics', 'names', 'errors', 'everything'];
const identities: readonly Identities[] = ['aliases', 'real'];
const itemOrders: readonly ItemOrder[] = ['often', 'rare', 'long', 'new'];

export interface ReviewRoute {
  view: 'review';
  /** The stage that is looked at; null: clusters are being chosen. */
  stage: number | null;
  ids: number[];
  /** Which clusters are listed to be chosen from. */
  text: string;
  choice: Choice;
  /** Chosen clusters of which more or less is shared than of the others. */
  levels: ClusterLevel[];
  destination: string;
  /** The category that is open. */
  category: Category | null;
  order: ItemOrder;
  /** What its items are searched for. */
  items: string;
  /** What the staged bytes are searched for. */
  find: string;
}

export const firstChoice: Choice = { level: 'names', identities: 'aliases' };
/** Whom a share is for, where nobody is named. */
export const aFile = 'file';

export function review(ids: number[]): ReviewRoute {
  return { view: 'review', stage: null, ids, text: '', choice: firstChoice, levels: [], destination: aFile, category: null, order: 'often', items: '', find: '' };
}

const oneOf = <T extends string>(value: string | null, of: readonly T[]): T | null => (of.includes(value as T) ? (value as T) : null);

/** `12-errors,14-metrics`. */
function readLevels(text: string): ClusterLevel[] {
  return text.split(',').flatMap((one) => {
    const [, id, word] = /^(\d{1,15})-([a-z]+)$/.exec(one) ?? [];
    const level = oneOf(word ?? null, levels);
    return id === undefined || level === null ? [] : [{ id: Number(id), level }];
  });
}

/** The levels once one cluster has another, or the one of all. */
export function withLevel(of: readonly ClusterLevel[], id: number, level: Level | null): ClusterLevel[] {
  const others = of.filter((one) => one.id !== id);
  return level === null ? others : [...others, { id, level }];
}

export function readReview(q: URLSearchParams): ReviewRoute {
  const numbers = (q.get('ids') ?? '').split(',').filter((id) => /^\d{1,15}$/.test(id));
  const stage = q.get('stage') ?? '';
  return {
    view: 'review',
    stage: /^\d{1,15}$/.test(stage) ? Number(stage) : null,
    ids: [...new Set(numbers.map(Number))],
    text: q.get('text') ?? '',
    choice: { level: oneOf(q.get('level'), levels) ?? firstChoice.level, identities: oneOf(q.get('identities'), identities) ?? firstChoice.identities },
    levels: readLevels(q.get('levels') ?? ''),
    destination: q.get('for') ?? aFile,
    category: oneOf(q.get('category'), categories),
    order: oneOf(q.get('order'), itemOrders) ?? 'often',
    items: q.get('items') ?? '',
    find: q.get('find') ?? '',
  };
}

export function writeReview(route: ReviewRoute, put: (name: string, value: string | number | null, otherwise?: string | number | null) => void): void {
  put('stage', route.stage);
  put('ids', route.ids.join(','));
  put('text', route.text);
  put('level', route.choice.level, firstChoice.level);
  put('identities', route.choice.identities, firstChoice.identities);
  put('levels', route.levels.map(({ id, level }) => `${id}-${level}`).join(','));
  put('for', route.destination, aFile);
  put('category', route.category);
  put('order', route.order, 'often');
  put('items', route.items);
  put('find', route.find);
}
