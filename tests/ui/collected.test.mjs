// Everything that the plugin collects, on the page: the door's numbers, and in plain words what was not collected and why.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { accessible } from './support/axe.mjs';
import { until } from './support/browser.mjs';
import { busy, crowd, old, packet, secretive, stalled, Story } from './support/story.mjs';
import { sharedVisit } from './support/visit.mjs';

const second = 1_000_000;
const now = () => Date.now() * 1000;
const number = (text) => Number(text.replaceAll(',', ''));
const close = (a, b, by) => assert.ok(Math.abs(a - b) <= by, `${a} is not ${b}`);

let bobbin, visitor, page;
const ids = {};

sharedVisit({
  tell: async (bobbin) => {
    for (const story of [busy, crowd, old, secretive, stalled]) {
      const { batches } = story(now());
      for (const batch of batches) await bobbin.post(batch);
    }
  },
  met: async (there) => {
    ({ bobbin, visitor, page } = there);
    await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: bobbin.origin });
    for (const row of (await visitor.ask('clusters')).rows) ids[row.scheduler_id.replace('Scheduler-', '')] = row.id;
  },
});

/** The cells of the rows that exist. */
const cells = (table) => page.locator(`${table} tbody tr`).evaluateAll((rows) => rows.filter((row) => row.cells.length > 2).map((row) => [...row.cells].map((cell) => cell.innerText.trim())));
const main = () => page.innerText('main');

async function says(...words) {
  for (const word of words) await until(async () => (await main()).includes(word));
}

describe('workers', () => {
  test('the table holds the door’s workers, and sorts and filters them', async () => {
    await visitor.go(`cluster/${ids.busy}?tab=workers`, '.box tbody tr .pick');
    const { rows, here, total, lost } = await visitor.ask('workers', { id: ids.busy });
    assert.deepEqual([here, total, lost], [8, 10, 1]);
    await says('8 here, 2 gone, 1 lost without being told to close');
    const shown = await cells('.box');
    assert.equal(shown.length, total);
    const by = new Map(rows.map((row) => [row.name, row]));
    for (const [name, state, host, threads, cpu, memory] of shown) {
      const row = by.get(name);
      assert.equal(host, row.host);
      assert.equal(number(threads), row.threads);
      if (row.now === null) assert.deepEqual([cpu, memory], ['–', '–']);
      else {
        assert.equal(cpu, `${Math.round(row.now.cpu_percent)} %`);
        assert.equal(memory, `${Math.round((row.now.memory_used_bytes / row.memory_limit_bytes) * 100)} %`);
      }
      assert.match(state, { running: /Running/, paused: /Paused/, gone: /Left\s*retired|Killed\s*memory/ }[row.state]);
    }
    await page.getByRole('button', { name: 'CPU' }).click();
    const most = rows.filter((row) => row.now !== null).sort((a, b) => b.now.cpu_percent - a.now.cpu_percent)[0];
    await until(async () => (await cells('.box'))[0][0] === most.name);
    await page.waitForURL(/workers=cpu/);
    await page.keyboard.press('/');
    await page.keyboard.type('killed');
    await says('1 of 10 match');
    await page.locator('.pick').first().click();
    const life = await cells('.life');
    assert.deepEqual(life.map((row) => row.slice(1)), [['joined', '–'], ['paused', '–'], ['killed', 'memory'], ['lost', 'memory']]);
    await page.waitForURL(/item=busy-9/);
  });

  test('an address fits the column of names, however narrow the window is', async () => {
    await page.setViewportSize({ width: 700, height: 800 });
    try {
      await visitor.go(`cluster/${ids.busy}?tab=workers`, '.box tbody tr .pick');
      const room = await page.locator('.box .pick').first().evaluate((button) => {
        const name = button.firstElementChild;
        name.textContent = 'tcp://127.0.0.1:43211';
        return [button.scrollWidth, button.clientWidth, button.closest('td').clientWidth];
      });
      assert.ok(room[0] <= room[1] && room[2] >= 190, room.join());
    } finally {
      await page.setViewportSize({ width: 1280, height: 800 });
    }
  });

  test('what happened to them is on the time axis, with a tip', async () => {
    await visitor.go(`cluster/${ids.busy}`, '.mark');
    assert.ok((await page.locator('.mark.bad').count()) > 0);
    const box = await page.locator('.mark.bad').first().boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    const tip = page.locator('.happened');
    await tip.waitFor();
    assert.match(await tip.innerText(), /1 killed, 1 lost\s+killed: worker-9/);
    await page.mouse.move(5, 5);
    await tip.waitFor({ state: 'detached' });
  });

  test('a thousand of them: bands over time, and only the rows in sight exist', async () => {
    await visitor.go(`cluster/${ids.crowd}?tab=workers&charts=workers`, '.box tbody tr .pick');
    await page.waitForSelector('figure path.shade');
    const { rows } = await visitor.ask('workers', { id: ids.crowd, limit: 1000 });
    // Columns that could hold nothing but dashes are not there.
    assert.deepEqual((await page.locator('.box th').allInnerTexts()).map((head) => head.trim()), ['Worker', 'State', 'Host', 'Threads', 'Joined', 'Here for']);
    assert.equal(rows.length, 1000);
    assert.ok((await page.locator('.box tbody tr').count()) < 80);
    await says('970 here, 30 gone, 30 lost without being told to close', 'Figures cover all workers together');
    // Those that were lost come first.
    assert.ok((await cells('.box'))[0][1].includes('Killed'));
    await page.locator('.box .scroll').evaluate((box) => box.scrollTo(0, box.scrollHeight));
    await until(async () => (await cells('.box')).at(-1)?.[1].includes('Running'));
    const { bands } = await visitor.ask('worker_series', { id: ids.crowd, measure: 'processing', points: 300 });
    const [least, , middle, , most] = bands.at(-1);
    const tasks = page.locator('figure', { hasText: 'Tasks by worker' });
    await tasks.locator('path.shade').first().waitFor();
    const legend = await tasks.locator('figcaption').innerText();
    assert.match(legend, new RegExp(`min to max\\s+${least} – ${most}`));
    assert.match(legend, new RegExp(`median\\s+${middle}`));
  });
});

