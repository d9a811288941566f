import { expect, test } from 'vitest';
import { policyWords, toldWords } from './words';

test('a row says how much was told, and under which policy', () => {
  expect(toldWords({ level: 'names', categories: ['functions', 'exception_types', 'users (masked)'] })).toBe('names: functions, exception types, users (masked)');
  expect(toldWords({ level: 'metrics', categories: [] })).toBe('metrics');
  expect(toldWords({ level: 'names', categories: null })).toBe('names');
  expect(policyWords({ policy: { team: 'blue', sha256: '0123456789abcdef' } })).toBe('blue 0123456789ab');
  expect(policyWords({ policy: { team: null, sha256: 'ff' } })).toBe('unnamed ff');
});

test('a row of a version that noted less says so with a dash', () => {
  expect(toldWords({ level: null, categories: null })).toBe('–');
  expect(policyWords({ policy: null })).toBe('–');
});
