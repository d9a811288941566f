// Lines of source, asked for one by one and kept: the same function is pointed at again and again.

import { client } from '../../api';
import type { ProfileSelection } from '../../generated/api';

const most = 2000;

export class Lines {
  #known = new Map<string, string | null>();

  known(tree: string, key: number): string | null | undefined {
    return this.#known.get(`${tree} ${key}`);
  }

  /** A line, or null where there is none or nobody answers. */
  async of(selection: ProfileSelection, tree: string, key: number): Promise<string | null> {
    const known = this.known(tree, key);
    if (known !== undefined) return known;
    const { text } = await client.call('flame_line', { selection, tree, function: key }).catch(() => ({ text: null }));
    if (this.#known.size >= most) this.#known.clear();
    this.#known.set(`${tree} ${key}`, text);
    return text;
  }
}
