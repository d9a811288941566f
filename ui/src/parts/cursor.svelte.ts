// The moment that is pointed at, on one chart or on several over one axis. What is pinned stays when the pointer leaves.

export class Cursor {
  at: number | null = $state(null);
  pinned: boolean = $state(false);

  /** Does nothing to what is pinned. */
  point(moment: number | null): void {
    if (!this.pinned) this.at = moment;
  }

  /** Null lets go. */
  pin(moment: number | null): void {
    this.at = moment;
    this.pinned = moment !== null;
  }
}
