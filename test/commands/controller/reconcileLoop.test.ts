/** What the leader writes, in a cluster in memory: conflicts, trouble, and that nothing is done twice. */

import { Writable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { Informers, preprovisioningImages } from '../../../src/commands/controller/informers.ts';
import { ReconcileLoop } from '../../../src/commands/controller/reconcileLoop.ts';
import { ApiError } from '../../../src/kube/apiError.ts';
import { secrets } from '../../../src/kube/objects.ts';
import { createServerLog } from '../../../src/http/server/serverLog.ts';
import { createDeferred } from '../../../src/core/deferred.ts';
import type { Outcome } from '../../../src/commands/controller/api/outcome.ts';
import type { PreprovisioningImage } from '../../../src/commands/controller/api/preprovisioningImage.ts';
import { memoryCluster, type MemoryCluster } from './memoryCluster.ts';
import { eventually } from '../../support/eventually.ts';

const key = { namespace: 'metal3', name: 'worker-0' };
const secret = { namespace: 'metal3', name: 'net' };
const spec = { acceptFormats: ['iso'], architecture: 'x86_64', networkDataName: 'net' };

const outcomeOf = (image: PreprovisioningImage, version: string | undefined): Outcome => {
  const attempt = { format: 'iso', architecture: 'x86_64', networkData: { name: 'net', version } } as const;
  const none = { kernelUrl: undefined, extraKernelParams: undefined, note: undefined };
  return { kind: 'ready', imageUrl: `http://192.0.2.1/${image.name}/${version}`, ...none, attempt };
};

interface Leader {
  readonly cluster: MemoryCluster;
  readonly informers: Informers;
  readonly reconcileLoop: ReconcileLoop;
  readonly built: string[];
  readonly said: () => string;
  readonly end: () => Promise<void>;
}

const leaders: Leader[] = [];
afterEach(async () => {
  for (const leader of leaders.splice(0)) await leader.end();
});

async function lead(
  cluster: MemoryCluster,
  build?: (image: PreprovisioningImage) => Promise<Outcome>,
): Promise<Leader> {
  const chunks: string[] = [];
  const output = new Writable({
    write(chunk: Buffer | string, _encoding, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  const { client } = cluster;
  const informers = new Informers(
    client,
    'metal3',
    () => undefined,
    (owner) => reconcileLoop.changed(owner),
  );
  const built: string[] = [];
  const reconcileLoop = new ReconcileLoop({
    client,
    informers,
    log: createServerLog(output, 'json'),
    wrote: () => undefined,
    failed: () => undefined,
    build: async (image) => {
      built.push(image.name);
      return build === undefined ? outcomeOf(image, informers.networkVersion(image)) : build(image);
    },
  });
  await informers.synced;
  const stop = new AbortController();
  reconcileLoop.lead(stop.signal);
  const end = async (): Promise<void> => {
    stop.abort();
    await informers.close();
  };
  const leader = { cluster, informers, reconcileLoop, built, said: () => chunks.join(''), end };
  leaders.push(leader);
  return leader;
}

const statusOf = ({ find }: MemoryCluster): unknown => find(preprovisioningImages, key)?.['status'];
const writesOf = ({ asked }: MemoryCluster): string[] => asked.filter((line) => line.startsWith('patch'));
const bothPatches = [
  'patch preprovisioningimages metal3/worker-0',
  'patch preprovisioningimages/status metal3/worker-0',
];

function clusterWithImage(): MemoryCluster {
  const cluster = memoryCluster();
  cluster.put(secrets, secret, {});
  cluster.put(preprovisioningImages, key, { spec });
  return cluster;
}

describe('the leader', () => {
  it('makes each image once, though what it writes comes back to it', async () => {
    const cluster = clusterWithImage();
    const { built, reconcileLoop } = await lead(cluster);
    await eventually(() =>
      expect(statusOf(cluster)).toMatchObject({ imageUrl: 'http://192.0.2.1/worker-0/1' }),
    );
    await eventually(() => expect(reconcileLoop.load).toEqual({ waiting: 0, delayed: 0, running: 0 }));
    expect([built, writesOf(cluster)]).toEqual([['worker-0'], bothPatches]);
  });

  it('makes it anew for another stream, though generation and spec stay', async () => {
    const cluster = clusterWithImage();
    const { built, said } = await lead(cluster, async (image) => {
      const outcome = outcomeOf(image, '1');
      const imageUrl = `http://192.0.2.1/${image.stream ?? 'default'}`;
      return outcome.kind === 'ready' ? { ...outcome, imageUrl } : outcome;
    });
    const until = (name: string): Promise<void> =>
      eventually(() => expect(statusOf(cluster)).toMatchObject({ imageUrl: `http://192.0.2.1/${name}` }));
    await until('default');
    for (const labels of [{ 'coreos.openshift.io/stream': 'rhel-10' }, { other: 'label' }]) {
      const { metadata, ...fields } = cluster.find(preprovisioningImages, key) ?? {};
      cluster.put(preprovisioningImages, key, { ...fields, metadata: { ...metadata, labels } });
      await until('other' in labels ? 'default' : 'rhel-10');
    }
    expect(built).toEqual(['worker-0', 'worker-0', 'worker-0']);
    expect(said()).toContain('"stream":"rhel-10"');
  });

  it('makes it anew for another version of its Secret, and not for that of another one', async () => {
    const cluster = clusterWithImage();
    const { built } = await lead(cluster);
    await eventually(() => expect(statusOf(cluster)).toBeDefined());
    cluster.put(secrets, { namespace: 'metal3', name: 'other' }, {});
    cluster.put(secrets, secret, {});
    await eventually(() => expect(statusOf(cluster)).toMatchObject({ networkData: { version: '6' } }));
    expect(built).toEqual(['worker-0', 'worker-0']);
  });

  it('makes all anew when settings are others', async () => {
    const cluster = clusterWithImage();
    const { built, reconcileLoop } = await lead(cluster);
    await eventually(() => expect(statusOf(cluster)).toBeDefined());
    reconcileLoop.startOver();
    await eventually(() => expect(built).toEqual(['worker-0', 'worker-0']));
    expect(writesOf(cluster)).toEqual(bothPatches);
  });

  it('writes on from what an object has become meanwhile', async () => {
    const cluster = clusterWithImage();
    let count = 0;
    cluster.intervene = (line) => {
      if (!line.startsWith('patch preprovisioningimages/status') || count++ > 0) return;
      const before = cluster.find(preprovisioningImages, key) ?? {};
      const changed = { ...spec, acceptFormats: ['iso', 'initrd'] };
      cluster.put(preprovisioningImages, key, { ...before, spec: changed });
    };
    const { said } = await lead(cluster);
    await eventually(() => expect(statusOf(cluster)).toMatchObject({ imageUrl: expect.any(String) }));
    expect(cluster.find(preprovisioningImages, key)?.['spec']).toMatchObject({
      acceptFormats: ['iso', 'initrd'],
    });
    expect(said()).not.toContain('retry');
  });

  it('tries again when the API server does not play along, and says so', async () => {
    const cluster = clusterWithImage();
    let count = 0;
    cluster.intervene = (line) => {
      if (!line.startsWith('patch') || count++ > 0) return;
      throw new ApiError('the API server is overloaded', { status: 503 });
    };
    const { said } = await lead(cluster);
    await eventually(() => expect(said()).toContain('"event":"retry"'));
    await eventually(() => expect(statusOf(cluster)).toBeDefined());
    expect(said()).toContain('the API server is overloaded');
  });

  it.each([
    [1, false],
    [2, true],
  ])(
    'repeats a patch with %i conflicts, also if the watch reports no change',
    async (conflicts, isLogged) => {
      const cluster = clusterWithImage();
      let count = 0;
      cluster.intervene = (line) => {
        if (!line.startsWith('patch preprovisioningimages/status') || count++ >= conflicts) return;
        throw new ApiError('the object has been modified', { status: 409 });
      };
      const { built, said } = await lead(cluster);
      await eventually(() => expect(statusOf(cluster)).toBeDefined());
      expect([count, built.length]).toEqual([conflicts + 1, 1]);
      expect(said().includes('"event":"retry"')).toBe(isLogged);
    },
  );

  it('lets go of an object that goes while it is looked after', async () => {
    const cluster = clusterWithImage();
    cluster.intervene = (line) => {
      const isThere = cluster.find(preprovisioningImages, key) !== undefined;
      if (isThere && line.startsWith('patch preprovisioningimages/status')) {
        cluster.remove(preprovisioningImages, key);
      }
    };
    const { reconcileLoop, said, informers } = await lead(cluster);
    await eventually(() => expect(informers.find('metal3/worker-0')).toBeUndefined());
    await eventually(() => expect(reconcileLoop.load).toEqual({ waiting: 0, delayed: 0, running: 0 }));
    expect(said()).not.toContain('retry');
  });

  it('does not take for written what the API server has not kept', async () => {
    const cluster = clusterWithImage();
    const { client } = cluster;
    let dropped = 0;
    const patch: typeof client.patch = async (resource, where, change) => {
      if (change.subresource === undefined) return client.patch(resource, where, change);
      dropped += 1;
      const kept = await client.get(resource, where);
      if (kept === undefined) throw new Error('the object is gone');
      return kept;
    };
    const { reconcileLoop } = await lead({ ...cluster, client: { ...client, patch } });
    await eventually(() => expect(dropped).toBeGreaterThan(0));
    await eventually(() => expect(reconcileLoop.load).toEqual({ waiting: 0, delayed: 0, running: 0 }));
    const before = dropped;
    reconcileLoop.startOver();
    await eventually(() => expect(dropped).toBe(before + 1));
  });

  it.each([
    ['a deleted object', {}],
    ['a deleted object that another service took over', { 'infraenvs.agent-install.openshift.io': 'x' }],
  ])('takes its finalizer from %s, and makes no image for it', async (_title, labels) => {
    const cluster = memoryCluster();
    const finalizers = ['theirs', 'preprovisioningimage.metal3.io'];
    const metadata = { finalizers, labels, deletionTimestamp: '2026-11-21T10:00:00Z' };
    cluster.put(preprovisioningImages, key, { metadata, spec });
    const { built } = await lead(cluster);
    await eventually(() => {
      expect(cluster.find(preprovisioningImages, key)?.metadata.finalizers).toEqual(['theirs']);
    });
    expect(built).toEqual([]);
  });

  it('tells of an error once, in the object and the log', async () => {
    const cluster = clusterWithImage();
    const attempt = undefined;
    const { said } = await lead(cluster, async () => {
      return { kind: 'failed', reason: 'MissingNetworkData', message: 'there is\u001b[31m none', attempt };
    });
    await eventually(() => expect(said()).toContain('"event":"build failed"'));
    expect(statusOf(cluster)).toMatchObject({
      conditions: [{ type: 'Ready' }, { type: 'Error', status: 'True', reason: 'MissingNetworkData' }],
    });
    expect(said()).toContain('there is\\\\u001b[31m none');
    expect(said().match(/build failed/g)).toHaveLength(1);
  });

  it('ends at once during a build that takes long, and writes nothing of it', async () => {
    const cluster = clusterWithImage();
    const hung = createDeferred();
    const { built, end } = await lead(cluster, async (image) => {
      await hung.promise;
      return outcomeOf(image, '1');
    });
    await eventually(() => expect(built).toEqual(['worker-0']));
    leaders.length = 0;
    await end();
    hung.resolve();
    await new Promise((resolve) => void setTimeout(resolve, 50));
    expect(writesOf(cluster)).toEqual(bothPatches.slice(0, 1));
  });

  it('writes nothing any more when it no longer leads', async () => {
    const cluster = memoryCluster();
    const { end, built } = await lead(cluster);
    await end();
    leaders.length = 0;
    cluster.put(preprovisioningImages, key, { spec });
    await new Promise((resolve) => void setTimeout(resolve, 50));
    expect([built, writesOf(cluster)]).toEqual([[], []]);
  });
});
