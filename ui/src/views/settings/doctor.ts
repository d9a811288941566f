// What Doctor found, as the page shows it: the worst first, and where to put it right.

import type { DoctorCheck, Checkup, DoctorVerdict } from '../../generated/api';
import { plural } from '../../format/number';
import { settingsAt, write, type Route } from '../../state/route';

export interface VerdictWords {
  word: string;
  tone: 'good' | 'warn' | 'bad';
}

export const checkWords: Record<DoctorVerdict, VerdictWords> = {
  wrong: { word: 'Wrong', tone: 'bad' },
  note: { word: 'Note', tone: 'warn' },
  ok: { word: 'OK', tone: 'good' },
};

const order: readonly DoctorVerdict[] = ['wrong', 'note', 'ok'];

/** The worst first; those that are alike stay in the order of the shell's list. */
export function worstFirst(checks: readonly DoctorCheck[]): DoctorCheck[] {
  return order.flatMap((verdict) => checks.filter((check) => check.verdict === verdict));
}

export interface Summary {
  title: string;
  more: string;
  tone: 'calm' | 'warn' | 'bad';
}

export function summary(checkup: Checkup): Summary {
  const of = (verdict: DoctorVerdict) => checkup.checks.filter((check) => check.verdict === verdict).length;
  const [wrong, notes] = [of('wrong'), of('note')];
  const noted = notes === 0 ? '' : ` ${plural(notes, 'note')} to read.`;
  if (wrong > 0) return { title: `${plural(wrong, 'problem')} found`, more: `Start with the first one below.${noted}`, tone: 'bad' };
  return { title: 'Everything looks good', more: `A cluster that starts now reports here.${noted}`, tone: 'calm' };
}

const connect: Route = { view: 'connect' };
const port = { label: 'Receiver settings', to: settingsAt('receiver', 'port') };
const limits = { label: 'Storage settings', to: settingsAt('storage', 'rules') };
const snapshots = { label: 'Snapshots', to: settingsAt('storage', 'snapshots') };
const key = { label: 'Encryption key', to: settingsAt('privacy', 'key') };
const files = { label: 'Inbox', to: settingsAt('inbox', 'files') };

const places: Record<string, { label: string; to: Route }> = {
  settings: { label: 'Settings file', to: settingsAt('receiver', 'file') },
  token: { label: 'Token', to: settingsAt('receiver', 'token') },
  receiver: port,
  interface: { label: 'Interface', to: settingsAt('receiver', 'network') },
  connection: { label: 'Connect', to: connect },
  environment: { label: 'Connect', to: connect },
  plugin: { label: 'Connect', to: connect },
  'last batch': { label: 'Connect', to: connect },
  disk: limits,
  limit: limits,
  clock: limits,
  snapshots,
  'damaged store': snapshots,
  inbox: files,
  spool: files,
  key,
  'public key': key,
};

/** Where the page can put it right; null where only the hint says how, or nothing is to be done. */
export function placeOf(check: DoctorCheck): { label: string; href: string } | null {
  const place = check.verdict === 'ok' ? undefined : places[check.name];
  return place === undefined ? null : { label: place.label, href: write(place.to) };
}
