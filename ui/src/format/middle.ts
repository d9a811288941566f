// Text that has no room: what tells names of one kind apart is at their ends, so the middle is left out.

/** No more than so many letters. */
export function middle(text: string, letters: number): string {
  const all = [...text];
  if (all.length <= letters) return text;
  const kept = Math.max(1, letters - 1);
  const end = Math.floor(kept * 0.4);
  return `${all.slice(0, kept - end).join('')}…${end === 0 ? '' : all.slice(-end).join('')}`;
}

/** Of names with commas between them those that have room, and a sign that there are more; none of several is cut. */
export function someOf(names: string, letters: number): string {
  if ([...names].length <= letters) return names;
  const all = names.split(', ');
  for (let shown = all.length - 1; shown > 0; shown -= 1) {
    const some = `${all.slice(0, shown).join(', ')}, …`;
    if ([...some].length <= letters) return some;
  }
  return middle(all[0]!, letters);
}

/** A text in two lines, parted where a word of it ends. A short first line is better than a word that is cut. */
export function twoLines(text: string, letters: number): [string] | [string, string] {
  const all = [...text];
  if (all.length <= letters) return [text];
  let at = letters;
  for (let i = letters; i > letters / 2 || (i > 1 && all.length - i <= letters); i -= 1) {
    if (/[\s\-_.,:;/|]/.test(all[i - 1]!)) {
      at = i;
      break;
    }
  }
  return [all.slice(0, at).join('').trimEnd(), middle(all.slice(at).join('').trimStart(), letters)];
}
