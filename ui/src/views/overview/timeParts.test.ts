import { expect, test } from 'vitest';
import { timeParts } from './timeParts';

test('what stalled is a part beside what was idle, where there is any', () => {
  const parts = { compute_micros: 5e6, transfer_micros: 0, disk_micros: 0, other_micros: 0, idle_micros: 2e6, stalled_micros: 0 };
  const said = (of: typeof parts) => timeParts(of).map(({ label, value }) => `${label} ${value}`);
  expect(said(parts)).toEqual(['Compute 5', 'Transfer 0', 'Disk 0', 'Deserialize, other 0', 'Idle 2']);
  expect(said({ ...parts, stalled_micros: 3e6 }).slice(-2)).toEqual(['Idle 2', 'Stalled 3']);
});
