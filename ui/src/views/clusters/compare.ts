// How two chosen clusters are compared: the older one first, as what the other is held against.

import { compare, type CompareRoute } from '../../state/compareRoute';

export function comparison(ids: readonly number[]): CompareRoute {
  const [a = null, b = null] = [...ids].sort((x, y) => x - y);
  return compare(a, b);
}
