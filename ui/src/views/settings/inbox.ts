// What became of a file that arrived.

import type { InboxFile } from '../../generated/api';
import { count, plural } from '../../format/number';
import { visible } from '../../format/visible';

/** What is said before the names of its clusters, and behind them. */
export interface FileWords {
  said: string;
  after: string;
}

/** `fully read: 12 records from` …, `imported as` …, `set aside because …`. */
export function fileWords(file: InboxFile): FileWords {
  const clusters = file.clusters_total > 0;
  const more = file.clusters_total - file.clusters.length;
  const others = more > 0 ? ` and ${count(more)} more` : '';
  const records = file.records === null || file.records === 0 ? '' : plural(file.records, 'record');
  const of = clusters ? ' from' : '';
  switch (file.fate) {
    case 'unread':
      return { said: 'not read yet', after: '' };
    case 'read': {
      const read = file.goes_on ? 'read so far' : 'fully read';
      const further = file.goes_on ? '; reading continues when it grows' : '';
      return { said: records === '' ? `${read}${clusters ? ',' : ''}${of}` : `${read}: ${records}${of}`, after: others + further };
    }
    case 'imported': {
      const why = file.why === null ? '' : visible(file.why);
      if (file.taken === 0) return { said: `nothing new: ${why}${clusters ? ':' : ''}`, after: others };
      const left = file.left_out === 0 ? '' : `; ${plural(file.left_out, 'other')} skipped: ${why}`;
      return { said: clusters ? 'imported as' : 'imported; its clusters are no longer here', after: others + left };
    }
    case 'refused': {
      const why = file.why === null || file.why === '' ? '' : ` because ${visible(file.why)}`;
      const refused = `${file.aside === null ? 'not read' : 'set aside'}${why}`;
      return records === '' ? { said: refused, after: '' } : { said: `${records}${of}`, after: `${others} read, then ${refused}` };
    }
  }
}
