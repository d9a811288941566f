import { expect, test } from 'vitest';
import type { Playing } from '../../generated/api';
import { clock, isOver, position, storyWords } from './words';

const playing: Playing = {
  story: 'healthy', recorded: null, name: 'taxi-etl', cluster: 1, position_seconds: 10, duration_seconds: 60, speed: 10, paused: false, ended: false, failed: null, chapters: [],
};

test('a replay runs on between two answers, and no further than its end', () => {
  expect(position(playing, 0, 2e6)).toBe(30);
  expect(position(playing, 0, 9e6)).toBe(60);
  expect(position(playing, 5e6, 0)).toBe(10);
  expect(position({ ...playing, paused: true }, 0, 2e6)).toBe(10);
  expect(position({ ...playing, ended: true }, 0, 2e6)).toBe(10);
});

test('a time of a recording has minutes and seconds', () => {
  expect([0, 5.9, 65, 3605, -1].map(clock)).toEqual(['0:00', '0:05', '1:05', '60:05', '0:00']);
});

test('a story that is not known is called by its name', () => {
  expect(storyWords('failing')).toEqual({ label: 'failing', mark: '■', tone: 'bad' });
  expect(storyWords('slow').label).toBe('slow');
});

test('what is over can be played once more', () => {
  const over = (['running', 'stalled', 'idle', 'finished', 'lost'] as const).filter((state) => isOver({ state }));
  expect(over).toEqual(['finished', 'lost']);
});
