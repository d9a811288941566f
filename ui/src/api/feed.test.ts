import { expect, test } from 'vitest';
import { near, paced, Turn, wide, type Clock } from './feed';

function toyClock() {
  let now = 0;
  let touched = 0;
  let timers: { at: number; f: () => void }[] = [];
  const clock: Clock = {
    now: () => now,
    rested: () => now - touched,
    later: (f, ms) => {
      const timer = { at: now + ms, f };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
  };
  return {
    clock,
    touch() {
      touched = now;
    },
    comeBack() {
      touched = now;
      const all = timers;
      timers = [];
      for (const timer of all) timer.f();
    },
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
  const ask = paced(() => asked++, near, clock);
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

test('while nobody is at the page, changes that never end are asked for rarely', () => {
  const { clock, pass, touch } = toyClock();
  const asked: number[] = [];
  const ask = paced(() => asked.push(clock.now()), wide, clock);
  const seconds = (count: number) => {
    for (let part = 0; part < 4 * count; part++) {
      if (part % 4 === 0) ask();
      pass(250);
    }
  };
  seconds(10);
  expect(asked).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((second) => second * 1_000));
  seconds(22);
  expect(asked.slice(10)).toEqual([20_000, 30_000]);
  // Even more rarely after two minutes.
  seconds(88);
  expect(asked.at(-1)).toBe(120_000);
  seconds(121);
  expect(asked.slice(-2)).toEqual([120_000, 240_000]);
  // A single one after a while is asked for at once, and so is each while somebody looks on.
  pass(121_000);
  pass(121_000);
  ask();
  expect(asked.at(-1)).toBe(clock.now());
  touch();
  pass(300);
  ask();
  expect(asked.at(-1)).toBe(clock.now());
});

test('what is asked for rarely is asked for at the same moments, whenever each began', () => {
  const { clock, pass } = toyClock();
  const asked: Record<string, number[]> = { one: [], other: [] };
  pass(20_300);
  const one = paced(() => asked.one!.push(clock.now()), wide, clock);
  one();
  pass(700);
  const other = paced(() => asked.other!.push(clock.now()), wide, clock);
  for (let second = 21; second < 51; second++) {
    one();
    other();
    pass(1_000);
  }
  expect(asked).toEqual({ one: [20_300, 30_000, 40_000, 50_000], other: [21_000, 30_000, 40_000, 50_000] });
});

test('whoever comes back sees at once what was not asked for, and it is asked for once', () => {
  const { clock, pass, comeBack } = toyClock();
  const asked: number[] = [];
  const ask = paced(() => asked.push(clock.now()), wide, clock);
  pass(20_000);
  ask();
  pass(1_000);
  ask();
  pass(1_000);
  expect(asked).toEqual([20_000]);
  comeBack();
  expect(asked).toEqual([20_000, 22_000]);
  pass(20_000);
  expect(asked).toEqual([20_000, 22_000]);
});

test('what time alone brings is asked for at once, and is no change', () => {
  const { clock, pass } = toyClock();
  let asked = 0;
  const ask = paced(() => asked++, wide, clock);
  for (let i = 0; i < 10; i++) {
    pass(5_000);
    ask.tick();
  }
  expect(asked).toBe(10);
  ask();
  expect(asked).toBe(11);
  // One that waits is asked for soon.
  ask();
  ask.tick();
  expect(asked).toBe(11);
});

test('what was asked a moment ago is not asked again because of time', () => {
  const { clock, pass } = toyClock();
  const asked: number[] = [];
  const ask = paced(() => asked.push(clock.now()), wide, clock);
  pass(20_000);
  ask();
  pass(200);
  ask.tick();
  expect(asked).toEqual([20_000]);
  pass(10_000);
  ask.tick();
  expect(asked).toEqual([20_000, 30_200]);
});

test('a stopped one does not ask', () => {
  const { clock, pass } = toyClock();
  let asked = 0;
  const ask = paced(() => asked++, near, clock);
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
