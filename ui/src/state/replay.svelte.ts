// What is played once more. A page that looks at its cluster goes along when going elsewhere makes it another one.

import { ApiError, client, type Request } from '../api';
import type { Playing } from '../generated/api';
import { cluster } from './route';
import { router } from './router.svelte';

class Replaying {
  playing: Playing | null = $state.raw(null);
  /** When that was said, in microseconds. */
  seen: number = $state(0);
  error: ApiError | null = $state.raw(null);
  busy: boolean = $state(false);

  /** Takes what the core says of it. */
  take(playing: Playing | null): void {
    const before = this.playing?.cluster ?? null;
    this.playing = playing;
    this.seen = Date.now() * 1000;
    const after = playing?.cluster ?? null;
    const { route } = router;
    if (before !== null && after !== null && before !== after && route.view === 'cluster' && route.id === before)
      router.adjust({ ...route, id: after });
  }

  async set(request: Request<'set_replay'>): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    try {
      this.take((await client.call('set_replay', request)).playing);
      this.error = null;
    } catch (error) {
      this.error = error instanceof ApiError ? error : new ApiError('internal', String(error));
    }
    this.busy = false;
  }

  /** Begins with a story or a stored cluster, and goes where it can be seen. */
  async begin(what: { story: string } | { cluster: number }): Promise<void> {
    await this.set({ ...what, speed: 10 });
    const id = this.playing?.cluster ?? null;
    if (this.error === null && id !== null) router.go(cluster(id));
  }
}

export const replaying = new Replaying();
