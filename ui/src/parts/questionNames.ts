// What the questions of panels are called.

import { visible } from '../format/visible';
import type { Question } from '../state/questions.svelte';

/** Longer values tell nobody more. */
const longest = 40;

/** Those of one command are told apart by what else they ask, and by a number where that has no short words. */
export function questionNames(all: readonly Question[]): string[] {
  const names = all.map((question) => [sentence(question.command), ...apart(question, all)].join(', '));
  const seen = new Map<string, number>();
  return names.map((name) => {
    if (names.indexOf(name) === names.lastIndexOf(name)) return name;
    const nth = (seen.get(name) ?? 0) + 1;
    seen.set(name, nth);
    return `${name}, no. ${nth}`;
  });
}

function sentence(command: string): string {
  const words = command.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What a question asks otherwise than others of its command. Moments have no short words. */
function apart({ command, request }: Question, all: readonly Question[]): string[] {
  const fields = (text: string) => JSON.parse(text) as Record<string, unknown>;
  const same = all.filter((other) => other.command === command).map((other) => fields(other.request));
  return Object.entries(fields(request))
    .filter(([name, value]) => !name.endsWith('_micros') && same.some((other) => other[name] !== value))
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value) && String(value).length <= longest)
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${visible(String(value))}`);
}
