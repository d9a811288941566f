import { expect, test } from 'vitest';
import { currencySign, exactMoney, middle, money } from './money';

const of = (low: number, high: number) => ({ low_nanos: Math.round(low * 1e9), high_nanos: Math.round(high * 1e9) });

test('money is a range, however small', () => {
  expect(money(of(0.42, 0.61), 'EUR')).toBe('0.42–0.61 €');
  expect(money(of(0.000012, 0.000048), 'EUR')).toBe('0.000012–0.000048 €');
  expect(money(of(1234.4, 5678.6), 'USD')).toBe('1,234–5,679 $');
  expect(money(of(5, 5), 'CHF')).toBe('5.00 CHF');
  expect(money(of(0, 0), 'EUR')).toBe('0 €');
  expect(money(null, 'EUR')).toBe('–');
});

test('a currency has its sign, or its code', () => {
  expect(['EUR', 'CHF', 'constructor'].map(currencySign)).toEqual(['€', 'CHF', 'constructor']);
});

test('one figure is the middle, and the exact one is told', () => {
  expect([0, 0.5, 12.345, 12345, null].map((n) => middle(n, 'EUR'))).toEqual(['0 €', '0.50 €', '12.35 €', '12,345 €', '–']);
  expect(exactMoney(of(0.42, 0.61), 'EUR')).toBe('0.420000000 to 0.610000000 EUR');
});
