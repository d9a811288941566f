import { expect, test } from 'vitest';
import { meaningOf } from './pictureKeys';

const nowhere = { focused: false, fold: false, chosen: false };
const press = (key: string, on = nowhere, more = {}) => meaningOf({ key, shiftKey: false, ctrlKey: false, metaKey: false, altKey: false, ...more }, on);

test('arrows follow edges from a focused node, and else move the picture', () => {
  const node = { ...nowhere, focused: true };
  expect(press('ArrowLeft', node)).toEqual({ does: 'step', way: 'ArrowLeft' });
  expect(press('ArrowLeft')).toEqual({ does: 'pan', x: 80, y: 0 });
  expect(press('ArrowDown', node, { shiftKey: true })).toEqual({ does: 'pan', x: 0, y: -80 });
});

test('zooming and letting go need no node', () => {
  expect(['+', '=', '-', '0', 'Escape'].map((key) => press(key)?.does)).toEqual(['zoom', 'zoom', 'zoom', 'fit', 'let go']);
});

test('what is about a node means nothing without one', () => {
  for (const key of ['Enter', ' ', 'o', 'u', 'd']) expect(press(key)).toBe(null);
  const node = { ...nowhere, focused: true };
  expect(press('Enter', node, { shiftKey: true })).toEqual({ does: 'pick', second: true });
  expect(press('o', node)).toBe(null);
  expect(press('o', { ...node, fold: true })).toEqual({ does: 'open' });
  expect(press('u', { ...nowhere, chosen: true })).toEqual({ does: 'side', side: 'up' });
  expect(press('d', node)).toEqual({ does: 'side', side: 'down' });
});

test('keys of the browser and of the page stay theirs', () => {
  for (const more of [{ ctrlKey: true }, { metaKey: true }, { altKey: true }]) expect(press('+', nowhere, more)).toBe(null);
  expect(press('Tab')).toBe(null);
});
