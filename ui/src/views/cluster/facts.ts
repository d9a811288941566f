// What a cluster is made of, and what is missing from its record, as lines of words.

import type { Cluster, Losses } from '../../generated/api';
import { duration } from '../../format/duration';
import { none, plural } from '../../format/number';
import { dateTime } from '../../format/time';
import { visible } from '../../format/visible';
import { costFigures } from './watching';
import { categories, daskVersion, offSince, offWords, sourceWords, unavailableWords, type Category } from './told';

export interface Fact {
  name: string;
  value: string;
  /** Names from strangers are isolated from their neighbours. */
  theirs?: boolean;
}

export function facts({ row, facts: f }: Cluster): { title: string; facts: Fact[] }[] {
  const said = (name: string, value: string | null | undefined): Fact => ({ name, value: value === null || value === undefined || value === '' ? none : value, theirs: true });
  const unlessOff = (name: string, value: string | null, category: Category) =>
    value === null && offSince(f, category) !== null ? said(name, 'off at source') : said(name, value);
  const file = sourceWords(f.from_bundle?.source);
  return [
    {
      title: 'Cluster',
      facts: [
        said('Class', f.cluster_class ?? 'bare scheduler'),
        unlessOff('Scheduler', f.scheduler_address, 'host'),
        unlessOff('Dashboard', f.dashboard_url, 'host'),
        said('Id', row.scheduler_id),
        unlessOff('User', row.user === null || f.said_user == null || f.said_user === row.user ? row.user : `${row.user}, as it says ${f.said_user}`, 'user'),
        unlessOff('Host', row.host, 'host'),
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
        unlessOff('Path', f.python_path, 'paths'),
        said('System', f.os),
        said('Architecture', f.architecture),
        ...Object.entries(f.host_versions).map(([name, version]) => said(name, version)),
      ],
    },
    {
      title: 'Packages',
      facts: [
        ...Object.entries(f.versions).map(([name, version]) => ({
          name,
          value: version === null ? 'not installed' : version,
          theirs: true,
        })),
      ],
    },
    {
      title: 'Collection',
      facts: file !== null ? [
        { name: 'Read from', value: `${file}, ${dateTime(f.from_bundle?.imported_micros)}` },
        { name: 'Not in this file', value: f.unavailable.length === 0 ? 'nothing' : unavailableWords(f).join(', '), theirs: true },
      ] : [
        { name: 'Plugin', value: `bobbin ${visible(f.plugin_version)}` },
        { name: 'Reports every', value: duration(f.interval_micros / 1e6) },
        { name: 'Closes when idle', value: f.idle_timeout_micros === null ? 'never' : `after ${duration(f.idle_timeout_micros / 1e6)}` },
        { name: 'Closing from here', value: f.remote_close_allowed ? 'allowed' : 'not allowed' },
        { name: 'Topics of events', value: f.events_allow.length === 0 ? 'none' : f.events_allow.join(', '), theirs: true },
        {
          name: `Not in ${daskVersion(f)}`,
          value: f.unavailable.length === 0 ? 'nothing: it tells everything that Bobbin reads' : unavailableWords(f).join(', '),
          theirs: true,
        },
      ],
    },
  ];
}

/** Each category, and since when it is off at source. */
export function sent({ facts: f }: Cluster): { category: Category; label: string; since: number | null }[] {
  return categories.map((category) => ({ category, label: offWords[category].label, since: offSince(f, category) }));
}

export function factsText(cluster: Cluster): string {
  const lists = [
    ...facts(cluster).map(({ title, facts: list }) => ({ title, lines: list.map(({ name, value }) => `${name}: ${value}`) })),
    { title: 'Sent', lines: sent(cluster).map(({ label, since }) => `${label}: ${since === null ? 'sent' : `off at source since ${dateTime(since)}`}`) },
    { title: 'What watching costs', lines: costFigures(cluster).map(({ label, value }) => `${label}: ${value}`) },
    { title: 'Other versions', lines: cluster.facts.mismatches.map((m) => `${m.package}: ${m.version ?? 'not installed'} on ${plural(m.count, m.where)}, not ${cluster.facts.versions[m.package] ?? 'not installed'}`) },
  ];
  return lists
    .filter(({ lines }) => lines.length > 0)
    .map(({ title, lines }) => [title, ...lines.map((line) => `  ${line}`)].join('\n'))
    .join('\n\n');
}

/** One sentence for each kind of loss; none is a full record. */
export function lossWords(losses: Losses): string[] {
  const out: string[] = [];
  const are = (n: number) => (n === 1 ? 'is' : 'are');
  if (losses.missing_records > 0)
    out.push(`${plural(losses.missing_records, 'record')} between batches that arrived ${are(losses.missing_records)} missing; charts show the gap hatched.`);
  for (const [kind, n] of Object.entries(losses.dropped_records)) {
    if (n === 0) continue;
    if (kind === 'exception_text') out.push(`${plural(n, 'record')} of exceptions came without message and traceback: the cluster ended before those could be sent or sealed.`);
    else out.push(`The plugin shed ${plural(n, `${kind} record`)} to stay within its bounds.`);
  }
  if (losses.refused_records > 0) out.push(`${plural(losses.refused_records, 'record')} could not be read.`);
  if (losses.conflicts > 0)
    out.push(`${plural(losses.conflicts, 'batch', 'batches')} came again with other bytes; the first stands.`);
  if (losses.kept_unknown > 0)
    out.push(`${plural(losses.kept_unknown, 'record')} with kinds or fields that this version does not know ${are(losses.kept_unknown)} kept.`);
  return out;
}
