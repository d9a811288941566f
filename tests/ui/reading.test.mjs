// What somebody reads of a running cluster stays where it is while more comes in.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from './support/browser.mjs';
import { Story } from './support/story.mjs';
import { training } from './support/training.mjs';
import { sharedVisit } from './support/visit.mjs';

const second = 1_000_000;
const now = () => Date.now() * 1000;

let bobbin, visitor, page;
sharedVisit({
  tell: async (bobbin) => {
    for (const batch of training(now()).batches) await bobbin.post(batch);
  },
  met: (there) => {
    ({ bobbin, visitor, page } = there);
    page.setDefaultTimeout(10_000);
  },
});

const chart = (name) => page.locator('figure', { has: page.locator('h3', { hasText: new RegExp(`^${name}$`) }) });

test('charts stand still while they are pointed at', async () => {
  const begun = now() - 60 * second;
  const story = new Story('pointed', { name: 'pointed', started: begun });
  const sample = (at, workers) => story.sample(at, { workers, tasks: { processing: 2 } });
  await bobbin.post(story.batch([story.cluster(), ...[10, 20, 30].map((after) => sample(begun + after * second, 2))]));
  const pointed = (await visitor.ask('clusters', { text: 'name:pointed' })).rows[0].id;
  await visitor.go(`cluster/${pointed}`, '.plot');
  const figures = () => chart('Workers').locator('figcaption').innerText();
  await until(async () => /workers\s+2\b/.test(await figures()));
  await chart('Workers').locator('.plot').hover();
  await bobbin.post(story.batch([sample(now(), 5)]));
  await page.getByText('paused while you point').waitFor();
  assert.match(await figures(), /workers\s+2\b/);
  await page.mouse.move(2, 2);
  await until(async () => /workers\s+5\b/.test(await figures()));
  visitor.quiet();
});

test('what comes in does not move what is read', async () => {
  const story = new Story('live', { name: 'live' });
  const group = (at, name, compute) => story.group(at, name, { states: { memory: 5 }, seconds: { compute }, start: at - second, stop: at });
  await bobbin.post(story.batch([story.cluster(), story.sample(now(), { tasks: { processing: 2 } }), group(now(), 'first', 50), group(now(), 'second', 40)]));
  const live = (await visitor.ask('clusters', { text: 'live' })).rows[0].id;
  await visitor.go(`cluster/${live}`, '.box tbody tr');
  const names = () => page.locator('.box .pick b').allInnerTexts();
  await until(async () => (await names()).length === 2);
  assert.deepEqual(await names(), ['first', 'second']);
  await page.locator('.box .pick').first().hover();
  await bobbin.post(story.batch([group(now(), 'second', 90), story.sample(now(), { tasks: { processing: 1 } })]));
  await until(async () => (await visitor.ask('task_groups', { id: live })).rows[0].prefix === 'second');
  // The new figure is there, and the rows are where they were.
  await until(async () => (await page.locator('.box').innerText()).includes('90.0'));
  assert.deepEqual(await names(), ['first', 'second']);
  await page.mouse.move(2, 2);
  await until(async () => (await names())[0] === 'second');
  visitor.quiet();
});

test('a group and a worker that a link names come into sight once', async () => {
  const story = new Story('far', { name: 'far', started: now() - 300 * second });
  const group = (i, compute, tasks) => story.group(now(), `far-${i}`, { states: { memory: tasks }, seconds: { compute }, start: now() - second, stop: now() });
  const numbers = Array.from({ length: 200 }, (_, i) => i);
  await bobbin.post(story.batch([story.cluster(), story.sample(now(), { workers: 200 }), ...numbers.map((i) => group(i, 1000 - i, 1)), ...numbers.map((i) => story.worker(now() - second, i, 'joined'))]));
  const far = (await visitor.ask('clusters', { text: 'name:far' })).rows[0].id;
  for (const [list, name, item, other] of [
    ['groups', 'Task groups', 'far-150', 'far-190'],
    ['workers', 'Workers', 'far-77', 'far-33'],
  ]) {
    await visitor.go(`cluster/${far}?tab=${list}&item=${item}`, '.detail');
    const box = page.getByRole('region', { name, exact: true });
    const marked = box.locator('tr.marked');
    const top = () => box.evaluate((element) => element.scrollTop);
    await marked.waitFor();
    assert.ok((await top()) > 0, list);
    // Who goes on to read elsewhere stays there.
    await box.evaluate((element) => element.scrollTo(0, element.scrollTop < 3_000 ? 5_000 : 0));
    await until(async () => (await marked.count()) === 0);
    const there = await top();
    await bobbin.post(story.batch([group(0, 2000, list === 'groups' ? 7_777 : 8_888), ...(list === 'groups' ? [] : [story.worker(now(), 201, 'joined')])]));
    if (list === 'groups') await until(async () => (await box.innerText()).includes('7,777'));
    else await page.getByText('201 here').waitFor();
    assert.equal(await top(), there);
    await page.goto(`${visitor.origin}/#/1/cluster/${far}?tab=${list}&item=${other}`);
    await marked.waitFor();
  }
  visitor.quiet();
});

