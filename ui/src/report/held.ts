// What a report holds: what it says of itself, and the answers that it was written with.

import type { Choice } from '../generated/api';

export interface Head {
  /** The version of Bobbin that wrote it. */
  bobbin: string;
  written_micros: number;
  choice: Choice;
  /** One cluster, or A and B of a comparison. */
  ids: number[];
  /** In words; null where that is not known or was not asked for. */
  costs: (string | null)[];
  /** The same in a few lines of Markdown. */
  summary: string;
}

export interface Held {
  head: Head;
  /** Answers for which there was no room. */
  left_out: number;
  answers: { command: string; request: unknown; answer: unknown }[];
}

export const held = JSON.parse(document.getElementById('report')?.textContent ?? 'null') as Held;
