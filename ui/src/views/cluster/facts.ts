// What a cluster is made of, and what is missing from its record, as lines of words.

import type { Cluster, Losses } from '../../generated/api';
import { bytes } from '../../format/bytes';
import { duration } from '../../format/duration';
import { count, none, plural } from '../../format/number';
import { dateTime } from '../../format/time';

export interface Fact {
  name: string;
  value: string;
  /** Names from strangers are isolated from their neighbours. */
  theirs?: boolean;
}

export function facts({ row, facts: f }: Cluster): { title: string; facts: Fact[] }[] {
  const said = (name: string, value: string | null | undefined): Fact => ({ name, value: value ?? none, theirs: true });
  return [
    {
      title: 'Cluster',
      facts: [
        said('Class', f.cluster_class ?? 'bare scheduler'),
        said('Scheduler', f.scheduler_address),
        said('Dashboard', f.dashboard_url),
        said('Id', row.scheduler_id),
        said('User', row.user),
        said('Host', row.host),
        said('Project', row.project),
        ...Object.entries(row.tags).map(([name, value]) => said(`Tag ${name}`, value)),
        { name: 'Started', value: dateTime(row.started_micros) },
        { name: 'Stopped', value: row.state === 'lost' ? 'not known' : row.stopped_micros === null ? 'not yet' : dateTime(row.stopped_micros) },
        { name: 'Last heard', value: dateTime(row.last_heard_micros) },
      ],
    },
    {
      title: 'Environment',
      facts: [
        said('Python', f.python_version),
        said('Path', f.python_path),
        said('System', f.os),
        said('Architecture', f.architecture),
        ...Object.entries(f.versions).map(([name, version]) => ({
          name,
          value: version === null ? 'not installed' : version,
          theirs: true,
        })),
      ],
    },
    {
      title: 'Collection',
      facts: [
        { name: 'Plugin', value: `bobbin ${f.plugin_version}` },
        { name: 'Reports every', value: duration(f.interval_micros / 1e6) },
        { name: 'Code', value: f.code_sent ? 'sent' : 'off at source' },
        { name: 'Profiles', value: f.profile_sent ? 'sent' : 'off at source' },
        { name: 'Events', value: f.events_allow.length === 0 ? 'off at source' : f.events_allow.join(', '), theirs: true },
        { name: 'Closing from here', value: f.remote_close_allowed ? 'allowed' : 'not allowed' },
        {
          name: 'Cost of last beat',
          value: f.plugin_beat_micros === null ? none : `${duration(f.plugin_beat_micros / 1e6)} of the scheduler’s loop`,
        },
        { name: 'Sent', value: bytes(f.plugin_sent_bytes) },
        { name: 'Errors in the plugin', value: count(f.plugin_hook_errors) },
      ],
    },
  ];
}

export function factsText(cluster: Cluster): string {
  return facts(cluster)
    .map(({ title, facts: list }) => [title, ...list.map(({ name, value }) => `  ${name}: ${value}`)].join('\n'))
    .join('\n\n');
}

/** One sentence for each kind of loss; none is a full record. */
export function lossWords(losses: Losses): string[] {
  const out: string[] = [];
  const are = (n: number) => (n === 1 ? 'is' : 'are');
  if (losses.missing_records > 0)
    out.push(`${plural(losses.missing_records, 'record')} between batches that arrived ${are(losses.missing_records)} missing; charts show the gap hatched.`);
  for (const [kind, n] of Object.entries(losses.dropped_records))
    if (n > 0) out.push(`The plugin shed ${plural(n, `${kind} record`)} to stay within its bounds.`);
  if (losses.refused_records > 0) out.push(`${plural(losses.refused_records, 'record')} could not be read.`);
  if (losses.conflicts > 0)
    out.push(`${plural(losses.conflicts, 'batch', 'batches')} came again with other bytes; the first stands.`);
  if (losses.kept_unknown > 0)
    out.push(`${plural(losses.kept_unknown, 'record')} with kinds or fields that this version does not know ${are(losses.kept_unknown)} kept.`);
  return out;
}
