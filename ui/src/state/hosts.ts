// Hosts of clusters, so that what is copied can leave them out: no rule could tell them from other words.

import { client } from '../api';
import { inReport } from '../api/inReport';

const freshMs = 60_000;
const known = new Map<number, Set<string>>();
const askedAt = new Map<number, number>();

/** Of an address: `node-3` of `tls://node-3:8786`. */
function hostIn(address: string | null): string | null {
  return /^\w+:\/\/([^:/]+)/.exec(address ?? '')?.[1] ?? null;
}

/** A host and, where its domain is told, how it is called inside of it. */
export function hostNames(host: string): string[] {
  const first = host.split('.')[0]!;
  return /[a-z]/i.test(first) && first !== host ? [host, first] : [host];
}

/** Looks the hosts of a cluster up, so that no copy waits for them. */
export function wantHosts(id: number): void {
  if (performance.now() - (askedAt.get(id) ?? -Infinity) < freshMs) return;
  askedAt.set(id, performance.now());
  const hosts = known.get(id) ?? new Set<string>();
  known.set(id, hosts);
  const add = (all: (string | null)[]) => {
    for (const host of all) for (const name of host === null ? [] : hostNames(host)) hosts.add(name);
  };
  // Without an answer the rules still hold.
  void client.call('cluster', { id }).then(
    ({ row, facts }) => add([row.host, hostIn(facts.scheduler_address), hostIn(facts.dashboard_url)]),
    () => {},
  );
  const workers = async () => {
    for (let offset = 0; ; ) {
      const { rows, truncated } = await client.call('workers', { id, limit: 1000, offset });
      add(rows.map(({ host }) => host));
      offset += rows.length;
      // A report has one answer, whatever the offset.
      if (!truncated || rows.length === 0 || inReport) return;
    }
  };
  void workers().catch(() => {});
}

export function hostsOf(id: number): string[] {
  return [...(known.get(id) ?? [])];
}
