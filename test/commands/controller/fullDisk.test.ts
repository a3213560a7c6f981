/** A full disk stops the builds of all objects: it is logged once, each condition and answer names it, and space ends it. */

import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { buildOutcome } from '../../../src/commands/controller/buildOutcome.ts';
import { createImageCatalog } from '../../../src/commands/controller/imageCatalog.ts';
import {
  Informers,
  preprovisioningImages,
  secretReader,
} from '../../../src/commands/controller/informers.ts';
import { ReconcileLoop } from '../../../src/commands/controller/reconcileLoop.ts';
import { createAccessCheck } from '../../../src/http/server/accessCheck.ts';
import { createSigner } from '../../../src/http/server/answer/signedPath.ts';
import { createTransferLog } from '../../../src/http/server/answer/transfers.ts';
import { createAnswerer } from '../../../src/http/server/requests.ts';
import { defaultLimits, startServer } from '../../../src/http/server/server.ts';
import { createServerLog, type ServerLog } from '../../../src/http/server/serverLog.ts';
import { ioWith } from '../../../src/io/io.ts';
import type { RecordedEvent } from '../../../src/kube/eventRecorder.ts';
import { secrets } from '../../../src/kube/objects.ts';
import { mountSmallDisk, type SmallDisk, smallDiskNote } from '../../support/smallDisk.ts';
import { links, nmstate, publicUrl, workplace } from './support.ts';
import { memoryCluster, type MemoryCluster } from './memoryCluster.ts';
import { eventually } from '../../support/eventually.ts';

const place = workplace();
const note = smallDiskNote();

/** Converts each network state to the same keyfile. */
const programs = join(place.folder, 'programs');
mkdirSync(programs);
const keyfile = String.raw`NetworkManager:\n- - eno1.nmconnection\n  - |\n    [connection]\n    id=eno1\n    type=ethernet\n`;
writeFileSync(join(programs, 'nmstatectl'), `#!/bin/sh\nprintf '${keyfile}'\n`);
chmodSync(join(programs, 'nmstatectl'), 0o755);
const io = ioWith(place.io, { env: { PATH: `${programs}:/usr/bin:/bin` } });

const COUNT = 20;
const namesOf = (count: number): string[] => Array.from({ length: count }, (_, index) => `worker-${index}`);
const keyOf = (name: string) => ({ namespace: 'metal3', name });

function clusterOf(count: number): MemoryCluster {
  const cluster = memoryCluster();
  for (const name of namesOf(count)) {
    const data = { nmstate: Buffer.from(nmstate('192.0.2.7')).toString('base64') };
    cluster.put(secrets, keyOf(`${name}-net`), { data });
    const spec = { acceptFormats: ['iso'], architecture: 'x86_64', networkDataName: `${name}-net` };
    cluster.put(preprovisioningImages, keyOf(name), { spec });
  }
  return cluster;
}

interface Status {
  readonly imageUrl?: string;
  readonly conditions?: readonly { type: string; status: string; reason: string; message: string }[];
}

const statusOf = (cluster: MemoryCluster, name: string): Status =>
  cluster.find(preprovisioningImages, keyOf(name))?.['status'] ?? {};
const errorOf = (cluster: MemoryCluster, name: string): object | undefined =>
  statusOf(cluster, name).conditions?.find(({ type }) => type === 'Error');

