/** The state of a service, for tests of what shows it. */

import type { ImageProgress } from '../../../src/http/server/answer/transfers.ts';
import type { HostStatus } from '../../../src/service/status/hostStatus.ts';
import type { Status } from '../../../src/service/status/statusPage.ts';

export const now = new Date('2026-11-21T16:20:00Z');

export const ago = (seconds: number): Date => new Date(now.getTime() - seconds * 1000);

const GIB = 1024 ** 3;

export function exampleProgress(changes: Partial<ImageProgress> = {}): ImageProgress {
  return {
    path: 'worker-0.iso',
    artifact: 'iso',
    size: GIB,
    bytes: GIB / 2,
    lastFetch: ago(3),
    completed: undefined,
    running: 2,
    clients: ['192.0.2.7'],
    ...changes,
  };
}

export interface HostChanges extends Partial<Omit<HostStatus, 'progress'>> {
  readonly fetched?: readonly ImageProgress[];
}

export function exampleHost(name: string, { fetched = [], ...changes }: HostChanges = {}): HostStatus {
  return {
    name,
    macs: ['52:54:00:00:00:01'],
    architecture: 'x86_64',
    stream: undefined,
    staleSince: undefined,
    messages: [],
    progress: () => fetched,
    images: () => [
      { path: `${name}.iso`, artifact: 'iso', url: `/h.${name}..0123456789/${name}.iso` },
      { path: `${name}.ign`, artifact: 'ign', url: `/h.${name}..0123456789/${name}.ign` },
    ],
    ...changes,
  };
}

/** One of everything that the page can show. */
export function exampleStatus(changes: Partial<Status> = {}): Status {
  const complete = { bytes: GIB, running: 0, completed: ago(400), lastFetch: ago(400) };
  return {
    command: 'serve',
    service: {
      version: '0.1.0',
      now,
      started: ago(90_000),
      loaded: ago(600),
      connections: 3,
      transfers: 2,
      inputs: 'inventory',
    },
    loadError: undefined,
    baseImages: [
      {
        name: 'rhcos.iso',
        architecture: 'x86_64',
        stream: undefined,
        size: GIB,
        digest: 'ab'.repeat(32),
        build: '418.94.1-0',
      },
    ],
    hosts: [
      exampleHost('worker-0', { fetched: [exampleProgress()] }),
      exampleHost('worker-1', { fetched: [exampleProgress({ path: 'worker-1.iso', ...complete })] }),
      exampleHost('worker-2', { fetched: [exampleProgress({ path: 'worker-2.iso', running: 0 })] }),
      exampleHost('worker-3', { messages: [invalid], images: () => [], architecture: undefined, macs: [] }),
      exampleHost('worker-4', { messages: [unusual], macs: ['52:54:00:00:00:0a', '52:54:00:00:00:0b'] }),
    ],
    shared: [
      exampleProgress({ path: 'images/1/ironic-python-agent.rootfs', artifact: 'rootfs', ...complete }),
    ],
    recent: [
      {
        id: 12,
        client: '192.0.2.7',
        host: 'worker-1',
        path: 'worker-1.iso',
        artifact: 'iso',
        size: GIB,
        etag: '"1"',
        userAgent: 'curl/7.88.1',
        outcome: 'complete',
        bytes: GIB,
        seconds: 8.25,
        ended: ago(400),
      },
    ],
    ...changes,
  };
}

const invalid = {
  severity: 'error',
  rule: 'path-relative',
  path: ['storage', 'files', 0, 'path'],
  message: 'path is not absolute',
  hint: 'Ignition needs an absolute path: "/etc/hostname"',
} as const;

const unusual = { severity: 'warning', rule: 'unused-key', path: [], message: 'Unused key x' } as const;

/** As many as a large site has. */
export function manyHosts(count: number): HostStatus[] {
  return Array.from({ length: count }, (_, index) => {
    const mac = `52:54:00:${[16, 8, 0].map((shift) => ((index >> shift) & 255).toString(16).padStart(2, '0')).join(':')}`;
    return exampleHost(`host-${index}`, { macs: [mac] });
  });
}
