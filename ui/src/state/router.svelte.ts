// The one place that reads and writes the address bar.

import { beside, besideOf } from '../api/beside';
import { clusters, read, write, type Route } from './route';

class Router {
  route: Route = $state.raw(read(location.hash));
  /** The list of clusters as it was seen last: what of it leads elsewhere leads back to it. */
  list: Route & { view: 'clusters' } = $state.raw(clusters);
  /** The address that `route` was read from or written to. */
  #here = location.hash;

  constructor() {
    this.#take(this.route);
    // A step back tells the one at once and the other a little later; a view that draws in between would draw what was left.
    window.addEventListener('popstate', () => this.#arrive());
    window.addEventListener('hashchange', () => this.#arrive());
  }

  /** Going somewhere: the way back stays. */
  go(route: Route): void {
    if (write(route) === location.hash) return;
    location.hash = write(route);
    this.#take(route);
  }

  /** Adjusting what is shown: the way back skips it. Where somebody has just gone elsewhere, what is there stays as it is. */
  adjust(route: Route): void {
    if (location.hash !== this.#here) return;
    history.replaceState(null, '', write(route));
    this.#take(route);
  }

  #arrive(): void {
    if (location.hash === this.#here) return;
    if (besideOf(location.hash) !== beside) return location.reload();
    this.#take(read(location.hash));
  }

  #take(route: Route): void {
    this.#here = location.hash;
    this.route = route;
    if (route.view === 'clusters') this.list = route;
  }
}

export const router = new Router();
