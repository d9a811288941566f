import { expect, test } from 'vitest';
import { Drag } from './drag';

const at = (clientX: number, clientY: number, pointerId = 1) => ({ pointerId, clientX, clientY });

test('a press moves the picture once it went far enough to be no click', () => {
  const drag = new Drag();
  expect(drag.move(at(50, 50))).toBe(null);
  drag.press(at(10, 10));
  expect(drag.move(at(12, 12))).toBe(null);
  expect(drag.move(at(13, 13))).toEqual({ x: 3, y: 3, begins: true });
  expect(drag.move(at(14, 13))).toEqual({ x: 1, y: 0, begins: false });
  expect(drag.move(at(90, 90, 2))).toBe(null);
  expect(drag.end()).toBe(true);
  expect(drag.move(at(50, 50))).toBe(null);
});

test('a press that stays is a click', () => {
  const drag = new Drag();
  drag.press(at(10, 10));
  drag.move(at(11, 10));
  expect(drag.end()).toBe(false);
  expect(drag.end()).toBe(false);
});
