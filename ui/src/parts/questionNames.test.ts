import { expect, test } from 'vitest';
import type { Question } from '../state/questions.svelte';
import { questionNames } from './questionNames';

const question = (command: Question['command'], request: object): Question => ({ command, request: JSON.stringify(request) });

test('a question that is alone has the name of its command', () => {
  expect(questionNames([question('task_groups', { id: 1 }), question('workers', { id: 1, limit: 1000 })])).toEqual(['Task groups', 'Workers']);
});

test('questions of one command are told apart by what differs', () => {
  expect(
    questionNames([
      question('worker_series', { id: 1, measure: 'cpu_percent', points: 600 }),
      question('worker_series', { id: 1, measure: 'processing', points: 600 }),
      question('thread_use', { id: 1, bins: 200 }),
      question('thread_use', { id: 1, bins: 60, prefixes: 12 }),
    ]),
  ).toEqual(['Worker series, measure cpu_percent', 'Worker series, measure processing', 'Thread use, bins 200', 'Thread use, bins 60, prefixes 12']);
});

test('what has no short words is numbered', () => {
  const asked = (from_micros: number, text: string) => question('exception_kinds', { id: null, from_micros, text });
  expect(questionNames([asked(1, 'x'.repeat(50)), asked(2, 'y'.repeat(50)), asked(3, 'a\u202eb')])).toEqual(['Exception kinds, no. 1', 'Exception kinds, no. 2', 'Exception kinds, text a‹U+202E›b']);
});
