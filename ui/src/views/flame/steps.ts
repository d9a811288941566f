// What can be done to all stacks from one frame, and its key; the menu of a frame lists the same.

import type { FlameTransform } from '../../generated/api';
import type { Frame } from './labels';

export interface StepAct {
  key: string;
  label: string;
  step: FlameTransform;
}

/** Of `whole` only: the nodes of callers and callees are in no other tree, so no step can name them there. */
export function stepActs({ key: node, function: of, library }: Pick<Frame, 'key' | 'function' | 'library'>, whole: boolean): StepAct[] {
  if (of === null) return [];
  const ofNode: StepAct[] = [
    { key: 'S', label: 'Only this frame and what it calls here', step: { kind: 'focus_subtree', node } },
    { key: 'M', label: 'Merge only this frame into its caller', step: { kind: 'merge_node', node } },
  ];
  return [
    { key: 'F', label: 'Only this function', step: { kind: 'focus', function: of } },
    { key: 'm', label: 'Merge it into its callers', step: { kind: 'merge', function: of } },
    ...(whole ? ofNode : []),
    { key: 'c', label: 'Collapse what it calls', step: { kind: 'collapse', function: of } },
    { key: 'C', label: `Collapse ${library}`, step: { kind: 'collapse_library', library } },
    { key: 'r', label: 'Collapse its recursion', step: { kind: 'collapse_recursion', function: of } },
    { key: 'D', label: 'Drop samples with it', step: { kind: 'drop', function: of } },
  ];
}
