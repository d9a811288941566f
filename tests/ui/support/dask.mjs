// A real Dask, in a home of its own.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './bobbin.mjs';

export const python = join(root, 'target/python/newest/bin/python');

/** Why there is none, where the environments were not made. */
export const noDask = existsSync(python) ? false : 'no Dask: cargo xtask setup';

/** A process that is ended with the test, by its own id. */
export class Running {
  constructor(home, args, env = {}) {
    this.child = spawn(python, args, { cwd: home, stdio: ['pipe', 'pipe', 'pipe'], env: { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', ...env } });
    this.talk = '';
    for (const stream of [this.child.stdout, this.child.stderr]) stream.setEncoding('utf8').on('data', (text) => (this.talk += text));
  }

  async end() {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = once(this.child, 'exit');
    this.child.kill('SIGINT');
    const late = setTimeout(() => this.child.kill('SIGKILL'), 15_000);
    await gone;
    clearTimeout(late);
  }
}

/** A script of a user who knows nothing of Bobbin: it computes something, and stays until it is ended. Its cluster may be closed from
 * the page. */
export function localCluster(home) {
  const script = `
import signal, sys
from distributed import Client, LocalCluster
if __name__ == "__main__":
    with LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None, name="my-first") as cluster, Client(cluster) as client:
        assert client.submit(sum, range(10)).result() == 45
        try:
            signal.pause()
        except KeyboardInterrupt:
            pass
`;
  return new Running(home, ['-c', script], { DASK_BOBBIN__REMOTE_CLOSE: 'true' });
}

/** A scheduler that somebody starts by hand, with the lines of the page as its environment. */
export function scheduler(home, plugin, lines) {
  const env = Object.fromEntries(
    lines.flatMap((line) => {
      const [, name, value] = /^export (\w+)='?([^']*)'?$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, value]];
    }),
  );
  return new Running(home, ['-m', 'distributed.cli.dask_scheduler', '--port', '0', '--no-dashboard', '--preload', plugin], env);
}
