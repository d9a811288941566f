/** Ways for one cluster to report, easiest first, with lines that work as they stand on this machine. */

export interface Way {
  title: string;
  /** What to run. */
  text: string;
  more: string;
}

/** `pluginPath` is where the plugin's file lies; null where it is missing. */
export function waysToConnect(pluginPath: string | null): Way[] {
  const folder = pluginPath?.slice(0, Math.max(pluginPath.lastIndexOf('/'), pluginPath.lastIndexOf('\\'), 0)) ?? '';
  const findable = folder === '' ? '' : `import sys; sys.path.insert(0, ${JSON.stringify(folder)})\n`;
  return [
    {
      title: 'One cluster, from Python',
      text: `${findable}import bobbin\nbobbin.register()`,
      more: 'Run this where your Dask client is. It also works for a cluster that is already running. It uses the current client, or the one you pass.',
    },
    {
      title: 'A scheduler you start by hand',
      text: `dask scheduler --preload ${shellWord(pluginPath ?? 'bobbin.py')}`,
      more: 'bobbin.py is one file with no dependencies beyond distributed.',
    },
    {
      title: 'A cluster that cannot reach this machine',
      text: `export DASK_BOBBIN__DESTINATION=file\nexport DASK_BOBBIN__FOLDER=$HOME\ndask scheduler --preload bobbin.py`,
      more: `First copy ${pluginPath ?? 'bobbin.py'} there. The plugin writes a .bobbin file. Bring the file here and drop it on this page, or put it in the inbox. It contains code and messages unencrypted, so keep it where only you can read it.`,
    },
  ];
}

/** A word of a shell's line, quoted where it has to be. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
