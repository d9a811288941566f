import { expect, test } from 'vitest';
import { meaningOf } from './heatKeys';

const press = (key: string, held: 'shiftKey' | 'ctrlKey' | 'metaKey' | null = null, on = { columns: 7, begun: false, chosen: false }) =>
  meaningOf({ key, shiftKey: held === 'shiftKey', ctrlKey: held === 'ctrlKey', metaKey: held === 'metaKey' }, on);

test('arrows move, Home and End go to the edge, and Shift extends', () => {
  expect(press('ArrowUp')).toEqual({ does: 'move', rows: -1, columns: 0, extend: false });
  expect(press('End')).toEqual({ does: 'move', rows: 0, columns: 7, extend: false });
  expect(press('ArrowRight', 'shiftKey')).toEqual({ does: 'move', rows: 0, columns: 1, extend: true });
});

test('Space and Enter choose, add with Ctrl, and extend with Shift from where it began', () => {
  const begun = { columns: 7, begun: true, chosen: true };
  for (const key of [' ', 'Enter']) {
    expect(press(key)?.does).toBe('choose');
    expect([press(key, 'ctrlKey')?.does, press(key, 'metaKey')?.does]).toEqual(['toggle', 'toggle']);
    expect([press(key, 'shiftKey')?.does, press(key, 'shiftKey', begun)?.does]).toEqual(['choose', 'extend']);
  }
});

test('Escape clears what is chosen, and is the page’s where nothing is', () => {
  expect(press('Escape')).toBe(null);
  expect(press('Escape', null, { columns: 7, begun: false, chosen: true })).toEqual({ does: 'clear' });
  expect(press('t')).toBe(null);
});
