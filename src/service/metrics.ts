/**
 * The Prometheus metrics of a service. Label values come only from the service itself: values from clients, such as paths
 * and user agents, would create an unlimited number of time series. Hosts are on the status page.
 */

import { readdir } from 'node:fs/promises';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { ImageCounts } from '../hosts/artifacts/imageCache.ts';
import type { RequestEvent } from '../http/server/serverLog.ts';
import type { TransferWatcher } from '../http/server/answer/transfers.ts';

/** Hosts of the inventory. `stale`: invalid, but the last valid image is served. `invalid`: no image is served. */
export type HostCounts = Readonly<Record<'valid' | 'stale' | 'invalid', number>>;

interface MetricsSource {
  readonly images: () => ImageCounts;
  readonly hosts: () => HostCounts;
  /** Whether the last attempt to load the inventory succeeded; true before the first one ends. */
  readonly isReloaded: () => boolean;
  readonly version: string;
}

export type Metrics = Readonly<ReturnType<typeof createMetrics>>;

/**
 * Creates all metrics; counters start at zero.
 * @param addOwn adds the metrics of a specific service
 */
export function createMetrics(
  { images, hosts, isReloaded, version }: MetricsSource,
  addOwn?: (registry: Registry) => void,
) {
  const registry = new Registry();
  const registers = [registry];
  const counter = (name: string, help: string, labelNames: readonly string[] = []): Counter =>
    new Counter({ name: `ironic_coreos_${name}_total`, help, labelNames, registers });
  const requests = counter('http_requests', 'Number of answered HTTP requests.', [
    'method',
    'status',
    'artifact',
  ]);
  const reloads = counter(
    'catalog_reloads',
    'Number of attempts to load the inventory, including the first one.',
  );
  const failures = counter(
    'catalog_reload_failures',
    'Number of failed attempts to load the inventory; the previous inventory stays in use.',
  );
  const lastSuccess = new Gauge({
    name: 'ironic_coreos_catalog_last_reload_success_timestamp_seconds',
    help: 'Time at which the current inventory was loaded.',
    registers,
  });
  addGauges(registry, [
    ['ironic_coreos_images_in_memory', 'Number of images in memory.', () => images().count],
    ['ironic_coreos_images_in_memory_bytes', 'Memory used by images, in bytes.', () => images().size],
    [
      'ironic_coreos_catalog_last_reload_successful',
      '1 if the last attempt to load the inventory succeeded, otherwise 0.',
      () => (isReloaded() ? 1 : 0),
    ],
    [
      'ironic_coreos_hosts',
      'Number of hosts in the inventory, by state: valid, stale (invalid, with its last valid image) or invalid.',
      hosts,
      'state',
    ],
    [
      'ironic_coreos_build_info',
      'Version of the program as a label; the value is always 1.',
      () => ({ [version]: 1 }),
      'version',
    ],
  ]);
  addProcessGauges(registry);
  addOwn?.(registry);
  return {
    watcher: transferWatcher(registry),
    requestAnswered: ({
      artifact,
      method,
      status,
    }: Pick<RequestEvent, 'method' | 'status' | 'artifact'>): void =>
      requests.inc({
        method: method === 'GET' || method === 'HEAD' ? method : 'other',
        status,
        artifact: artifact ?? 'none',
      }),
    /** To be called after each load, including the first one. */
    catalogReloaded: (outcome: 'success' | 'failure'): void => {
      reloads.inc();
      if (outcome === 'failure') failures.inc();
      else lastSuccess.setToCurrentTime();
    },
    render: async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
  };
}

/** A small script takes a millisecond; a BMC with a slow link may read its ISO for hours. */
const transferSeconds = [0.01, 0.1, 1, 5, 15, 60, 300, 900, 3600, 14_400];

function transferWatcher(registry: Registry): TransferWatcher {
  const registers = [registry];
  const bytes = new Counter({
    name: 'ironic_coreos_sent_bytes_total',
    help: 'Bytes of artifacts sent to clients.',
    labelNames: ['artifact'],
    registers,
  });
  const running = new Gauge({
    name: 'ironic_coreos_transfers_running',
    help: 'Number of running artifact transfers.',
    registers,
  });
  const seconds = new Histogram({
    name: 'ironic_coreos_transfer_duration_seconds',
    help: 'Duration of finished artifact transfers in seconds.',
    labelNames: ['artifact', 'outcome'],
    buckets: transferSeconds,
    registers,
  });
  return {
    began: () => running.inc(),
    sent: ({ artifact }, count) => bytes.inc({ artifact }, count),
    ended: ({ artifact, outcome, seconds: taken }) => {
      running.dec();
      seconds.observe({ artifact, outcome: outcome.replace(' ', '_') }, taken);
    },
  };
}

/** The standard process metrics of Prometheus client libraries. */
function addProcessGauges(registry: Registry): void {
  const started = Date.now() / 1000 - process.uptime();
  addGauges(registry, [
    ['process_start_time_seconds', 'Start time of the process.', () => started],
    ['process_resident_memory_bytes', 'Resident memory size in bytes.', () => process.memoryUsage.rss()],
  ]);
  const processorTime = new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Total user and system CPU time in seconds.',
    registers: [],
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
  registry.registerMetric(processorTime);
  addGauges(registry, [['process_open_fds', 'Number of open file descriptors.', countOpenFiles]]);
}

/** Undefined if the system has no /proc. */
async function countOpenFiles(): Promise<number | undefined> {
  try {
    const names = await readdir('/proc/self/fd');
    return names.length - 1; // without the descriptor of this folder
  } catch {
    return undefined;
  }
}

/** A gauge that is read at each scrape. It is not shown without a value. The label is that of the values by name. */
type ReadGauge = readonly [
  name: string,
  help: string,
  read: () => GaugeValue | Promise<GaugeValue>,
  label?: string,
];

type GaugeValue = number | undefined | Readonly<Record<string, number>>;

export function addGauges(registry: Registry, gauges: readonly ReadGauge[]): void {
  for (const [name, help, read, label] of gauges) {
    const gauge = new Gauge({
      name,
      help,
      labelNames: label === undefined ? [] : [label],
      registers: [],
      async collect() {
        const value = await read();
        if (value === undefined) this.remove();
        else if (typeof value === 'number') this.set(value);
        else for (const [of, count] of Object.entries(value)) this.set({ [label ?? '']: of }, count);
      },
    });
    registry.registerMetric(gauge);
  }
}
