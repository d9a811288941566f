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

const fine = 'Numbers, names and times are not sealed, and recording goes on.';

const words: Record<KeyState, Omit<KeyWords, 'unlocks' | 'lost'>> = {
  open: { title: 'Recorded code can be read', more: '', tone: 'calm' },
  unasked: { title: 'The key is in the keyring', more: 'It is asked for it when code is looked at.', tone: 'calm' },
  shut: { title: 'Code is locked', more: `It was locked here by hand. ${fine}`, tone: 'warn' },
  missing: { title: 'The key is missing', more: `There is no file “key” in the data folder. ${fine}`, tone: 'bad' },
  unreadable: {
    title: 'The key cannot be read',
    more: `The file “key” cannot be read, can be read by other users, or holds no key; bobbin doctor says which. ${fine}`,
    tone: 'bad',
  },
  another: { title: 'The key is another one', more: `The key that is here belongs to another store. ${fine}`, tone: 'bad' },
  keyring_locked: { title: 'Code is locked', more: `The keyring that holds its key is locked. ${fine}`, tone: 'warn' },
  keyring_absent: { title: 'Code is locked', more: `Its key is in a keyring, and none answers here. ${fine}`, tone: 'warn' },
  keyring_silent: {
    title: 'Code is locked',
    more: `The keyring that holds its key does not answer; it may wait for its password in a window of its own. ${fine}`,
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
  if (place === 'file') return 'in the file “key” of the data folder, which only you can read';
  if (place === 'keyring') return keyring === null ? 'in a keyring, and this system has none' : `in the keyring (${keyring})`;
  return 'not here';
}

/** Why code is locked, in one sentence, where it stands in place of code. */
export function lockedWords(state: KeyState | null): string {
  if (state === null || state === 'open' || state === 'unasked') return 'It is stored sealed, and the key to it is missing. All numbers are intact.';
  const { more } = words[state];
  return more.replace(fine, 'All numbers are intact.');
}
