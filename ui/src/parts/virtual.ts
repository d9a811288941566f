// Which rows of a long table are in sight.

/** Rows beyond the edge that exist already, so that scrolling shows no holes. */
const margin = 8;

/** First row, and one after the last. */
export function windowOf(top: number, height: number, row: number, total: number): { first: number; last: number } {
  const first = Math.max(0, Math.floor(top / row) - margin);
  const last = Math.min(total, Math.ceil((top + height) / row) + margin);
  return { first: Math.min(first, last), last };
}

/** Where to scroll to so that a row stands in the middle, below a header of some height; where it is in sight, nowhere. */
export function reveal(top: number, height: number, head: number, row: number, at: number): number {
  const from = at * row;
  if (from + row > top && from + head < top + height) return top;
  return Math.max(0, from - (height - head - row) / 2);
}
