import { expect, test } from 'vitest';
import { firstOrder, noFilter } from '../../state/route';
import { allChips, chips, filters, requestOf, withoutLast } from './filter';

test('days are whole local days, the last one included', () => {
  const request = requestOf({ ...noFilter, from: '2026-11-14', to: '2026-11-15' }, firstOrder);
  expect(request.from_micros).toBe(new Date(2026, 10, 14).getTime() * 1000);
  expect(request.to_micros).toBe(new Date(2026, 10, 16).getTime() * 1000);
});

test('no words is no text', () => {
  expect(requestOf({ ...noFilter, text: '  ' }, firstOrder).text).toBe(null);
});

test('each part in force is a chip that can be taken off', () => {
  const filter = { ...noFilter, label: 'etl', from: '2026-11-14', to: '2026-11-20', text: 'a', states: ['lost' as const] };
  expect(chips(filter).map((chip) => chip.label)).toEqual(['etl', '14–20 Nov']);
  expect(allChips(filter).map((chip) => chip.label)).toEqual(['etl', '14–20 Nov', '“a”', 'Lost']);
  expect(chips(filter)[1]!.without).toEqual({ ...filter, from: null, to: null });
  expect(filters(noFilter)).toBe(false);
});

test('the last term of a filter goes as a whole', () => {
  expect(withoutLast('user:ana cost>5')).toBe('user:ana');
  expect(withoutLast('a user:"ana b"')).toBe('a');
  expect(withoutLast('a (b or c)')).toBe('a');
  expect(withoutLast('x a or b')).toBe('x a');
  expect(withoutLast('one')).toBe('');
});
