// Every key, by the part of the page that listens to it.

export interface Keys {
  title: string;
  /** What an element says in `data-keys` (or what it is) to have these keys. */
  panel: string | null;
  keys: [string, string][];
}

const held = ['Shift', 'Ctrl', 'Alt'];

/** `Ctrl F` are held together, `g then o` come one after the other, and of others each does something. */
export function keyParts(name: string): { key: boolean; text: string }[] {
  const words = name.split(' ');
  return words.flatMap((text, i) => {
    const part = { key: text !== 'then', text };
    return held.includes(text) && i + 1 < words.length ? [part, { key: false, text: '+' }] : [part];
  });
}

export const allKeys: Keys[] = [
  {
    title: 'Anywhere',
    panel: null,
    keys: [
      ['?', 'show these keys, those of the focused panel first'],
      ['Ctrl K', 'search clusters, actions, and settings'],
      ['/', 'go to the filter; Esc clears and leaves it'],
      ['t', 'switch between charts and tables'],
      ['l', 'copy a link to this view'],
      ['q', 'copy the queries of these panels as SQL'],
      ['p', 'pause or resume live updates'],
      ['g then o', 'overview'],
      ['g then c', 'clusters'],
      ['g then e', 'exceptions'],
      ['Alt ←', 'back'],
    ],
  },
  {
    title: 'Heat-map',
    panel: 'heat',
    keys: [
      ['← → ↑ ↓', 'move; Home and End go to the edges'],
      ['Space', 'select this cell; also Enter'],
      ['Shift arrows', 'select a rectangle'],
      ['Ctrl Space', 'add or remove this cell'],
      ['Esc', 'clear; also double-click'],
    ],
  },
  {
    title: 'Charts',
    panel: 'charts',
    keys: [
      ['← →', 'move along the samples; Page keys by ten, Home and End to the edges'],
      ['Shift ← →', 'select a time from here; also by dragging'],
      ['Enter', 'narrow the whole page to the selected time; without one, pin the figures here, like a click'],
      ['Esc', 'unpin or deselect, then show the whole time again; also double-click'],
    ],
  },
  {
    title: 'Clusters',
    panel: 'clusters',
    keys: [
      ['↑ ↓', 'move from row to row; Enter opens'],
      ['x', 'select or deselect this row; also Space'],
      ['X', 'select the range up to this row; also Shift click on a box'],
      ['c', 'compare the two selected clusters'],
      ['Esc', 'clear the selection'],
    ],
  },
  {
    title: 'Heat-map of a cluster',
    panel: 'patches',
    keys: [
      ['← → ↑ ↓', 'move from cell to cell'],
      ['Shift ← →', 'select a time from here; also by dragging'],
      ['Enter', 'show the profile of that time; also Space'],
      ['Esc', 'deselect'],
    ],
  },
  {
    title: 'Compare',
    panel: 'compare',
    keys: [
      ['x', 'swap A and B'],
      ['d', 'show differences only, or everything'],
      ['h', 'hide constant columns, or show them'],
    ],
  },
  {
    title: 'Flame graph',
    panel: 'flame',
    keys: [
      ['1', 'flame'],
      ['2', 'sandwich'],
      ['3', 'table'],
      ['4', 'difference'],
      ['← → ↑ ↓', 'select; Enter or click zooms, or opens small frames'],
      ['f', 'fit the selected frame to the full width, and back'],
      ['w s + −', 'zoom; also Ctrl and the wheel'],
      ['0', 'show all'],
      ['a d', 'pan; also drag, or Shift and the wheel'],
      ['. ,', 'next and previous match, or frame on this row'],
      ['Ctrl F', 'find; Enter and Shift Enter go to the next and previous match'],
      ['v', 'show callers and callees of the selected function'],
      ['F', 'focus on the selected function'],
      ['S', 'focus on the selected frame and what it calls here'],
      ['m', 'merge it into its callers'],
      ['M', 'merge only the selected frame into its caller'],
      ['c', 'collapse what it calls'],
      ['C', 'collapse its library'],
      ['r', 'collapse its recursion'],
      ['D', 'drop samples with it'],
      ['Backspace', 'undo the last change'],
      ['Esc', 'clear the selection, then the zoom, then the search'],
      ['Ctrl C', 'copy the name; with Shift, the stack'],
      ['n p', 'next and previous prefix'],
      ['T', 'go to the prefix menu'],
    ],
  },
  {
    title: 'Graph',
    panel: 'graph',
    keys: [
      ['← → ↑ ↓', 'follow the edges, or move within a layer'],
      ['Enter', 'select a group; Shift Enter selects the other end of a path'],
      ['o', 'open a fold; also double-click'],
      ['u', 'show only what it needs'],
      ['d', 'show only what needs it'],
      ['Shift ← →', 'pan; also drag'],
      ['+ −', 'zoom; also the wheel, after a click on the graph'],
      ['0', 'show all'],
      ['Esc', 'deselect the group'],
    ],
  },
  {
    title: 'SQL',
    panel: 'sql',
    keys: [['Ctrl Enter', 'run the query']],
  },
  {
    title: 'Lists of a cluster',
    panel: 'tabs',
    keys: [['← →', 'go to the next list']],
  },
  {
    title: 'Tables',
    panel: 'tables',
    keys: [
      ['↑ ↓', 'move from row to row'],
      ['Enter', 'open'],
      ['Shift click', 'on Copy: copy without masking'],
    ],
  },
];

/** Those of the window's menus. In a browser these keys are the browser's. */
export const windowKeys: Keys = {
  title: 'Window',
  panel: null,
  keys: [
    ['Ctrl O', 'open a file'],
    ['Ctrl S', 'share the cluster on this page, or choose clusters'],
    ['Ctrl ,', 'settings'],
    ['Ctrl 1', 'overview; Ctrl 2 to 9 go to the other views of the Go menu'],
    ['Alt →', 'forward'],
    ['Ctrl W', 'close the window'],
    ['Ctrl Q', 'quit'],
  ],
};

/** Whether a key is for the page itself: nobody writes or chooses, no dialog is open, and nothing else has used it. */
export function pageKey(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return false;
  const target = event.target instanceof Element ? event.target : null;
  const writes = target?.closest('input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]') != null;
  return !writes && document.querySelector('dialog[open]') === null;
}

const goMs = 1000;
let wentAt = -Infinity;

/** `g`, and within a second the letter of a place. */
export const going = {
  begin(event: Pick<KeyboardEvent, 'timeStamp'>) {
    wentAt = event.timeStamp;
  },
  end() {
    wentAt = -Infinity;
  },
  /** Whether this key says where to go, and nothing else. */
  at(event: Pick<KeyboardEvent, 'timeStamp'>): boolean {
    return event.timeStamp - wentAt < goMs;
  },
};

/** The keys of the part that an element is in, or null. */
export function panelOf(element: Element | null): string | null {
  const said = element?.closest<HTMLElement>('[data-keys]')?.dataset.keys;
  if (said !== undefined) return said;
  if (element?.closest('[role="tablist"]') != null) return 'tabs';
  return element?.closest('table, [role="table"], [role="grid"]') != null ? 'tables' : null;
}

/** Those of a panel first. */
export function keysFor(panel: string | null): Keys[] {
  const here = allKeys.filter((group) => panel !== null && group.panel === panel);
  return [...here, ...allKeys.filter((group) => !here.includes(group))];
}
