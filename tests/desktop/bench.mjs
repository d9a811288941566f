// What the window takes of the machine: `cargo xtask bench desktop`. Prints one measurement a line, as all benches do. Its start, with
// a year of a team in the folder BOBBIN_STORE, is measured beside that of a window with one heading in it, made with the same libraries:
// the first one, which reads its files from the disk, and then, in turn, others.
//
// A process counts with all that it started, such as those that draw the page. Memory is what nobody else shares, and its share of the
// rest (PSS), as the kernel counts it.

import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { beat } from './support/batch.mjs';
import { binaries, desktop, Folder, Process } from './support/bobbin.mjs';
import { Desk } from './support/desk.mjs';
import { Display } from './support/display.mjs';
import { Session } from './support/driver.mjs';
import { family, running, stat } from './support/processes.mjs';
import { until } from './support/wait.mjs';
import { ask_to_close } from './support/x11.mjs';

const run = promisify(execFile);

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
  await starts_of_windows();
  await quits();
  await at_rest();
} finally {
  await desk.close();
  await display.close();
}

async function starts_of_windows() {
  const windows = await Promise.all(
    [
      { variant: 'bobbin', binary: desktop, args: ['--data-dir', process.env.BOBBIN_STORE, '--port', '0'], says: 'main ul.answers' },
      { variant: 'empty window', binary: join(binaries, 'examples/empty-window'), args: [], says: 'main h1' },
    ].map(async (window) => ({ ...window, folder: await Folder.make(), painted: [], useful: [] })),
  );
  try {
    for (const window of windows) {
      await forget(window.binary);
      window.first = await start(window);
    }
    for (let number = 0; number < starts; number++) {
      for (const window of windows) {
        const { painted, useful } = await start(window);
        window.painted.push(painted);
        window.useful.push(useful);
      }
    }
  } finally {
    await Promise.all(windows.map(({ folder }) => folder.remove()));
  }
  for (const { variant, painted } of windows) print('start_first_paint', 'ms', painted, variant);
  for (const { variant, useful } of windows) print('start_first_useful_paint', 'ms', useful, variant);
  for (const { variant, first } of windows) print('cold_first_paint', 'ms', [first.painted], variant);
  for (const { variant, first } of windows) print('cold_first_useful_paint', 'ms', [first.useful], variant);
}

/** Has the system let go of a program, its libraries and the store, so that they are read from the disk. What others have open stays. */
async function forget(binary) {
  const { stdout } = await run('ldd', [binary]);
  const libraries = Array.from(stdout.matchAll(/=> (\/\S+)/g), ([, path]) => path);
  // What was not written yet cannot be let go of.
  await run('sync');
  for (const path of [binary, ...libraries, join(process.env.BOBBIN_STORE, 'bobbin.sqlite')]) {
    await run('dd', [`if=${path}`, 'iflag=nocache', 'count=0', 'status=none']);
  }
}

/** From the start of a program to its window's first paint, and to what it says: of Bobbin, the answers to the five questions. */
async function start({ binary, args, folder, says }) {
  let page;
  try {
    page = await Session.start({ environment: environment(folder), binary, args });
    const pid = await until('the process', () => running(binary));
    const began = await started(pid);
    const seen = await until('a page that says something', async () => (await page.run_async(drawn(says))).value);
    const paint = await page.run(
      `return performance.timeOrigin + (performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? performance.now())`,
    );
    // The driver would kill it, and the next one would read the whole store.
    process.kill(pid, 'SIGTERM');
    await until('its end', async () => !(await running(binary)));
    return { painted: paint - began, useful: seen - began };
  } finally {
    await page?.stop();
  }
}

/** When a page has drawn what it says, told by the page itself: whoever asks again and again is late by as long as it waits. */
function drawn(says) {
  return `return new Promise((tell) => {
    const look = () => {
      if (document.querySelector(${JSON.stringify(says)}) === null) return false;
      requestAnimationFrame(() => setTimeout(() => tell(performance.timeOrigin + performance.now())));
      return true;
    };
    if (look()) return;
    const changes = new MutationObserver(() => look() && changes.disconnect());
    changes.observe(document, { childList: true, subtree: true });
  })`;
}

/** From the wish to the end of the process, with clusters that report until then. */
async function quits() {
  const took = [];
  for (let number = 0; number < starts; number++) {
    const folder = await Folder.make();
    const bobbin = new Process(desktop, folder.args, environment(folder));
    try {
      await until('the window', async () => (await display.windows('^Bobbin$')).length > 0, { seconds: 60 });
      await folder.receiver();
      for (let cluster = 0; cluster < clusters; cluster++) await folder.post(beat(`c${cluster}`, 0, { tasks: 1 }));
      let ended = false;
      void (async () => {
        for (let beats = 1; !ended && (await folder.post(beat('c0', beats, { tasks: beats })).catch(() => null)); beats++);
      })();
      await sleep(200);
      const began = performance.now();
      bobbin.child.kill('SIGTERM');
      await bobbin.ended;
      took.push(performance.now() - began);
      ended = true;
    } finally {
      await bobbin.kill();
      await folder.remove();
    }
  }
  print('quit', 'ms', took);
}

/** A folder that heard of its clusters before: a window that waits for the first of them shows another page. */
async function begun(folder) {
  const bobbin = new Process(desktop, folder.args, environment(folder));
  try {
    await until('the window', async () => (await display.windows('^Bobbin$')).length > 0, { seconds: 60 });
    for (let cluster = 0; cluster < clusters; cluster++) await folder.post(beat(`c${cluster}`, 0, { tasks: 0, interval }));
    bobbin.child.kill('SIGTERM');
    await bobbin.end();
  } finally {
    await bobbin.kill();
  }
}

/** With clusters that report, first in a window, then without. */
async function at_rest() {
  const folder = await Folder.make();
  await mkdir(folder.data, { mode: 0o700 });
  await writeFile(join(folder.data, 'desktop.json'), '{"on_close":"keep"}');
  await begun(folder);
  const bobbin = new Process(desktop, folder.args, environment(folder));
  let reporting = true;
  try {
    const window = await until('the window', async () => (await display.windows('^Bobbin$'))[0], { seconds: 60 });
    await folder.receiver();
    const report = (async () => {
      for (let number = 1; reporting; number++) {
        for (let cluster = 0; cluster < clusters && reporting; cluster++) {
          // One that says it reports more often is lost in between, and the page draws that.
          await folder.post(beat(`c${cluster}`, number, { tasks: number, interval })).catch(() => null);
          await sleep((interval * 1000) / clusters);
        }
      }
    })();
    // A page that has just begun is taken for one that somebody is at, for ten seconds.
    await sleep(12_000);
    print('cpu_window_open', '% of a core', [await busy(bobbin.child.pid)]);
    // By now nobody was at it for two minutes: it draws what comes in more rarely.
    if (seconds === sizes.full.seconds) print('cpu_window_away', '% of a core', [await busy(bobbin.child.pid)]);
    print('memory_window_open', 'MB', [await memory(bobbin.child.pid)]);
    // Out of sight, as behind a lock or on another desktop.
    await display.xdotool('windowunmap', '--sync', String(window));
    await sleep(5_000);
    print('cpu_window_hidden', '% of a core', [await busy(bobbin.child.pid)]);
    await display.xdotool('windowmap', '--sync', String(window));
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

function print(metric, unit, values, variant = 'bobbin') {
  console.log(JSON.stringify({ metric, unit, variant, values }));
}