describe('over time', () => {
  test('hardware: the table behind each chart holds the door’s samples', async () => {
    await visitor.go(`cluster/${ids.busy}?charts=hardware`, '.plot');
    await page.mouse.move(5, 5);
    await page.keyboard.press('t');
    await page.waitForSelector('figure table');
    const timeline = await visitor.ask('timeline', { id: ids.busy, points: 600 });
    const column = (title, i) => page.locator('figure', { hasText: title }).locator('tbody tr').evaluateAll((rows, i) => rows.map((row) => row.cells[i].innerText), i);
    const cpu = await column('CPU', 1);
    assert.equal(cpu.length, timeline.at_micros.length);
    cpu.forEach((text, i) => close(number(text), timeline.cpu_percent[i] / 100, 0.051));
    const lag = await column('Event loops', 2);
    lag.forEach((text, i) => close(number(text.replace(' ms', '')), timeline.worker_lag_micros[i] / 1000, 0.06));
    await page.keyboard.press('t');
  });

  test('memory: managed, unmanaged, spilled and the limit are the door’s', async () => {
    await visitor.go(`cluster/${ids.busy}`, '.plot');
    await page.mouse.move(5, 5);
    await page.keyboard.press('t');
    const memory = page.locator('figure', { has: page.locator('h3', { hasText: /^Memory$/ }) });
    await memory.locator('table').waitFor();
    assert.deepEqual(await memory.locator('th').allInnerTexts(), ['Time', 'managed', 'unmanaged', 'spilled', 'limit']);
    assert.match(await memory.innerText(), /in GiB/);
    const told = await visitor.ask('timeline', { id: ids.busy, points: 600 });
    const rows = await memory.locator('tbody tr').evaluateAll((all) => all.map((line) => [...line.cells].slice(1).map((cell) => cell.innerText)));
    assert.equal(rows.length, told.at_micros.length);
    const columns = [told.memory_managed_bytes, told.memory_unmanaged_bytes, told.memory_spilled_bytes, told.memory_limit_bytes];
    rows.forEach((line, i) => line.forEach((text, c) => close(number(text), columns[c][i] / 2 ** 30, 0.006)));
    await page.keyboard.press('t');
  });

  test('each worker is a line where there are few', async () => {
    await visitor.go(`cluster/${ids.busy}?charts=workers&tab=workers&item=busy-6`, 'path.thread');
    const { workers } = await visitor.ask('worker_series', { id: ids.busy, measure: 'cpu_percent' });
    await until(async () => (await page.locator('figure').first().locator('path.thread').count()) === workers.length);
    // The chosen one has its name and figure.
    const memory = page.locator('figure', { hasText: 'Memory by worker' });
    await memory.locator('path.thread').first().waitFor();
    assert.match(await memory.locator('figcaption').innerText(), /worker-6\s+3\.\d\d GiB/);
  });
});

