import { expect, test } from 'vitest';
import { marksKey, ticksOfMarks, type Mark } from './marks';

const joined = (at: number, name: string): Mark => ({ at, name, word: 'joined', tone: 'calm', shape: 'came', weight: 1 });
const killed = (at: number, name: string): Mark => ({ at, name, word: 'killed', tone: 'bad', shape: 'cross', weight: 9 });
const x = (at: number) => at;

test('what falls together is one mark of the gravest tone', () => {
  const ticks = ticksOfMarks([joined(10, 'a'), killed(12, 'b'), joined(11, 'c'), joined(40, 'd')], x, 0, 100);
  expect(ticks.map(({ tone, words }) => [tone, words])).toEqual([
    ['bad', '1 killed, 2 joined'],
    ['calm', '1 joined'],
  ]);
  expect(ticks[0]!.names[0]).toBe('killed: b');
});

test('a thousand at once are one mark with a few names, and what is outside is not drawn', () => {
  const many = Array.from({ length: 1000 }, (_, i) => joined(50 + i / 1000, `w${i}`));
  const [tick, ...more] = ticksOfMarks([...many, joined(101, 'late')], x, 0, 100);
  expect(more).toEqual([]);
  expect(tick!.words).toBe('1,000 joined');
  expect(tick!.names).toHaveLength(5);
  expect(tick!.names[4]).toBe('and 996 more');
});

test('the shapes that occur have a key', () => {
  expect(marksKey([killed(1, 'a'), joined(2, 'b'), { ...joined(3, 'c'), word: 'resumed' }])).toBe('△\u00a0joined, resumed ✕\u00a0killed');
  expect(marksKey([])).toBe('');
});
