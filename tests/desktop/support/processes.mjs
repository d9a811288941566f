// Processes as the kernel knows them.

import { readdir, readFile, readlink } from 'node:fs/promises';

async function all() {
  return (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
}

/** The process that runs a program, while there is one. */
export async function running(program) {
  const found = await Promise.all((await all()).map((pid) => readlink(`/proc/${pid}/exe`).then((path) => path === program && pid, () => false)));
  return found.find((pid) => pid !== false);
}

/** A process and all that it started, however many steps away. */
export async function family(pid) {
  const pids = await all();
  const parents = await Promise.all(pids.map((one) => stat(one).then(({ parent }) => [one, parent], () => [one, 0])));
  const own = [pid];
  // Children are found after their parents.
  for (const one of own) own.push(...parents.filter(([, parent]) => parent === one).map(([child]) => child));
  return own;
}

/** Its parent, and in hundredths of a second what it took of a processor and when it began. */
export async function stat(pid) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ').map(Number);
  return { parent: fields[1], ticks: fields[11] + fields[12], start: fields[19] };
}

/** How much of its memory the system would keep in a file where it crashes, and how much it may allow: in bytes, or `unlimited`. */
export async function core_limits(pid) {
  const limits = await readFile(`/proc/${pid}/limits`, 'utf8');
  const [, soft, hard] = limits.match(/^Max core file size\s+(\S+)\s+(\S+)/m);
  return { soft, hard };
}

/** The libraries that draw a page, as far as a process has them in its memory. */
export async function drawing_libraries(pid) {
  const maps = await readFile(`/proc/${pid}/maps`, 'utf8');
  return [...new Set(maps.match(/lib(webkit2gtk|javascriptcoregtk|gtk-3|gdk-3)[^/\s]*$/gm))];
}
