// Which rows are chosen for what is done with many at once.

/** More is not marked in one go. */
export const most = 1_000;

/** Chosen, or not any longer. */
export function toggle(chosen: readonly number[], id: number): number[] {
  if (chosen.includes(id)) return chosen.filter((one) => one !== id);
  return chosen.length >= most ? [...chosen] : [...chosen, id];
}

/** All rows from the one with this id to a place, both included, besides those that are chosen; and how many of them are not here
    yet, and so are not chosen. Where that one is not listed any more there is no range: the row at the place is chosen, or let go. */
export function extend(chosen: readonly number[], rows: readonly ({ id: number } | undefined)[], from: number | null, to: number): { chosen: number[]; missing: number } {
  const begin = rows.findIndex((row) => row !== undefined && row.id === from);
  const last = rows[to];
  if (begin < 0) return { chosen: last === undefined ? [...chosen] : toggle(chosen, last.id), missing: 0 };
  const ids = Array.from({ length: Math.abs(to - begin) + 1 }, (_, i) => rows[Math.min(begin, to) + i]?.id);
  const here = ids.filter((id) => id !== undefined);
  return { chosen: [...new Set([...chosen, ...here])].slice(0, most), missing: ids.length - here.length };
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
