// Where the picture looks, when it moves by itself, and what it was drawn for.

import { tick, untrack } from 'svelte';
import type { Graph } from '../../generated/api';
import { begin, fit, holds, onScreen, panned, reveal, shift, zoomed, type Box, type Camera } from './camera';

/** Zooming rests after so long. */
const restMs = 120;

interface Seen {
  graph: () => Graph;
  screen: () => Box;
  topDown: () => boolean;
  /** The place of the chosen node. */
  chosen: () => number | null;
  /** The reader's text size, of 16 pixels. */
  text: () => number;
}

/** The camera of one picture, for as long as the component lives. */
export class Lens {
  camera: Camera = $state.raw({ zoom: 1, x: 0, y: 0 });
  /** The camera that it was drawn for. */
  drawnFor: Camera = $state.raw({ zoom: 1, x: 0, y: 0 });
  /** How high the picture is: no more room than a wide graph takes. */
  high: number = $state(0);
  /** How what is drawn has to be moved to be what the camera sees. */
  readonly moving = $derived(shift(this.drawnFor, this.camera));
  /** The reader moved it: it is not fitted again by itself. */
  #moved = false;
  /** An opened or closed fold stays where it was on the screen. */
  #anchor: { id: string; x: number; y: number } | null = null;
  /** What it was fitted to. */
  #fitted = '';
  readonly #seen: Seen;

  constructor(seen: Seen) {
    this.#seen = seen;
    this.high = this.#most;

    // Fitted to what came until the reader moves it. A picture that gets narrower, as for the panel beside it, stays as it is.
    $effect(() => {
      const graph = seen.graph();
      const screen = seen.screen();
      const shape = `${graph.width} ${graph.height} ${seen.topDown()} ${seen.text()}`;
      untrack(() => this.#take(graph, screen, shape));
    });

    // The panel beside it took room: the chosen node stays in sight.
    $effect(() => {
      const screen = seen.screen();
      const place = seen.chosen();
      untrack(() => {
        const node = place === null ? undefined : seen.graph().nodes[place];
        if (node !== undefined && this.#fitted !== '') this.#reveal(node, screen);
      });
    });

    // Drawn again at once where something would be missing, and once zooming rests.
    $effect(() => {
      const next = this.camera;
      const screen = seen.screen();
      return untrack(() => {
        if (next === this.drawnFor) return;
        if (!holds(this.drawnFor, next, screen)) {
          this.drawnFor = next;
          return;
        }
        if (next.zoom === this.drawnFor.zoom) return;
        const later = setTimeout(() => (this.drawnFor = next), restMs);
        return () => clearTimeout(later);
      });
    });
  }

  /** Small graphs are not blown up. */
  get #largest(): number {
    return 1.15 * this.#seen.text();
  }

  /** Below this nodes are dots: a longer graph begins with its beginning. */
  get #first(): number {
    return 0.45 * this.#seen.text();
  }

  get #least(): number {
    return 288 * this.#seen.text();
  }

  get #most(): number {
    return Math.max(this.#least, Math.min(0.56 * innerHeight, 704 * this.#seen.text()));
  }

  #take(graph: Graph, { width, height }: Box, shape: string) {
    if (width === 0 || height === 0) return;
    const held = this.#anchor;
    if (held !== null) {
      const node = graph.nodes.find((node) => node.out_of === held.id) ?? graph.nodes.find((node) => node.node_id === held.id);
      if (node === undefined) return;
      this.#anchor = null;
      const { zoom } = this.camera;
      this.go({ zoom, x: held.x - node.x * zoom, y: held.y - node.y * zoom });
    } else if (!this.#moved && this.#fitted !== shape) {
      const { zoom } = begin(graph, { width, height: this.#most }, this.#largest, this.#first);
      this.high = Math.max(this.#least, Math.min(this.#most, graph.height * zoom + 64 * this.#seen.text()));
      this.camera = begin(graph, { width, height: this.high }, this.#largest, this.#first);
    }
    this.#fitted = shape;
  }

  #reveal({ x, y }: { x: number; y: number }, screen: Box) {
    const { node_width: width, node_height: height } = this.#seen.graph();
    this.camera = reveal(this.camera, { x, y, width, height }, screen);
  }

  /** Where the reader moves it. */
  go(camera: Camera) {
    this.#moved = true;
    this.camera = camera;
  }

  fitAll() {
    this.#moved = false;
    this.camera = fit(this.#seen.graph(), this.#seen.screen(), this.#largest);
  }

  /** About a point of the screen, or its middle. */
  zoomBy(by: number, about?: { x: number; y: number }) {
    const { width, height } = this.#seen.screen();
    this.go(zoomed(this.camera, by, about ?? { x: width / 2, y: height / 2 }));
  }

  pan(x: number, y: number) {
    this.go(panned(this.camera, x, y));
  }

  /** Keeps the place of a fold that is about to open or close. */
  hold(id: string, place: number) {
    const node = this.#seen.graph().nodes[place];
    if (node !== undefined) this.#anchor = { id, ...onScreen(this.camera, node.x, node.y) };
  }

  /** Brings a node into sight. */
  async show(place: number) {
    await tick();
    const node = this.#seen.graph().nodes[place];
    if (node === undefined) return;
    this.#moved = true;
    this.#reveal(node, this.#seen.screen());
  }
}
