import { expect, test } from 'vitest';
import { Together } from './together';

/** An answer that comes when it is told to. */
function later<T>(value: T): { answer: Promise<T>; come: () => void; fail: () => void } {
  let come = () => {};
  let fail = () => {};
  const answer = new Promise<T>((resolve, reject) => {
    come = () => resolve(value);
    fail = () => reject(new Error(String(value)));
  });
  return { answer, come, fail };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

function asked(together: Together) {
  const came: string[] = [];
  const [first, second, third] = ['first', 'second', 'third'].map((name) => later(name)) as [ReturnType<typeof later<string>>, ReturnType<typeof later<string>>, ReturnType<typeof later<string>>];
  for (const { answer } of [first, second, third]) {
    together.of(answer).then(
      (name) => came.push(name),
      () => came.push('failed'),
    );
  }
  return { came, first, second, third };
}

test('while nobody waits, answers come at once when the last is here, and a failed one holds nobody up', async () => {
  const { came, first, second, third } = asked(new Together(() => false));
  first.come();
  second.fail();
  await settled();
  expect(came).toEqual([]);
  third.come();
  await settled();
  expect(came.sort()).toEqual(['failed', 'first', 'third']);
});

test('whoever waits has each answer as it comes', async () => {
  const { came, first, second } = asked(new Together(() => true));
  first.come();
  await settled();
  expect(came).toEqual(['first']);
  second.come();
  await settled();
  expect(came).toEqual(['first', 'second']);
});

test('one that does not come is not waited for without end', async () => {
  const { came, first } = asked(new Together(() => false, 20));
  first.come();
  await settled();
  expect(came).toEqual([]);
  await new Promise((resolve) => setTimeout(resolve, 40));
  expect(came).toEqual(['first']);
});
