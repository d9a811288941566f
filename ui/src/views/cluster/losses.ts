// What of a cluster's record was lost, in words.

import type { Losses } from '../../generated/api';
import { plural } from '../../format/number';

/** One sentence for each kind of loss; none is a full record. */
export function lossWords(losses: Losses): string[] {
  const out: string[] = [];
  const are = (n: number) => (n === 1 ? 'is' : 'are');
  if (losses.missing_records > 0)
    out.push(`${plural(losses.missing_records, 'record')} between batches that arrived ${are(losses.missing_records)} missing; charts show the gap hatched.`);
  for (const [kind, n] of Object.entries(losses.dropped_records)) {
    if (n === 0) continue;
    if (kind === 'exception_text') out.push(`${plural(n, 'record')} of exceptions arrived without message and traceback: the cluster ended before those could be sent or encrypted.`);
    else out.push(`The plugin dropped ${plural(n, `${kind} record`)} to stay within its limits.`);
  }
  if (losses.refused_records > 0) out.push(`${plural(losses.refused_records, 'record')} could not be read.`);
  if (losses.conflicts > 0)
    out.push(`${plural(losses.conflicts, 'batch', 'batches')} arrived again with different bytes; Bobbin kept the first.`);
  if (losses.unchecked > 0)
    out.push(
      `${plural(losses.unchecked, 'batch', 'batches')} arrived again after more than a week. Bobbin kept the first and could not compare their bytes.`,
    );
  if (losses.kept_unknown > 0)
    out.push(`${plural(losses.kept_unknown, 'record')} with kinds or fields that this version does not know ${are(losses.kept_unknown)} kept.`);
  return out;
}
