/**
 * What Prometheus may ask the service. A label has only values that the service itself chooses: what a client can make up,
 * like paths and user agents, would become time series without end. Hosts are on the status page.
 */

import { readdir } from 'node:fs/promises';
import Counter from 'prom-client/lib/counter.js';
import Gauge from 'prom-client/lib/gauge.js';
import Histogram from 'prom-client/lib/histogram.js';
import Registry from 'prom-client/lib/registry.js';
import type { Artifact } from './answer/resource.ts';
import type { TransferWatcher } from './answer/transfers.ts';

/** What is looked up when somebody asks. */
export interface MetricsSource {
  /** The images that are kept in memory, and the bytes that they take there. */
  readonly images: () => { readonly count: number; readonly bytes: number };
  /** Hosts of the inventory: those that are served, and those with errors. */
  readonly hosts: () => { readonly right: number; readonly wrong: number };
  readonly version: string;
}

/** A request that was answered; `artifact` is undefined where it was not for one. */
interface AnsweredRequest {
  readonly method: string;
  readonly status: number;
  readonly artifact: Artifact | undefined;
}

export interface Metrics {
  /** For the log of transfers: counts them. */
  readonly watcher: TransferWatcher;
  requestAnswered(request: AnsweredRequest): void;
  /** Also after the first attempt. */
  catalogReloaded(outcome: 'success' | 'failure'): void;
  /** @param accept the header of this name, or nothing */
  render(accept: string): Promise<MetricsText>;
}

interface MetricsText {
  readonly contentType: string;
  readonly body: string;
}

/**
 * All counters at zero.
 * @param addOwn adds what only some services have
 */
export function createMetrics(
  source: MetricsSource,
  addOwn: (registry: Registry) => void = () => undefined,
): Metrics {
  const registry = new Registry();
  const requests = requestCounter(registry);
  const reloads = reloadCounters(registry);
  addCatalogGauges(registry, source);
  addProcessGauges(registry);
  addOwn(registry);
  return {
    watcher: transferWatcher(registry),
    requestAnswered: ({ method, status, artifact }) =>
      requests.inc({
        method: method === 'GET' || method === 'HEAD' ? method : 'other',
        status,
        artifact: artifact ?? 'none',
      }),
    catalogReloaded: (outcome) => reloads[outcome](),
    render: async (accept) => {
      const text = await registry.metrics();
      return accept.includes('application/openmetrics-text')
        ? { contentType: Registry.OPENMETRICS_CONTENT_TYPE, body: toOpenMetrics(text) }
        : { contentType: Registry.PROMETHEUS_CONTENT_TYPE, body: text };
    },
  };
}

function requestCounter(registry: Registry): Counter<'method' | 'status' | 'artifact'> {
  return new Counter({
    name: 'ironic_coreos_http_requests_total',
    help: 'Requests that were answered.',
    labelNames: ['method', 'status', 'artifact'],
    registers: [registry],
  });
}

/** A small script takes a millisecond; a BMC with a slow line may read its ISO for hours. */
const transferSeconds = [0.01, 0.1, 1, 5, 15, 60, 300, 900, 3600, 14_400];

