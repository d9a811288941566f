import { expect, test } from 'vitest';
import { daskWords } from './dask';

test('failures of Dask are explained by the last part of their type', () => {
  expect(daskWords('distributed.scheduler.KilledWorker')).toMatch(/^Every worker that tried this task died/);
  expect(daskWords('KilledWorker')).toBe(daskWords('distributed.scheduler.KilledWorker'));
  expect(daskWords('invalid-worker-transition')).toMatch(/a bug in Dask/);
  for (const odd of ['', 'constructor', '__proto__', '<b>KilledWorker</b>']) expect(daskWords(odd)).toBe(null);
});
