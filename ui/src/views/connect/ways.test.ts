import { expect, test } from 'vitest';
import { waysToConnect } from './ways';

const texts = (path: string | null) => waysToConnect(path).map((way) => way.text);

test('the lines name the file where it lies', () => {
  const [python, shell] = texts('/home/ada/.local/share/bobbin/plugin/bobbin.py');
  expect(python).toBe('import sys; sys.path.insert(0, "/home/ada/.local/share/bobbin/plugin")\nimport bobbin\nbobbin.register()');
  expect(shell).toBe('dask scheduler --preload /home/ada/.local/share/bobbin/plugin/bobbin.py');
});

test('a path that a shell would take apart is quoted', () => {
  expect(texts("/home/o'hara my/bobbin.py")[1]).toBe(String.raw`dask scheduler --preload '/home/o'\''hara my/bobbin.py'`);
});

test('without the file the lines are still Python and shell', () => {
  expect(texts(null)[0]).toBe('import bobbin\nbobbin.register()');
});
