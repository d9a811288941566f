// Answers to what was asked at the same moment are shown at the same moment, while nobody waits for them: each by itself would be one
// more picture to lay out and draw, which without a graphics processor is most of what a page at rest takes.

import { presence } from '../api/feed';

/** So long at most an answer waits for the others. */
const patienceMs = 500;

export class Together {
  #open = 0;
  #held = new Set<() => void>();

  constructor(
    private readonly waited: () => boolean,
    private readonly patience = patienceMs,
  ) {}

  /** The answer, once those to the other open questions are here. */
  async of<T>(answer: Promise<T>): Promise<T> {
    this.#open += 1;
    try {
      return await answer;
    } finally {
      this.#open -= 1;
      if (this.#open === 0) this.#letGo();
      else if (!this.waited()) await this.#others();
    }
  }

  #others(): Promise<void> {
    return new Promise((resolve) => {
      const go = () => {
        clearTimeout(timer);
        this.#held.delete(go);
        resolve();
      };
      const timer = setTimeout(go, this.patience);
      this.#held.add(go);
    });
  }

  #letGo(): void {
    for (const go of [...this.#held]) go();
  }
}

export const together = new Together(() => presence() === 'attended');
