// Where the proof of an answer is, as an address.

import type { ClusterOrder, Direction, Proof } from '../../generated/api';
import { cluster, clusters, costs, exceptions, write, type Period, type Route } from '../../state/route';

/** `from` is the first local day of the period of so many days. */
export function proofOf(proof: Proof, from: string, days: Period): string | null {
  const to = (route: Route) => write(route);
  switch (proof.is) {
    case 'nothing':
      return null;
    case 'lost':
      return to({ ...clusters, states: ['lost'], from });
    case 'finished':
      return to({ ...clusters, states: ['finished'], from });
    case 'exception':
      return to({ ...exceptions, text: proof.text, from });
    case 'failed':
      return to({ ...clusters, text: orders.tasks_erred.text, from });
    case 'costs':
      return to({ ...costs, days });
    case 'prices':
      return to({ view: 'prices' });
    case 'cluster':
      return to(cluster(proof.id));
    case 'prefix':
      return to({ ...cluster(proof.id), text: proof.prefix });
    case 'list':
      return to(cluster(proof.id, proof.tab));
  }
}

/** Whether it is about what ran in the period, and so about what is chosen of the heat-map where anything is. */
export function ofPeriod(proof: Proof): boolean {
  return ['lost', 'finished', 'exception', 'failed', 'costs'].includes(proof.is);
}

/** What is chosen of the heat-map is no filter of another view: its clusters stand on the same page. */
export function below(): void {
  document.getElementById('list-title')?.scrollIntoView({ block: 'start' });
}

/** What puts the clusters that make up most of a figure first. */
const orders = {
  thread_seconds: { order: 'thread_seconds' },
  compute_seconds: { order: 'compute_seconds' },
  cost: { order: 'cost' },
  idle_cost: { order: 'efficiency', direction: 'ascending' },
  tasks_completed: { order: 'tasks_completed' },
  tasks_erred: { order: 'started', text: 'erred>0' },
  workers_peak: { order: 'workers_peak' },
  efficiency: { order: 'efficiency', direction: 'ascending' },
} satisfies Record<string, { order: ClusterOrder; direction?: Direction; text?: string }>;

/** The clusters behind a figure of the totals, of local days from one to another. */
export function behind(key: string, from: string, to: string): string {
  return write({ ...clusters, ...(orders as Record<string, object | undefined>)[key], from, to });
}
