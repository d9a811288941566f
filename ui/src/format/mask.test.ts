import { expect, test } from 'vitest';
import { hideSecrets, mask, maskWords, sourceLine } from './mask';

test('keys, tokens, mail addresses and hosts inside a network are masked, and what was masked is said', () => {
  const key = ['-----BEGIN RSA PRIVATE ', 'KEY-----\nMIIabc\n-----END RSA PRIVATE ', 'KEY-----'].join('');
  const { text, found } = mask(`${key}\nAuthorization: Bearer abcdefghijklmnop1234\nana@example.org asked node-3.rack.internal and /home/ana/x.py`);
  expect(text).toBe('‹secret›\nAuthorization: Bearer ‹secret›\n‹address› asked ‹host› and ~/x.py');
  expect(maskWords(found)).toBe('masked 2 secrets, 1 home folder, 1 address, 1 host');
});

test('hosts and users that the page knows are masked wherever they stand as a word, and inside of no other', () => {
  const known = [
    ...['gpu-node-1', 'gpu-node-12', 'node7', 'node7.hpc.uni-x.edu', 'fe80::1%eth0'].map((name) => ({ what: 'host' as const, name })),
    ...['ana', 'a+', 'al'].map((name) => ({ what: 'user' as const, name })),
  ];
  const { text, found } = mask('Host: gpu-node-12, User: ana\nworker-gpu-node-1 on GPU-NODE-1:8786, node7.hpc.uni-x.edu, (node7) and fe80::1%eth0; analysis by al in /scratch/ana/x.py', known);
  expect(text).toBe('Host: ‹host›, User: ‹user›\nworker-‹host› on ‹host›:8786, ‹host›, (‹host›) and ‹host›; analysis by al in /scratch/‹user›/x.py');
  expect(maskWords(found)).toBe('masked 6 hosts, 2 users');
  expect(mask('gpu-node-12').text).toBe('gpu-node-12');
});

test('home folders of each system are masked, also where Windows writes small letters', () => {
  for (const path of ['/home/ana/x.py', '/Users/ana/x.py']) expect(mask(path).text).toBe('~/x.py');
  for (const path of ['C:\\Users\\ana\\x.py', 'c:\\users\\ana\\x.py']) expect(mask(path).text).toBe('~\\x.py');
});

test('modules, files and versions of Python are no hosts', () => {
  const text = 'dask.array.core in core.py, numpy 2.4.1: os.path.join(local, "x.csv")';
  expect(mask(text).text).toBe(text);
});

test('tokens are known by the form that their vendor gives them, and words that begin alike are none', () => {
  const body = 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8';
  const made = [`gh${'p_'}${body}`, `s${'k-'}proj-${body}`, `hf${'_'}${body}`, `AK${'IA'}ABCDEFGHIJKLMNOP`, `bob${'bin'}${body.toLowerCase()}abcdefgh`];
  for (const token of made) expect(mask(`it said ${token}, twice`).text).toBe('it said ‹secret›, twice');
  const words = 'skip_this_function_name, pkg_resources_extern, sk-learn-contrib-pipelines, bobbin_reader.command';
  expect(mask(words).text).toBe(words);
});

test('secrets are hidden from the eye, and lines stay where they are', () => {
  const { text, found } = hideSecrets('key = """-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----"""\nlogin(password="hunter22", host="10.0.0.1")\n');
  expect(text.split('\n')).toHaveLength(5);
  expect(text).toContain('login(password="‹secret›", host="10.0.0.1")');
  expect(text).not.toContain('abc');
  expect(found.get('secret')).toBe(2);
});

test('a secret that two rules see is one, and a name on the line before it moves no line', () => {
  const token = `gh${'p_'}a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8`;
  const { text, found } = hideSecrets(`TOKEN = "${token}"\n"password":\n  "hunter22"\nlast`);
  expect(text).toBe('TOKEN = "‹secret›"\n"password":\n  "‹secret›"\nlast');
  expect(found.get('secret')).toBe(2);
  expect(sourceLine(`    enter("${token}")\u202e `)).toBe('enter("‹secret›")‹U+202E›');
});

test('code that is long, or all beginnings, is looked at at once', () => {
  // Where each letter looked to the end, these would take minutes.
  for (const text of ['sk-'.repeat(40_000), 'a'.repeat(300_000), 'eyJ-'.repeat(40_000), 'x://'.repeat(40_000)]) expect(hideSecrets(text).text).toBe(text);
});