test('what workers did, spans and costs keep their places while they are read', async () => {
  const begun = now() - 60 * second;
  const story = new Story('steady', { name: 'steady', started: begun });
  const told = (load, fit) => [
    story.sample(now(), { totals: { compute: load + fit, thread_seconds: 900, tasks_completed: 10 } }),
    ...[['load', load], ['fit', fit]].map(([name, seconds]) => story.group(now(), name, { states: { memory: 5 }, seconds: { compute: seconds }, start: begun, stop: now() })),
    story.metric(now(), 'execute', 'load', 'thread-cpu', 'seconds', load),
    story.metric(now(), 'execute', 'fit', 'disk-read', 'seconds', fit),
  ];
  await bobbin.post(story.batch([story.cluster(), ...told(50, 40), story.span(now(), 'early', { start: begun })]));
  const steady = (await visitor.ask('clusters', { text: 'name:steady' })).rows[0].id;
  const texts = (css) => page.locator(css).allInnerTexts();

  await visitor.go(`cluster/${steady}?tab=activity`, '.spans .span');
  const activities = async () => [(await texts('.sum .name')).join(), (await texts('.sums + .rows tbody td:nth-child(2)')).join()];
  await until(async () => (await activities()).join(' ') === 'load,fit thread-cpu,disk-read');
  await page.locator('.sum').first().hover();
  await bobbin.post(story.batch(told(50, 80)));
  // The new figure is there, and the rows are where they were.
  await until(async () => (await texts('.sum .figure'))[1].startsWith('80.0'));
  assert.deepEqual(await activities(), ['load,fit', 'thread-cpu,disk-read']);
  await page.getByRole('region', { name: 'Where the workers’ time went' }).getByRole('button', { name: 'Sort again' }).waitFor();
  await page.mouse.move(2, 2);
  await until(async () => (await activities()).join(' ') === 'fit,load disk-read,thread-cpu');

  await page.locator('.spans .span').first().hover();
  await bobbin.post(story.batch([story.span(now(), 'late', { start: now() })]));
  const newer = page.getByRole('button', { name: 'Show 1 new' });
  await newer.waitFor();
  assert.deepEqual(await texts('.spans .span'), ['early']);
  await newer.click();
  await until(async () => (await texts('.spans .span')).join() === 'late,early');

  await visitor.go(`cluster/${steady}?tab=cost`, '[data-cost]');
  const operations = async () => (await texts('.box td.label')).map((label) => label.trim()).filter((label) => ['load', 'fit'].includes(label)).join();
  await until(async () => (await operations()) === 'fit,load');
  await page.locator('.box td.label').first().hover();
  await bobbin.post(story.batch(told(95, 80)));
  await page.getByRole('button', { name: 'Sort again' }).waitFor();
  assert.equal(await operations(), 'fit,load');
  await page.getByRole('button', { name: 'Sort again' }).click();
  await until(async () => (await operations()) === 'load,fit');
  visitor.quiet();
});

