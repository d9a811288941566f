// The price book as words, and what is typed into its form as the terms of a price.

import type { AppliesTo, KnownPrice, PriceTerms, Range, Rate } from '../../generated/api';
import { currencySign } from '../../format/money';
import { date, dayBegins, isDay, localDay } from '../../format/time';

/** As it stands in the form: text, as it is typed. */
export interface Draft {
  id: number | null;
  name: string;
  provenance: string;
  /** Local days; empty is from the beginning, or without an end. */
  from: string;
  to: string;
  applies: AppliesTo['is'];
  tag: string;
  pattern: string;
  kind: Rate['is'];
  watts: Pair;
  kilowatt: Pair;
  core: Pair;
  memory: Pair;
  machine: Pair;
  workers: string;
}

export interface Pair {
  low: string;
  high: string;
}

const pair = (range: Range): Pair => ({ low: String(range.low), high: String(range.high) });
const nothing: Pair = { low: '0', high: '0' };

/** A new price: rented, from today. */
export function blank(today: string): Draft {
  return {
    id: null,
    name: '',
    provenance: '',
    from: today,
    to: '',
    applies: 'everything',
    tag: '',
    pattern: '',
    kind: 'rented',
    watts: { low: '4', high: '12' },
    kilowatt: { low: '0.15', high: '0.4' },
    core: { low: '', high: '' },
    memory: nothing,
    machine: nothing,
    workers: '1',
  };
}

/** A price as it is, to be corrected; without its number, to be written anew from another day. */
export function draftOf(id: number | null, terms: PriceTerms): Draft {
  const { rate, applies_to } = terms;
  const draft = { ...blank(''), id, name: terms.name, provenance: terms.provenance, from: terms.from_micros === 0 ? '' : localDay(terms.from_micros), to: terms.to_micros === null ? '' : localDay(terms.to_micros) };
  draft.applies = applies_to.is;
  if (applies_to.is !== 'everything') draft.pattern = applies_to.pattern;
  if (applies_to.is === 'tag') draft.tag = applies_to.name;
  draft.kind = rate.is;
  if (rate.is === 'own') return { ...draft, watts: pair(rate.watts_per_core), kilowatt: pair(rate.kilowatt_hour) };
  return { ...draft, core: pair(rate.core_hour), memory: pair(rate.memory_gib_hour), machine: pair(rate.machine_hour), workers: String(rate.workers_per_machine) };
}

/** A form that begins with a list price; days, and what it is for, stay as they are. */
export function begunWith(draft: Draft, { name, provenance, rate }: KnownPrice): Draft {
  const { kind, watts, kilowatt, core, memory, machine, workers } = draftOf(null, { name, provenance, rate, from_micros: 0, to_micros: null, applies_to: { is: 'everything' } });
  return { ...draft, name, provenance, kind, watts, kilowatt, core, memory, machine, workers };
}

/** A figure as people type it: a comma parts it too. Not a figure is NaN. */
function figure(text: string): number {
  const plain = text.trim().replace(',', '.');
  return /^\d+(\.\d*)?$|^\.\d+$/.test(plain) ? Number(plain) : Number.NaN;
}

