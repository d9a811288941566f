// A change of a setting: under way, done, or refused with a reason.

import { ApiError } from '../../api';

export class Changing {
  busy: boolean = $state(false);
  error: ApiError | null = $state.raw(null);
  /** What was done, for those who do not see it. */
  said: string = $state('');

  /** Gives the answer, or null where it was refused. */
  async run<T>(call: () => Promise<T>, done: string): Promise<T | null> {
    this.busy = true;
    this.said = '';
    try {
      const answer = await call();
      this.error = null;
      this.said = done;
      return answer;
    } catch (failed) {
      this.error = failed instanceof ApiError ? failed : new ApiError('internal', String(failed));
      return null;
    } finally {
      this.busy = false;
    }
  }
}
