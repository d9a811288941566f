// The ground of what was merged: it is not one thing, so it has no plain one.

/** Between two lines, in pixels of the page. */
const apart = 7;

/** Lines that rise to the right, as a pattern that moves with the graph: to fill all blocks at once takes as long as to draw lines into a few. */
export class Hatch {
  readonly #pattern: CanvasPattern | null;
  readonly #side: number;

  constructor(
    pen: CanvasRenderingContext2D,
    readonly colour: string,
    readonly scale: number,
  ) {
    const tile = document.createElement('canvas');
    this.#side = Math.max(1, Math.round(apart * scale));
    tile.width = this.#side;
    tile.height = this.#side;
    const own = tile.getContext('2d');
    if (own !== null) {
      own.strokeStyle = colour;
      own.lineWidth = scale;
      own.beginPath();
      // Where the tile ends, half of a line is in the next one.
      for (const at of [0, this.#side, 2 * this.#side]) {
        own.moveTo(at + this.#side, -this.#side);
        own.lineTo(-this.#side, at + this.#side);
      }
      own.stroke();
    }
    this.#pattern = pen.createPattern(tile, 'repeat');
  }

  /** The pattern of a graph that begins here: in whole pixels of the screen, which keeps it sharp. */
  from(x: number, y: number): CanvasPattern | null {
    const place = (at: number) => Math.round((at * this.scale) % this.#side) / this.scale;
    this.#pattern?.setTransform({ a: 1 / this.scale, d: 1 / this.scale, e: place(x), f: place(y) });
    return this.#pattern;
  }
}
