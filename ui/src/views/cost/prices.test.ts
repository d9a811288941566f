import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { PriceTerms } from '../../generated/api';
import { appliesWords, begunWith, blank, draftOf, outOfForce, rateWords, termsOf, validWords } from './prices';

beforeAll(() => void vi.stubEnv('TZ', 'Europe/Berlin'));
afterAll(() => void vi.unstubAllEnvs());

const terms: PriceTerms = {
  name: 'rented',
  provenance: 'the bill',
  from_micros: Date.parse('2026-02-28T23:00:00Z') * 1000,
  to_micros: null,
  applies_to: { is: 'tag', name: 'env', pattern: 'prod*' },
  rate: { is: 'rented', core_hour: { low: 0.04, high: 0.05 }, memory_gib_hour: { low: 0.005, high: 0.005 }, machine_hour: { low: 0, high: 0 }, workers_per_machine: 2 },
};

test('a price comes back from its form as it was, days being local ones', () => {
  expect(draftOf(3, terms)).toMatchObject({ id: 3, from: '2026-03-01', to: '', tag: 'env', core: { low: '0.04', high: '0.05' } });
  expect(termsOf(draftOf(3, terms))).toEqual({ terms });
  const own: PriceTerms = { ...terms, from_micros: 0, applies_to: { is: 'everything' }, rate: { is: 'own', watts_per_core: { low: 4, high: 12 }, kilowatt_hour: { low: 0.15, high: 0.4 } } };
  expect(termsOf(draftOf(1, own))).toEqual({ terms: own });
});

test('one figure is both ends, a comma is a point, and what is no figure is named', () => {
  const draft = { ...blank('2026-03-01'), name: 'x', core: { low: '0,05', high: '' } };
  expect(termsOf(draft)).toMatchObject({ terms: { rate: { core_hour: { low: 0.05, high: 0.05 } } } });
  expect(termsOf({ ...draft, core: { low: 'cheap', high: '' }, workers: '1.5', to: 'soon' })).toEqual({
    wrong: 'Core-hour: “cheap” is not a number. Enter one like 0.05. Workers per machine: “1.5” is not a whole number. Until: “soon” is not a date. Enter one like 2026-03-01.',
  });
  expect(termsOf({ ...draft, core: { low: '1e9', high: '-1' } })).toHaveProperty('wrong');
});

test('a price in words', () => {
  expect(appliesWords(terms.applies_to)).toBe('tag env: prod*');
  expect(rateWords({ is: 'own', watts_per_core: { low: 4, high: 12 }, kilowatt_hour: { low: 0.15, high: 0.4 } }, 'EUR')).toBe('4–12 W per core at 0.15–0.40 € per kilowatt-hour');
  expect(rateWords({ is: 'own', watts_per_core: { low: 4, high: 4 }, kilowatt_hour: { low: 5e-7, high: 0.25 } }, 'EUR')).toBe('4 W per core at 0.0000005–0.2500000 € per kilowatt-hour');
  // What somebody mistyped stands in the list, from where it can be removed.
  expect(rateWords({ is: 'own', watts_per_core: { low: 4, high: 4 }, kilowatt_hour: { low: 0, high: 1e-200 } }, 'EUR')).toMatch(/^4 W per core at 0\.0{20} € /);
  expect(rateWords(terms.rate, 'EUR')).toBe('0.04–0.05 € per core-hour, 0.005 € per GiB-hour of memory');
  expect([validWords(terms), validWords({ from_micros: 0, to_micros: terms.from_micros })]).toEqual(['from 1 Mar 2026', 'from the beginning until 1 Mar 2026']);
});

test('a price that is not in force now says so', () => {
  expect(outOfForce({ from_micros: 5, to_micros: 9 }, 9)).toBe('ended');
  expect(outOfForce({ from_micros: 5, to_micros: null }, 4)).toBe('upcoming');
  expect(outOfForce({ from_micros: 5, to_micros: 9 }, 5)).toBe(null);
});

test('a list price fills in its figures and their source, and leaves days and clusters', () => {
  const draft = begunWith({ ...blank('2026-03-01'), applies: 'project', pattern: 'etl-*' }, { name: 'far away', provenance: 'list of June', currency: 'USD', rate: terms.rate });
  expect(draft).toMatchObject({ name: 'far away', provenance: 'list of June', from: '2026-03-01', applies: 'project', pattern: 'etl-*', core: { low: '0.04', high: '0.05' } });
});
