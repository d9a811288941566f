import { expect, test, vi } from 'vitest';
import { Hatch } from './hatch';

test('the lines move with the graph, by whole pixels of the screen, and are the same after each tile', () => {
  vi.stubGlobal('document', { createElement: () => ({ getContext: () => null }) });
  const pattern = { setTransform: vi.fn<(to: DOMMatrix2DInit) => void>() };
  const pen = { createPattern: () => pattern } as unknown as CanvasRenderingContext2D;
  const hatch = new Hatch(pen, 'gray', 2);
  vi.unstubAllGlobals();
  const at = (x: number, y: number) => {
    expect(hatch.from(x, y)).toBe(pattern);
    return pattern.setTransform.mock.lastCall![0];
  };
  expect(at(3.3, -20)).toEqual({ a: 0.5, d: 0.5, e: 3.5, f: -6 });
  expect(at(4.3, -20)).toEqual({ a: 0.5, d: 0.5, e: 4.5, f: -6 });
  expect(at(10.3, -27)).toEqual(at(3.3, -20));
});
