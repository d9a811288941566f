import { expect, test } from 'vitest';
import { paced, Turn, type Clock } from './feed';

function toyClock() {
  let now = 0;
  let timers: { at: number; f: () => void }[] = [];
  const clock: Clock = {
    now: () => now,
    later: (f, ms) => {
      const timer = { at: now + ms, f };
      timers.push(timer);
      return timer;
    },
    forget: (handle) => {
      timers = timers.filter((timer) => timer !== handle);
    },
  };
  return {
    clock,
    pass(ms: number) {
      now += ms;
      const due = timers.filter((timer) => timer.at <= now);
      timers = timers.filter((timer) => timer.at > now);
      for (const timer of due) timer.f();
    },
  };
}

test('the first change asks at once, a burst asks once more at its end', () => {
  const { clock, pass } = toyClock();
  let asked = 0;
  const ask = paced(() => asked++, 250, clock);
  ask();
  expect(asked).toBe(1);
  for (let i = 0; i < 10; i++) {
    pass(10);
    ask();
  }
  expect(asked).toBe(1);
  pass(250);
  expect(asked).toBe(2);
  pass(1_000);
  expect(asked).toBe(2);
});

test('a stopped one does not ask', () => {
  const { clock, pass } = toyClock();
  let asked = 0;
  const ask = paced(() => asked++, 250, clock);
  ask();
  ask();
  ask.stop();
  pass(1_000);
  expect(asked).toBe(1);
});

test('a late answer to an older question is dropped', () => {
  const turn = new Turn();
  const first = turn.next();
  const second = turn.next();
  expect(turn.take(second)).toBe(true);
  expect(turn.take(first)).toBe(false);
});

test('answers in order are all taken', () => {
  const turn = new Turn();
  const first = turn.next();
  const second = turn.next();
  expect(turn.take(first)).toBe(true);
  expect(turn.latest(first)).toBe(false);
  expect(turn.take(second)).toBe(true);
  expect(turn.latest(second)).toBe(true);
});

test('what was asked before a change of subject is dropped', () => {
  const turn = new Turn();
  const old = turn.next();
  turn.forget();
  const now = turn.next();
  expect(turn.take(old)).toBe(false);
  expect(turn.take(now)).toBe(true);
});
