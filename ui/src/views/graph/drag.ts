// A press of the pointer that may become a move of the picture.

type At = Pick<PointerEvent, 'pointerId' | 'clientX' | 'clientY'>;

/** Pixels: a press that goes no further is a click. */
const still = 4;

export class Drag {
  #at: { id: number; x: number; y: number } | null = null;
  #far = false;

  press({ pointerId: id, clientX: x, clientY: y }: At): void {
    this.#at = { id, x, y };
    this.#far = false;
  }

  /** By how much the picture moves, and whether it begins to; null while it may still be a click. */
  move({ pointerId: id, clientX: x, clientY: y }: At): { x: number; y: number; begins: boolean } | null {
    if (this.#at === null || this.#at.id !== id) return null;
    const by = { x: x - this.#at.x, y: y - this.#at.y };
    const begins = !this.#far;
    if (begins && Math.hypot(by.x, by.y) < still) return null;
    this.#at = { id, x, y };
    this.#far = true;
    return { ...by, begins };
  }

  /** Ends it; whether it was a move, so that what comes of it is no click. */
  end(): boolean {
    const moved = this.#at !== null && this.#far;
    this.#at = null;
    return moved;
  }
}
