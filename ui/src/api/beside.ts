// A bundle that is open beside the reader's own store has addresses of its own: `#/1/beside/ID/cluster/1`. A page looks at one
// store for as long as it lives, so that nothing of one is ever shown as the other's.

/** The bundle in an address; null: the reader's own store. */
export function besideOf(hash: string): string | null {
  return /^#?\/?1\/beside\/([0-9a-f]{32})(?:[/?]|$)/.exec(hash)?.[1] ?? null;
}

/** The samples by themselves, as if they lay in a store of their own. */
export const samples = '73616d706c657300000073616d706c65';

/** The bundle that this page looks at. */
export const beside: string | null = typeof location === 'undefined' ? null : besideOf(location.hash);

/** Goes to another store: the page begins anew. */
export function goBeside(id: string | null): void {
  location.hash = id === null ? '#/1/overview' : `#/1/beside/${id}/overview`;
}
