// What a key means in the heat-map.

export type Meaning =
  /** With `extend` all cells from where it began are chosen. */
  | { does: 'move'; rows: number; columns: number; extend: boolean }
  | { does: 'toggle' }
  | { does: 'extend' }
  | { does: 'choose' }
  | { does: 'clear' };

/** `columns`: how many there are. `begun`: whether there is a cell to extend from. `chosen`: whether anything is. */
export function meaningOf(
  { key, shiftKey, ctrlKey, metaKey }: Pick<KeyboardEvent, 'key' | 'shiftKey' | 'ctrlKey' | 'metaKey'>,
  { columns, begun, chosen }: { columns: number; begun: boolean; chosen: boolean },
): Meaning | null {
  const steps: Record<string, [number, number]> = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], Home: [0, -columns], End: [0, columns] };
  const step = steps[key];
  if (step !== undefined) return { does: 'move', rows: step[0], columns: step[1], extend: shiftKey };
  if (key === ' ' || key === 'Enter') {
    if (ctrlKey || metaKey) return { does: 'toggle' };
    return { does: shiftKey && begun ? 'extend' : 'choose' };
  }
  return key === 'Escape' && chosen ? { does: 'clear' } : null;
}
