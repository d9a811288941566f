// The earlier runs of something as dots in time order, with the noise band behind them.

import type { BaselineVerdict, History } from '../../generated/api';
import { duration } from '../../format/duration';

export interface Strip {
  dots: { x: number; y: number }[];
  now: { x: number; y: number } | null;
  band: { y: number; height: number } | null;
}

/** In percent of the width and height. Time goes up. */
export function strip(history: History): Strip {
  const values = history.runs.map((run) => run.micros);
  const all = history.micros === null ? values : [...values, history.micros];
  const edges = history.median_micros === null || history.band_micros === null ? [] : [history.median_micros - history.band_micros, history.median_micros + history.band_micros];
  const [least, most] = [Math.min(...all, ...edges), Math.max(...all, ...edges)];
  const y = (micros: number) => (most === least ? 50 : 88 - ((micros - least) / (most - least)) * 76);
  const x = (i: number) => (all.length === 1 ? 50 : 4 + (i / (all.length - 1)) * 92);
  return {
    dots: values.map((micros, i) => ({ x: x(i), y: y(micros) })),
    now: history.micros === null ? null : { x: x(values.length), y: y(history.micros) },
    band: edges.length === 0 ? null : { y: y(edges[1]!), height: Math.max(y(edges[0]!) - y(edges[1]!), 2) },
  };
}

/** `1 min 05 s to 2 min 10 s`: how long the runs took; said once where both ends read alike. */
export function spanWords({ runs }: Pick<History, 'runs'>): string {
  const took = runs.map((run) => run.micros / 1e6);
  const [least, most] = [duration(Math.min(...took)), duration(Math.max(...took))];
  return least === most ? `${least} each` : `${least} to ${most}`;
}

/** A shape before each verdict, as colour is not the only sign; none where there is none yet. */
export const signs: Record<BaselineVerdict, { sign: string; tone: 'good' | 'warn' | 'calm' }> = {
  faster: { sign: '▼', tone: 'good' },
  same: { sign: '=', tone: 'calm' },
  slower: { sign: '▲', tone: 'warn' },
  unlike: { sign: '≠', tone: 'calm' },
  too_few: { sign: '', tone: 'calm' },
  running: { sign: '', tone: 'calm' },
};
