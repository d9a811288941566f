import { expect, test } from 'vitest';
import { markdown, type Block, type Inline } from './markdown';

/** Short marks: `*a*` emphasis, `**a**` strong, `[a](b)` an address that is read, `[a](b)!` one that opens. */
function flat(inline: Inline[]): string {
  return inline
    .map((piece) => {
      if (piece.is === 'text') return piece.text;
      if (piece.is === 'code') return `\`${piece.text}\``;
      if (piece.is === 'break') return '|';
      const inner = flat(piece.inline);
      if (piece.is === 'link') return `[${inner}](${piece.address})${piece.opens ? '!' : ''}`;
      return piece.is === 'strong' ? `**${inner}**` : `*${inner}*`;
    })
    .join('');
}

function lines(blocks: Block[]): string[] {
  return blocks.map((block) => {
    if (block.is === 'list') return `${block.first ?? '-'}(${block.items.map((item) => lines(item).join(';')).join(' / ')})`;
    if (block.is === 'quote') return `>(${lines(block.blocks).join(';')})`;
    if (block.is === 'code') return `{${block.text}}`;
    if (block.is === 'rule') return '---';
    return `${block.is === 'heading' ? '# ' : ''}${flat(block.inline)}`;
  });
}

test('a note has headings, lists, quotes, code and emphasis', () => {
  const note = '# Nightly\n\nIt **spilled** for *an hour*, see `read`.\nAgain.\n\n- one\n- two **b**\n\n3. third\n\n> said\n\n```py\na = 1\nb = 2\n```\n\n---\n';
  expect(lines(markdown(note))).toEqual([
    '# Nightly',
    'It **spilled** for *an hour*, see `read`. Again.',
    '-(one / two **b**)',
    '3(third)',
    '>(said)',
    '{a = 1\nb = 2}',
    '---',
  ]);
  expect(lines(markdown('plain text'))).toEqual(['plain text']);
  expect(markdown('')).toEqual([]);
});

test('an address is in sight, and only https opens', () => {
  const link = (note: string) => lines(markdown(note))[0];
  expect(link('[run](https://ci.example/7)')).toBe('[run](https://ci.example/7)!');
  expect(link('<https://ci.example/7>')).toBe('[](https://ci.example/7)!');
  expect(link('see https://ci.example/7.')).toBe('see [](https://ci.example/7)!.');
  expect(link('[x](http://ci.example)')).toBe('[x](http://ci.example)');
  expect(link('[x](javascript:alert)')).toBe('[x](javascript:alert)');
  expect(link('[x](data:text/html,y)')).toBe('[x](data:text/html,y)');
  expect(link('[x](https://bank.example@evil.example)')).toBe('[x](https://bank.example@evil.example)');
  expect(link('[x](#/1/prices)')).toBe('[x](#/1/prices)');
  expect(link('[x][y]\n\n[y]: https://a.example')).not.toContain('!');
});

test('HTML is text, and what cannot be seen is drawn', () => {
  expect(lines(markdown('a <img src=x onerror=y> b'))).toEqual(['a <img src=x onerror=y> b']);
  expect(lines(markdown('<script>\nx\n</script>'))[0]).toContain('<script>');
  expect(lines(markdown('a\u202eb'))[0]).toContain('‹U+202E›');
  expect(lines(markdown('```\na\u202eb\n```'))[0]).toContain('‹U+202E›');
  expect(() => markdown('>'.repeat(4000))).not.toThrow();
  expect(() => markdown('*'.repeat(4000))).not.toThrow();
});
