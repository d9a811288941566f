// What the stories and recordings are called on the page, and where a replay is.

import type { ClusterRow, DemoTells, Playing } from '../../generated/api';

export interface StoryWords {
  label: string;
  mark: string;
  tone: 'good' | 'warn' | 'bad';
}

const known: Record<string, StoryWords> = {
  healthy: { label: 'healthy', mark: '●', tone: 'good' },
  wasteful: { label: 'wasteful', mark: '▲', tone: 'warn' },
  failing: { label: 'failing', mark: '■', tone: 'bad' },
};

/** A story that this page does not know is called by its name. */
export function storyWords(name: string): StoryWords {
  return known[name] ?? { label: name, mark: '●', tone: 'good' };
}

/** How much a recording for others may tell on the page: what holds code is looked at on the review desk instead. */
export const tellsWords: { tells: DemoTells; label: string; means: string }[] = [
  { tells: 'numbers', label: 'Numbers', means: 'Counts, seconds, bytes and states. Functions and types of exceptions have aliases.' },
  { tells: 'names', label: 'Numbers and names', means: 'Also functions, projects, tags, versions and types of exceptions.' },
];

/** Whether nothing more comes: then it can be played once more as a whole. */
export function isOver({ state }: Pick<ClusterRow, 'state'>): boolean {
  return state === 'finished' || state === 'lost';
}

/** Minutes and seconds of a recording: 1:05. */
export function clock(seconds: number): string {
  const whole = Math.max(Math.floor(seconds), 0);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

/** Where a replay is by now, in seconds: between two answers it runs on. `seen` and `now` are in microseconds. */
export function position(playing: Playing, seen: number, now: number): number {
  if (playing.paused || playing.ended) return playing.position_seconds;
  const past = Math.max(now - seen, 0) / 1e6;
  return Math.min(playing.position_seconds + past * playing.speed, playing.duration_seconds);
}
