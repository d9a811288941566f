import type { DesktopChoices } from '../../generated/api';

/** A clause as a sentence: it begins large. */
export function sentence(clause: string): string {
  return `${clause.slice(0, 1).toUpperCase()}${clause.slice(1)}`;
}

/** What was never chosen. */
export const firstChoices: DesktopChoices = {
  on_close: 'ask',
  start_at_login: false,
  notices: { finished: true, finished_minutes: 10, failed: true, stalled: true, idle: true, idle_minutes: 30, budget: true, views: [], names: true },
};
