// Putting a completion into what is typed. Places are counted in letters, as core counts them.

import type { Completion } from '../generated/api';

export interface Typed {
  text: string;
  /** Where the caret stands then, as the field counts it. */
  caret: number;
  /** Whether a value is still to follow. */
  open: boolean;
}

export function completed(typed: string, place: Pick<Completion, 'from' | 'to'>, option: string): Typed {
  const letters = [...typed];
  const before = letters.slice(0, place.from).join('');
  const after = letters.slice(place.to).join('').trimStart();
  const open = /[:<>=]$/.test(option);
  const put = before + option + (open ? '' : ' ');
  return { text: put + after, caret: put.length, open };
}
