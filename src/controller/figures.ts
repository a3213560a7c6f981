/** What Prometheus may ask a controller besides what it may ask any service. */

import Counter from 'prom-client/lib/counter.js';
import Gauge from 'prom-client/lib/gauge.js';
import type Registry from 'prom-client/lib/registry.js';
import type { QueueLoad } from './kube/workQueue.ts';
import type { Outcome } from './api/outcome.ts';

/** What is looked up when somebody asks. */
export interface ControllerFigures {
  readonly isLeader: () => boolean;
  readonly load: () => QueueLoad;
  /** Of the API server; undefined before the first one. */
  readonly lastContact: () => Date | undefined;
}

export interface ControllerCounters {
  wrote(outcome: Outcome): void;
  failed(): void;
}

export function addControllerFigures(
  registry: Registry,
  { isLeader, lastContact, load }: ControllerFigures,
): ControllerCounters {
  const outcomes = new Counter({
    name: 'ironic_coreos_statuses_written_total',
    help: 'Statuses of PreprovisioningImages that were written, by the reason in their conditions.',
    labelNames: ['reason'],
    registers: [registry],
  });
  const retries = new Counter({
    name: 'ironic_coreos_retries_total',
    help: 'PreprovisioningImages that have to be looked after again, as the API server did not play along.',
    registers: [registry],
  });
  const leader = new Gauge({
    name: 'ironic_coreos_leader',
    help: 'Whether this replica writes: 1 for the leader.',
    registers: [],
    collect() {
      this.set(isLeader() ? 1 : 0);
    },
  });
  const queue = new Gauge({
    name: 'ironic_coreos_queue',
    help: 'PreprovisioningImages that wait for their turn, or have it.',
    labelNames: ['state'],
    registers: [],
    collect() {
      for (const [state, count] of Object.entries(load())) this.set({ state }, count);
    },
  });
  const contact = new Gauge({
    name: 'ironic_coreos_cluster_contact_timestamp_seconds',
    help: 'When the API server last said that this replica is up to date, which it does each minute; 0 for never.',
    registers: [],
    collect() {
      this.set((lastContact()?.getTime() ?? 0) / 1000);
    },
  });
  registry.registerMetric(leader);
  registry.registerMetric(contact);
  registry.registerMetric(queue);
  return {
    wrote: (outcome) => outcomes.inc({ reason: outcome.kind === 'ready' ? 'ImageSuccess' : outcome.reason }),
    failed: () => retries.inc(),
  };
}
