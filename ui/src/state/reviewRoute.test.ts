import { expect, test } from 'vitest';
import { review, withLevel } from './reviewRoute';
import { read, write } from './route';

test('the desk survives being written and read', () => {
  expect(read(write(review([])))).toEqual(review([]));
  const route = {
    ...review([3, 7]),
    stage: 12,
    text: 'user:ana & <b>',
    choice: { level: 'everything', identities: 'real' },
    levels: [{ id: 7, level: 'metrics' }],
    destination: 'data-platform',
    category: 'code',
    order: 'rare',
    items: 'a=b&c',
    find: '100 %',
  } as const;
  expect(read(write({ ...route, ids: [3, 7], levels: [...route.levels] }))).toEqual(route);
  expect(write(review([]))).toBe('#/1/review');
});

test('what an address does not know has its default, and nothing is chosen', () => {
  expect(read('#/1/review?stage=x&ids=a,3,3&level=all&category=secrets')).toEqual(review([3]));
  expect(read('#/1/review?ids=3&levels=3-errors,4-all,x')).toEqual({ ...review([3]), levels: [{ id: 3, level: 'errors' }] });
});

test('a cluster has the level of all, or one that is its own', () => {
  const one = withLevel([], 3, 'errors');
  expect(withLevel(one, 4, 'metrics')).toEqual([{ id: 3, level: 'errors' }, { id: 4, level: 'metrics' }]);
  expect(withLevel(one, 3, 'names')).toEqual([{ id: 3, level: 'names' }]);
  expect(withLevel(one, 3, null)).toEqual([]);
});
