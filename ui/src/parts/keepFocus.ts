// Keys stay with a part of the page when what had the focus in it is taken away, as by a key that shows something else.

/** Gives the part itself the focus then, unless the reader went elsewhere. It needs a `tabindex`. */
export function keepFocus(node: HTMLElement): () => void {
  let last: EventTarget | null = null;
  const come = (event: FocusEvent) => {
    last = event.target;
  };
  // Some browsers tell of it, too, where it is taken away: in a moment it is no longer there.
  const go = () =>
    queueMicrotask(() => {
      if (last instanceof Node && last.isConnected && last !== document.activeElement) last = null;
    });
  const changes = new MutationObserver(() => {
    if (!(last instanceof Node) || last.isConnected) return;
    last = null;
    if (document.activeElement === document.body) node.focus({ preventScroll: true });
  });
  node.addEventListener('focusin', come);
  node.addEventListener('focusout', go);
  changes.observe(node, { childList: true, subtree: true });
  return () => {
    changes.disconnect();
    node.removeEventListener('focusin', come);
    node.removeEventListener('focusout', go);
  };
}
