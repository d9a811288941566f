// Words for the key that opens recorded code.

import type { KeyState, KeyStatus } from '../../generated/api';

export interface KeyWords {
  title: string;
  more: string;
  tone: 'calm' | 'warn' | 'bad';
  /** Whether asking again, with a person in front of it, may open it. */
  unlocks: boolean;
  /** Whether only a copy of the key brings it back. */
  lost: boolean;
}

const fine = 'Numbers, names, and times are not encrypted, and recording continues.';

const words: Record<KeyState, Omit<KeyWords, 'unlocks' | 'lost'>> = {
  open: { title: 'Recorded code is readable', more: '', tone: 'calm' },
  unasked: { title: 'The key is in the keyring', more: 'Bobbin asks the keyring for it when you open code.', tone: 'calm' },
  shut: { title: 'Code is locked', more: `You locked it here. ${fine}`, tone: 'warn' },
  missing: { title: 'The key is missing', more: `The data folder has no file “key”. ${fine}`, tone: 'bad' },
  unreadable: {
    title: 'The key cannot be read',
    more: `The file “key” cannot be read, can be read by other users, or contains no key. Settings, Doctor, tells you which. ${fine}`,
    tone: 'bad',
  },
  another: { title: 'The key does not match', more: `The key found here belongs to another store. ${fine}`, tone: 'bad' },
  keyring_locked: { title: 'Code is locked', more: `The keyring that holds its key is locked. ${fine}`, tone: 'warn' },
  keyring_absent: { title: 'Code is locked', more: `Its key is in a keyring, but no keyring responds here. ${fine}`, tone: 'warn' },
  keyring_silent: {
    title: 'Code is locked',
    more: `The keyring that holds its key does not respond. It may be waiting for its password in a separate window. ${fine}`,
    tone: 'warn',
  },
  keyring_failed: { title: 'Code is locked', more: `The keyring that holds its key failed. ${fine}`, tone: 'warn' },
  not_in_keyring: { title: 'The key is missing', more: `The keyring no longer holds it. ${fine}`, tone: 'bad' },
};

const lost: readonly KeyState[] = ['missing', 'unreadable', 'another', 'not_in_keyring'];

export function keyWords(state: KeyState): KeyWords {
  return { ...words[state], unlocks: state !== 'open', lost: lost.includes(state) };
}

export function placeWords({ place, keyring }: Pick<KeyStatus, 'place' | 'keyring'>): string {
  if (place === 'file') return 'in the file “key” in the data folder, readable only by you';
  if (place === 'keyring') return keyring === null ? 'in a keyring, but this system has none' : `in the keyring (${keyring})`;
  return 'not here';
}

/** Why code is locked, in one sentence, where it stands in place of code. */
export function lockedWords(state: KeyState | null): string {
  if (state === null || state === 'open' || state === 'unasked') return 'It is stored encrypted, and its key is missing. All numbers are intact.';
  const { more } = words[state];
  return more.replace(fine, 'All numbers are intact.');
}
