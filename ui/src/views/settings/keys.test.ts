import { expect, test } from 'vitest';
import { keyWords, lockedWords, placeWords } from './keys';

test('a locked keyring is no loss, a missing key is', () => {
  expect(keyWords('keyring_locked')).toMatchObject({ tone: 'warn', lost: false, unlocks: true });
  expect(keyWords('missing')).toMatchObject({ tone: 'bad', lost: true });
  expect(keyWords('open')).toMatchObject({ tone: 'calm', lost: false, unlocks: false });
});

test('where code would stand, it says why there is none', () => {
  expect(lockedWords('keyring_locked')).toBe('The keyring that holds its key is locked. All numbers are intact.');
  expect(lockedWords('open')).toContain('missing');
  expect(lockedWords(null)).toContain('All numbers are intact.');
});

test('the place is named, also where it is unknown', () => {
  expect(placeWords({ place: 'keyring', keyring: 'Secret Service' })).toBe('in the keyring (Secret Service)');
  expect(placeWords({ place: 'keyring', keyring: null })).toContain('has none');
  expect(placeWords({ place: null, keyring: null })).toBe('not here');
});
