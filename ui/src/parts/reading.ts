// Whether somebody reads what is in a box: points into it, or has the focus there.

const lingerMs = 1500;

/** Tells `hold` when somebody comes, and some time after they left: a button beside the box is still there when they reach it. */
export function reading(hold: (held: boolean) => void): (node: HTMLElement) => () => void {
  return (node) => {
    const here = new Set<'pointer' | 'focus'>();
    let later: ReturnType<typeof setTimeout> | undefined;
    const come = (by: 'pointer' | 'focus') => () => {
      here.add(by);
      clearTimeout(later);
      hold(true);
    };
    const leave = (by: 'pointer' | 'focus') => () => {
      here.delete(by);
      clearTimeout(later);
      if (here.size === 0) later = setTimeout(() => hold(false), lingerMs);
    };
    const heard = [
      ['pointerenter', come('pointer')],
      ['pointerleave', leave('pointer')],
      ['focusin', come('focus')],
      ['focusout', leave('focus')],
    ] as const;
    for (const [event, does] of heard) node.addEventListener(event, does);
    return () => {
      clearTimeout(later);
      for (const [event, does] of heard) node.removeEventListener(event, does);
      if (here.size > 0) hold(false);
    };
  };
}
