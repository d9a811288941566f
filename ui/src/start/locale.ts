// Must be the first import of the page. WebKitGTK calls the locale "C" when LANG is unset, which is no valid language
// tag: any code that hands it to Intl would throw and leave a blank window.

/** Whether Intl takes this language tag. */
export function usable(language: string | undefined): boolean {
  try {
    new Intl.NumberFormat(language);
    return language !== undefined && language !== '';
  } catch {
    return false;
  }
}

if (typeof navigator !== 'undefined' && !usable(navigator.language)) {
  Object.defineProperty(navigator, 'language', { value: 'en-US', configurable: true });
  Object.defineProperty(navigator, 'languages', { value: ['en-US'], configurable: true });
}
