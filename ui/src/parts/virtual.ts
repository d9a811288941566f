// Which rows of a long table are in sight.

/** Rows beyond the edge that exist already, so that scrolling shows no holes. */
const margin = 8;

/** First row, and one after the last. */
export function windowOf(top: number, height: number, row: number, total: number): { first: number; last: number } {
  const first = Math.max(0, Math.floor(top / row) - margin);
  const last = Math.min(total, Math.ceil((top + height) / row) + margin);
  return { first: Math.min(first, last), last };
}