test('a new failure and a new computation wait while others are read', async () => {
  const story = new Story('cards', { name: 'cards', started: now() - 60 * second });
  const failure = (id, type, at = now()) => story.exception(at, id, { exception_type: type, traceback: `  File "/home/ana/${id}.py", line 4, in ${id}\n` });
  const asked = (id, ago) => story.computation(now(), id, { start: now() - ago * second, groups: ['g'], states: { memory: 1 } });
  await bobbin.post(story.batch([story.cluster(), story.sample(now(), { tasks: { processing: 2 } }), failure('older', 'KeyError'), asked('c-older', 50)]));
  await bobbin.post(story.batch([failure('newer', 'ValueError'), asked('c-newer', 40)]));
  const cards = (await visitor.ask('clusters', { text: 'name:cards' })).rows[0].id;
  const order = () => page.locator('[role=tabpanel] article').evaluateAll((all) => all.map((one) => one.id.replace(/^.*-/, '')));
  for (const [list, wait, more] of [
    ['exceptions', '#exception-older', () => [failure('older', 'KeyError'), failure('newest', 'TypeError', now() + second)]],
    ['computations', '#computation-c-older', () => [asked('c-newest', 1)]],
  ]) {
    await visitor.go(`cluster/${cards}?tab=${list}`, wait);
    await until(async () => (await order()).join() === 'newer,older');
    await page.locator(wait).hover();
    await bobbin.post(story.batch(more()));
    await page.getByRole('button', { name: 'Show 1 new' }).waitFor();
    assert.deepEqual(await order(), ['newer', 'older'], list);
    await page.getByRole('button', { name: 'Show 1 new' }).click();
    await until(async () => (await order()).length === 3 && (await order())[0] === 'newest');
  }
  visitor.quiet();
});

test('events, words and topics stay where they are while they are read', async () => {
  const story = new Story('eventful', { name: 'eventful', started: now() - 60 * second, switches: { events_allow: ['train'] } });
  const told = (phase, ago, times = 1) => Array.from({ length: times }, (_, i) => story.event(now() - ago * second + i, 'train', { phase }));
  await bobbin.post(story.batch([story.cluster(), story.sample(now()), ...told('fit', 50, 2), ...told('load', 40)]));
  const eventful = (await visitor.ask('clusters', { text: 'name:eventful' })).rows[0].id;
  const events = () => page.locator('.events tbody .payload').allInnerTexts();
  const words = () => page.locator('.words dd button .value').allInnerTexts();
  await visitor.go(`cluster/${eventful}?tab=events`, '.events tbody tr');
  assert.deepEqual([await events(), await words()].map((all) => all.map((one) => one.replace(/^phase\s+/, '').trim())), [['load', 'fit', 'fit'], ['fit', 'load']]);

  await page.locator('.events tbody tr').first().hover();
  await bobbin.post(story.batch(told('late', 5)));
  await page.getByRole('region', { name: 'Events', exact: true }).getByRole('button', { name: 'Show 1 new' }).waitFor();
  assert.equal((await events()).length, 3);
  await page.getByRole('button', { name: 'Show 1 new' }).click();
  await until(async () => (await events()).length === 4 && (await events())[0].includes('late'));

  // One that overtakes others in number stays under the pointer.
  await page.locator('.words dd button').first().hover();
  await bobbin.post(story.batch(told('late', 4, 5)));
  const panel = page.getByRole('region', { name: 'Words in events' });
  await panel.getByRole('button', { name: 'Sort again' }).waitFor();
  assert.equal((await words())[0], 'fit');
  await panel.getByRole('button', { name: 'late 6' }).waitFor();
  await panel.getByRole('button', { name: 'Sort again' }).click();
  await until(async () => (await words())[0] === 'late');
  visitor.quiet();
});

test('who reads code stays in it while answers come in', async () => {
  const story = new Story('read', { name: 'read' });
  const lines = Array.from({ length: 30 }, (_, i) => `step_${i}(day)`).join('\n');
  const told = (done) => [
    story.sample(now(), { tasks: { processing: 100 - done, memory: done } }),
    story.group(now(), 'read-step', { states: { processing: 100 - done, memory: done }, seconds: { compute: done }, start: now() - second, stop: now() }),
    story.computation(now(), 'read-c', { start: now() - second, groups: ['read-step'], states: { processing: 100 - done, memory: done }, code: [{ code: lines, filename: '/home/ana/read.py', line_relative: 20, line: 20 }] }),
  ];
  await bobbin.post(story.batch([story.cluster(), ...told(10)]));
  const reading = (await visitor.ask('clusters', { text: 'name:read' })).rows[0].id;
  await visitor.go(`cluster/${reading}?tab=computations`, '.code');
  await page.getByRole('button', { name: 'Show all 30 lines' }).click();
  await page.locator('.code').focus();
  await page.locator('article', { hasText: '10 of 100 tasks' }).waitFor();
  await bobbin.post(story.batch(told(60)));
  await page.locator('article', { hasText: '60 of 100 tasks' }).waitFor();
  assert.ok(await page.locator('.code').evaluate((element) => element === document.activeElement), 'the focus is where it was');
  assert.equal(await page.locator('.code .line').count(), 30);
  visitor.quiet();
});
