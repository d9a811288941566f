/** Ways for a cluster to report, easiest first, with lines that work as they stand on this machine. */

export interface Way {
  title: string;
  /** What to run. */
  text: string;
  more: string;
  /** The command that takes it back, and what to say of it. */
  code?: string;
  after?: string;
}

/** `pluginPath` is where the plugin's file lies; null where it is missing. */
export function waysToConnect(pluginPath: string | null): Way[] {
  const folder = pluginPath?.slice(0, Math.max(pluginPath.lastIndexOf('/'), pluginPath.lastIndexOf('\\'), 0)) ?? '';
  const findable = folder === '' ? '' : `import sys; sys.path.insert(0, ${JSON.stringify(folder)})\n`;
  return [
    {
      title: 'Every scheduler you start on this machine',
      text: 'bobbin connect',
      more: 'Run it once in a shell: no code changes, for notebooks and scripts alike.',
      code: 'bobbin disconnect',
      after: 'takes it back.',
    },
    {
      title: 'One cluster, from Python',
      text: `${findable}import bobbin\nbobbin.register()`,
      more: 'Where your Dask client is, also for a cluster that already runs. It takes the current client, or the one you pass.',
    },
    {
      title: 'A scheduler you start by hand',
      text: `dask scheduler --preload ${shellWord(pluginPath ?? 'bobbin.py')}`,
      more: 'bobbin.py is one file with no dependency beyond distributed.',
    },
  ];
}

/** A word of a shell's line, quoted where it has to be. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
