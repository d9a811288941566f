// Sentences in which figures have units.

const unit = String.raw`(?:core-(?:h|min|s)|[KMGTP]?i?B|ms|min|[dhs]|%|\p{Sc})(?![\p{L}\p{N}_-])`;
const figure = new RegExp(String.raw`((?<![\p{L}\p{N}.,–_-])(?:[≈<>] )?\d[\d.,–]{0,30} ${unit}(?: \d{1,3} ${unit})*)`, 'u');

/** In parts, of which every second one is a figure with its unit: `no report for `, `1 d 23 h`, `, expected every `, `2 min`, and the rest. */
export function figures(sentence: string): string[] {
  return sentence.split(figure);
}