describe('the heat-map by worker', () => {
  const map = (title) => page.getByRole('application', { name: new RegExp(title) });
  const rows = (title) => map(title).locator('text.prefix title').allTextContents();

  test('each worker is a row, the busiest first, and a patch is what the profile is made of', async () => {
    await visitor.go(`cluster/${ids.busy}?charts=prefixes`, 'svg[role=application]');
    await page.getByRole('group', { name: 'Rows' }).getByRole('button', { name: 'Workers' }).click();
    await page.waitForURL(/heat=cpu_percent/);
    await map('cpu by worker').waitFor();
    const heat = await visitor.ask('worker_heat', { id: ids.busy });
    const shown = await rows('cpu by worker');
    assert.equal(shown.length, heat.workers.length);
    heat.workers.forEach(({ name, mean }, i) => assert.equal(shown[i], `${name}, ${Math.round(mean)} % on average`));
    const totals = heat.workers.map(({ values }) => values.reduce((sum, value) => sum + (value ?? 0), 0));
    assert.ok(totals[0] > totals.at(-1), totals.join());
    await accessible(page);
    await visitor.shot('cluster-heat-workers-light', 'light', { fullPage: true });
    await visitor.shot('cluster-heat-workers-dark', 'dark', { fullPage: true });
    await page.getByRole('group', { name: 'Measure' }).getByRole('button', { name: 'Tasks' }).click();
    await page.waitForURL(/heat=processing/);
    await map('tasks by worker').focus();
    for (const key of ['ArrowDown', 'ArrowRight', 'Shift+ArrowRight', 'Enter']) await page.keyboard.press(key);
    await page.waitForURL(/tab=profile/);
    assert.match(page.url(), /from=\d+/);
    assert.doesNotMatch(page.url(), /item=/);
    await page.keyboard.press('t');
    const table = page.getByRole('region', { name: 'Tasks by worker' });
    await table.waitFor();
    // Of that time alone.
    const there = await table.locator('tbody tr').count();
    await page.keyboard.press('t');
    assert.ok(there > 0 && there <= heat.workers.length, String(there));
  });

  test('of a thousand the spread is a row, and that is said', async () => {
    await visitor.go(`cluster/${ids.crowd}?charts=prefixes&heat=processing`, 'svg[role=application]');
    await map('tasks by worker').waitFor();
    assert.match((await rows('tasks by worker')).at(-1), /The median of all workers, at times with more than 64/);
    await says('above 64 at once, only their spread is reported');
    await visitor.shot('cluster-heat-workers-crowd-light', 'light', { fullPage: true });
  });
});

