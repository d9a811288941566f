// A reader's choices that outlive the window. Without storage they last as long as the page.

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

function stored(key: string): string | null {
  try {
    return localStorage.getItem(`bobbin.${key}`);
  } catch {
    return null;
  }
}

function store(key: string, value: string): void {
  try {
    localStorage.setItem(`bobbin.${key}`, value);
  } catch {
    // Private windows refuse: the choice then ends with the page.
  }
}

class Settings {
  theme: Theme = $state(themes.find((theme) => theme === stored('theme')) ?? 'system');
  /** Tables instead of charts. */
  asTables: boolean = $state(stored('asTables') === 'yes');

  constructor() {
    this.#apply();
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    store('theme', theme);
    this.#apply();
  }

  setAsTables(on: boolean): void {
    this.asTables = on;
    store('asTables', on ? 'yes' : 'no');
  }

  #apply(): void {
    if (this.theme === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = this.theme;
  }
}

export const settings = new Settings();
