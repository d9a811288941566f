// Names of users by person: a person's own name first, then those that count as it.

import type { UserRow } from '../../generated/api';

export interface Named {
  row: UserRow;
  /** The first of a person. */
  first: boolean;
}

/** Persons in the order of their first name in the list. */
export function people(rows: readonly UserRow[]): Named[] {
  const persons = new Map<string, UserRow[]>();
  for (const row of rows) {
    const person = row.person ?? row.user;
    persons.set(person, [...(persons.get(person) ?? []), row]);
  }
  return [...persons.values()].flatMap((names) =>
    names.toSorted((a, b) => Number(a.person !== null) - Number(b.person !== null)).map((row, i) => ({ row, first: i === 0 })),
  );
}
