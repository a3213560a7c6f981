/** The client against a real API server: what it does there, what it may, and what comes of restarts. */

import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createIo } from '../support/createIo.ts';
import { isConflict, isExpired } from '../../src/kube/apiError.ts';
import { ApiClient, type KubernetesClient } from '../../src/kube/kubernetesClient.ts';
import { type ClusterConfig, findClusterConfig } from '../../src/kube/clusterConfig.ts';
import { LeaderElection } from '../../src/kube/leaderElection.ts';
import { leases, type ApiResource, secretMetadata, secrets } from '../../src/kube/objects.ts';
import { Informer, type ObjectChange } from '../../src/kube/informer.ts';
import {
  type ApiServer,
  grant,
  haveKubernetes,
  kubernetesNote,
  startKubernetes,
} from '../support/kubernetes.ts';

const images: ApiResource = {
  group: 'metal3.io',
  version: 'v1alpha1',
  plural: 'preprovisioningimages',
  kind: 'PreprovisioningImage',
};
const io = createIo({ cwd: '/' });

const describeChange = ({ key, before, now }: ObjectChange<string>): string =>
  `${key}: ${before ?? '-'} → ${now ?? '-'}`;

const until = async (fits: () => boolean): Promise<void> => {
  while (!fits()) await wait(10);
};

const pagesOf = async (
  client: KubernetesClient,
  resource: ApiResource,
  namespace: string,
): Promise<string[][]> => {
  const pages = [];
  for await (const { objects } of client.list(resource, namespace)) {
    pages.push(objects.map(({ metadata }) => metadata.name));
  }
  return pages;
};

