// A text around what was looked for in it.

export interface Part {
  text: string;
  found: boolean;
}

/** Whatever its case, as core looks for it. At most a thousand places are marked. */
export function parted(text: string, looked: string): Part[] {
  if (looked === '') return [{ text, found: false }];
  const parts: Part[] = [];
  const [all, one] = [text.toLowerCase(), looked.toLowerCase()];
  let from = 0;
  // Lower case may have another length: then places are not known.
  if (all.length === text.length) {
    for (let at = all.indexOf(one); at >= 0 && parts.length < 2000; at = all.indexOf(one, from)) {
      if (at > from) parts.push({ text: text.slice(from, at), found: false });
      parts.push({ text: text.slice(at, at + one.length), found: true });
      from = at + one.length;
    }
  }
  if (from < text.length) parts.push({ text: text.slice(from), found: false });
  return parts;
}
