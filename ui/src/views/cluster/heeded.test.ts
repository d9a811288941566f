import { expect, test } from 'vitest';
import { tabs } from '../../state/route';
import { unheeded } from './heeded';

const all = { from: null, to: null };
const part = { from: 5, to: 9 };

test('nothing chosen is nothing to say', () => {
  for (const tab of tabs) expect(unheeded({ tab, ...all }, null)).toBeNull();
});

test('lists that show more than what is chosen say so', () => {
  const ofTime = tabs.filter((tab) => unheeded({ tab, ...part }, null) !== null);
  const ofGroup = tabs.filter((tab) => unheeded({ tab, ...all }, 'inc') !== null);
  expect(ofTime).toEqual(['graph', 'workers', 'activity', 'cost']);
  expect(ofGroup).toEqual(['workers', 'activity', 'cost', 'events']);
  expect(unheeded({ tab: 'activity', from: null, to: 9 }, 'inc')).toBe(
    'Spans are those of the selected time. Where the workers’ time went covers the whole run, all groups of inc: Dask sums it up by prefix, without times.',
  );
  expect(unheeded({ tab: 'activity', ...all }, 'inc')).toBe('Where the workers’ time went covers all groups of inc: Dask sums it up by prefix.');
  expect(unheeded({ tab: 'cost', ...part }, 'inc')).toMatch(/^The whole run.* The selected group is marked/);
});
