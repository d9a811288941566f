import { expect, test } from 'vitest';
import { review } from './reviewRoute';
import { read, write } from './route';

test('the desk survives being written and read', () => {
  expect(read(write(review([])))).toEqual(review([]));
  const route = {
    ...review([3, 7]),
    stage: 12,
    text: 'user:ana & <b>',
    choice: { level: 'everything', identities: 'real' },
    destination: 'data-platform',
    category: 'code',
    order: 'rare',
    items: 'a=b&c',
    find: '100 %',
  } as const;
  expect(read(write({ ...route, ids: [3, 7] }))).toEqual(route);
  expect(write(review([]))).toBe('#/1/review');
});

test('what an address does not know has its default, and nothing is chosen', () => {
  expect(read('#/1/review?stage=x&ids=a,3,3&level=all&category=secrets')).toEqual(review([3]));
});
