import { expect, test } from 'vitest';
import { first_order, no_filter } from '../../state/route';
import { all_chips, chips, filters, request_of } from './filter';

test('days are whole local days, the last one included', () => {
  const request = request_of({ ...no_filter, from: '2026-11-14', to: '2026-11-15' }, first_order, 60);
  expect(request.from_micros).toBe(Date.parse('2026-11-13T23:00:00Z') * 1000);
  expect(request.to_micros).toBe(Date.parse('2026-11-15T23:00:00Z') * 1000);
});

test('no words is no text', () => {
  expect(request_of({ ...no_filter, text: '  ' }, first_order, 0).text).toBe(null);
});

test('each part in force is a chip that can be taken off', () => {
  const filter = { ...no_filter, label: 'etl', from: '2026-11-14', to: '2026-11-20', text: 'a', states: ['lost' as const] };
  expect(chips(filter).map((chip) => chip.label)).toEqual(['etl', '14–20 Nov']);
  expect(all_chips(filter).map((chip) => chip.label)).toEqual(['etl', '14–20 Nov', '“a”', 'Lost']);
  expect(chips(filter)[1]!.without).toEqual({ ...filter, from: null, to: null });
  expect(filters(no_filter)).toBe(false);
});
