// The Debian packages: dpkg itself unpacks them below a folder, and what lies there runs.

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { beat, goodbye } from './support/batch.mjs';
import { desktop, Folder, Process, root } from './support/bobbin.mjs';
import { Display } from './support/display.mjs';
import { Session } from './support/driver.mjs';
import { until } from './support/wait.mjs';
import { ask_to_close } from './support/x11.mjs';

const run = promisify(execFile);
const binaries = join(desktop, '..');

let home;
let packages;
/** The public key that signed the release file. */
let key;
/** The root of a machine of its own, as dpkg sees it. */
let machine;

before(async () => {
  home = await mkdtemp(join(tmpdir(), 'bobbin-packages-'));
  const xtask = (...words) => run(join(binaries, 'xtask'), ['package', ...words], { cwd: root, maxBuffer: 1 << 26 });
  const secret = join(home, 'secret');
  await mkdir(secret);
  key = (await xtask('--new-key', join(secret, 'release.key'))).stdout.trim();
  await xtask('--binaries', binaries, '--out', home, '--sign', join(secret, 'release.key'));
  const files = await readdir(home);
  packages = files.filter((name) => name.endsWith('.deb')).map((name) => join(home, name));
  machine = join(home, 'machine');
  for (const folder of ['var/lib/dpkg/info', 'var/lib/dpkg/updates']) await mkdir(join(machine, folder), { recursive: true });
  await writeFile(join(machine, 'var/lib/dpkg/status'), '');
  // What they need is on the real machine, and looked for there below.
  await dpkg('--force-depends', '--install', ...packages);
});
after(() => rm(home, { recursive: true, force: true, maxRetries: 5 }));

function dpkg(...words) {
  return run('dpkg', [`--root=${machine}`, '--force-not-root', '--force-script-chrootless', '--log=/dev/null', ...words], { env: { ...process.env, LC_ALL: 'C' } });
}

const installed = (path) => join(machine, path);

test('there are two packages, an archive and the release file, and nothing else', async () => {
  const files = (await readdir(home)).filter((name) => !['machine', 'secret'].includes(name)).sort();
  assert.deepEqual(
    files.map((name) => name.replace(/\d+\.\d+\.\d+/, 'VERSION').replace(/(amd64|arm64|x86_64|aarch64)/, 'MACHINE')),
    ['bobbin-VERSION-MACHINE-linux.tar.gz', 'bobbin-VERSION.release', 'bobbin-desktop_VERSION_MACHINE.deb', 'bobbin_VERSION_MACHINE.deb'],
  );
});

test('what was installed checks the release file and every package beside it', async () => {
  const [file] = (await readdir(home)).filter((name) => name.endsWith('.release'));
  const update = (...words) => run(installed('usr/bin/bobbin'), ['update', join(home, file), ...words, '--json'], { env: { ...process.env, HOME: home } });
  const checked = JSON.parse((await update('--key', key)).stdout);
  assert.equal(checked.age, 'same');
  assert.deepEqual(checked.packages.map((one) => one.checked), [true, true, true]);
  assert.match(checked.changes, /### Added/);
  const { code } = await update('--key', '0'.repeat(64)).then(() => ({ code: 0 }), (failed) => failed);
  assert.equal(code, 3);
});

test('a machine that has what the tests need can install them', async () => {
  const { stdout } = await run('apt-get', ['install', '--simulate', '--no-install-recommends', ...packages], { env: { ...process.env, LC_ALL: 'C' } });
  assert.match(stdout, /^Inst bobbin /m);
  assert.match(stdout, /^Inst bobbin-desktop /m);
});

test('what is installed is what was packed', async () => {
  const { stdout } = await dpkg('--verify');
  assert.equal(stdout, '');
});

test('the program runs, and shells complete its verbs', async () => {
  const { stdout } = await run(installed('usr/bin/bobbin'), ['--version']);
  assert.match(stdout, /^bobbin \d/);
  // As the shell calls it at a Tab.
  const script = 'source "$1"; COMP_WORDS=(bobbin clu); COMP_CWORD=1; $(complete -p bobbin | sed -n "s/.*-F \\([^ ]*\\).*/\\1/p") bobbin clu bobbin; echo "${COMPREPLY[@]}"';
  const completed = await run('bash', ['-c', script, 'bash', installed('usr/share/bash-completion/completions/bobbin')]);
  assert.equal(completed.stdout.trim(), 'clusters');
});

test('each verb has a page of the manual', async () => {
  const pages = await readdir(installed('usr/share/man/man1'));
  assert.ok(pages.includes('bobbin.1.gz') && pages.includes('bobbin-serve.1.gz'), pages.join(' '));
  const { stdout } = await run('zcat', [installed('usr/share/man/man1/bobbin-serve.1.gz')]);
  assert.match(stdout, /^\.TH /m);
  assert.match(stdout, /\\-\\-ui/);
});

/** The files below a folder that the links of a page name. */
async function linked(folder, page) {
  const text = await readFile(join(folder, page), 'utf8');
  const links = [...text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, link]) => join(folder, page, '..', link));
  return [...new Set(links)];
}

