// Whether somebody reads what is in a box: points into it, or has the focus there.

const lingerMs = 1500;

/** Tells `hold` when somebody comes, and some time after they left: a button beside the box is still there when they reach it. */
export function reading(hold: (held: boolean) => void): (node: HTMLElement) => () => void {
  return (node) => {
    const here = new Set<'pointer' | 'focus'>();
    let later: ReturnType<typeof setTimeout> | undefined;
    const stay = () => {
      clearTimeout(later);
      later = undefined;
    };
    const go = () => {
      stay();
      hold(false);
    };
    const come = (by: 'pointer' | 'focus') => () => {
      here.add(by);
      stay();
      hold(true);
    };
    const leave = (by: 'pointer' | 'focus') => () => {
      here.delete(by);
      stay();
      if (here.size === 0) later = setTimeout(go, lingerMs);
    };
    const heard = [
      ['pointerenter', come('pointer')],
      ['pointerleave', leave('pointer')],
      ['focusin', come('focus')],
      ['focusout', leave('focus')],
    ] as const;
    for (const [event, does] of heard) node.addEventListener(event, does);
    // What has the focus may be taken away, which not every browser tells.
    const taken = new MutationObserver(() => {
      if (here.has('focus') && !node.contains(document.activeElement)) leave('focus')();
    });
    taken.observe(node, { childList: true, subtree: true });
    return () => {
      taken.disconnect();
      for (const [event, does] of heard) node.removeEventListener(event, does);
      if (here.size > 0 || later !== undefined) go();
    };
  };
}
