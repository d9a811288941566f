// What events hold: numbers as charts over the axis that the page shares, and payloads as words.

import type { EventNumbers } from '../../generated/api';
import { count, real } from '../../format/number';
import { visible } from '../../format/visible';
import type { Chart } from '../../parts/TimeChart.svelte';
import { sayValue } from '../../parts/units';

/** How a number is read, by the end of its name. */
export function unitOf(field: string): Chart['unit'] {
  if (/bytes$/i.test(field)) return 'bytes';
  if (/(percent|pct)$/i.test(field)) return 'percent';
  return 'real';
}

/** One chart a field. Values are what was told at single moments: nothing is known between them. */
export function numberChart({ topic, field, at_micros, values }: EventNumbers): Chart {
  const unit = unitOf(field);
  return {
    title: visible(field),
    explains: `Numbers in the field ${visible(field)} of events on the topic ${visible(topic)}, each at the moment of its event.`,
    note: `${visible(topic)}, ${count(values.length)} ${values.length === 1 ? 'value' : 'values'}`,
    unit,
    at: at_micros,
    series: [{ key: field, label: 'value', colour: 'var(--data-compute)', draw: 'line', kind: 'between', values, figure: spread(unit, values) }],
  };
}

/** So many different fields are told apart. */
const different = 1_000;

/** Said before the rest, where there are more fields than are shown. */
export function mostOf(shown: number, total: number): string {
  return shown < total ? `the ${count(shown)} fields with the most values, of ${count(total)}${total < different ? '' : ' or more'}; ` : '';
}

/** `0.65, 0.57 to 3.54`: the last, and between which all are. */
function spread(unit: Chart['unit'], values: readonly number[]): string {
  const [least, most] = values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
  const last = sayValue(unit, values.at(-1));
  return least < most ? `${last}, ${sayValue(unit, least)} to ${sayValue(unit, most)}` : last;
}

/** The fields of a payload; null where it is no object. */
export function payloadPairs(text: string): { key: string; value: string }[] | null {
  let payload: unknown;
  try {
    payload = JSON.parse(text);
  } catch {
    return null;
  }
  return isRecord(payload) ? pairsOf(payload, '') : null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Fields of fields have a name with a point, as charts of them do. */
function pairsOf(record: Record<string, unknown>, within: string): { key: string; value: string }[] {
  return Object.entries(record).flatMap(([name, value]) => {
    if (isRecord(value)) return pairsOf(value, `${within}${name}.`);
    return [{ key: visible(`${within}${name}`), value: visible(typeof value === 'number' ? real(value) : typeof value === 'string' ? value : JSON.stringify(value)) }];
  });
}

/** What is to be set so that a topic is stored, too. */
export function allowing(allowed: readonly string[], topic: string): string {
  return `bobbin.events.allow: ${JSON.stringify([...allowed, topic])}`;
}