describe('task groups and computations', () => {
  test('how long single tasks take, with a mark where that is skewed', async () => {
    await visitor.go(`cluster/${ids.busy}`, '.box tbody tr .pick');
    const { rows } = await visitor.ask('task_groups', { id: ids.busy });
    const skewed = rows.filter((row) => row.durations !== null && row.durations.p95_seconds > 5 * row.durations.p50_seconds);
    assert.ok(skewed.length > 3 && skewed.length < rows.length);
    await page.getByRole('button', { name: 'Slow ones' }).click();
    await until(async () => /sort=p95/.test(page.url()));
    const shown = await cells('.box');
    shown.slice(0, 8).forEach(([name, , , , , , , , , p95]) => {
      assert.equal(p95.includes('▲'), skewed.some((row) => row.name === name), `${name} ${p95}`);
    });
    const row = skewed[0];
    await page.locator('.pick', { hasText: row.name }).click();
    await says(`${row.durations.count} of ${Object.values(row.states).reduce((a, b) => a + b).toLocaleString('en-GB')} tasks timed`, 'Skewed: one task in twenty takes at least', '12 attempts');
    // Its time in seconds, share and money.
    const detail = page.locator('.detail');
    await detail.locator('[data-cost]').waitFor();
    assert.match(await detail.locator('[data-cost]').innerText(), /^≈ .+ €$/);
    assert.match(await detail.innerText(), /Compute [\d.,]+ core-\w+ \((\d+|[<>] \d+) %\), Transfer [\d.,]+ core-\w+ \((\d+|[<>] \d+) %\)/);
    const without = rows.find((row) => row.durations === null);
    await visitor.go(`cluster/${ids.busy}?item=${without.group_id}`, '.detail');
    assert.match(await page.locator('.detail').innerText(), /One task\s+none of its tasks was timed/);
  });

  test('a computation says what its groups cost, and what all threads did meanwhile, idleness as its own part', async () => {
    await visitor.go(`cluster/${ids.busy}?tab=computations`, '#computation-c2');
    const { rows } = await visitor.ask('computations', { id: ids.busy });
    const { start_micros, stop_micros } = rows.find((one) => one.computation_id === 'c2');
    const { totals } = await visitor.ask('thread_use', { id: ids.busy, from_micros: start_micros, to_micros: stop_micros, bins: 1, prefixes: 1 });
    const card = page.locator('#computation-c2');
    await card.locator('[data-cost]').waitFor();
    assert.match(await card.locator('[data-cost]').innerText(), /^≈ .+ €$/);
    await card.locator('[data-meanwhile] summary').click();
    await card.locator('[data-totals]').waitFor();
    assert.match(await card.locator('[data-totals]').innerText(), new RegExp(`Idle\\s+${Math.round((totals.idle_seconds / totals.thread_seconds) * 100)} %`));
  });

  test('retried and erred attempts of a computation', async () => {
    await visitor.go(`cluster/${ids.busy}?tab=computations`, 'article');
    assert.match(await page.locator('article').first().locator('header').innerText(), /3 erred\s+12 retried/);
  });
});

describe('activity', () => {
  test('bars are sums of the door’s rows, and narrow the table', async () => {
    await visitor.go(`cluster/${ids.busy}?tab=activity`, '.sum');
    const { rows } = await visitor.ask('metrics', { id: ids.busy });
    const sum = (list) => list.filter((row) => row.unit === 'seconds').reduce((total, row) => total + row.value, 0);
    const figures = await page.locator('.sum').evaluateAll((buttons) => buttons.map((button) => [...button.children].map((part) => part.innerText)));
    for (const [name, , seconds] of figures) close(number(seconds.replace(' core-min', '')) * 60, sum(rows.filter((row) => (row.prefix ?? 'no task in particular') === name)), 0.31);
    assert.equal(figures.length, 6);
    await page.getByRole('button', { name: 'By context' }).click();
    await page.locator('.sum', { hasText: 'gather-dep' }).click();
    await page.waitForURL(/sum=context/);
    const lines = await page.locator('.rows').first().locator('tbody tr').evaluateAll((list) => list.map((row) => [...row.cells].map((cell) => cell.innerText)));
    assert.deepEqual(lines, [['gather-dep', 'network', '3.50', '65.19', '630'], ['gather-dep', 'decompress', '0.20', '83.82', '36']]);
    await page.getByRole('button', { name: 'By span' }).click();
    await says('default › load', 'no span');
  });

  test('spans are a tree with their tasks', async () => {
    await until(async () => (await cells('.spans')).map((row) => row[0]).join() === 'default,load,join');
    const shown = await cells('.spans');
    const { rows } = await visitor.ask('spans', { id: ids.busy });
    const join = rows.find((row) => row.name === 'join');
    assert.equal(number(shown[2][4]), Object.values(join.states).reduce((a, b) => a + b));
    assert.equal(shown[2][3], '2.00 s');
    // Bytes have one unit, which the head of their column says.
    const size = { KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 }[await page.locator('.spans thead .unit').last().innerText()];
    close(number(shown[2].at(-1)) * size, join.result_bytes, 0.006 * size);
  });
});

