// One unit down a column: the largest value chooses it, the head of the column says it.

import { fixed, none } from './number';

export interface ColumnUnit {
  unit: string;
  say: (value: number | null) => string;
}

function in_unit(unit: string, size: number): ColumnUnit {
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

const core_hours = in_unit('core-h', 3600);

/** Time of threads of whole clusters. */
export function core_column(most: number): ColumnUnit {
  if (most < 600) return in_unit('core-s', 1);
  return most < 36_000 ? in_unit('core-min', 60) : core_hours;
}

/** Time of threads of task groups: in seconds, as Dask tells it, up to some hours. */
export function seconds_column(most: number): ColumnUnit {
  return most < 100_000 ? in_unit('s', 1) : core_hours;
}

export function bytes_column(most: number): ColumnUnit {
  if (most < 1024 ** 2) return in_unit('KiB', 1024);
  if (most < 1024 ** 3) return in_unit('MiB', 1024 ** 2);
  if (most < 1024 ** 4) return in_unit('GiB', 1024 ** 3);
  return in_unit('TiB', 1024 ** 4);
}
