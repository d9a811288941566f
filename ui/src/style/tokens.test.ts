import { expect, test } from 'vitest';
import { apart, contrast, lightness, waysOfSeeing } from './colour';
import whole from './tokens.css?raw';

/** The tokens as they come, and those of high contrast over them. */
const high = /:root\[data-contrast='high'\] \{[^}]*\}/.exec(whole)![0];
const text = whole.replace(high, '');

const themes = ['light', 'dark'] as const;
const read = (css: string) =>
  Object.fromEntries(
    themes.map((theme, i) => [
      theme,
      Object.fromEntries([...css.matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g)].map((m) => [m[1]!, m[2 + i]!]).reverse()),
    ]),
  ) as Record<(typeof themes)[number], Record<string, string>>;
const colours = read(text);

const grounds = ['ground', 'surface', 'raised', 'hover', 'chosen'];
const activities = ['compute', 'transfer', 'disk-read', 'disk-write', 'deserialize', 'other'].map((n) => `data-${n}`);
/** Of what threads did, stalled time too is a part. */
const threads = [...activities, 'stalled'];
const memory = ['data-managed', 'data-unmanaged', 'data-spilled'];
const fine = ['data-noncpu', ...activities];
const tones = ['good', 'warn', 'stalled', 'bad', 'calm'];
const states = ['waiting', 'processing', 'memory', 'released', 'forgotten', 'erred'].map((n) => `state-${n}`);

test.each(themes)('%s: text can be read on every ground (4.5 to 1)', (theme) => {
  const c = colours[theme];
  for (const ink of ['ink', 'ink-2', 'ink-3', 'accent'])
    for (const ground of grounds)
      expect(contrast(c[ink]!, c[ground]!), `${ink} on ${ground}`).toBeGreaterThanOrEqual(4.5);
  for (const state of tones)
    for (const ground of ['surface', `${state}-ground`])
      expect(contrast(c[state]!, c[ground]!), `${state} on ${ground}`).toBeGreaterThanOrEqual(4.5);
  for (const code of ['keyword', 'string', 'number', 'comment', 'name'])
    for (const ground of ['surface', 'sunken', 'warn-ground'])
      expect(contrast(c[`code-${code}`]!, c[ground]!), `${code} on ${ground}`).toBeGreaterThanOrEqual(4.5);
  expect(contrast(c['accent-ink']!, c.accent!)).toBeGreaterThanOrEqual(4.5);
});

test.each(themes)('%s, high contrast: text has 7 to 1 on every ground, lines and the focus have 3 to 1', (theme) => {
  const c = { ...colours[theme], ...read(high)[theme] };
  for (const ground of grounds) {
    for (const ink of ['ink', 'ink-2', 'ink-3', 'accent']) expect(contrast(c[ink]!, c[ground]!), `${ink} on ${ground}`).toBeGreaterThanOrEqual(7);
    for (const line of ['line-1', 'line-2']) expect(contrast(c[line]!, c[ground]!), `${line} on ${ground}`).toBeGreaterThanOrEqual(3);
  }
  for (const state of tones) expect(contrast(c[state]!, c.surface!), state).toBeGreaterThanOrEqual(4.5);
});

test.each(themes)('%s: series stand out from the panel (3 to 1; fills with a bounding line 2 to 1)', (theme) => {
  const c = colours[theme];
  for (const name of [...activities, 'data-managed', 'data-spilled', 'state-processing', 'state-memory', 'state-erred'])
    expect(contrast(c[name]!, c.surface!), name).toBeGreaterThanOrEqual(3);
  // What waits is the part of a bar that is still empty.
  for (const name of ['data-unmanaged', 'data-noncpu', ...states.filter((name) => name !== 'state-waiting')])
    expect(contrast(c[name]!, c.surface!), name).toBeGreaterThanOrEqual(2);
});

test.each(themes)('%s: series of one chart stay apart, however colours are seen', (theme) => {
  const c = colours[theme];
  for (const set of [threads, memory, states, fine])
    for (const way of waysOfSeeing)
      for (const [i, a] of set.entries())
        for (const b of set.slice(i + 1))
          expect(apart(c[a]!, c[b]!, way), `${a} and ${b}, ${way}`).toBeGreaterThanOrEqual(way === 'normal' ? 10 : 5);
});

test.each(themes)('%s: stalled time is told from the blues of computing, however colours are seen', (theme) => {
  const c = colours[theme];
  for (const step of [1, 2, 3, 4, 5])
    for (const way of waysOfSeeing) expect(apart(c.stalled!, c[`heat-${step}`]!, way), `${step}, ${way}`).toBeGreaterThanOrEqual(way === 'normal' ? 10 : 5);
});

test.each(themes)('%s: a stalled cluster is told from every other, however colours are seen', (theme) => {
  const c = colours[theme];
  for (const tone of tones.filter((tone) => tone !== 'stalled'))
    for (const way of waysOfSeeing) expect(apart(c.stalled!, c[tone]!, way), `${tone}, ${way}`).toBeGreaterThanOrEqual(5);
});

test.each(themes)('%s: frames of a flame graph can be read, and packages stay apart', (theme) => {
  const c = colours[theme];
  const packages = ['yours', 'python', 1, 2, 3, 4, 5, 6].map((n) => `flame-${n}`);
  const changes = ['more', 'less', 'same'].map((n) => `flame-${n}`);
  for (const name of [...packages, ...changes, 'flame-small']) expect(contrast(c.ink!, c[name]!), name).toBeGreaterThanOrEqual(4.5);
  for (const set of [packages, changes])
    for (const way of waysOfSeeing)
      for (const [i, a] of set.entries())
        for (const b of set.slice(i + 1)) expect(apart(c[a]!, c[b]!, way), `${a} and ${b}, ${way}`).toBeGreaterThanOrEqual(5);
});

test.each(themes)('%s: heat goes evenly from the ground', (theme) => {
  const c = colours[theme];
  const steps = [0, 1, 2, 3, 4, 5].map((i) => lightness(c[`heat-${i}`]!));
  const size = steps.slice(1).map((step, i) => Math.abs(step - steps[i]!));
  expect(Math.max(...size) / Math.min(...size), size.map((s) => s.toFixed(1)).join(' ')).toBeLessThan(1.8);
  for (const way of waysOfSeeing)
    for (let i = 1; i < 6; i++) expect(apart(c[`heat-${i}`]!, c[`heat-${i - 1}`]!, way)).toBeGreaterThanOrEqual(5);
});