test('profile: functions with the door’s shares, by prefix', async () => {
  await visitor.go(`cluster/${ids.busy}?tab=profile&f-as=table`, '.box tbody tr');
  const all = await visitor.ask('flame_table', { selection: { ids: [ids.busy] } });
  await says('3,200 samples of 10 ms', '2.8 % not attributed');
  const shown = await cells('.box');
  all.rows.forEach((row, i) => {
    assert.equal(shown[i][0], row.name);
    assert.ok(row.file.endsWith(shown[i][1].split(':')[0]));
    assert.equal(shown[i][2], `${((row.own / all.samples) * 100).toFixed(1)} %`);
    assert.equal(shown[i][3], `${((row.total / all.samples) * 100).toFixed(1)} %`);
    assert.equal(shown[i][4], row.text ?? '');
  });
  await page.getByLabel('while running').selectOption('lambda');
  await says('2,250 samples of 10 ms', '4.0 % not attributed');
  await until(async () => (await cells('.box')).map((row) => row[0]).join() === '_get_join_indexers,merge,clean,stack not shared');
  await page.getByRole('button', { name: 'Total' }).click();
  await until(async () => (await cells('.box'))[0][0] === 'clean');
  await visitor.go(`cluster/${ids.busy}?tab=profile&item=nothing`, '.notice');
  await says('No samples of this prefix');
});

test('Dask’s own failures are explained, and their packet is in a fold and masked when copied', async () => {
  await visitor.go(`cluster/${ids.busy}?tab=exceptions`, 'article');
  const killed = page.locator('article', { hasText: 'KilledWorker' });
  assert.match(await killed.innerText(), /Every worker that tried this task died while running it/);
  assert.equal(await killed.locator('.packet').count(), 0);
  const fold = killed.getByRole('button', { name: 'What Dask knew about it' });
  await fold.focus();
  await page.keyboard.press('Enter');
  assert.equal(await killed.locator('.packet').evaluate((pre) => pre.textContent), packet);
  assert.equal(await fold.getAttribute('aria-expanded'), 'true');
  await killed.getByRole('button', { name: 'Copy' }).click();
  await page.getByText('Copied; masked').waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.ok(copied.includes("'story'") && !copied.includes('10.0.0.9') && !copied.includes('hunter2hunter2'), copied);
});

