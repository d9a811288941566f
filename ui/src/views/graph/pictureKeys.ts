// What a key means in the picture.

import type { Arrow } from './relations';

export type Meaning =
  | { does: 'pan'; x: number; y: number }
  | { does: 'step'; way: Arrow }
  | { does: 'zoom'; by: number }
  | { does: 'fit' }
  | { does: 'let go' }
  | { does: 'pick'; second: boolean }
  | { does: 'open' }
  | { does: 'side'; side: 'up' | 'down' };

/** Where the keys are: whether a node is focused, whether it is a fold, and whether one is chosen. */
export interface Focus {
  focused: boolean;
  fold: boolean;
  chosen: boolean;
}

const pans: Record<Arrow, { x: number; y: number }> = {
  ArrowLeft: { x: 80, y: 0 },
  ArrowRight: { x: -80, y: 0 },
  ArrowUp: { x: 0, y: 80 },
  ArrowDown: { x: 0, y: -80 },
};

/** Null: nothing here, so the page has it. */
export function meaningOf(event: Pick<KeyboardEvent, 'key' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey'>, { focused, fold, chosen }: Focus): Meaning | null {
  const { key, shiftKey: shift } = event;
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  if (key in pans) {
    const way = key as Arrow;
    return shift || !focused ? { does: 'pan', ...pans[way] } : { does: 'step', way };
  }
  if (key === '+' || key === '=') return { does: 'zoom', by: 1.25 };
  if (key === '-') return { does: 'zoom', by: 0.8 };
  if (key === '0') return { does: 'fit' };
  if (key === 'Escape') return { does: 'let go' };
  if (focused && (key === 'Enter' || key === ' ')) return { does: 'pick', second: shift };
  if (focused && fold && key === 'o') return { does: 'open' };
  if ((focused || chosen) && (key === 'u' || key === 'd')) return { does: 'side', side: key === 'u' ? 'up' : 'down' };
  return null;
}
