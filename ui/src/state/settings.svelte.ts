// A reader's choices that outlive the window. Without storage they last as long as the page.

import { chosen, unitSystems, type UnitSystem } from '../format/chosen.svelte';
import { isZone } from '../format/zone';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

/** Lines and quiet text, as the system says, or as strong as they get. */
export const contrasts = ['system', 'high'] as const;
export type Contrast = (typeof contrasts)[number];

/** In percent of the reader's own. */
export const textSizes = [90, 100, 115, 130, 150, 200] as const;
export type TextSize = (typeof textSizes)[number];

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

/** Verdicts that are kept silent; more than that nobody remembers. */
const mutes = 200;

class Settings {
  theme: Theme = $state(themes.find((theme) => theme === stored('theme')) ?? 'system');
  contrast: Contrast = $state(contrasts.find((contrast) => contrast === stored('contrast')) ?? 'system');
  textSize: TextSize = $state(textSizes.find((size) => String(size) === stored('textSize')) ?? 100);
  /** Larger type, to be read from afar. */
  presenting: boolean = $state(stored('presenting') === 'yes');
  /** Tables instead of charts. */
  asTables: boolean = $state(stored('asTables') === 'yes');
  /** Names of the columns of the list of clusters, from left to right; null is as it comes. */
  clusterColumns: string[] | null = $state.raw(stored('clusterColumns')?.split(' ').filter((name) => name !== '') ?? null);
  /** Of two runs only what differs, where the address does not say. */
  differencesOnly: boolean = $state(stored('differencesOnly') !== 'no');

  /** Of the figures of two runs only the columns in which they differ, where the address does not say. */
  hideConstant: boolean = $state(stored('hideConstant') !== 'no');

  /** Whether flame graphs grow downwards. */
  rootOnTop: boolean = $state(stored('rootOnTop') !== 'no');

  /** Whether a name that has no room in its frame is cut at its beginning, and its end stays. */
  nameEnds: boolean = $state(stored('nameEnds') === 'yes');

  /** Whether there were clusters when the page was here last: then it does not wait to hear whether this is the first run. */
  begun: boolean = stored('begun') === 'yes';

  /** Verdicts that the reader knows of, by cluster and reasons. */
  muted: readonly string[] = $state.raw((stored('muted') ?? '').split('\n').filter((key) => key !== ''));

  constructor() {
    const zone = stored('timeZone');
    if (zone !== null && isZone(zone)) chosen.timeZone = zone;
    chosen.units = unitSystems.find((units) => units === stored('units')) ?? 'binary';
    this.#apply();
  }

  setContrast(contrast: Contrast): void {
    this.contrast = contrast;
    store('contrast', contrast);
    this.#apply();
  }

  setTextSize(size: TextSize): void {
    this.textSize = size;
    store('textSize', String(size));
    this.#apply();
  }

  setPresenting(on: boolean): void {
    this.presenting = on;
    store('presenting', on ? 'yes' : 'no');
    this.#apply();
  }

  /** Null is the system's. A zone that is not known here changes nothing. */
  setTimeZone(zone: string | null): boolean {
    if (zone !== null && !isZone(zone)) return false;
    chosen.timeZone = zone;
    store('timeZone', zone ?? '');
    return true;
  }

  setUnits(units: UnitSystem): void {
    chosen.units = units;
    store('units', units);
  }

  /** Everything about how it looks and reads, as it first was. */
  resetAppearance(): void {
    this.setTheme('system');
    this.setContrast('system');
    this.setTextSize(100);
    this.setPresenting(false);
    this.setTimeZone(null);
    this.setUnits('binary');
    this.setAsTables(false);
    this.setRootOnTop(true);
    this.setNameEnds(false);
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

  setBegun(begun: boolean): void {
    if (this.begun === begun) return;
    this.begun = begun;
    store('begun', begun ? 'yes' : 'no');
  }

  setRootOnTop(on: boolean): void {
    this.rootOnTop = on;
    store('rootOnTop', on ? 'yes' : 'no');
  }

  setNameEnds(on: boolean): void {
    this.nameEnds = on;
    store('nameEnds', on ? 'yes' : 'no');
  }

  setDifferencesOnly(on: boolean): void {
    this.differencesOnly = on;
    store('differencesOnly', on ? 'yes' : 'no');
  }

  setHideConstant(on: boolean): void {
    this.hideConstant = on;
    store('hideConstant', on ? 'yes' : 'no');
  }

  mute(key: string, on: boolean): void {
    const others = this.muted.filter((known) => known !== key);
    this.muted = on ? [...others, key].slice(-mutes) : others;
    store('muted', this.muted.join('\n'));
  }

  setClusterColumns(names: readonly string[]): void {
    this.clusterColumns = [...names];
    store('clusterColumns', names.join(' '));
  }

  #apply(): void {
    const { dataset } = document.documentElement;
    const put = (name: string, value: string | null) => {
      if (value === null) delete dataset[name];
      else dataset[name] = value;
    };
    put('theme', this.theme === 'system' ? null : this.theme);
    put('contrast', this.contrast === 'system' ? null : this.contrast);
    put('text', this.textSize === 100 ? null : String(this.textSize));
    put('presenting', this.presenting ? 'yes' : null);
  }
}

export const settings = new Settings();
