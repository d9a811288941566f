// How far what was approved is on its way to a team, in words.

import type { AccountSaid, JoinedDestination, Level, Queued } from '../../generated/api';
import { plural } from '../../format/number';
import { bytes } from '../../format/bytes';
import { dateTime } from '../../format/time';
import { visible } from '../../format/visible';
import { levelWords } from '../share/words';

export type Tone = 'calm' | 'good' | 'bad';

export interface SendSaid {
  word: string;
  tone: Tone;
}

/** The state of one, in a word or two. */
export function sendSaid(one: Queued, paused: boolean): SendSaid {
  const calm = (word: string): SendSaid => ({ word, tone: 'calm' });
  if (one.recalling) return calm('recalling');
  switch (one.state) {
    case 'sent':
      return { word: 'sent', tone: 'good' };
    case 'recalled':
      return calm('recalled');
    case 'withdrawn':
      return calm('approval withdrawn');
    case 'lost':
      return { word: 'lost by the hub', tone: 'bad' };
    case 'stuck':
      return { word: 'failed', tone: 'bad' };
    case 'waiting':
      if (!one.asked) return calm('approved, not sent');
      return calm(paused ? 'queued, paused' : 'queued');
    case 'uploading': {
      if (!one.asked) return { word: 'started, not finished', tone: 'bad' };
      const far = one.chunks === 0 ? '' : `, ${one.sent_chunks} of ${plural(one.chunks, 'chunk')}`;
      return calm(paused ? `paused${far}` : `sending${far}`);
    }
  }
}

/** What may be done with one: what is not asked for is sent, what is not begun is withdrawn, and what is there is recalled. */
export function sendActs(one: Queued): { send: string | null; back: 'withdraw' | 'recall' | null } {
  if (one.recalling || one.state === 'recalled' || one.state === 'withdrawn') return { send: null, back: null };
  const begun = one.state !== 'waiting';
  const send = one.state === 'sent' || (one.asked && one.trouble === null) ? null : begun || one.trouble !== null ? 'Try again' : 'Send';
  return { send, back: begun ? 'recall' : 'withdraw' };
}

/** Whether a stage has a button that sends it: it was not sent yet, or a new approval sends it again. A folder or an object store never takes again what was recalled from it. */
export function sendable(sent: Queued | null, kind: JoinedDestination['kind']): boolean {
  if (sent === null) return true;
  if (sent.state === 'recalled') return kind === 'hub';
  return sent.state === 'withdrawn' || (sent.state === 'waiting' && !sent.asked);
}

/** Where others find what was sent: the page of a hub, where the account’s clusters are, or the bundle itself in a folder or an object store. */
export function sentLink({ kind, address }: JoinedDestination, sha256: string): string {
  return kind === 'hub' ? `https://${address}/` : `${address.replace(/\/+$/, '')}/bundles/${sha256}.bobbin`;
}

/** What a destination is called: where it is known no more, what the ledger has of it. */
export function destinationName(to: string, known: readonly JoinedDestination[]): string {
  const name = known.find((one) => one.to === to)?.name ?? to.split(/#(?:sha256|server)=/)[0] ?? to;
  return visible(name);
}

/** `As of 25 Nov 2026, 20:12:04, its 2 viewers, 5 members, and 1 admin can read …`: what the hub said of an account last. */
function saidWords({ as_of_micros, level, viewers, members, admins, backup_days }: AccountSaid, stays: string): string {
  const readers = `${plural(viewers, 'viewer')}, ${plural(members, 'member')}, and ${plural(admins, 'admin')}`;
  const most = level === null ? '' : ` It takes at most “${levelWords(level as Level)}”.`;
  const backups = backup_days === null ? 'The hub does not state how long its backups keep what was recalled.' : `After a recall, the hub’s backups may keep it for ${plural(backup_days, 'day')}.`;
  return `As of ${dateTime(as_of_micros)}, its ${readers} can read what you send, ${stays}.${most} ${backups}`;
}

/** Where a share goes, who can read it there, and for how long. */
export function audience(place: JoinedDestination): string {
  const stays = 'until someone recalls it';
  const unsaid = `Its viewers, members, and admins can read what you send, ${stays}. The receipt of a recall says when the hub’s backups expire, if the hub states that.`;
  switch (place.kind) {
    case 'hub':
      return `${visible(place.name)} is an account on the hub ${visible(place.address)}, certificate SHA-256 ${(place.certificate_sha256 ?? '').slice(0, 12)}…. ${place.said === null ? unsaid : saidWords(place.said, stays)}`;
    case 'folder':
      return `Everyone who can open this folder can read what you send, ${stays}.`;
    case 'store':
      return `Everyone who has access to this object store can read what you send, ${stays}.`;
  }
}

/** `Send 3 clusters to blue, 214 KiB`. */
export function sendLabel(stage: { clusters: readonly unknown[]; bytes: number | null }, name: string): string {
  return `Send ${plural(stage.clusters.length, 'cluster')} to ${visible(name)}${stage.bytes === null ? '' : `, ${bytes(stage.bytes)}`}`;
}

export const kindWords: Record<JoinedDestination['kind'], string> = { hub: 'hub', folder: 'folder', store: 'object store' };
