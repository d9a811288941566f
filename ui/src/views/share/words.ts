// What levels and classes are called, and what they mean.

import type { Choice, ClassCount, FieldClass, Identities, LensPage, Level } from '../../generated/api';
import { count, plural } from '../../format/number';
import { visible } from '../../format/visible';

export const levels: { level: Level; label: string; tells: string }[] = [
  { level: 'metrics', label: 'Metrics only', tells: 'Counts, seconds, bytes, and states. Names are aliases.' },
  { level: 'names', label: 'Metrics and names', tells: 'Also functions, projects, tags, versions, and exception types.' },
  { level: 'errors', label: 'Errors too', tells: 'Also messages and tracebacks.' },
  { level: 'everything', label: 'Everything', tells: 'Also code, source lines, and event payloads.' },
];

export const identityWords: { value: Identities; label: string; tells: string }[] = [
  { value: 'aliases', label: 'Aliases', tells: 'Users, hosts, addresses, folders, and keys get aliases. They stay the same in every share with one destination, and no one else can tell what they stand for.' },
  { value: 'real', label: 'Real names', tells: 'Users, hosts, addresses, folders, and keys appear as they are.' },
];

/** `Metrics and names`. */
export const levelWords = (level: Level): string => levels.find((one) => one.level === level)?.label ?? level;

/** `Metrics and names, with aliases`. */
export function choiceWords(choice: Choice): string {
  const level = levelWords(choice.level);
  return choice.level === 'metrics' ? level : `${level}, ${choice.identities === 'real' ? 'real identities' : 'identities as aliases'}`;
}

export const classWords: Record<FieldClass, string> = {
  metric: 'Metrics',
  name: 'Names',
  identity: 'Identities',
  error_text: 'Messages and tracebacks',
  code: 'Code',
  payload: 'Event payloads',
};

/** What became of the values of one class, in words: `12 values`, `3 values as aliases or in part`, `1 value left out`. */
export function fateWords({ told, masked, withheld }: Pick<ClassCount, 'told' | 'masked' | 'withheld'>): string {
  const parts = [
    told > 0 ? plural(told, 'value') : '',
    masked > 0 ? `${plural(masked, 'value')} as aliases or in part` : '',
    withheld > 0 ? `${plural(withheld, 'value')} left out` : '',
  ];
  return parts.filter((part) => part !== '').join(', ') || 'none';
}

/** Clusters that a lens draws at once. */
export const lensPage = 200;

/** Whose clusters a lens draws, of which all are listed or only some. */
export function lensWords({ offset, total }: Pick<LensPage, 'offset' | 'total'>, drawn: number): string {
  const them = drawn === 1 ? 'it' : 'them';
  const which = offset === 0 && drawn === total ? `your ${plural(drawn, 'cluster')}` : `your clusters ${count(offset + 1)} to ${count(offset + drawn)} of ${count(total)}, newest first,`;
  return `${which} as a recipient would see ${them}`;
}

/** Files that are named of those that wait. */
const named = 5;

/** Which files wait behind the one that is looked at, and what becomes of them. */
export function waitingWords(names: string[]): string {
  const more = names.length - named;
  const first = names.slice(0, named).map((name) => visible(name)).join(', ');
  const them = names.length === 1 ? 'it' : 'them';
  return `Still waiting: ${first}${more > 0 ? `, and ${count(more)} more` : ''}. Open beside leaves ${them} out: open ${them} again afterwards.`;
}

/** Files for which there was no room. */
export function leftOutWords(files: number, most: number): string {
  return `${plural(files, 'file')} left out: at most ${count(most)} wait here. Open the rest afterwards, or run bobbin import FILE… to import many at once.`;
}
