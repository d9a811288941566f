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
      ['?', 'these keys; those of the part that has the focus stand first'],
      ['Ctrl K', 'search, actions and settings by name'],
      ['/', 'to the filter; Esc empties and leaves it'],
      ['t', 'tables instead of charts, and back'],
      ['l', 'copies a link to this view'],
      ['q', 'what the panels in sight ask, as SQL'],
      ['p', 'pause and follow'],
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
      ['← → ↑ ↓', 'move; Home and End to the edges'],
      ['Space', 'choose this cell; Enter too'],
      ['Shift arrows', 'a rectangle from there to here'],
      ['Ctrl Space', 'this cell more, or less'],
      ['Esc', 'clear; double-click too'],
    ],
  },
  {
    title: 'Charts',
    panel: 'charts',
    keys: [
      ['← →', 'along the samples; Page keys by ten, Home and End to the edges'],
      ['Shift ← →', 'choose a time, from where you are; drawing does the same'],
      ['Enter', 'narrow the whole page to the chosen time; without one, pin the figures of where you are, as a click does'],
      ['Esc', 'let go of it, and then all of the time again; double-click too'],
    ],
  },
  {
    title: 'Compare',
    panel: 'compare',
    keys: [
      ['x', 'swap A and B'],
      ['d', 'only what differs, and back'],
      ['h', 'only columns that differ, and back'],
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
      ['← → ↑ ↓', 'select; Enter or a click zooms'],
      ['f', 'the selected frame in the whole width, and back'],
      ['w s + −', 'zoom; Ctrl and the wheel too'],
      ['0', 'show all'],
      ['a d', 'pan; dragging, or Shift and the wheel too'],
      ['. ,', 'to the next match or the frame beside, and the one before'],
      ['Ctrl F', 'find; Enter and Shift Enter go from match to match'],
      ['v', 'callers and callees of the selected function'],
      ['F', 'only the selected function'],
      ['S', 'only the selected frame and what it calls here'],
      ['m', 'merge it into its callers'],
      ['M', 'merge the selected frame alone into its caller'],
      ['c', 'collapse what it calls'],
      ['C', 'collapse its library'],
      ['r', 'collapse its recursion'],
      ['D', 'drop samples with it'],
      ['Backspace', 'takes the last change back'],
      ['Esc', 'clears the selection, then the zoom, then the search'],
      ['Ctrl C', 'copies the name; with Shift the stack'],
      ['n p', 'the next prefix, and the one before'],
      ['T', 'to the choice of prefixes'],
    ],
  },
  {
    title: 'Graph',
    panel: 'graph',
    keys: [
      ['← → ↑ ↓', 'along the edges, and from node to node of a layer'],
      ['Enter', 'choose a group; Shift Enter the other end of a path'],
      ['o', 'open what is folded; double-click too'],
      ['u', 'only what it needs'],
      ['d', 'only what needs it'],
      ['Shift ← →', 'pan; dragging too'],
      ['+ −', 'zoom; the wheel too, once the graph was touched'],
      ['0', 'show all'],
      ['Esc', 'let go of the chosen group'],
    ],
  },
  {
    title: 'Lists of a cluster',
    panel: 'tabs',
    keys: [['← →', 'to the next list']],
  },
  {
    title: 'Tables',
    panel: 'tables',
    keys: [
      ['↑ ↓', 'from row to row'],
      ['Enter', 'open'],
      ['Shift click', 'on Copy: without masking'],
    ],
  },
];

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
