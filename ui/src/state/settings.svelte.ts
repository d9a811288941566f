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
  as_tables: boolean = $state(stored('as_tables') === 'yes');

  constructor() {
    this.#apply();
  }

  set_theme(theme: Theme): void {
    this.theme = theme;
    store('theme', theme);
    this.#apply();
  }

  set_as_tables(on: boolean): void {
    this.as_tables = on;
    store('as_tables', on ? 'yes' : 'no');
  }

  #apply(): void {
    if (this.theme === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = this.theme;
  }
}

export const settings = new Settings();
