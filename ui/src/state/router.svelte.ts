// The one place that reads and writes the address bar.

import { beside, besideOf } from '../api/beside';
import { read, write, type Route } from './route';

class Router {
  route: Route = $state.raw(read(location.hash));

  constructor() {
    window.addEventListener('hashchange', () => {
      if (besideOf(location.hash) !== beside) return location.reload();
      this.route = read(location.hash);
    });
  }

  /** Going somewhere: the way back stays. */
  go(route: Route): void {
    if (write(route) === location.hash) return;
    location.hash = write(route);
    this.route = route;
  }

  /** Adjusting what is shown: the way back skips it. */
  adjust(route: Route): void {
    history.replaceState(null, '', write(route));
    this.route = route;
  }
}

export const router = new Router();