function transferWatcher(registry: Registry): TransferWatcher {
  const registers = [registry];
  const bytes = new Counter({
    name: 'ironic_coreos_sent_bytes_total',
    help: 'Bytes of artifacts that were sent.',
    labelNames: ['artifact'],
    registers,
  });
  const running = new Gauge({
    name: 'ironic_coreos_transfers_running',
    help: 'Transfers of artifacts that run now.',
    registers,
  });
  const seconds = new Histogram({
    name: 'ironic_coreos_transfer_duration_seconds',
    help: 'How long transfers of artifacts took that have ended.',
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

function reloadCounters(registry: Registry): Record<'success' | 'failure', () => void> {
  const registers = [registry];
  const reloads = new Counter({
    name: 'ironic_coreos_catalog_reloads_total',
    help: 'Attempts to read the inventory, the first one too.',
    registers,
  });
  const failures = new Counter({
    name: 'ironic_coreos_catalog_reload_failures_total',
    help: 'Attempts that failed; the service goes on with what it had.',
    registers,
  });
  const lastSuccess = new Gauge({
    name: 'ironic_coreos_catalog_last_reload_success_timestamp_seconds',
    help: 'When the inventory that is served was read.',
    registers,
  });
  return {
    success: () => {
      reloads.inc();
      lastSuccess.setToCurrentTime();
    },
    failure: () => {
      reloads.inc();
      failures.inc();
    },
  };
}

function addCatalogGauges(registry: Registry, { images, hosts, version }: MetricsSource): void {
  addGauge(registry, {
    name: 'ironic_coreos_images_in_memory',
    help: 'Images that are kept in memory.',
    read: () => images().count,
  });
  addGauge(registry, {
    name: 'ironic_coreos_images_in_memory_bytes',
    help: 'What the images in memory take there.',
    read: () => images().bytes,
  });
  const hostStates = new Gauge({
    name: 'ironic_coreos_hosts',
    help: 'Hosts of the inventory, those with errors apart.',
    labelNames: ['state'],
    registers: [],
    collect() {
      const { right, wrong } = hosts();
      this.set({ state: 'right' }, right);
      this.set({ state: 'wrong' }, wrong);
    },
  });
  const build = new Gauge({
    name: 'ironic_coreos_build_info',
    help: 'Always 1; the version is in the label.',
    labelNames: ['version'],
    registers: [],
  });
  build.set({ version }, 1);
  registry.registerMetric(hostStates);
  registry.registerMetric(build);
}

/** Those of all processes that Prometheus watches, by their usual names. */
function addProcessGauges(registry: Registry): void {
  const started = Date.now() / 1000 - process.uptime();
  addGauge(registry, {
    name: 'process_start_time_seconds',
    help: 'When the process started.',
    read: () => started,
  });
  addGauge(registry, {
    name: 'process_resident_memory_bytes',
    help: 'Memory that the process has.',
    read: () => process.memoryUsage.rss(),
  });
  const processorTime = new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Time of processors that the process took.',
    registers: [],
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
  const openFiles = new Gauge({
    name: 'process_open_fds',
    help: 'Open file descriptors.',
    registers: [],
    async collect() {
      const open = await countOpenFiles();
      if (open === undefined) this.remove();
      else this.set(open);
    },
  });
  registry.registerMetric(processorTime);
  registry.registerMetric(openFiles);
}

/** Undefined where the system has no /proc. */
async function countOpenFiles(): Promise<number | undefined> {
  try {
    const names = await readdir('/proc/self/fd');
    return names.length - 1; // one is that of this folder
  } catch {
    return undefined;
  }
}

/** One without labels that is read when somebody asks. */
function addGauge(registry: Registry, { name, help, read }: ReadGauge): void {
  const gauge = new Gauge({
    name,
    help,
    registers: [],
    collect() {
      this.set(read());
    },
  });
  registry.registerMetric(gauge);
}

interface ReadGauge {
  readonly name: string;
  readonly help: string;
  readonly read: () => number;
}

/**
 * The registry renders only one of the formats. In OpenMetrics 1.0 a counter is called without `_total`, its value with
 * it; there are no empty lines, and the end is marked.
 */
function toOpenMetrics(text: string): string {
  const lines = text.split('\n').filter((line) => line !== '');
  const counters = new Set(lines.map((line) => /^# TYPE (\S+)_total counter$/.exec(line)?.[1]));
  const renamed = lines.map((line) =>
    line.replace(/^(# (?:HELP|TYPE) )(\S+)_total(?= )/, (whole, start: string, name: string) =>
      counters.has(name) ? start + name : whole,
    ),
  );
  return `${[...renamed, '# EOF'].join('\n')}\n`;
}
