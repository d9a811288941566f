// The one place of a report that reads and writes the address bar. Its sections stand below each other, and each has a state of its own; the
// address has that of the last one that was touched.

import { cluster, read, write, type Route, type Tab } from '../state/route';
import { compare, type CompareRoute } from '../state/compareRoute';

type Section = Route & { view: 'cluster' };

/** What the way back leads to: the state of all sections. */
interface Kept {
  sections: Readonly<Record<string, Section>>;
  comparison: CompareRoute | null;
}

const keyOf = (id: number, tab: Tab) => `${id}-${tab}`;

class Router {
  route: Route = $state.raw(read(''));
  #sections: Readonly<Record<string, Section>> = $state.raw({});
  #comparison: CompareRoute | null = $state.raw(null);

  constructor() {
    // Sections are there once the page is.
    setTimeout(() => (location.hash === '' ? this.#keep('') : this.#arrive()));
    window.addEventListener('popstate', ({ state }) => (state === null ? this.#arrive() : this.#restore(state as Kept)));
  }

  /** What is looked at in a section. */
  section(id: number, tab: Tab): Section {
    return this.#sections[keyOf(id, tab)] ?? cluster(id, tab);
  }

  comparison(a: number, b: number): CompareRoute {
    return this.#comparison ?? compare(a, b);
  }

  /** Going somewhere: the way back stays. */
  go(route: Route): void {
    this.#take(route);
    history.pushState(this.#kept(), '', write(route));
    const section = sectionOf(route);
    const place = section?.getBoundingClientRect();
    // Whoever is there already stays where they are.
    if (place !== undefined && (place.top > innerHeight * 0.7 || place.bottom < 0)) section?.scrollIntoView({ block: 'start' });
  }

  /** Adjusting what is shown: the way back skips it. */
  adjust(route: Route): void {
    this.#take(route);
    this.#keep(write(route));
  }

  #kept(): Kept {
    return { sections: this.#sections, comparison: this.#comparison };
  }

  #keep(address: string): void {
    history.replaceState(this.#kept(), '', address);
  }

  #restore({ sections, comparison }: Kept): void {
    this.#sections = sections;
    this.#comparison = comparison;
  }

  #take(route: Route): void {
    this.route = route;
    if (route.view === 'compare') this.#comparison = route;
    // A report is of all of the time.
    if (route.view === 'cluster') this.#sections = { ...this.#sections, [keyOf(route.id, route.tab)]: { ...route, from: null, to: null } };
  }

  /** A link leads to a section. */
  #arrive(): void {
    const route = read(location.hash);
    this.#take(route);
    this.#keep(location.hash);
    const section = sectionOf(route);
    section?.scrollIntoView({ block: 'start' });
    section?.focus({ preventScroll: true });
  }
}

function sectionOf(route: Route): HTMLElement | null {
  const [id, tab] = route.view === 'cluster' ? [route.id, route.tab] : route.view === 'profile' ? [route.ids[0] ?? 0, 'profile' as const] : [0, 'facts' as const];
  return document.getElementById(keyOf(id, tab)) ?? document.getElementById(`run-${id}`);
}

export const router = new Router();
