// Which part of the graph is seen, and how large. Pure: the picture holds one, keys and pointer give the next.

export interface Camera {
  /** Pixels of the screen for one of the graph. */
  zoom: number;
  /** Where the graph's left upper corner is on the screen. */
  x: number;
  y: number;
}

export interface Box {
  width: number;
  height: number;
}

export const least = 0.03;
export const most = 3;
const margin = 16;

/** The whole graph in the middle; `largest` keeps small graphs from being blown up. */
export function fit(graph: Box, screen: Box, largest: number): Camera {
  const room = (size: number) => Math.max(40, size - 2 * margin);
  const zoom = Math.max(least, Math.min(largest, room(screen.width) / Math.max(1, graph.width), room(screen.height) / Math.max(1, graph.height)));
  return { zoom, x: (screen.width - graph.width * zoom) / 2, y: (screen.height - graph.height * zoom) / 2 };
}

/** What is seen first: the whole graph, or as much of its beginning as can be told apart. */
export function begin(graph: Box, screen: Box, largest: number, smallest: number): Camera {
  const whole = fit(graph, screen, largest);
  if (whole.zoom >= smallest) return whole;
  const place = (size: number, room: number) => (size * smallest > room ? margin : (room - size * smallest) / 2);
  return { zoom: smallest, x: place(graph.width, screen.width), y: place(graph.height, screen.height) };
}

/** Larger or smaller; the point of the screen stays over the same point of the graph. */
export function zoomed(camera: Camera, by: number, at: { x: number; y: number }): Camera {
  const zoom = Math.min(most, Math.max(least, camera.zoom * by));
  const grown = zoom / camera.zoom;
  return { zoom, x: at.x - (at.x - camera.x) * grown, y: at.y - (at.y - camera.y) * grown };
}

export function panned(camera: Camera, x: number, y: number): Camera {
  return { ...camera, x: camera.x + x, y: camera.y + y };
}

export function onScreen(camera: Camera, x: number, y: number): { x: number; y: number } {
  return { x: camera.x + x * camera.zoom, y: camera.y + y * camera.zoom };
}

/** Moves as little as it takes for a node to be in sight. */
export function reveal(camera: Camera, node: Box & { x: number; y: number }, screen: Box): Camera {
  const start = onScreen(camera, node.x, node.y);
  const shift = (at: number, size: number, room: number) => {
    if (size > room - 2 * margin || at < margin) return margin - at;
    return at + size > room - margin ? room - margin - at - size : 0;
  };
  return panned(camera, shift(start.x, node.width * camera.zoom, screen.width), shift(start.y, node.height * camera.zoom, screen.height));
}

/** Part of the graph that is drawn: what is seen, and half a screen around. */
export function covered(drawn: Camera, screen: Box): { left: number; top: number; right: number; bottom: number } {
  const at = (screen: number, start: number) => (screen - start) / drawn.zoom;
  return {
    left: at(-screen.width / 2, drawn.x),
    top: at(-screen.height / 2, drawn.y),
    right: at(1.5 * screen.width, drawn.x),
    bottom: at(1.5 * screen.height, drawn.y),
  };
}

/** How what is drawn has to be moved and scaled to be what the camera sees. */
export function shift(drawn: Camera, camera: Camera): { x: number; y: number; scale: number } {
  const scale = camera.zoom / drawn.zoom;
  return { x: camera.x - scale * drawn.x, y: camera.y - scale * drawn.y, scale };
}

/** Whether what is drawn has all that the camera sees. */
export function holds(drawn: Camera, camera: Camera, screen: Box): boolean {
  const has = covered(drawn, screen);
  const sees = { left: -camera.x / camera.zoom, top: -camera.y / camera.zoom, right: (screen.width - camera.x) / camera.zoom, bottom: (screen.height - camera.y) / camera.zoom };
  return sees.left >= has.left && sees.top >= has.top && sees.right <= has.right && sees.bottom <= has.bottom;
}
