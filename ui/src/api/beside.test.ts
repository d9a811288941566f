import { expect, test } from 'vitest';
import { besideOf } from './beside';

test('an address names the bundle that it is about, or none', () => {
  const id = '0123456789abcdef0123456789abcdef';
  expect(besideOf(`#/1/beside/${id}/cluster/1?tab=code`)).toBe(id);
  expect(besideOf(`#/1/beside/${id}`)).toBe(id);
  for (const hash of ['', '#/1/overview', '#/1/beside/../etc/overview', `#/1/beside/${id}0/overview`, `#/1/cluster/1?x=/1/beside/${id}/`]) expect(besideOf(hash)).toBeNull();
});
