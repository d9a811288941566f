import { expect, test } from 'vitest';
import { begin, fit, holds, least, most, onScreen, panned, reveal, shift, zoomed } from './camera';

const screen = { width: 800, height: 400 };

test('the whole graph fits in the middle, and a small one is not blown up', () => {
  const camera = fit({ width: 4000, height: 500 }, screen, 1);
  expect(camera.zoom).toBeCloseTo(768 / 4000);
  expect(onScreen(camera, 2000, 250)).toEqual({ x: 400, y: 200 });
  expect(fit({ width: 10, height: 10 }, screen, 1).zoom).toBe(1);
  expect(fit({ width: 1e9, height: 10 }, screen, 1).zoom).toBe(least);
});

test('what is too large to be told apart begins with its beginning', () => {
  expect(begin({ width: 40_000, height: 100 }, screen, 1, 0.3)).toEqual({ zoom: 0.3, x: 16, y: 185 });
  expect(begin({ width: 900, height: 100 }, screen, 1, 0.3)).toEqual(fit({ width: 900, height: 100 }, screen, 1));
});

test('zooming holds the point under the pointer', () => {
  const camera = { zoom: 0.5, x: 30, y: -20 };
  const at = { x: 210, y: 80 };
  const next = zoomed(camera, 1.7, at);
  const before = { x: (at.x - camera.x) / camera.zoom, y: (at.y - camera.y) / camera.zoom };
  const place = onScreen(next, before.x, before.y);
  expect(place.x).toBeCloseTo(at.x);
  expect(place.y).toBeCloseTo(at.y);
  expect(zoomed(camera, 1e6, at).zoom).toBe(most);
  expect(zoomed(camera, 1e-6, at).zoom).toBe(least);
});

test('what is in sight is not moved, and what is not comes just into sight', () => {
  const camera = { zoom: 1, x: 0, y: 0 };
  const node = { x: 100, y: 100, width: 196, height: 52 };
  expect(reveal(camera, node, screen)).toEqual(camera);
  const moved = reveal(camera, { ...node, x: 1000, y: -300 }, screen);
  expect(onScreen(moved, 1000 + 196, -300)).toEqual({ x: 784, y: 16 });
});

test('what is drawn is moved along for half a screen, and then drawn again', () => {
  const drawn = { zoom: 0.5, x: 40, y: -10 };
  expect(holds(drawn, drawn, screen)).toBe(true);
  expect(holds(drawn, panned(drawn, 399, -199), screen)).toBe(true);
  expect(holds(drawn, panned(drawn, 401, 0), screen)).toBe(false);
  expect(holds(drawn, zoomed(drawn, 0.4, { x: 400, y: 200 }), screen)).toBe(false);
  const camera = zoomed(panned(drawn, 30, 70), 1.5, { x: 100, y: 100 });
  const { x, y, scale } = shift(drawn, camera);
  const before = onScreen(drawn, 123, 456);
  const after = onScreen(camera, 123, 456);
  expect(x + before.x * scale).toBeCloseTo(after.x);
  expect(y + before.y * scale).toBeCloseTo(after.y);
});