test('the manual is in the archive and in the package, with what it links to', async () => {
  const [archive] = (await readdir(home)).filter((name) => name.endsWith('.tar.gz'));
  const folder = join(home, 'unpacked');
  await mkdir(folder, { recursive: true });
  await run('tar', ['--extract', '--file', join(home, archive), '--directory', folder, '--strip-components', '1']);
  for (const words of [folder, installed('usr/share/doc/bobbin')]) {
    const docs = (await readdir(join(words, 'docs'))).map((name) => `docs/${name}`);
    assert.ok(docs.length > 10, docs.join(' '));
    const pages = (await readdir(words, { recursive: true })).filter((name) => name.endsWith('.md'));
    assert.ok(pages.includes('README.md') && pages.includes('CHANGELOG.md') && docs.every((page) => pages.includes(page)), pages.join(' '));
    for (const page of pages) {
      for (const link of await linked(words, page)) assert.ok((await readFile(link)).length > 0, link);
    }
  }
  assert.ok((await readdir(join(folder, 'man/man1'))).includes('bobbin-serve.1.gz'));
  assert.deepEqual((await readdir(join(folder, 'completions'))).sort(), ['_bobbin', 'bobbin.bash', 'bobbin.fish']);
});

test('menus, links and files find the window', async () => {
  await run('desktop-file-validate', [installed('usr/share/applications/org.bobbin.desktop.desktop')]);
  await run('update-desktop-database', [installed('usr/share/applications')]);
  await run('update-mime-database', [installed('usr/share/mime')]);
  const env = { ...process.env, LC_ALL: 'C', HOME: home, XDG_DATA_HOME: join(home, 'nothing'), XDG_CONFIG_HOME: join(home, 'nothing'), XDG_DATA_DIRS: installed('usr/share'), PATH: `${installed('usr/bin')}:${process.env.PATH}` };
  for (const kind of ['x-scheme-handler/bobbin', 'application/x-bobbin']) {
    const { stdout } = await run('gio', ['mime', kind], { env });
    assert.match(stdout, /org\.bobbin\.desktop\.desktop/, kind);
  }
});

test('from where they were installed one becomes the other', async () => {
  const display = await Display.open();
  const folder = await Folder.make();
  const environment = display.environment(folder.environment);
  const open = [];
  const start = (program, ...words) => {
    open.push(new Process(installed(`usr/bin/${program}`), [...words, ...folder.args], environment));
    return open.at(-1);
  };
  try {
    const tray = start('bobbin', 'tray');
    await folder.receiver();
    assert.equal((await start('bobbin-desktop').end({ seconds: 60 })).code, 0);
    const shown = await until('the window', async () => (await display.windows('^Bobbin$'))[0], { seconds: 60 });
    assert.equal(await readlink(`/proc/${tray.child.pid}/exe`), installed('usr/bin/bobbin-desktop'));
    await ask_to_close(display, shown);
    const { code, words } = await tray.end({ seconds: 60 });
    assert.equal(code, 0, words);
  } finally {
    for (const process of open) await process.kill();
    await folder.remove();
    await display.close();
  }
});

