// Sentences with figures in them, where lines are short.

/** The units that sentences have: shares, money, bytes and time. */
const units = /(\d) (?=(?:%|[€$£]|[KMGTPE]iB|B|core-(?:h|min|s)|ms|s|min|h)(?!\w))/g;

/** No line ends between a figure and its unit. */
export function unbroken(text: string): string {
  return text.replace(units, '$1\u00a0');
}