test('topics are counted, and those that are not sent say what to add where', async () => {
  await visitor.go(`cluster/${ids.busy}?tab=events`, '.topics');
  const { rows } = await visitor.ask('topics', { id: ids.busy });
  const shown = await cells('.topics');
  assert.deepEqual(shown.map(([topic, here, counted]) => [topic, number(here), number(counted)]), rows.map((row) => [row.topic, row.stored, row.not_sent]));
  assert.match(shown[0][3], /bobbin\.events\.allow: \[.*"/);
  assert.match(shown.find(([topic]) => topic === '(workers)')[3], /individual workers/);
});

describe('what was not collected', () => {
  // The story begins minutes ago, which may be yesterday or last year.
  const since = 'off at source since (today \\d\\d:\\d\\d|\\d{1,2} \\w{3} (\\d\\d:\\d\\d|\\d{4}))';
  const off = [
    ['groups', 'names', 'Task names are off at source since ', 'bobbin.names.transmit: true', 'DASK_BOBBIN__NAMES__TRANSMIT=true'],
    ['computations', 'code', 'Code is off at source since ', 'bobbin.code.transmit: true', 'DASK_BOBBIN__CODE__TRANSMIT=true'],
    ['exceptions', 'exceptions', 'Exception text is off at source since ', 'bobbin.exceptions.transmit: true', 'DASK_BOBBIN__EXCEPTIONS__TRANSMIT=true'],
    ['workers', 'host', 'Host names and addresses are off at source since ', 'bobbin.host.transmit: true', 'DASK_BOBBIN__HOST__TRANSMIT=true'],
    ['profile', 'profile', 'Profiles are off at source since ', 'bobbin.profile.transmit: true', 'DASK_BOBBIN__PROFILE__TRANSMIT=true'],
    ['events', 'events', 'Events are off at source since ', 'bobbin.events.allow', `DASK_BOBBIN__EVENTS__ALLOW='["all", "scheduler"]'`],
  ];

  for (const [tab, category, title, setting, variable] of off)
    test(`${category}, off at source: the page says so with the setting to copy`, async () => {
      await visitor.go(`cluster/${ids.secretive}?tab=${tab}`, `[data-off=${category}]`);
      const notice = page.locator(`[data-off=${category}]`);
      const text = await notice.innerText();
      assert.ok(text.includes(title) && text.includes(setting), text);
      assert.match(text, new RegExp(since));
      await notice.getByRole('button', { name: 'Copy' }).click();
      await page.getByText('Copied', { exact: true }).waitFor();
      assert.equal(await page.evaluate(() => navigator.clipboard.readText()), variable);
    });

  test('events that are off have no number, and one sample is no chart', async () => {
    await visitor.go(`cluster/${ids.secretive}?tab=events`, '[data-off=events]');
    await says('One sample so far; lines start with the second');
    assert.equal(await page.locator('#tab-events').innerText(), 'Events');
    assert.equal(await page.locator('figure').count(), 0);
    await page.keyboard.press('t');
    await page.waitForSelector('figure table');
    await page.keyboard.press('t');
  });

  test('nothing is off where nothing is', async () => {
    for (const tab of ['groups', 'computations', 'exceptions', 'workers', 'profile']) {
      await visitor.go(`cluster/${ids.busy}?tab=${tab}`, '.list > *');
      assert.equal(await page.locator('[data-off]').count(), 0, tab);
    }
  });

  test('user, host and folders that are off are no dash', async () => {
    await visitor.go(`cluster/${ids.secretive}?tab=facts`, '[data-missing]');
    for (const category of ['user', 'host', 'paths', 'names', 'code'])
      assert.match(await page.locator(`[data-missing] [data-category=${category}]`).innerText(), new RegExp(`${since}[^]*bobbin\\.${category}\\.transmit: true`));
    const facts = await page.locator('.cards').innerText();
    for (const name of ['Scheduler', 'User', 'Host']) assert.match(facts, new RegExp(`${name}\\s+off at source`));
    await visitor.go(`cluster/${ids.busy}?tab=facts`, '.sent');
    assert.match(await page.locator('.sent').innerText(), /Sent: .*User/);
    assert.equal(await page.locator('[data-category=user]').count(), 0);
  });

  test('what a version of Dask does not tell is no zero', async () => {
    await visitor.go(`cluster/${ids.old}?tab=activity&charts=hardware`, '.absent');
    await says('Worker activities are not available in Dask 2022.6.1', 'Spans are not available in Dask 2022.6.1', 'Dask reports it from 2023.6 on');
    assert.deepEqual(await page.locator('.absent').allInnerTexts(), ['Not available in Dask 2022.6.1', 'Not available in Dask 2022.6.1', 'Not available in Dask 2022.6.1']);
    await visitor.go(`cluster/${ids.old}?tab=groups&item=g`, '.detail');
    await says('queue not available in Dask 2022.6.1');
    const detail = await page.locator('.detail').innerText();
    assert.match(detail, /One task\s+none of its tasks was timed/);
    assert.match(detail, /Retried\s+not available in Dask 2022\.6\.1/);
    await visitor.go(`cluster/${ids.old}?tab=computations`, 'article');
    await says('retried –');
    await visitor.go(`cluster/${ids.old}?tab=workers`, '.notice');
    await says('Individual workers were not reported', 'time of last work not reported');
    await visitor.go(`cluster/${ids.old}?tab=facts`, '[data-missing]');
    const untold = await page.locator('[data-missing] tbody tr', { hasText: 'not reported by Dask 2022.6.1' }).locator('td:first-child').allInnerTexts();
    assert.ok(untold.join(', ').includes('Queued tasks, Spans, Worker activities, Retried attempts'), untold.join(', '));
  });
});

test('a stalled cluster: badge, sentence, filter, and the overview', async () => {
  const { row } = await visitor.ask('cluster', { id: ids.stalled });
  assert.equal(row.state, 'stalled');
  await visitor.go(`cluster/${ids.stalled}`, '.badge.stalled');
  await says('It is stalled: no task finished for 4 min', 'last work finished 4 min ago', 'the slowest group usually takes 4 s (p95)');
  // What its threads did not do is told apart in the bar, the verdict and the cost, with the same numbers.
  const { totals } = await visitor.ask('thread_use', { id: ids.stalled, bins: 200 });
  const { operations } = await visitor.ask('cluster_cost', { id: ids.stalled });
  const paid = (is) => operations.find(({ operation }) => operation.is === is).thread_micros / 1e6;
  assert.equal(Math.round(totals.stalled_seconds), 2160);
  assert.deepEqual([totals.stalled_seconds, totals.idle_seconds].map(Math.round), [paid('stalled'), paid('idle')].map(Math.round));
  assert.match(await page.locator('[data-totals]').innerText(), /Idle\s+69 %\s+Stalled\s+20 %/);
  await says('threads did nothing for 36.0 core-min while it was stalled');
  // Also without its color, in the bar and in the chart.
  assert.match(await page.locator('[data-totals] .part.hatched').last().evaluate((part) => getComputedStyle(part).backgroundImage), /repeating-linear-gradient/);
  assert.ok((await page.locator('figure', { hasText: 'What threads did' }).locator('path[fill="var(--stalled)"] + path[fill$="-over)"]').count()) > 0);
  await visitor.go('clusters', 'tbody a');
  await page.getByRole('button', { name: 'Stalled', exact: true }).click();
  await until(async () => (await page.locator('tbody a').allInnerTexts()).join() === 'stuck-shuffle');
  await page.waitForURL(/states=stalled/);
  await visitor.go('overview', 'li.stuck');
  assert.match(await page.locator('li.stuck').innerText(), /Stalled[^]*no task finished for 4 min/);
  const card = page.locator('li.panel', { hasText: 'nightly' });
  assert.match(await card.innerText(), /last work finished \d+ (s|min) ago/);
  // How far it is, and when it will be through, as a range.
  const { live, left } = await visitor.ask('overview');
  const at = live.findIndex(({ id }) => id === ids.busy);
  assert.ok(left[at].low_seconds <= left[at].high_seconds);
  assert.ok((await card.innerText()).includes(`${live[at].tasks_done.toLocaleString('en-GB')} of `));
  assert.match(await card.innerText(), /[\d,]+ of [\d,]+ tasks done, ≈ .+ left/);
});

test('what a cluster is made of is as it was reported, and versions that differ are named', async () => {
  await visitor.go(`cluster/${ids.busy}?tab=facts`, '.cards');
  const { facts } = await visitor.ask('cluster', { id: ids.busy });
  const said = Object.fromEntries(await page.locator('.cards dl > div').evaluateAll((all) => all.map((one) => [one.querySelector('dt').innerText.trim(), one.querySelector('dd').innerText.trim()])));
  assert.deepEqual([said.Python, said.Path, said.System, said.Architecture], [facts.python_version, facts.python_path, facts.os, facts.architecture]);
  for (const [name, version] of Object.entries(facts.versions)) assert.equal(said[name], version ?? 'not installed', name);
  assert.equal(said['Closes when idle'], 'after 1 h');
  const differ = page.getByRole('region', { name: /^Versions that differ/ }).locator('tbody tr');
  const lines = await differ.evaluateAll((all) => all.map((line) => [...line.cells].map((cell) => cell.innerText.trim()).join(' | ')));
  assert.deepEqual(lines.toSorted(), ['lz4 | not installed | 4.4.4 | 3 workers', 'numpy | 2.4.1 | 2.3.0 | 1 client']);
});

test('what watching costs: the door’s figures, and the half percent', async () => {
  await visitor.go(`cluster/${ids.busy}?tab=facts`, '.loop');
  const { facts } = await visitor.ask('cluster', { id: ids.busy });
  const text = (await page.locator('.two section').last().innerText()).replace(/\s+/g, ' ');
  const { beat_micros, hook_micros, loop_share, loop_share_peak } = facts.plugin_cost;
  assert.deepEqual([beat_micros, hook_micros], [1840, 310]);
  for (const words of [`Share of the loop ${(loop_share * 100).toFixed(3)} %`, `at most ${(loop_share_peak * 100).toFixed(3)} %`, 'On the loop In hooks Sent', 'Last report 1.84 ms 0.31 ms 40.3 KiB', 'Interval every 2 min', 'Errors in hooks 0', '0.5 %: does less'])
    assert.ok(text.includes(words), `${words} in ${text}`);
  const mark = await page.locator('.meter .mark').boundingBox();
  const meter = await page.locator('.loop .meter').boundingBox();
  close((mark.x - meter.x) / meter.width, 0.5, 0.02);
  await says('numpy', '2.3.0', '1 client', '3 workers');
});

describe('closing', () => {
  const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim());

  test('is explained where it is not allowed', async () => {
    await visitor.go(`cluster/${ids.old}`, '.said');
    const button = page.getByRole('button', { name: 'Closing is off' });
    await button.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    assert.match(await dialog.innerText(), /old-timer cannot be closed from here[^]*bobbin\.remote-close: true/);
    assert.equal(await dialog.getByRole('button', { name: 'Close cluster' }).count(), 0);
    assert.equal(await focused(), 'Got it');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await focused(), 'Closing is off');
  });

  test('asks first, by name, and then goes from ordered to delivered to closed', async () => {
    const story = new Story('wanted', { name: 'wanted <b>gone</b>', started: now() - 60 * second, interval: 120 * second, switches: { remote_close: true } });
    const beat = () => story.batch([story.sample(now(), { workers: 2, tasks: { processing: 2, memory: 3, released: 5 }, totals: { tasks_completed: 8 } })]);
    await bobbin.post(story.batch([story.cluster()]));
    await bobbin.post(beat());
    const { rows } = await visitor.ask('clusters', { text: 'wanted' });
    const { id } = rows[0];
    const state = async () => (await visitor.ask('close_order', { id })).state;
    await visitor.go(`cluster/${id}`, '.said');
    const button = page.getByRole('button', { name: 'Close cluster' });
    await button.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    assert.match(await dialog.innerText(), /Close wanted <b>gone<\/b>\?[^]*2 unfinished tasks are lost\. 3 results in memory are lost, too/);
    // The harmless way has the focus, and Escape takes it.
    await dialog.getByRole('button', { name: 'Keep it running' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Escape');
    // It is gone from the page, and not only from sight: until then it cannot be opened again.
    await page.locator('dialog').waitFor({ state: 'detached' });
    assert.equal(await focused(), 'Close cluster');
    assert.equal(await state(), 'not_ordered');

    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Keep it running' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Tab');
    assert.equal(await focused(), 'Close cluster');
    await page.keyboard.press('Enter');
    await says('Ordered: waiting for its next report, up to ');
    assert.equal(await state(), 'ordered');
    assert.equal(await page.getByRole('button', { name: 'Close cluster' }).count(), 0);
    await bobbin.post(beat());
    await says('it is closing');
    assert.equal(await state(), 'delivered');
    await bobbin.post(story.batch([story.stop(now(), 'remote_close')]));
    await says('Closed from here');
    await page.locator('.badge', { hasText: 'Finished' }).first().waitFor();
  });

  test('the dialog does not outlive a step back', async () => {
    await visitor.go('clusters', 'tbody a');
    await visitor.go(`cluster/${ids.busy}`, '.said');
    await page.getByRole('button', { name: 'Close cluster' }).click();
    await page.getByRole('dialog').waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Clusters', exact: true }).waitFor();
    assert.equal(await page.getByRole('dialog').count(), 0);
  });
});

test('nothing was complained about', () => visitor.quiet());