/** What runs of a program that was installed. */
async function running(program) {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(pids.map(async (pid) => ((await readlink(`/proc/${pid}/exe`).catch(() => '')) === installed(`usr/bin/${program}`) ? Number(pid) : null)));
  return found.filter((pid) => pid !== null);
}

test('a click on a link opens what was installed, and one on a file hands it over to what is open', async () => {
  const display = await Display.open();
  const folder = await Folder.make();
  await mkdir(folder.data, { mode: 0o700 });
  await writeFile(join(folder.data, 'settings.toml'), 'port = 0\n');
  const env = {
    ...display.environment(folder.environment),
    HOME: folder.home,
    XDG_DATA_DIRS: `${installed('usr/share')}:/usr/local/share:/usr/share`,
    PATH: `${installed('usr/bin')}:${process.env.PATH}`,
    BOBBIN_DATA_DIR: folder.data,
  };
  // What it starts has its output, and lives on.
  const click = async (what) => {
    const [code] = await once(spawn('gio', ['open', what], { env, stdio: 'ignore' }), 'exit');
    assert.equal(code, 0, what);
  };
  let page;
  try {
    await click('bobbin://settings');
    const shown = await until('the window', async () => (await display.windows('^Bobbin$'))[0], { seconds: 60 });
    // For a moment, what it starts is still the same program.
    await until('one alone', async () => (await running('bobbin-desktop')).length === 1, { seconds: 60 });
    await folder.post(beat('clicked', 0, { tasks: 5, name: 'night run' }));
    await folder.post(goodbye('clicked', 1));
    await click('bobbin://cluster/1?tab=facts');
    await until('the second start to be over', async () => (await running('bobbin-desktop')).length === 1, { seconds: 60 });
    const bundle = join(folder.home, 'a night.bobbin');
    await folder.ask('export', '1', '--output', bundle);
    await display.xdotool('windowfocus', '--sync', String(shown));
    await display.xdotool('key', '--clearmodifiers', 'ctrl+q');
    await until('the end', async () => (await running('bobbin-desktop')).length === 0, { seconds: 60 });
    assert.match(await folder.last_address(), /cluster\/1\?tab=facts/);

    page = await Session.start({ environment: env, binary: desktop, args: [...folder.args, 'bobbin://clusters'] });
    await until('the page', async () => (await page.text()).includes('night run'), { seconds: 60 });
    await click(bundle);
    await until('the offer', async () => (await page.text()).includes('a night.bobbin'), { seconds: 60 });
    await until('the second start to be over', async () => (await running('bobbin-desktop')).length === 0, { seconds: 60 });
  } finally {
    await page?.stop();
    for (const pid of await running('bobbin-desktop')) process.kill(pid, 'SIGKILL');
    await folder.remove();
    await display.close();
  }
});

test('the service of the session receives, and ends in order when it is stopped', async (context) => {
  const unit = installed('usr/lib/systemd/user/bobbin.service');
  const folder = await Folder.make();
  const env = { ...process.env, ...folder.environment, PATH: `${installed('usr/bin')}:${process.env.PATH}`, BOBBIN_DATA_DIR: folder.data };
  // It looks for the program in the folders of this machine alone.
  const runtime = { XDG_RUNTIME_DIR: home };
  const { code: missing, stderr } = await run('systemd-analyze', ['verify', '--user', '--man=no', unit], { env: { ...env, ...runtime } }).catch((error) => error);
  if (missing === 'ENOENT') context.diagnostic('there is no systemd-analyze here, so that nobody looked at the unit');
  const complaints = stderr.split('\n').filter((line) => line.includes('bobbin') && !line.includes('Command bobbin is not executable'));
  assert.deepEqual(complaints, []);
  await mkdir(folder.data, { mode: 0o700 });
  await writeFile(join(folder.data, 'settings.toml'), 'port = 0\n');
  const text = await readFile(unit, 'utf8');
  const said = (key) => text.match(new RegExp(`^${key}=(.+)$`, 'm'))[1];
  const [program, ...words] = said('ExecStart').split(' ');
  const service = new Process(installed(`usr/bin/${program}`), words, env);
  try {
    await folder.receiver();
    await folder.post(beat('served', 0, { tasks: 5 }));
    service.child.kill(said('KillSignal'));
    const { code, words: log } = await service.end({ seconds: Number(said('TimeoutStopSec')) });
    assert.equal(code, 0, log);
    assert.equal((await folder.ask('clusters')).rows.length, 1);
  } finally {
    await service.kill();
    await folder.remove();
  }
});

