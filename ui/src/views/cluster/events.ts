// Numbers in events as charts over the axis that the page shares.

import type { EventNumbers } from '../../generated/api';
import { count } from '../../format/number';
import { visible } from '../../format/visible';
import type { Chart } from '../../parts/TimeChart.svelte';

/** How a number is read, by the end of its name. */
export function unitOf(field: string): Chart['unit'] {
  if (/bytes$/i.test(field)) return 'bytes';
  if (/(percent|pct)$/i.test(field)) return 'percent';
  return 'mean';
}

/** One chart a field. Values are what was told at single moments: nothing is known between them. */
export function numberChart({ topic, field, at_micros, values }: EventNumbers): Chart {
  // An axis here begins at nothing: what is below has no place on it.
  const negative = values.some((value) => value < 0);
  return {
    title: visible(field),
    explains: `Numbers in the field ${visible(field)} of events on the topic ${visible(topic)}, each at the moment of its event.`,
    note: `${visible(topic)}, ${count(values.length)} ${values.length === 1 ? 'value' : 'values'}`,
    unit: unitOf(field),
    at: at_micros,
    series: [{ key: field, label: 'told', colour: 'var(--data-compute)', draw: 'line', kind: 'between', values }],
    absent: negative ? 'Some values are below zero: press t for the table' : null,
  };
}
