import { expect, test } from 'vitest';
import { compare } from './compareRoute';
import { read, write } from './route';

test('a comparison has an address, and any address is understood as far as it goes', () => {
  for (const route of [
    compare(1, 2),
    compare('baseline', 7),
    compare(null, 3, { perTask: true }),
    compare(1, 2, { differencesOnly: true, hideConstant: false }),
    compare(1, 2, { perTask: true, differencesOnly: false, hideConstant: true }),
    compare(null, null),
  ]) expect(read(write(route))).toEqual(route);
  expect(write(compare('baseline', 7))).toBe('#/1/compare?a=baseline&b=7');
  expect(write(compare(1, 2, { differencesOnly: false }))).toBe('#/1/compare?a=1&b=2&show=all');
  expect(write(compare(1, 2, { hideConstant: false }))).toBe('#/1/compare?a=1&b=2&columns=all');
  expect(read('#/1/compare?a=-1&b=x&per=night&show=me&columns=ionic')).toEqual(compare(null, null));
});