describe.skipIf(note !== '')(`the controller with a full disk${note}`, () => {
  let disk: SmallDisk | undefined;
  const ends: (() => Promise<void>)[] = [];
  beforeEach(() => {
    disk = mountSmallDisk(1024);
    vi.stubEnv('TMPDIR', disk?.path);
  });
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
    vi.unstubAllEnvs();
    disk?.remove();
  });

  /** No file of a byte or more fits. */
  const fill = (): void => {
    writeFileSync(join(disk?.path ?? '', 'other'), Buffer.alloc(4096));
    disk?.leave(0);
  };
  const free = (): void => disk?.leave(64);

  async function lead(cluster: MemoryCluster) {
    const factory = await place.factory({}, { io });
    const informers = new Informers(cluster.client, 'metal3', () => undefined);
    await informers.synced;
    const lines: string[] = [];
    const output = new Writable({
      write(chunk: Buffer | string, _encoding, done) {
        lines.push(...String(chunk).trim().split('\n'));
        done();
      },
    });
    const events: RecordedEvent[] = [];
    const readSecret = secretReader(cluster.client);
    const loop = new ReconcileLoop({
      client: cluster.client,
      informers,
      log: createServerLog(output, 'json'),
      recorder: { record: (event) => void events.push(event) },
      wrote: () => undefined,
      failed: () => undefined,
      build: (image) => buildOutcome(image, factory, links, readSecret, io),
    });
    const stop = new AbortController();
    const done = loop.lead(stop.signal);
    ends.push(async () => {
      stop.abort();
      await done;
      await informers.close();
    });
    const problems = (): string[] => lines.filter((line) => !line.includes('"level":"info"'));
    return { events, informers, loop, problems, readSecret };
  }

  /** The server of another replica, which has built nothing yet. */
  async function replicaOf({ informers, readSecret }: Awaited<ReturnType<typeof lead>>) {
    const factory = await place.factory({}, { io });
    const catalog = {
      ...createImageCatalog(factory, informers, readSecret, io),
      acquire: () => () => undefined,
    };
    const events: Record<string, unknown>[] = [];
    const log: ServerLog = {
      note: (_level, event, fields) => void events.push({ event, ...fields }),
      request: () => undefined,
    };
    const access = createAccessCheck({
      signer: createSigner(Buffer.alloc(32, 'k')),
      tokens: [],
      isOpen: false,
    });
    const transfers = createTransferLog();
    const answer = createAnswerer({
      catalog: () => catalog,
      access,
      transfers,
      log,
      idleTimeout: 10_000,
      pages: new Map(),
    });
    const listen = { kind: 'tcp', host: '127.0.0.1', port: 0 } as const;
    const server = await startServer({ listen, tls: undefined, limits: defaultLimits, answer, log });
    ends.push(async () => void (await server.stop(0)));
    const get = async (url = ''): Promise<string> => {
      const response = await fetch(url.replace(publicUrl, server.origin));
      const text = response.ok ? String((await response.arrayBuffer()).byteLength) : await response.text();
      return `${response.status} ${text}`;
    };
    return { events, get };
  }

  const sentence = new RegExp(
    String.raw`No space left to write a temporary file in (?<folder>\S.*): \d+ bytes required, 0 bytes free in \k<folder>`,
  );

  it(`is logged once for ${COUNT} objects and all retries, named in each condition, and ends without a restart`, async () => {
    const cluster = clusterOf(COUNT);
    fill();
    const { events, loop, problems } = await lead(cluster);
    const names = namesOf(COUNT);
    const isPostponed = {
      status: 'True',
      reason: 'ControllerError',
      message: expect.stringMatching(sentence),
    };
    await eventually(() => {
      for (const name of names) expect(errorOf(cluster, name)).toMatchObject(isPostponed);
    });
    const writes = cluster.asked.length;
    loop.startOver(); // all objects are retried
    await eventually(() => expect(loop.load).toEqual({ waiting: 0, delayed: COUNT, running: 0 }));
    expect(cluster.asked.slice(writes).filter((line) => line.startsWith('patch'))).toEqual([]);
    expect(problems()).toHaveLength(1);
    expect(JSON.parse(problems()[0] ?? '')).toMatchObject({
      event: 'build failed',
      reason: 'ControllerError',
      message: expect.stringMatching(sentence),
      hint: 'set TMPDIR to another folder with enough space',
    });
    expect(events).toHaveLength(COUNT);

    free();
    await eventually(() => {
      for (const name of names) expect(statusOf(cluster, name).imageUrl).toBeDefined();
    });
    expect(problems()).toHaveLength(1);

    fill();
    const data = { nmstate: Buffer.from(nmstate('192.0.2.8')).toString('base64') };
    cluster.put(secrets, keyOf('worker-3-net'), { data });
    await eventually(() => expect(errorOf(cluster, 'worker-3')).toMatchObject(isPostponed));
    expect(problems()).toHaveLength(2);
  }, 120_000);

  it('is named in each answer, and logged once for all hosts and requests', async () => {
    const cluster = clusterOf(3);
    const leader = await lead(cluster);
    const urls = (): (string | undefined)[] => namesOf(3).map((name) => statusOf(cluster, name).imageUrl);
    await eventually(() => expect(urls()).not.toContain(undefined));
    const { events, get } = await replicaOf(leader);
    fill();
    for (const url of [...urls(), ...urls()]) {
      const answer = await get(url);
      expect(answer).toMatch(/^503 503: this file is temporarily unavailable: /);
      expect(answer).toMatch(sentence);
    }
    expect(events).toEqual([
      expect.objectContaining({ event: 'cannot serve', message: expect.stringMatching(sentence) }),
    ]);
    free();
    for (const url of urls()) expect(await get(url)).toMatch(/^200 \d+$/);
    expect(events).toHaveLength(1);
  });

  it('keeps a published image in the status', async () => {
    const cluster = clusterOf(1);
    const { loop, problems } = await lead(cluster);
    await eventually(() => expect(statusOf(cluster, 'worker-0').imageUrl).toBeDefined());
    const before = statusOf(cluster, 'worker-0');
    fill();
    loop.startOver();
    await eventually(() => expect(problems()).toHaveLength(1));
    expect(statusOf(cluster, 'worker-0')).toEqual(before);
  });
});
