// What a copy button leaves out, so that a paste into an issue gives nothing away, and says what it masked; and what is hidden in code
// that is shown.

import { visible } from './visible';

/* No rule looks further from one place than it has to: text may be long, and made to be. */

/** Beginnings and lengths that vendors give their tokens, and Bobbin its own; words that only begin alike are none. */
const tokens = [
  '[ps]k-(?=[-\\w]{0,200}\\d)[-\\w]{16,}',
  '[prs]k_(?:live|test)_[A-Za-z0-9]{12,}',
  'gh[oprsu]_[A-Za-z0-9]{20,}',
  'github_pat_\\w{20,}',
  'glpat-[-\\w]{16,}',
  'xox[abeoprs]-[-A-Za-z0-9]{12,}',
  'A[KS]IA[0-9A-Z]{16}',
  'AIza[-\\w]{30,}',
  '(?:hf|npm)_[A-Za-z0-9]{30,}',
  'dckr_pat_[-\\w]{20,}',
  'pypi-[-\\w]{30,}',
  'bobbin[a-z0-9]{40,}',
];

const rules: { what: string; find: RegExp; put: string }[] = [
  { what: 'secret', find: /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, put: '‹secret›' },
  { what: 'secret', find: /\beyJ[-_A-Za-z0-9]{10,1000}\.[-_A-Za-z0-9]{10,8000}(?:\.[-_A-Za-z0-9]+)?/g, put: '‹secret›' },
  { what: 'secret', find: /\b(Bearer|Basic)\s+[-_.~+/A-Za-z0-9]{12,}=*/g, put: '$1 ‹secret›' },
  { what: 'secret', find: new RegExp(`\\b(?:${tokens.join('|')})`, 'g'), put: '‹secret›' },
  {
    what: 'secret',
    // What another rule has hidden is one secret, and not two.
    find: /((?:password|passwd|secret|token|api[_-]?key|access[_-]?key)["']?\s*[:=]\s*["']?)(?!‹secret›)[^\s"',;)]{4,}/gi,
    put: '$1‹secret›',
  },
  { what: 'secret', find: /(\b\w{1,20}:\/\/[^\s:/@]{1,256}:)[^\s@/]{1,1024}@/g, put: '$1‹secret›@' },
  { what: 'home folder', find: /(?:\/home|\/Users)\/[^/\s"':]+/g, put: '~' },
  { what: 'home folder', find: /[A-Za-z]:\\[Uu]sers\\[^\\\s"']+/g, put: '~' },
  { what: 'address', find: /\b(tcp|tls|ucx|inproc|ws|wss):\/\/[^\s"'<>,)]+/g, put: '$1://‹address›' },
  { what: 'address', find: /\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,10}\b/g, put: '‹address›' },
  { what: 'host', find: /\b[a-z0-9][-a-z0-9]{0,62}(?:\.[-a-z0-9]{1,63}){0,10}?\.(?:local|localdomain|lan|home|internal|intranet|intra|corp|svc|cluster|compute|amazonaws\.com)\b/gi, put: '‹host›' },
  { what: 'address', find: /\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b/g, put: '‹address›' },
];

/** Names that the page knows, and no rule could tell from other words. */
export interface Known {
  what: 'host' | 'user';
  name: string;
}

export interface Masked {
  text: string;
  /** What was masked, and how often. */
  found: Map<string, number>;
}

/** Where any of the names stands as a word; the longest first, as one may begin another. Shorter ones are in too many words. */
function anyOf(names: readonly string[]): RegExp | null {
  const long = names.filter((name) => name.length > 2).toSorted((a, b) => b.length - a.length);
  if (long.length === 0) return null;
  return new RegExp(`(?<!\\w)(?:${long.map((name) => name.replace(/[^\w\s-]/g, '\\$&')).join('|')})(?!\\w)`, 'gi');
}

export function mask(text: string, known: readonly Known[] = []): Masked {
  const found = new Map<string, number>();
  for (const { what, find, put } of rules) {
    const hits = text.match(find)?.length ?? 0;
    if (hits === 0) continue;
    found.set(what, (found.get(what) ?? 0) + hits);
    text = text.replace(find, put);
  }
  for (const what of ['host', 'user'] as const) {
    const find = anyOf(known.filter((one) => one.what === what).map(({ name }) => name));
    const hits = find === null ? 0 : (text.match(find)?.length ?? 0);
    if (find === null || hits === 0) continue;
    found.set(what, (found.get(what) ?? 0) + hits);
    text = text.replace(find, `‹${what}›`);
  }
  return { text, found };
}

const breaks = (text: string) => text.split('\n').length - 1;

/** Secrets alone, for the eye: what they stand in keeps its lines. */
export function hideSecrets(text: string): Masked {
  const found = new Map<string, number>();
  for (const { what, find, put } of rules) {
    if (what !== 'secret') continue;
    text = text.replace(find, (hit, ...groups) => {
      found.set(what, (found.get(what) ?? 0) + 1);
      const shown = put.replace('$1', () => String(groups[0]));
      return shown + '\n'.repeat(breaks(hit) - breaks(shown));
    });
  }
  return { text, found };
}

/** A line of source that stands by itself, as the eye may see it. */
export function sourceLine(text: string): string {
  return visible(hideSecrets(text.trim()).text);
}

/** `masked 2 home folders, 1 address`, or nothing. */
export function maskWords(found: Map<string, number>): string {
  if (found.size === 0) return '';
  const parts = [...found].map(([what, n]) => `${n} ${n === 1 ? what : what === 'address' ? 'addresses' : `${what}s`}`);
  return `masked ${parts.join(', ')}`;
}