/** The terms, or what of the form cannot be read. What may be written is for core to say. */
export function termsOf(draft: Draft): { terms: PriceTerms } | { wrong: string } {
  const wrong: string[] = [];
  const range = (what: string, { low, high }: Pair): Range => {
    const read = { low: figure(low), high: figure(high.trim() === '' ? low : high) };
    if (Number.isNaN(read.low) || Number.isNaN(read.high)) wrong.push(`${what}: “${Number.isNaN(read.low) ? low : high}” is not a number. Enter one like 0.05.`);
    return read;
  };
  const day = (what: string, text: string): number | null => {
    if (text === '') return null;
    if (isDay(text)) return dayBegins(text);
    wrong.push(`${what}: “${text}” is not a date. Enter one like 2026-03-01.`);
    return null;
  };
  const rate: Rate =
    draft.kind === 'own'
      ? { is: 'own', watts_per_core: range('Watts per core', draft.watts), kilowatt_hour: range('Kilowatt-hour', draft.kilowatt) }
      : { is: 'rented', core_hour: range('Core-hour', draft.core), memory_gib_hour: range('GiB-hour', draft.memory), machine_hour: range('Machine-hour', draft.machine), workers_per_machine: 1 };
  if (rate.is === 'rented') {
    const workers = figure(draft.workers);
    if (Number.isInteger(workers)) rate.workers_per_machine = workers;
    else wrong.push(`Workers per machine: “${draft.workers}” is not a whole number.`);
  }
  const applies_to: AppliesTo =
    draft.applies === 'everything' ? { is: 'everything' } : draft.applies === 'tag' ? { is: 'tag', name: draft.tag, pattern: draft.pattern } : { is: draft.applies, pattern: draft.pattern };
  const terms = { name: draft.name, provenance: draft.provenance, from_micros: day('Valid from', draft.from) ?? 0, to_micros: day('Until', draft.to), applies_to, rate };
  return wrong.length > 0 ? { wrong: wrong.join(' ') } : { terms };
}

/** `project etl-*`. */
export function appliesWords(applies: AppliesTo): string {
  switch (applies.is) {
    case 'everything':
      return 'every cluster';
    case 'tag':
      return `tag ${applies.name}: ${applies.pattern}`;
    default:
      return `${applies.is} ${applies.pattern}`;
  }
}

/** A figure with more digits after its point is no price. */
const mostDigits = 20;

/** Digits after the point, as it was written: small figures come as `5e-7`. */
function digitsOf(figure: number): number {
  const [, after = '', power = '0'] = /^\d+(?:\.(\d+))?(?:e-(\d+))?$/.exec(String(figure)) ?? [];
  return Math.min(mostDigits, after.length + Number(power));
}

/** Both ends with as many digits as the finer one: `0.15–0.40`. */
function range({ low, high }: Range): string {
  const digits = Math.max(digitsOf(low), digitsOf(high));
  const [from, to] = [low.toFixed(digits), high.toFixed(digits)];
  return from === to ? to : `${from}–${to}`;
}

/** `0.04–0.05 € a core-hour, 0.005 € a GiB-hour`. */
export function rateWords(rate: Rate, code: string): string {
  const currency = currencySign(code);
  if (rate.is === 'own') return `${range(rate.watts_per_core)} W per core at ${range(rate.kilowatt_hour)} ${currency} per kilowatt-hour`;
  const said = [];
  if (rate.core_hour.high > 0) said.push(`${range(rate.core_hour)} ${currency} per core-hour`);
  if (rate.memory_gib_hour.high > 0) said.push(`${range(rate.memory_gib_hour)} ${currency} per GiB-hour of memory`);
  if (rate.machine_hour.high > 0) said.push(`${range(rate.machine_hour)} ${currency} per machine-hour with ${rate.workers_per_machine} ${rate.workers_per_machine === 1 ? 'worker' : 'workers'}`);
  return said.length === 0 ? 'free' : said.join(', ');
}

/** `ended` or `to come`, where it is not in force now. */
export function outOfForce({ from_micros, to_micros }: Pick<PriceTerms, 'from_micros' | 'to_micros'>, now: number): string | null {
  if (to_micros !== null && to_micros <= now) return 'ended';
  return from_micros > now ? 'upcoming' : null;
}

/** `from the beginning`, `from 1 Mar 2026`, `from 1 Mar 2026 until 1 Jun 2026`. */
export function validWords({ from_micros, to_micros }: Pick<PriceTerms, 'from_micros' | 'to_micros'>): string {
  const from = from_micros === 0 ? 'from the beginning' : `from ${date(from_micros)}`;
  return to_micros === null ? from : `${from} until ${date(to_micros)}`;
}
