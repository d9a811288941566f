// Rules of what is kept, as they are typed; and what they would remove, in words.

import type { Removal, RemovalPreview, RetentionCategory, RetentionRules } from '../../generated/api';
import { bytes } from '../../format/bytes';
import { plural } from '../../format/number';

const GIB = 1024 ** 3;
/** How long a change waits, in microseconds. */
export const waits = 10_000_000;

export const kinds: { category: RetentionCategory; field: Exclude<keyof RetentionRules, 'cap_bytes'>; label: string; stays: string }[] = [
  { category: 'profiles', field: 'profiles_days', label: 'Profiles', stays: 'Time by group and prefix stays.' },
  { category: 'code', field: 'code_days', label: 'Code', stays: 'Computations stay, with their times and groups.' },
  { category: 'exceptions', field: 'exceptions_days', label: 'Messages and tracebacks', stays: 'Types, groups, times, and counts stay.' },
  { category: 'events', field: 'events_days', label: 'Events', stays: 'Their topics stay.' },
  { category: 'samples', field: 'samples_days', label: 'Charts over time', stays: 'Totals and hours stay.' },
];

/** What is typed; empty is without limit. */
export interface Draft {
  cap: string;
  days: Record<RetentionCategory, string>;
}

export function draftOf(rules: RetentionRules): Draft {
  const days = Object.fromEntries(kinds.map(({ category, field }) => [category, rules[field]?.toString() ?? ''])) as Draft['days'];
  return { cap: rules.cap_bytes === null ? '' : String(Number((rules.cap_bytes / GIB).toFixed(3))), days };
}

/** The rules that are typed; or the label of the field that holds no number that could be one. */
export function rulesOf(draft: Draft): { rules: RetentionRules } | { wrong: string } {
  const cap = draft.cap.trim() === '' ? null : Number(draft.cap);
  if (cap !== null && !(Number.isFinite(cap) && cap >= 0.02 && cap <= 1e6)) return { wrong: 'Size' };
  const rules: RetentionRules = {
    cap_bytes: cap === null ? null : Math.round(cap * GIB),
    profiles_days: null,
    code_days: null,
    exceptions_days: null,
    events_days: null,
    samples_days: null,
  };
  for (const { category, field, label } of kinds) {
    const text = draft.days[category].trim();
    if (text === '') continue;
    if (!/^\d{1,6}$/.test(text) || Number(text) < 1 || Number(text) > 365_000) return { wrong: label };
    rules[field] = Number(text);
  }
  return { rules };
}

export function same(a: RetentionRules, b: RetentionRules): boolean {
  return a.cap_bytes === b.cap_bytes && kinds.every(({ field }) => a[field] === b[field]);
}

/** `≈ 1.20 GiB: 41 clusters, 3 of them with all their totals`. */
export function removalWords(preview: RemovalPreview): string {
  if (preview.clusters === 0) return 'nothing';
  const whole = preview.whole === 0 ? '' : preview.whole === preview.clusters ? `, with all ${preview.whole === 1 ? 'its' : 'their'} totals` : `, ${preview.whole} of them with all their totals`;
  return `≈ ${bytes(preview.bytes)}: ${plural(preview.clusters, 'cluster')}${whole}`;
}

/** What goes of one cluster. */
export function partsWords(row: Removal): string {
  if (row.whole) return 'everything';
  return kinds
    .filter(({ category }) => row.categories.includes(category))
    .map(({ label }, i) => (i === 0 ? label : label.toLowerCase()))
    .join(', ');
}
