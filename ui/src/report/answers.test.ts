import { expect, test } from 'vitest';
import { keyOf } from './answers';

test('a question is known again, however much it asks for', () => {
  const written = keyOf('timeline', { id: 1, points: 600 });
  expect(keyOf('timeline', { points: 300, from_micros: null, to_micros: null, id: 1 })).toBe(written);
  expect(keyOf('timeline', { id: 2, points: 600 })).not.toBe(written);
  expect(keyOf('timeline', { id: 1, from_micros: 5 })).not.toBe(written);
  expect(keyOf('graph', { id: 1, measure: 'compute', whole: false, top_down: false })).toBe(keyOf('graph', { id: 1, computation: null, measure: 'compute', open: [], whole: false, top_down: false }));
  expect(keyOf('flame', { selection: { ids: [1], clusters: null, prefixes: [], group: null }, transforms: [], part: { kind: 'whole' } })).toBe(keyOf('flame', { selection: { ids: [1], prefixes: [] }, view: { width: 8192 } }));
});