test('the archive holds a program that runs where its words say, and a service for the place where they put it', async () => {
  const archive = (await readdir(home)).find((name) => name.endsWith('.tar.gz'));
  await run('tar', ['--extract', '--file', join(home, archive), '--directory', home]);
  const unpacked = join(home, archive.replace('.tar.gz', ''));
  const { stdout } = await run(join(unpacked, 'bobbin'), ['--version']);
  assert.match(stdout, /^bobbin \d/);
  const manual = await readFile(join(unpacked, 'docs/packages.md'), 'utf8');
  const [, newest] = manual.match(/glibc 2\.(\d+) or newer/);
  const { stdout: symbols } = await run('objdump', ['--dynamic-syms', join(unpacked, 'bobbin')], { maxBuffer: 1 << 26 });
  const newer = symbols.split('\n').filter((line) => Number(line.match(/GLIBC_2\.(\d+)/)?.[1] ?? 0) > Number(newest));
  assert.match(symbols, /GLIBC_2\./);
  assert.deepEqual(newer, []);
  const [, place] = manual.match(/install -D \S+\/bobbin ~\/(\S+)/);
  assert.match(await readFile(join(unpacked, 'bobbin.service'), 'utf8'), new RegExp(`^ExecStart=%h/${place} serve$`, 'm'));
  await rm(unpacked, { recursive: true });
});

test('the licences of what is built in come along, each component with a text', async () => {
  const archive = (await readdir(home)).find((name) => name.endsWith('.tar.gz'));
  const { stdout: archived } = await run('tar', ['--extract', '--to-stdout', '--file', join(home, archive), `${archive.replace('.tar.gz', '')}/THIRD-PARTY.txt`], { maxBuffer: 1 << 26 });
  const headless = await readFile(installed('usr/share/doc/bobbin/THIRD-PARTY.txt'), 'utf8');
  const window = await readFile(installed('usr/share/doc/bobbin-desktop/THIRD-PARTY.txt'), 'utf8');
  assert.equal(archived, headless);
  for (const text of [headless, window]) {
    const [list, ...texts] = text.split(`\n${'%'.repeat(80)}\n`);
    const [, components, distinct] = list.match(/^(\d+) components, (\d+) texts\.$/m);
    assert.equal(texts.length, Number(distinct));
    const rows = list.trim().split('\n').slice(4);
    assert.equal(rows.length, Number(components));
    const covered = new Set(texts.flatMap((one) => one.slice(0, one.indexOf('\n')).split(', ')));
    const bare = rows.map((row) => row.slice(0, row.indexOf('  '))).filter((name) => !covered.has(name) && !covered.has(`${name} `));
    assert.deepEqual(bare, []);
    for (const name of ['serde', 'tokio', 'rusqlite', 'svelte', 'Inter', 'SQLite', "Rust's standard library"]) assert.ok(rows.some((row) => row.startsWith(`${name} `)), name);
    assert.match(text, /Apache License/);
    assert.match(text, /SIL OPEN FONT LICENSE/i);
  }
  const has = (text, name) => text.includes(`\n${name} `);
  assert.ok(has(window, 'tauri') && !has(headless, 'tauri') && !has(headless, 'playwright-core'));
});

test('removed, they leave nothing behind', async () => {
  await dpkg('--purge', 'bobbin-desktop', 'bobbin');
  const { stdout } = await run('find', [machine, '-path', join(machine, 'var'), '-prune', '-o', '-type', 'f', '-print']);
  // The two databases are this machine's own, made above.
  const left = stdout.split('\n').filter((path) => path && !path.includes('/usr/share/mime/') && !path.endsWith('mimeinfo.cache'));
  assert.deepEqual(left, []);
});
