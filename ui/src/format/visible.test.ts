import { expect, test } from 'vitest';
import { visible, visibleLines } from './visible';

test('what cannot be seen is drawn as a token', () => {
  expect(visible('live \u202etxt.exe\u202c')).toBe('live ‹U+202E›txt.exe‹U+202C›');
  expect(visible('a\u200bb\ufeffc\u00add\u2066e\u{e0041}')).toBe('a‹U+200B›b‹U+FEFF›c‹U+00AD›d‹U+2066›e‹U+E0041›');
  expect(visible('two\nlines\tand\u0000nul')).toBe('two‹U+000A›lines‹U+0009›and‹U+0000›nul');
});

test('colours of terminals are left out', () => {
  expect(visibleLines('\u001b[31mError\u001b[0m: no\u001b]8;;http://x\u0007link\u001b]8;;\u0007')).toBe('Error: nolink');
});

test('lines stay lines where they are meant', () => {
  expect(visibleLines('a\r\n\tb\u202e\n')).toBe('a\n\tb‹U+202E›\n');
});

test('ordinary text of any script is left alone', () => {
  for (const text of ['naïve – façade', '你好', 'می\u200cخواهم', 'क\u094d\u200dष', '👩\u200d💻 etl', '👩🏽\u200d🚀', '❤\ufe0f\u200d🔥', '<b>&amp;'])
    expect(visible(text)).toBe(text);
});

test('joiners between Latin letters hide something', () => {
  expect(visible('pay\u200dpal')).toBe('pay‹U+200D›pal');
});
