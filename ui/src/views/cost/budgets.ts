// Budgets as words, and as they are written.

import type { BudgetRow, Covers } from '../../generated/api';
import { shareRange } from '../../format/number';

export const coverKinds = ['everything', 'user', 'project', 'tag'] as const;
export type CoverKind = (typeof coverKinds)[number];
export const coverWords: Record<CoverKind, string> = { everything: 'Every cluster', user: 'User', project: 'Project', tag: 'Tag' };

export interface Draft {
  id: number | null;
  kind: CoverKind;
  tag: string;
  value: string;
  amount: string;
}

export const noDraft: Draft = { id: null, kind: 'everything', tag: '', value: '', amount: '' };

export function draftOf({ id, covers, amount_nanos }: BudgetRow): Draft {
  const value = covers.is === 'user' ? covers.user : covers.is === 'project' ? covers.project : covers.is === 'tag' ? covers.value : '';
  return { id, kind: covers.is, tag: covers.is === 'tag' ? covers.name : '', value, amount: String(amount_nanos / 1e9) };
}

export function coversOf({ kind, tag, value }: Draft): Covers {
  switch (kind) {
    case 'everything':
      return { is: 'everything' };
    case 'user':
      return { is: 'user', user: value };
    case 'project':
      return { is: 'project', project: value };
    case 'tag':
      return { is: 'tag', name: tag, value };
  }
}

/** Whole billionths; null if it is no amount. A comma is a point. */
export function nanosOf(amount: string): number | null {
  const text = amount.trim().replace(',', '.');
  const n = /^\d+(\.\d+)?$/.test(text) ? Math.round(Number(text) * 1e9) : 0;
  return n > 0 && Number.isSafeInteger(n) ? n : null;
}

/** `project etl`, `env = prod`. */
export function nameOf(covers: Covers): string {
  switch (covers.is) {
    case 'everything':
      return 'every cluster';
    case 'user':
      return covers.user;
    case 'project':
      return `project ${covers.project}`;
    case 'tag':
      return `${covers.name} = ${covers.value}`;
  }
}

/** `42–61 % spent`. */
export function spentWords({ share: part }: BudgetRow): string {
  if (part === null) return 'no price';
  if (part.low >= 10) return 'more than 10 times spent';
  return `${shareRange(part)} spent`;
}

export function tone({ reached_percent }: BudgetRow): 'bad' | 'warn' | '' {
  return reached_percent >= 100 ? 'bad' : reached_percent >= 80 ? 'warn' : '';
}
