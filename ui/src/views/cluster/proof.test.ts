import { expect, test } from 'vitest';
import { cluster } from '../../state/route';
import { proofWithin } from './proof';

test('a proof is a list of the same cluster, with the time that is looked at and nothing that hides it', () => {
  const route = { ...cluster(7, 'exceptions', 'e1'), from: 5, to: 9, text: 'KeyError' };
  expect(proofWithin(route, { is: 'list', id: 7, tab: 'workers' })).toEqual({ ...cluster(7, 'workers'), direction: route.direction, from: 5, to: 9 });
  expect(proofWithin(route, { is: 'prefix', id: 7, prefix: 'inc' })).toEqual({ ...cluster(7, 'groups'), direction: route.direction, from: 5, to: 9, text: 'inc' });
  expect(proofWithin(route, { is: 'nothing' })).toBeNull();
});
