// What an address says of a flame graph.

import type { FlameMeasure, FlameOrder, FlameTransform } from '../generated/api';

export const shapes = ['flame', 'sandwich', 'table', 'difference'] as const;
export type Shape = (typeof shapes)[number];
export const measures: readonly FlameMeasure[] = ['shares', 'seconds', 'seconds_per_task'];
/** Functions of a difference: changed by themselves or in what they call, only in the later one, only in the earlier one. */
export const changeLists = ['functions', 'new', 'vanished'] as const;
export type ChangeList = (typeof changeLists)[number];
/** Differences of less than this many thousandths of all are none. */
export const thresholds = [0, 1, 5, 10, 20, 50] as const;

export interface FlameRoute {
  shape: Shape;
  /** The node that takes the whole width. */
  zoom: number | null;
  /** Only its children with fewer samples than this. */
  below: number | null;
  order: FlameOrder;
  runs: boolean;
  steps: FlameTransform[];
  /** The function in the middle of the sandwich. */
  of: number | null;
  /** The nodes that take the whole width of its callers and of what it calls. */
  callers: number | null;
  callees: number | null;
  /** How many levels of callers there are. */
  levels: number;
  /** A group or computation of the cluster that is looked at alone. */
  group: string | null;
  computation: string | null;
  /** What a difference is against, as an address has it: `ids=7&prefix=inc`, or `of=clusters&text=user:ana&from=2026-11-01`. */
  against: string;
  measure: FlameMeasure;
  threshold: number;
  list: ChangeList;
}

/** Levels of callers that are shown at first, and that come with each step. */
export const fewLevels = 12;
/** Core gives no more. */
const mostLevels = 200;

/** Another tree has other nodes. */
export const unzoomed = { zoom: null, below: null, callers: null, callees: null } as const;

export const firstFlame: FlameRoute = {
  shape: 'flame',
  ...unzoomed,
  order: 'alphabetical',
  runs: false,
  steps: [],
  of: null,
  levels: fewLevels,
  group: null,
  computation: null,
  against: '',
  measure: 'shares',
  threshold: 5,
  list: 'functions',
};

/** One letter a kind: `m12345.Cpandas`. */
const letters = { focus: 'f', merge: 'm', collapse: 'c', collapse_recursion: 'r', drop: 'd' } as const;
/** Of those that are about one node. */
const nodeLetters = { focus_subtree: 's', merge_node: 'M' } as const;

export function writeSteps(steps: readonly FlameTransform[]): string {
  return steps.map(writeStep).join('.');
}

function writeStep(step: FlameTransform): string {
  if (step.kind === 'collapse_library') return `C${encodeURIComponent(step.library).replaceAll('.', '%2E')}`;
  return 'node' in step ? `${nodeLetters[step.kind]}${step.node}` : `${letters[step.kind]}${step.function}`;
}

export function readSteps(text: string): FlameTransform[] {
  return text.split('.').flatMap((part): FlameTransform[] => {
    const rest = part.slice(1);
    if (part[0] === 'C' && rest !== '') {
      try {
        return [{ kind: 'collapse_library', library: decodeURIComponent(rest) }];
      } catch {
        return [];
      }
    }
    const key = keyOf(rest);
    if (key === null) return [];
    const ofNode = (Object.keys(nodeLetters) as (keyof typeof nodeLetters)[]).find((one) => nodeLetters[one] === part[0]);
    if (ofNode !== undefined) return [{ kind: ofNode, node: key }];
    const kind = (Object.keys(letters) as (keyof typeof letters)[]).find((one) => letters[one] === part[0]);
    return kind === undefined ? [] : [{ kind, function: key }];
  });
}

function keyOf(text: string | null): number | null {
  return text !== null && /^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : null;
}

export function readFlame(q: URLSearchParams): FlameRoute {
  const one = <T extends string>(name: string, of: readonly T[], otherwise: T) => of.find((value) => value === q.get(name)) ?? otherwise;
  return {
    shape: one('f-as', shapes, 'flame'),
    zoom: keyOf(q.get('f-zoom')),
    below: keyOf(q.get('f-below')),
    order: one('f-order', ['alphabetical', 'left_heavy'], 'alphabetical'),
    runs: q.get('f-runs') === 'one',
    steps: readSteps(q.get('f-steps') ?? ''),
    of: keyOf(q.get('f-of')),
    callers: keyOf(q.get('f-callers')),
    callees: keyOf(q.get('f-callees')),
    levels: Math.max(fewLevels, Math.min(mostLevels, keyOf(q.get('f-levels')) ?? fewLevels)),
    group: q.get('f-group'),
    computation: q.get('f-computation'),
    against: q.get('f-against') ?? '',
    measure: one('f-measure', measures, 'shares'),
    threshold: thresholds.find((n) => String(n) === q.get('f-threshold')) ?? 5,
    list: one('f-list', changeLists, 'functions'),
  };
}

export function writeFlame(flame: FlameRoute, put: (name: string, value: string | number | null, otherwise?: string | number | null) => void): void {
  put('f-as', flame.shape, 'flame');
  put('f-zoom', flame.zoom);
  put('f-below', flame.below);
  put('f-order', flame.order, 'alphabetical');
  put('f-runs', flame.runs ? 'one' : null);
  put('f-steps', writeSteps(flame.steps));
  put('f-of', flame.of);
  put('f-callers', flame.callers);
  put('f-callees', flame.callees);
  put('f-levels', flame.levels, fewLevels);
  put('f-group', flame.group);
  put('f-computation', flame.computation);
  put('f-against', flame.against);
  put('f-measure', flame.measure, 'shares');
  put('f-threshold', flame.threshold, 5);
  put('f-list', flame.list, 'functions');
}
