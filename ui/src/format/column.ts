// One unit down a column: the largest value chooses it, the head of the column says it.

import { fixed, none } from './number';

export interface ColumnUnit {
  unit: string;
  say: (value: number | null) => string;
}

function inUnit(unit: string, size: number): ColumnUnit {
  return {
    unit,
    say: (value) => {
      if (value === null) return none;
      const n = value / size;
      if (n > 0 && n < 0.005) return '< 0.01';
      return fixed(n, n !== 0 && Math.abs(n) < 1000 ? 2 : 0);
    },
  };
}

const coreHours = inUnit('core-h', 3600);

/** Time of threads of whole clusters. */
export function coreColumn(most: number): ColumnUnit {
  if (most < 600) return inUnit('core-s', 1);
  return most < 36_000 ? inUnit('core-min', 60) : coreHours;
}

/** Time of threads of task groups: in seconds, as Dask tells it, up to some hours. */
export function secondsColumn(most: number): ColumnUnit {
  return most < 100_000 ? inUnit('s', 1) : coreHours;
}

export function bytesColumn(most: number): ColumnUnit {
  if (most < 1024 ** 2) return inUnit('KiB', 1024);
  if (most < 1024 ** 3) return inUnit('MiB', 1024 ** 2);
  if (most < 1024 ** 4) return inUnit('GiB', 1024 ** 3);
  return inUnit('TiB', 1024 ** 4);
}
