// How far a wish to close a cluster has come, in words.

import type { CloseOrder, CloseState } from '../../generated/api';
import { shortDuration } from '../../format/duration';
import { shortClock } from '../../format/time';

export interface CloseWords {
  words: string;
  tone: 'calm' | 'warn' | 'good';
  /** Whether it can be asked (again). */
  again: boolean;
}

export function closeWords(order: CloseOrder, now: number): CloseWords | null {
  // The answer may be older than the end of the order.
  const ended = order.expires_micros !== null && now >= order.expires_micros && (order.state === 'ordered' || order.state === 'delivered');
  const state: CloseState = ended ? 'expired' : order.state;
  const left = order.expires_micros === null ? '' : `, up to ${shortDuration((order.expires_micros - now) / 1e6)}`;
  switch (state) {
    case 'not_ordered':
    case 'not_allowed':
    case 'too_late':
      return null;
    case 'ordered':
      return { words: `Ordered: waiting for its next report${left}`, tone: 'calm', again: false };
    case 'delivered':
      return { words: `Delivered at ${shortClock(order.delivered_micros ?? now)}: it is closing`, tone: 'calm', again: false };
    case 'closed':
      return { words: 'Closed from here', tone: 'good', again: false };
    case 'expired':
      return { words: order.delivered_micros === null ? 'Expired: it did not report in time' : 'Expired: it got the order and did not close', tone: 'warn', again: true };
  }
}
