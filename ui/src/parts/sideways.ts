// What scrolls sideways says on which sides there is more of it: the page fades there.

/** Layout is in parts of pixels, scrolling in whole ones. */
const slack = 1;

/** `left`, `right`, both or none, by how far it is scrolled and how much does not fit. */
export function sidesOf(scrolled: number, over: number): string {
  return [...(scrolled > slack ? ['left'] : []), ...(scrolled < over - slack ? ['right'] : [])].join(' ');
}

export function sideways(node: HTMLElement): () => void {
  const look = () => {
    node.dataset.more = sidesOf(node.scrollLeft, node.scrollWidth - node.clientWidth);
  };
  const sizes = new ResizeObserver(look);
  for (const one of [node, ...node.children]) sizes.observe(one);
  node.addEventListener('scroll', look, { passive: true });
  return () => {
    sizes.disconnect();
    node.removeEventListener('scroll', look);
  };
}
