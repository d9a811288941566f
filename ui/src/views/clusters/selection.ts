// Which rows are chosen for what is done with many at once.

/** More is not marked in one go. */
export const most = 1_000;

/** Chosen, or not any longer. */
export function toggle(chosen: readonly number[], id: number): number[] {
  if (chosen.includes(id)) return chosen.filter((one) => one !== id);
  return chosen.length >= most ? [...chosen] : [...chosen, id];
}

/** All rows from one to another, both included, besides those that are chosen. Rows that are not here yet are not chosen. */
export function extend(chosen: readonly number[], rows: readonly ({ id: number } | undefined)[], from: number, to: number): number[] {
  const ids = rows.slice(Math.min(from, to), Math.max(from, to) + 1).flatMap((row) => (row === undefined ? [] : [row.id]));
  return [...new Set([...chosen, ...ids])].slice(0, most);
}

/** `ci`, `env=prod`: a tag as it is typed. Null where there is no name. */
export function tagOf(typed: string): [string, string] | null {
  const at = typed.indexOf('=');
  const name = (at < 0 ? typed : typed.slice(0, at)).trim();
  return name === '' ? null : [name, at < 0 ? '' : typed.slice(at + 1).trim()];
}

export function tagText(name: string, value: string): string {
  return value === '' ? name : `${name}=${value}`;
}
