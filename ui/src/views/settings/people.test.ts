import { expect, test } from 'vitest';
import type { UserRow } from '../../generated/api';
import { people } from './people';

const row = (user: string, person: string | null): UserRow => ({ user, person, clusters: 1, seen_micros: null, hosts: [], hosts_total: 0 });

test('names of one person stand together, its own first', () => {
  const rows = [row('am1234', 'ana'), row('bo', null), row('ana', null), row('x', 'Nobody')];
  expect(people(rows).map(({ row, first }) => [row.user, first])).toEqual([
    ['ana', true],
    ['am1234', false],
    ['bo', true],
    ['x', true],
  ]);
});
