import { expect, test } from 'vitest';
import type { CloseOrder } from '../../generated/api';
import { closeWords } from './close';

const order = (state: CloseOrder['state'], more: Partial<CloseOrder> = {}): CloseOrder => ({ state, ordered_micros: 0, delivered_micros: null, expires_micros: 60e6, valid_micros: 60e6, ...more });

test('an order goes from ordered to delivered to closed', () => {
  expect(closeWords(order('not_allowed', { expires_micros: null }), 0)).toBe(null);
  expect(closeWords(order('ordered'), 12e6)?.words).toBe('Ordered: waiting for its next report, up to 48 s');
  expect(closeWords(order('delivered', { delivered_micros: 5e6 }), 12e6)?.words).toMatch(/^Delivered at .*: it is closing$/);
  expect(closeWords(order('closed'), 12e6)).toMatchObject({ words: 'Closed from here', again: false });
});

test('an order ends by itself, also when the answer is older than its end', () => {
  expect(closeWords(order('ordered'), 60e6)).toMatchObject({ words: 'Expired: it did not report in time', again: true });
  expect(closeWords(order('delivered', { delivered_micros: 5e6 }), 61e6)?.words).toMatch(/got the order/);
  expect(closeWords(order('expired'), 61e6)?.again).toBe(true);
});
