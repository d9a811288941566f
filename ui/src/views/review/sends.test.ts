import { expect, test } from 'vitest';
import type { AccountSaid, Queued } from '../../generated/api';
import { audience, destinationName, sendable, sendActs, sendLabel, sendSaid, sentLink } from './sends';

const one = (more: Partial<Queued>): Queued => ({
  sha256: 'aa', what: 'stage 1: 1 cluster', to: '0a1b@hub:1#sha256=ff', bytes: 7, state: 'waiting', approved_micros: 1, asked: false, recalling: false, attempts: 0,
  trouble: null, again_micros: null, sent_chunks: 0, chunks: 0, receipt: null, backups_until_micros: null, ...more,
});

test('a state is a word, and what may be done follows from it', () => {
  expect([sendSaid(one({}), false).word, sendActs(one({}))]).toEqual(['approved, not sent', { send: 'Send', back: 'withdraw' }]);
  const queued = one({ asked: true });
  expect([sendSaid(queued, false).word, sendSaid(queued, true).word, sendActs(queued)]).toEqual(['queued', 'queued, paused', { send: null, back: 'withdraw' }]);
  const going = one({ asked: true, state: 'uploading', sent_chunks: 2, chunks: 3 });
  expect([sendSaid(going, false).word, sendActs(going)]).toEqual(['sending, 2 of 3 chunks', { send: null, back: 'recall' }]);
  const stuck = one({ state: 'stuck', trouble: 'the token is none' });
  expect([sendSaid(stuck, false).tone, sendActs(stuck).send]).toEqual(['bad', 'Try again']);
  expect(sendActs(one({ asked: true, trouble: 'nobody answers', again_micros: 9 }))).toEqual({ send: 'Try again', back: 'withdraw' });
  expect(sendActs(one({ state: 'sent' }))).toEqual({ send: null, back: 'recall' });
  expect(sendActs(one({ state: 'lost' }))).toEqual({ send: 'Try again', back: 'recall' });
  expect(sendActs(one({ state: 'recalled' }))).toEqual({ send: null, back: null });
  const withdrawn = one({ state: 'withdrawn' });
  expect([sendSaid(withdrawn, false).word, sendActs(withdrawn)]).toEqual(['approval withdrawn', { send: null, back: null }]);
  expect(sendSaid(one({ state: 'sent', recalling: true }), false).word).toBe('recalling');
});

test('what was recalled is sent again to a hub, and never to a folder or an object store', () => {
  expect(sendable(null, 'folder')).toBe(true);
  expect(sendable(one({}), 'store')).toBe(true);
  expect(sendable(one({ state: 'withdrawn' }), 'store')).toBe(true);
  expect(sendable(one({ asked: true }), 'hub')).toBe(false);
  expect(sendable(one({ state: 'sent' }), 'folder')).toBe(false);
  const recalled = one({ state: 'recalled' });
  expect((['hub', 'folder', 'store'] as const).map((kind) => sendable(recalled, kind))).toEqual([true, false, false]);
});

test('a destination has the name that it was joined by', () => {
  const blue = { kind: 'hub' as const, name: 'blue', to: '0a1b@hub:1#sha256=ff', address: 'hub:1', certificate_sha256: 'ff'.repeat(32), said: null };
  expect(destinationName(blue.to, [blue])).toBe('blue');
  expect(destinationName(blue.to, [])).toBe('0a1b@hub:1');
  expect(destinationName('s3://team/bobbin#server=https://s3.example', [])).toBe('s3://team/bobbin');
  expect(sendLabel({ clusters: [1, 2], bytes: 2048 }, 'blue')).toBe('Send 2 clusters to blue, 2.00 KiB');
});

test('what was sent has a link for others', () => {
  const of = (kind: 'hub' | 'folder' | 'store', address: string) => sentLink({ kind, name: 'team', to: 'team', address, certificate_sha256: null, said: null }, 'aa');
  expect(of('hub', 'hub.example:8789')).toBe('https://hub.example:8789/');
  expect(of('store', 's3://b/c')).toBe('s3://b/c/bundles/aa.bobbin');
  expect(of('folder', '/team/')).toBe('/team/bundles/aa.bobbin');
});

test('a destination says where it is, who can read there, and for how long', () => {
  const of = (kind: 'hub' | 'folder' | 'store', name: string, address: string, said: AccountSaid | null = null) =>
    audience({ kind, name, to: name, address, certificate_sha256: kind === 'hub' ? `0a1b${'f'.repeat(60)}` : null, said });
  const hub = of('hub', 'blue', 'hub.example:8789');
  expect(hub).toContain('blue is an account on the hub hub.example:8789, certificate SHA-256 0a1bffffffff….');
  expect(hub).toContain('viewers, members, and admins can read what you send, until someone recalls it');
  const said = { as_of_micros: 1_795_000_000_000_000, level: 'names', viewers: 2, members: 5, admins: 1, backup_days: 30 };
  const known = of('hub', 'blue', 'hub.example:8789', said);
  expect(known).toMatch(/As of .+, its 2 viewers, 5 members, and 1 admin can read what you send, until someone recalls it\. It takes at most “Metrics and names”\. After a recall, the hub’s backups may keep it for 30 days\.$/);
  expect(of('hub', 'blue', 'hub.example:8789', { ...said, level: null, backup_days: null })).toMatch(/recalls it\. The hub does not state how long its backups keep what was recalled\.$/);
  expect(of('folder', '/team', '/team')).toContain('open this folder');
  expect(of('store', 's3://b/c', 's3://b/c')).toContain('access to this object store');
});
