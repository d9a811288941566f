// The reader's size of text, for what is laid out in pixels.

import { settings } from '../state/settings.svelte';

/** One rem in pixels. What is derived from it follows the size that the reader chooses. */
export function rem(): number {
  void [settings.textSize, settings.presenting];
  return parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
}
