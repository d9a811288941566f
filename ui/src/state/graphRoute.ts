// What an address says of a cluster's graph of task groups.

import type { GraphMeasure } from '../generated/api';

export const graphMeasures: readonly GraphMeasure[] = ['compute', 'bytes', 'transfer', 'cost'];
const sides = ['up', 'down'] as const;
/** Only what the chosen group needs, or only what needs it. */
export type Side = (typeof sides)[number];

export interface GraphRoute {
  measure: GraphMeasure;
  /** Folds that are opened. */
  open: string[];
  /** Nothing folded. */
  whole: boolean;
  topDown: boolean;
  /** Whether the critical path is drawn. */
  critical: boolean;
  computation: string | null;
  side: Side | null;
  /** The other end of the paths from the chosen node. */
  end: string | null;
}

export const firstGraph: GraphRoute = {
  measure: 'compute',
  open: [],
  whole: false,
  topDown: false,
  critical: false,
  computation: null,
  side: null,
  end: null,
};

/** Names of folds are ten digits of sixteen; more than these nobody opens by hand. */
const mostOpen = 500;

export function readGraph(q: URLSearchParams): GraphRoute {
  const open = (q.get('g-open') ?? '').split('.').filter((id) => /^[0-9a-f]{10}$/.test(id));
  return {
    measure: graphMeasures.find((measure) => measure === q.get('g-measure')) ?? 'compute',
    open: [...new Set(open)].slice(0, mostOpen),
    whole: q.get('g-folds') === 'none',
    topDown: q.get('g-direction') === 'down',
    critical: q.get('g-critical') === 'on',
    computation: q.get('g-computation'),
    side: sides.find((side) => side === q.get('g-side')) ?? null,
    end: q.get('g-end'),
  };
}

export function writeGraph(graph: GraphRoute, put: (name: string, value: string | null, otherwise?: string) => void): void {
  put('g-measure', graph.measure, 'compute');
  put('g-open', graph.open.join('.'));
  put('g-folds', graph.whole ? 'none' : null);
  put('g-direction', graph.topDown ? 'down' : null);
  put('g-critical', graph.critical ? 'on' : null);
  put('g-computation', graph.computation);
  put('g-side', graph.side);
  put('g-end', graph.end);
}
