import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { createMetrics, type Metrics } from '../../src/service/metrics.ts';
import { have, oracleNote } from '../support/programs.ts';
import { transferStart } from '../support/transferStart.ts';

const start = { ...transferStart, userAgent: 'evil' };

/** Metrics of a service that something of everything has happened to. */
function busyMetrics(): Metrics {
  const metrics = createMetrics({
    images: () => ({ count: 3, size: 4096 }),
    hosts: () => ({ valid: 7, stale: 1, invalid: 2 }),
    isReloaded: () => false,
    version: '0.1.0',
  });
  const { watcher } = metrics;
  for (const method of ['GET', 'HEAD', 'GET', 'PROPFIND', 'X'.repeat(100)]) {
    metrics.requestAnswered({ method, status: 200, artifact: 'iso' });
  }
  metrics.requestAnswered({ method: 'GET', status: 404, artifact: undefined });
  watcher.began?.(start);
  watcher.began?.(start);
  watcher.sent?.(start, 600, () => 600);
  watcher.sent?.(start, 400, () => 1000);
  watcher.sent?.(start, 0, () => 0);
  const event = {
    ...start,
    outcome: 'client disconnected',
    bytes: 600,
    seconds: 3,
    ended: new Date(),
  } as const;
  watcher.ended?.(event, () => 600);
  metrics.catalogReloaded('success');
  metrics.catalogReloaded('failure');
  return metrics;
}

/** Values by name and labels. */
async function samplesOf(metrics: Metrics): Promise<Map<string, number>> {
  const { body } = await metrics.render();
  const lines = body.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
}

describe('metrics', () => {
  it.each([
    ['ironic_coreos_http_requests_total{method="GET",status="200",artifact="iso"}', 2],
    ['ironic_coreos_http_requests_total{method="HEAD",status="200",artifact="iso"}', 1],
    ['ironic_coreos_http_requests_total{method="other",status="200",artifact="iso"}', 2],
    ['ironic_coreos_http_requests_total{method="GET",status="404",artifact="none"}', 1],
    ['ironic_coreos_sent_bytes_total{artifact="iso"}', 1000],
    ['ironic_coreos_transfers_running', 1],
    [
      'ironic_coreos_transfer_duration_seconds_bucket{le="1",artifact="iso",outcome="client_disconnected"}',
      0,
    ],
    [
      'ironic_coreos_transfer_duration_seconds_bucket{le="5",artifact="iso",outcome="client_disconnected"}',
      1,
    ],
    ['ironic_coreos_transfer_duration_seconds_sum{artifact="iso",outcome="client_disconnected"}', 3],
    ['ironic_coreos_images_in_memory', 3],
    ['ironic_coreos_images_in_memory_bytes', 4096],
    ['ironic_coreos_catalog_reloads_total', 2],
    ['ironic_coreos_catalog_reload_failures_total', 1],
    ['ironic_coreos_hosts{state="valid"}', 7],
    ['ironic_coreos_hosts{state="invalid"}', 2],
    ['ironic_coreos_build_info{version="0.1.0"}', 1],
  ])('%s', async (sample, value) => {
    const samples = await samplesOf(busyMetrics());
    expect(samples.get(sample)).toBe(value);
  });

  it('tell of the process', async () => {
    const samples = await samplesOf(busyMetrics());
    const now = Date.now() / 1000;
    const value = (name: string): number => samples.get(name) ?? Number.NaN;
    expect(Math.abs(value('process_start_time_seconds') - (now - process.uptime()))).toBeLessThan(5);
    expect(value('process_resident_memory_bytes')).toBeGreaterThan(10e6);
    expect(value('process_cpu_seconds_total')).toBeGreaterThan(0);
    expect(Math.abs(value('ironic_coreos_catalog_last_reload_success_timestamp_seconds') - now)).toBeLessThan(
      60,
    );
    expect(samples.has('process_open_fds')).toBe(process.platform === 'linux');
  });

  it('do not grow when they are asked for again, nor count anew', async () => {
    const metrics = busyMetrics();
    const [first, second] = [await samplesOf(metrics), await samplesOf(metrics)];
    expect([...second.keys()]).toEqual([...first.keys()]);
    const time = 'process_cpu_seconds_total';
    expect(second.get(time)).toBeLessThan((first.get(time) ?? 0) + 10);
  });

  it('of two services are two', async () => {
    busyMetrics();
    const other = createMetrics({
      images: () => ({ count: 0, size: 0 }),
      hosts: () => ({ valid: 0, stale: 0, invalid: 0 }),
      isReloaded: () => true,
      version: '',
    });
    expect((await samplesOf(other)).get('ironic_coreos_transfers_running')).toBe(0);
  });

  it('hold nothing that a client has made up', async () => {
    const { body } = await busyMetrics().render();
    expect(body).not.toMatch(/worker-0|192\.0\.2\.7|evil|PROPFIND|MADE-UP/);
  });

  it.skipIf(!have('promtool'))(`promtool has no complaints${oracleNote('promtool')}`, async () => {
    const { body, contentType } = await busyMetrics().render();
    expect(contentType).toBe('text/plain; version=0.0.4; charset=utf-8');
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
      input: body,
      encoding: 'utf8',
    });
    expect(`${stdout}${stderr}`).toBe('');
    expect(status).toBe(0);
  });

  const parser = 'from prometheus_client.parser import text_string_to_metric_families as parse';

  it.skipIf(!have('prometheus-client'))(
    `the reference parser reads them${oracleNote('prometheus-client')}`,
    async () => {
      const { body } = await busyMetrics().render();
      const program = `${parser}\nimport sys\nprint(len(list(parse(sys.stdin.read()))))`;
      const { stdout, stderr } = spawnSync('/usr/bin/python3', ['-c', program], { input: body });
      expect(stderr.toString()).toBe('');
      expect(Number(stdout)).toBe(body.match(/^# TYPE/gm)?.length);
    },
  );
});
