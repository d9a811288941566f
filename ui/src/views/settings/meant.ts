// What an address means: brought into sight, with the focus.

import { router } from '../../state/router.svelte';

/** For a part of a section that is set as a whole. */
export function meant(id: string): (node: HTMLElement) => void {
  return (node) => {
    const { route } = router;
    if (route.view !== 'settings' || route.item !== id) return;
    node.tabIndex = -1;
    node.scrollIntoView({ block: 'center' });
    node.focus({ preventScroll: true });
  };
}
