// Notes in Markdown, as a tree of what is drawn: pieces become text nodes, so that nothing in a note is ever markup of the page.

import type { SyntaxNode } from '@lezer/common';
import { Autolink, parser as whole } from '@lezer/markdown';
import { visible, visibleLines } from '../format/visible';

export type Inline =
  | { is: 'text'; text: string }
  | { is: 'code'; text: string }
  | { is: 'break' }
  | { is: 'strong'; inline: Inline[] }
  | { is: 'emphasis'; inline: Inline[] }
  /** `opens` is an address of https; any other is only read. */
  | { is: 'link'; inline: Inline[]; address: string; opens: boolean };

export type Block =
  | { is: 'paragraph'; inline: Inline[] }
  | { is: 'heading'; inline: Inline[] }
  | { is: 'list'; first: number | null; items: Block[][] }
  | { is: 'quote'; blocks: Block[] }
  | { is: 'code'; text: string }
  | { is: 'rule' };

/** Without HTML, which is text then; without links by a name, which show their address far away. */
const parser = whole.configure([Autolink, { remove: ['HTMLBlock', 'LinkReference', 'Image'] }]);

/** Nothing nests deeper in a note that people write. */
const deepest = 16;

export function markdown(note: string): Block[] {
  return blocks(parser.parse(note).topNode, note, 0);
}

function children(node: SyntaxNode): SyntaxNode[] {
  const found = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) found.push(child);
  return found;
}

function slice(node: { from: number; to: number }, note: string): string {
  return note.slice(node.from, node.to);
}

function blocks(parent: SyntaxNode, note: string, depth: number): Block[] {
  if (depth > deepest) return [{ is: 'paragraph', inline: [text(slice(parent, note))] }];
  return children(parent).flatMap((node): Block[] => {
    switch (node.name) {
      case 'BulletList':
      case 'OrderedList': {
        const first = node.name === 'OrderedList' ? Number.parseInt(slice(node, note), 10) : null;
        const items = children(node).filter((item) => item.name === 'ListItem');
        return [{ is: 'list', first, items: items.map((item) => blocks(item, note, depth + 1)) }];
      }
      case 'Blockquote':
        return [{ is: 'quote', blocks: blocks(node, note, depth + 1) }];
      case 'FencedCode':
      case 'CodeBlock':
        return [{ is: 'code', text: visibleLines(node.getChildren('CodeText').map((part) => slice(part, note)).join('\n')) }];
      case 'HorizontalRule':
        return [{ is: 'rule' }];
      case 'Paragraph':
        return [{ is: 'paragraph', inline: inline(node, note) }];
      case 'ListMark':
      case 'QuoteMark':
        return [];
      default:
        return [{ is: node.name.includes('Heading') ? 'heading' : 'paragraph', inline: inline(node, note) }];
    }
  });
}

function text(piece: string): Inline {
  // A line that is broken in a paragraph goes on.
  return { is: 'text', text: visible(piece.replace(/\s*\r?\n\s*/g, ' ')) };
}

function inline(parent: SyntaxNode, note: string, depth = 0): Inline[] {
  if (depth > deepest) return [text(slice(parent, note))];
  const out: Inline[] = [];
  let at = parent.from;
  const until = (to: number) => {
    if (to > at) out.push(text(note.slice(at, to)));
  };
  for (const node of children(parent)) {
    until(node.from);
    at = node.to;
    if (!/Mark$/.test(node.name)) out.push(...piece(node, note, depth));
    else if (node.name === 'HeaderMark') while (note[at] === ' ') at += 1;
  }
  until(parent.to);
  return out;
}

function piece(node: SyntaxNode, note: string, depth: number): Inline[] {
  const written = slice(node, note);
  switch (node.name) {
    case 'StrongEmphasis':
      return [{ is: 'strong', inline: inline(node, note, depth + 1) }];
    case 'Emphasis':
      return [{ is: 'emphasis', inline: inline(node, note, depth + 1) }];
    case 'InlineCode':
      return [{ is: 'code', text: visible(written.replace(/^`+|`+$/g, '').trim()) }];
    case 'HardBreak':
      return [{ is: 'break' }];
    case 'Escape':
      return [text(written.slice(1))];
    case 'Link': {
      const url = node.getChild('URL');
      const marks = node.getChildren('LinkMark');
      if (url === null || marks.length < 2) return [text(written)];
      const label = slice({ from: marks[0]!.to, to: marks[1]!.from }, note);
      return [link([text(label)], slice(url, note))];
    }
    case 'Autolink':
    case 'URL':
      return [link([], written.replace(/^<|>$/g, ''))];
    default:
      return [text(written)];
  }
}

function link(inline: Inline[], address: string): Inline {
  let opens = false;
  try {
    const url = new URL(address);
    // A name before the host would make it look like another.
    opens = url.protocol === 'https:' && url.username === '' && url.password === '' && visible(address) === address;
  } catch {
    // No address: it is read as it stands.
  }
  return { is: 'link', inline, address, opens };
}
