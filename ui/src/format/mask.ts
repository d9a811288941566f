// What a copy button leaves out, so that a paste into an issue gives nothing away. Says what it masked.

const rules: { what: string; find: RegExp; put: string }[] = [
  { what: 'secret', find: /\b(?:sk|pk|ghp|gho|ghs|xox[abp]|glpat|AKIA)[-_A-Za-z0-9]{12,}\b/g, put: '‹secret›' },
  {
    what: 'secret',
    find: /((?:password|passwd|secret|token|api[_-]?key|access[_-]?key)["']?\s*[:=]\s*["']?)[^\s"',;)]{4,}/gi,
    put: '$1‹secret›',
  },
  { what: 'secret', find: /(\w+:\/\/[^\s:/@]+:)[^\s@/]+@/g, put: '$1‹secret›@' },
  { what: 'home folder', find: /(?:\/home|\/Users)\/[^/\s"':]+/g, put: '~' },
  { what: 'home folder', find: /[A-Za-z]:\\Users\\[^\\\s"']+/g, put: '~' },
  { what: 'address', find: /\b(tcp|tls|ucx|inproc|ws|wss):\/\/[^\s"'<>,)]+/g, put: '$1://‹address›' },
  { what: 'address', find: /\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b/g, put: '‹address›' },
];

export interface Masked {
  text: string;
  /** What was masked, and how often. */
  found: Map<string, number>;
}

export function mask(text: string): Masked {
  const found = new Map<string, number>();
  for (const { what, find, put } of rules) {
    const hits = text.match(find)?.length ?? 0;
    if (hits === 0) continue;
    found.set(what, (found.get(what) ?? 0) + hits);
    text = text.replace(find, put);
  }
  return { text, found };
}

/** `masked 2 home folders, 1 address`, or nothing. */
export function maskWords(found: Map<string, number>): string {
  if (found.size === 0) return '';
  const parts = [...found].map(([what, n]) => `${n} ${n === 1 ? what : what === 'address' ? 'addresses' : `${what}s`}`);
  return `masked ${parts.join(', ')}`;
}