describe.skipIf(!haveKubernetes)(`a real API server${kubernetesNote}`, () => {
  let server: ApiServer;
  let admin: ClusterConfig;
  const open: { close(): Promise<void> }[] = [];

  beforeAll(async () => {
    server = await startKubernetes();
    admin = await findClusterConfig(server.writeKubeconfig('admin', server.adminToken), io);
  });
  afterAll(async () => server.stop());
  afterEach(async () => {
    for (const connection of open.splice(0)) await connection.close();
  });

  const connect = (config = admin): KubernetesClient => {
    const client = new ApiClient(config);
    open.push(client);
    return client;
  };
  const newNamespace = async (name: string): Promise<string> => {
    await server.ask('POST', '/api/v1/namespaces', { metadata: { name } });
    return name;
  };

  const remove = async (namespace: string, name: string): Promise<void> => {
    await server.ask(
      'DELETE',
      `/apis/metal3.io/v1alpha1/namespaces/${namespace}/preprovisioningimages/${name}`,
    );
  };

  it('makes, reads and patches', async () => {
    const namespace = await newNamespace('life');
    const client = connect();
    const key = { namespace, name: 'worker-0' };
    const made = await client.create(images, namespace, {
      metadata: { name: 'worker-0', labels: { a: 'b' } },
      spec: { acceptFormats: ['iso'] },
    });
    expect(made).toMatchObject({ metadata: { ...key, generation: 1, labels: { a: 'b' } } });
    expect(made.metadata).not.toHaveProperty('managedFields');
    await expect(client.create(images, namespace, { metadata: { name: 'worker-0' } })).rejects.toSatisfy(
      isConflict,
    );

    const body = { status: { imageUrl: 'http://192.0.2.1/a.iso' } };
    const patched = await client.patch(images, key, { subresource: 'status', body });
    expect(patched).toMatchObject({ ...body, metadata: { generation: 1 } });
    expect(await client.get(images, key)).toEqual(patched);

    const { resourceVersion } = made.metadata;
    const stale = { metadata: { resourceVersion }, spec: { architecture: 'x86_64' } };
    await expect(client.patch(images, key, { body: stale })).rejects.toSatisfy(isConflict);
    await remove(namespace, 'worker-0');
    expect(await client.get(images, key)).toBeUndefined();
  });

  it('tells what the API server says about a wrong object, with its status', async () => {
    const namespace = await newNamespace('wrong');
    const object = { metadata: { name: 'worker-0' }, spec: { acceptFormats: ['floppy'] } };
    await expect(connect().create(images, namespace, object)).rejects.toMatchObject({
      status: 422,
      message: expect.stringContaining('spec.acceptFormats[0]'),
    });
  });

  it('lists page by page', async () => {
    const namespace = await newNamespace('pages');
    const client = connect();
    const names = Array.from({ length: 600 }, (_, index) => `worker-${String(index).padStart(3, '0')}`);
    await Promise.all(names.map((name) => client.create(images, namespace, { metadata: { name } })));
    const pages = await pagesOf(client, images, namespace);
    expect(pages.flat()).toEqual(names);
    expect(pages.map(({ length }) => length)).toEqual([250, 250, 100]);
  });

  it('gets metadata without content', async () => {
    const namespace = await newNamespace('metadata');
    const client = connect();
    const key = { namespace, name: 'net' };
    await client.create(secrets, namespace, { metadata: { name: 'net' }, stringData: { nmstate: '{}' } });
    expect(await client.get(secretMetadata, key)).not.toHaveProperty('data');
    for await (const { objects } of client.list(secretMetadata, namespace)) {
      expect(objects).toMatchObject([{ metadata: key }]);
      expect(objects[0]).not.toHaveProperty('data');
    }
  });

  it('may do what the role of its service account allows, and says what it does not', async () => {
    const namespace = await newNamespace('roles');
    const account = { namespace, name: 'reader' };
    const token = await server.createToken(account);
    await grant(server, account, [{ apiGroups: ['metal3.io'], resources: [images.plural], verbs: ['list'] }]);
    const client = connect(await findClusterConfig(server.writeKubeconfig('reader', token), io));
    expect(await pagesOf(client, images, namespace)).toEqual([[]]);
    const refused = client.get(secrets, { namespace, name: 'net' });
    await expect(refused).rejects.toMatchObject({ status: 403 });
    await expect(refused).rejects.toThrow(
      /^Cannot get secrets roles\/net: .*system:serviceaccount:roles:reader/,
    );
    expect(server.requests().findLast(({ user }) => user.endsWith('reader'))).toMatchObject({
      verb: 'get',
      resource: 'secrets',
      status: 403,
    });
  });

  it('is known by a client certificate', async () => {
    const { certificate, key } = server.adminFiles;
    const { readFileSync } = await import('node:fs');
    const tls = {
      ca: Buffer.from(server.authority),
      cert: readFileSync(certificate),
      key: readFileSync(key),
    };
    const client = connect({ ...admin, tls, readToken: async () => undefined });
    expect(await pagesOf(client, images, 'default')).toEqual([[]]);
  });

  it('trusts no other authority', async () => {
    const client = connect({ ...admin, tls: {} });
    await expect(pagesOf(client, images, 'default')).rejects.toMatchObject({
      hint: expect.stringContaining('certificate-authority'),
    });
  });

  it('is told that a watch starts from what is long gone', async () => {
    const watching = connect().watch(images, 'default', '1');
    await expect(watching[Symbol.asyncIterator]().next()).rejects.toSatisfy(isExpired);
  });

  it('follows a kind of object, also across restarts of the API server', async () => {
    const namespace = await newNamespace('follow');
    const client = connect();
    await client.create(images, namespace, { metadata: { name: 'before' } });
    const changes: string[] = [];
    const cache = new Informer({
      client,
      resource: images,
      namespace,
      keep: ({ metadata: { name, labels } }) => labels['v'] ?? name,
      changed: (change) => void changes.push(describeChange(change)),
      backOff: { first: 50, longest: 500 },
    });
    open.push({ close: () => cache.stop() });
    await cache.synced;
    await client.create(images, namespace, { metadata: { name: 'after' } });
    await until(() => [...cache.values()].length === 2);

    await server.down();
    await server.up();
    const body = { metadata: { labels: { v: 'two' } } };
    await client.patch(images, { namespace, name: 'before' }, { body });
    await remove(namespace, 'after');
    await until(() => [...cache.values()].length === 1 && changes.length >= 4);
    expect(changes.slice(0, 2)).toEqual(['follow/before: - → before', 'follow/after: - → after']);
    expect(changes.slice(2)).toContain('follow/before: before → two');
    expect(changes.slice(2)).toContain('follow/after: after → -');
    expect([...cache.values()]).toEqual(['two']);
  });

  it('lets one replica lead, and the next one as soon as that stops', async () => {
    const namespace = await newNamespace('leader');
    const led: string[] = [];
    const leaders = new Map<string, string | undefined>();
    const start = (identity: string) =>
      new LeaderElection({
        client: connect(),
        lease: { namespace, name: 'ironic-coreos' },
        identity,
        changed: (leader) => void leaders.set(identity, leader),
        lead: () => void led.push(identity),
      });
    const one = start('one');
    await until(() => one.isLeader);
    const two = start('two');
    await until(() => leaders.get('two') === 'one');
    expect(two.isLeader).toBe(false);
    await one.stop();
    await until(() => two.isLeader);
    await two.stop();
    expect(led).toEqual(['one', 'two']);
    const spec = (await connect().get(leases, { namespace, name: 'ironic-coreos' }))?.['spec'];
    expect(spec).not.toHaveProperty('holderIdentity', 'two');
    expect(spec).toMatchObject({ leaseTransitions: 1 });
  });
});
