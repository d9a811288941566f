// What a cluster is made of, as lines of words.

import type { Cluster } from '../../generated/api';
import { setLength } from '../../format/duration';
import { none, plural } from '../../format/number';
import { dateTime } from '../../format/time';
import { visible } from '../../format/visible';
import { missing, sent } from './missing';
import { costFigures, costTimes } from './watching';
import { offSince, sourceWords, type Category } from './told';

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
        said('Class', f.cluster_class ?? 'not known'),
        unlessOff('Scheduler', f.scheduler_address, 'host'),
        unlessOff('Dashboard', f.dashboard_url, 'host'),
        said('ID', row.scheduler_id),
        unlessOff('User', row.user === null || f.said_user == null || f.said_user === row.user ? row.user : `${row.user}, reported as ${f.said_user}`, 'user'),
        unlessOff('Host', row.host, 'host'),
        said('Project', row.project),
        ...Object.entries(row.tags).map(([name, value]) => said(`Tag ${name}`, value)),
        { name: 'Started', value: dateTime(row.started_micros) },
        { name: 'Stopped', value: row.state === 'lost' ? 'not known' : row.stopped_micros === null ? 'not yet' : dateTime(row.stopped_micros) },
        { name: 'Last report', value: dateTime(row.last_heard_micros) },
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
      ] : [
        { name: 'Plugin', value: `bobbin ${visible(f.plugin_version)}` },
        { name: 'Reports every', value: setLength(f.interval_micros / 1e6) },
        { name: 'Closes when idle', value: f.idle_timeout_micros === null ? 'never' : `after ${setLength(f.idle_timeout_micros / 1e6)}` },
        { name: 'Closing from here', value: f.remote_close_allowed ? 'allowed' : 'not allowed' },
        { name: 'Event topics', value: f.events_allow.length === 0 ? 'none' : f.events_allow.join(', '), theirs: true },
      ],
    },
  ];
}

/** What the scheduler has of a package, whose name may be one that objects have of themselves. */
export function schedulerVersion({ facts: { versions } }: Pick<Cluster, 'facts'>, name: string): string {
  return (Object.hasOwn(versions, name) ? versions[name] : null) ?? 'not installed';
}

export function factsText(cluster: Cluster): string {
  const lists = [
    ...facts(cluster).map(({ title, facts: list }) => ({ title, lines: list.map(({ name, value }) => `${name}: ${value}`) })),
    { title: 'Sent', lines: sent(cluster.facts) },
    { title: 'Not collected', lines: missing(cluster).map(({ what, why, since }) => `${what}: ${why}${since === null ? '' : ` since ${dateTime(since)}`}`) },
    {
      title: 'Plugin overhead',
      lines: [...costTimes(cluster).map(({ label, loop, hooks, sent }) => `${label}: ${loop} on the loop, ${hooks} in hooks, ${sent} sent`), ...costFigures(cluster).map(({ label, value }) => `${label}: ${value}`)],
    },
    { title: 'Other versions', lines: cluster.facts.mismatches.map((m) => `${m.package}: ${m.version ?? 'not installed'} on ${plural(m.count, m.where)}; scheduler: ${schedulerVersion(cluster, m.package)}`) },
  ];
  return lists
    .filter(({ lines }) => lines.length > 0)
    .map(({ title, lines }) => [title, ...lines.map((line) => `  ${line}`)].join('\n'))
    .join('\n\n');
}
