// Outlines on a 16 by 16 grid.

export const icons = {
  overview: 'M2.5 2.5h4v6h-4zM9.5 2.5h4v3h-4zM9.5 8.5h4v5h-4zM2.5 11.5h4v2h-4z',
  clusters: 'M2.5 4h11M2.5 8h11M2.5 12h11',
  exceptions: 'M8 2.2 14.3 13.3H1.7ZM8 6.4v3.2M8 11.3v.4',
  search: 'M7 2.8a4.2 4.2 0 1 1 0 8.4a4.2 4.2 0 0 1 0-8.4ZM10.2 10.2 13.6 13.6',
  copy: 'M5.5 5.5h8v8h-8zM3.5 10.5h-1v-8h8v1',
  done: 'M3 8.5 6.5 12 13 4.5',
  close: 'M4 4l8 8M12 4l-8 8',
  up: 'M8 12.5v-9M4.2 7.2 8 3.4l3.8 3.8',
  down: 'M8 3.5v9M4.2 8.8 8 12.6l3.8-3.8',
  open: 'M6 3.5 10.5 8 6 12.5',
  sun: 'M8 5.2a2.8 2.8 0 1 1 0 5.6a2.8 2.8 0 0 1 0-5.6ZM8 1.2v1.4M8 13.4v1.4M1.2 8h1.4M13.4 8h1.4M3.2 3.2l1 1M11.8 11.8l1 1M3.2 12.8l1-1M11.8 4.2l1-1',
  moon: 'M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8a5.6 5.6 0 1 0 6.8 6.8Z',
  system: 'M2 3h12v8H2zM6 13.5h4M8 11v2.5',
  help: 'M6 6.2a2 2 0 1 1 2.9 1.9c-.6.3-.9.7-.9 1.4M8 11.6v.3M8 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 0 1 8 1.8Z',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  play: 'M5 3.2 12.5 8 5 12.8Z',
  table: 'M2.5 3h11v10h-11zM2.5 6.3h11M2.5 9.6h11M6.2 6.3V13',
  chart: 'M2.5 2.5v11h11M5 10.5l2.6-3.2 2.3 1.7L13.5 5',
  plug: 'M5.5 2v3M10.5 2v3M4 5h8v2.5a4 4 0 0 1-8 0ZM8 11.5V14',
  lock: 'M4 7.2h8v6H4zM5.6 7.2V5a2.4 2.4 0 0 1 4.8 0v2.2',
  info: 'M8 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 0 1 8 1.8ZM8 7.2v4M8 4.8v.3',
} as const;

export type IconName = keyof typeof icons;
