// What the window takes of the machine: `cargo xtask bench desktop`. Prints one measurement a line, as all benches do.
//
// A process counts with all that it started, such as those that draw the page. Memory is what nobody else shares, and its share of the
// rest (PSS), as the kernel counts it.

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beat } from './support/batch.mjs';
import { desktop, Folder, Process } from './support/bobbin.mjs';
import { Desk } from './support/desk.mjs';
import { Display } from './support/display.mjs';
import { Session } from './support/driver.mjs';
import { family, stat } from './support/processes.mjs';
import { until } from './support/wait.mjs';
import { ask_to_close } from './support/x11.mjs';

const sizes = {
  full: { starts: 7, seconds: 120 },
  '--quick': { starts: 3, seconds: 30 },
  '--smoke': { starts: 1, seconds: 3 },
};
const { starts, seconds } = sizes[process.argv[2] ?? 'full'];
const clusters = 10;
/** As clusters report by default. */
const interval = 10;

const display = await Display.open();
const desk = await Desk.open();
try {
  await cold_starts();
  await at_rest();
} finally {
  await desk.close();
  await display.close();
}

async function cold_starts() {
  const painted = [];
  const useful = [];
  for (let number = 0; number < starts; number++) {
    const folder = await Folder.make();
    let page;
    try {
      page = await Session.start({ environment: environment(folder), binary: desktop, args: folder.args });
      const { pid } = await folder.receiver();
      const began = await started(pid);
      const seen = await until('a page that says something', () =>
        page.run(`return document.querySelector('main h1, main h2') === null ? null : performance.timeOrigin + performance.now()`),
      );
      const paint = await page.run(
        `return performance.timeOrigin + (performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? performance.now())`,
      );
      painted.push(paint - began);
      useful.push(seen - began);
    } finally {
      await page?.stop();
      await folder.remove();
    }
  }
  print('cold_start_first_paint', 'ms', painted);
  print('cold_start_first_useful_paint', 'ms', useful);
}

/** With clusters that report, first in a window, then without. */
async function at_rest() {
  const folder = await Folder.make();
  await mkdir(folder.data, { mode: 0o700 });
  await writeFile(join(folder.data, 'desktop.json'), '{"on_close":"keep"}');
  const bobbin = new Process(desktop, folder.args, environment(folder));
  let reporting = true;
  try {
    const window = await until('the window', async () => (await display.windows('^Bobbin$'))[0], { seconds: 60 });
    await folder.receiver();
    const report = (async () => {
      for (let number = 0; reporting; number++) {
        for (let cluster = 0; cluster < clusters && reporting; cluster++) {
          await folder.post(beat(`c${cluster}`, number, { tasks: number })).catch(() => null);
          await sleep((interval * 1000) / clusters);
        }
      }
    })();
    await sleep(5_000);
    print('cpu_window_open', '% of a core', [await busy(bobbin.child.pid)]);
    print('memory_window_open', 'MB', [await memory(bobbin.child.pid)]);
    await ask_to_close(display, window);
    await desk.item();
    await sleep(5_000);
    print('cpu_window_closed', '% of a core', [await busy(bobbin.child.pid)]);
    print('memory_window_closed', 'MB', [await memory(bobbin.child.pid)]);
    reporting = false;
    await report;
  } finally {
    reporting = false;
    bobbin.child.kill('SIGTERM');
    await bobbin.end().catch(() => bobbin.kill());
    await folder.remove();
  }
}

function environment(folder) {
  return display.environment({ ...folder.environment, DBUS_SESSION_BUS_ADDRESS: desk.address });
}

/** When a process began, in milliseconds since 1970: the kernel counts from its own start, in hundredths. */
async function started(pid) {
  const uptime = Number((await readFile('/proc/uptime', 'utf8')).split(' ')[0]);
  return Date.now() - (uptime - (await stat(pid)).start / 100) * 1000;
}

/** Share of a core that a process and its own took, in percent. */
async function busy(pid) {
  const [before, began] = [await ticks(pid), performance.now()];
  await sleep(seconds * 1000);
  return ((await ticks(pid)) - before) / 100 / ((performance.now() - began) / 1000) * 100;
}

async function ticks(pid) {
  const all = await Promise.all((await family(pid)).map((one) => stat(one).catch(() => ({ ticks: 0 }))));
  return all.reduce((sum, one) => sum + one.ticks, 0);
}

async function memory(pid) {
  const all = await Promise.all(
    (await family(pid)).map(async (one) => {
      const text = await readFile(`/proc/${one}/smaps_rollup`, 'utf8').catch(() => 'Pss: 0 kB');
      return Number(text.match(/^Pss:\s+(\d+)/m)[1]) / 1000;
    }),
  );
  return all.reduce((sum, one) => sum + one, 0);
}

function print(metric, unit, values) {
  console.log(JSON.stringify({ metric, unit, variant: 'bobbin', values }));
}
