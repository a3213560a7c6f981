/**
 * `controller` against a real API server, with the roles of its manifests: objects, Secrets and settings come, change and
 * go; replicas and the API server end and start. What is behind a URL is looked at byte by byte.
 */

import { statSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { STREAM_LABEL } from '../../src/commands/controller/api/preprovisioningImage.ts';
import { nmstate, settings } from '../commands/controller/support.ts';
import { isoPair } from '../support/minimalIso.ts';
import { haveKubernetes, kubernetesNote, type LoggedRequest } from '../support/kubernetes.ts';
import {
  account,
  agentConf,
  bytesFrom,
  conditionOf,
  controllerCluster,
  fetchFrom,
  hasFailed,
  isReady,
  paths,
} from './kubernetes/controllerCluster.ts';
import { startControllerProcess } from './kubernetes/controllerProcess.js';
import { allowedBy, readManifests } from './kubernetes/manifests.ts';
import { freePort } from '../support/listening.ts';

/** Has got the header, and takes nothing of the body yet. */
const beginDownload = (url: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    get(url, { agent: false }, resolve).on('error', reject);
  });

/** As `allowedBy` tells what roles allow. */
const tellRequest = ({ group, resource, subresource, verb }: LoggedRequest): string =>
  `${group} ${subresource === '' ? resource : `${resource}/${subresource}`} ${verb}`;

const labelled = (stream: string | null): object => ({
  metadata: { labels: { [STREAM_LABEL]: stream } },
});

describe.skipIf(!haveKubernetes)(`with a real API server${kubernetesNote}`, () => {
  const { configIn, create, createSecret, patch, preparedIso, read, remove, start, until, ...cluster } =
    controllerCluster();
  const { images, secrets } = paths;

  it('gives each object an image with its own network and name', async () => {
    const replica = await start();
    for (const index of [1, 2]) {
      await createSecret(`net-${index}`, { nmstate: nmstate(`192.0.2.${index}`) });
      await create(`create-${index}`, { networkDataName: `net-${index}` });
    }
    for (const index of [1, 2]) {
      const object = await until(`create-${index}`, isReady);
      expect(object.metadata.finalizers).toEqual(['preprovisioningimage.metal3.io']);
      const networkData = { name: `net-${index}` };
      expect(object.status).toMatchObject({ format: 'iso', architecture: 'x86_64', networkData });
      expect(conditionOf(object, 'Ready')).toMatchObject({ reason: 'ImageSuccess' });
      expect(conditionOf(object, 'Error')).toMatchObject({ status: 'False' });
      const fetched = await bytesFrom(replica, object.status?.imageUrl);
      const expected = await preparedIso(`create-${index}`, nmstate(`192.0.2.${index}`));
      expect(fetched).toEqual(expected);
      const config = await configIn(fetched, 'iso', 'ignition', 'show');
      const [unit] = config.systemd?.units ?? [];
      expect(unit?.contents).toContain(`IPA_DEFAULT_HOSTNAME=create-${index} `);
      const keyfile = config.storage?.files?.find(({ path }) => path?.endsWith('/eno1.nmconnection'));
      const [, base64 = ''] = keyfile?.contents?.source?.split(',') ?? [];
      expect(Buffer.from(base64, 'base64').toString()).toContain(`=192.0.2.${index}/24\n`);
    }
  });

  it('follows a change of the format', async () => {
    const replica = await start();
    await create('change');
    const before = await until('change', isReady);
    await patch(`${images}/change`, { spec: { acceptFormats: ['initrd'] } });
    const { status } = await until('change', (now) => isReady(now) && now.status?.format === 'initrd');
    expect(status?.imageUrl).toMatch(/\/change\.initramfs$/);
    expect(status?.extraKernelParams).toMatch(
      /^coreos\.live\.rootfs_url=http:\S+ ignition\.firstboot ignition\.platform\.id=metal$/,
    );
    const initramfs = await bytesFrom(replica, status?.imageUrl);
    const config = await configIn(initramfs, 'pxe', 'ignition', 'unwrap');
    expect(JSON.stringify(config)).toContain('IPA_DEFAULT_HOSTNAME=change ');
    expect((await bytesFrom(replica, status?.kernelUrl)).length).toBeGreaterThan(0);
    const [rootfs] = /http:\S+/.exec(status?.extraKernelParams ?? '') ?? [];
    expect(await bytesFrom(replica, rootfs)).toHaveLength(3_000_001);
    await patch(`${images}/change`, { spec: { acceptFormats: ['iso'] } });
    const after = await until('change', (now) => isReady(now) && now.status?.format === 'iso');
    const { conditions, ...fields } = before.status ?? {};
    expect(conditions).toHaveLength(2);
    expect(after.status).toMatchObject(fields);
    expect(after.status).not.toHaveProperty('kernelUrl');
    expect(after.status).not.toHaveProperty('extraKernelParams');
    expect(conditionOf(after, 'Error')?.observedGeneration).toBe(3);
  });

  it('gives an object the base image of its stream, and another one when the label changes', async () => {
    writeFileSync(
      cluster.path('el10.iso'),
      isoPair((files) => files.set('stream', Buffer.from('rhel-10'))).full,
    );
    const replica = await start({ iso: ['live.iso', 'rhel-10/x86_64=el10.iso'] });
    await create('stream', {}, { labels: { [STREAM_LABEL]: 'rhel-10' } });
    const el10 = await until('stream', isReady);
    expect((await bytesFrom(replica, el10.status?.imageUrl)).includes('rhel-10')).toBe(true);
    await patch(`${images}/stream`, labelled(null));
    const usual = await until('stream', (now) => now.status?.imageUrl !== el10.status?.imageUrl);
    expect((await bytesFrom(replica, usual.status?.imageUrl)).includes('rhel-10')).toBe(false);
    // The BareMetal Operator changes only the label: no other generation tells of it.
    expect(usual.metadata.generation).toBe(el10.metadata.generation);
    await patch(`${images}/stream`, labelled('rhel-9'));
    const words = `label ${STREAM_LABEL}: no images of the stream "rhel-9" for x86_64; available: x86_64, rhel-10/x86_64`;
    const refused = await until('stream', hasFailed('ConfigurationError', words));
    expect(refused.status).not.toHaveProperty('imageUrl');
    await patch(`${images}/stream`, labelled('rhel-10'));
    const again = await until('stream', isReady);
    expect(again.status?.imageUrl).toBe(el10.status?.imageUrl);
  });

  it('lets a deleted object go, and serves its image no more', async () => {
    const replica = await start();
    await create('delete');
    const { status } = await until('delete', isReady);
    const answer = async (): Promise<number> => (await fetchFrom(replica, status?.imageUrl, 'HEAD')).status;
    expect(await answer()).toBe(200);
    await remove(`${images}/delete`);
    await cluster.untilGone('delete');
    await expect.poll(answer).toBe(404);
  });

  it('notices another content of a Secret', async () => {
    const replica = await start();
    await createSecret('rotate', { nmstate: nmstate('192.0.2.30') });
    await create('rotate', { networkDataName: 'rotate' });
    const before = await until('rotate', isReady);
    await patch(`${secrets}/rotate`, { stringData: { nmstate: nmstate('192.0.2.31') } });
    const { status } = await until('rotate', (now) => now.status?.imageUrl !== before.status?.imageUrl);
    const { metadata } = await read(`${secrets}/rotate`);
    expect(status?.networkData?.version).toBe(metadata.resourceVersion);
    const expected = await preparedIso('rotate', nmstate('192.0.2.31'));
    expect(await bytesFrom(replica, status?.imageUrl)).toEqual(expected);
  });

  it('says what is wrong in the object, and goes on when it is right', async () => {
    await start();
    await create('wrong', { networkDataName: 'wrong' });
    await until('wrong', hasFailed('MissingNetworkData', 'Secret metal3/wrong not found'));
    await createSecret('wrong', { userData: '{}' });
    const missing = await until('wrong', hasFailed('ImageBuildInvalid', 'has no text in the key nmstate'));
    const networkData = { name: 'wrong' };
    expect(missing.status).toMatchObject({ format: 'iso', architecture: 'x86_64', networkData });
    const words = 'Secret metal3/wrong:9:11: expected an IPv4 address';
    await patch(`${secrets}/wrong`, { stringData: { nmstate: nmstate('192.0.2.300') } });
    await until('wrong', hasFailed('ImageBuildInvalid', words));
    await patch(`${secrets}/wrong`, { stringData: { nmstate: nmstate('192.0.2.30') } });
    await until('wrong', isReady);
    await remove(`${secrets}/wrong`);
    const { status } = await until('wrong', hasFailed('MissingNetworkData', 'not found'));
    expect(status?.imageUrl).toBeUndefined();
    const secretMissing = { reason: 'MissingNetworkData', message: 'Secret metal3/wrong not found' };
    const logged = (): unknown[] =>
      cluster
        .said()
        .split('\n')
        .flatMap((line): unknown[] => (line.includes(secretMissing.message) ? [JSON.parse(line)] : []));
    const line = expect.objectContaining({ level: 'error', event: 'build failed', ...secretMissing });
    await expect.poll(logged).toEqual([line, line]);
  });

  it.each([
    ['no-images', { architecture: 'ppc64le' }, 'no base image for the architecture "ppc64le"'],
    ['no-format', { acceptFormats: [] }, 'no accepted image format'],
  ])('says that there is no image: %s', async (name, spec, words) => {
    await start();
    await create(name, spec);
    const { status } = await until(name, hasFailed('ConfigurationError', words));
    expect(status?.imageUrl).toBeUndefined();
  });

  it('leaves objects of the assisted service alone', async () => {
    await start();
    await create('foreign', {}, { labels: { 'infraenvs.agent-install.openshift.io': 'env' } });
    await create('own');
    await until('own', isReady);
    const { metadata, status } = await read(`${images}/foreign`);
    expect([metadata.finalizers, status]).toEqual([undefined, undefined]);
  });

  it('writes nothing while nothing changes', async () => {
    await start();
    await create('quiet');
    const { metadata } = await until('quiet', isReady);
    await create('later');
    await until('later', isReady);
    expect((await read(`${images}/quiet`)).metadata.resourceVersion).toBe(metadata.resourceVersion);
    const patches = cluster.server().requests();
    const own = patches.filter(({ name, verb }) => name === 'quiet' && verb === 'patch');
    // A status is sent again until the watch shows it; this changes nothing.
    expect([...new Set(own.map(({ subresource }) => subresource))]).toEqual(['', 'status']);
  });

  it('gets there while others write, too', async () => {
    await start();
    await createSecret('busy', { nmstate: nmstate('192.0.2.60') });
    await create('busy', { networkDataName: 'busy' });
    for (let count = 0; count < 30; count++) {
      await patch(`${images}/busy`, { metadata: { annotations: { count: String(count) } } });
      if (count % 5 === 0) {
        await patch(`${secrets}/busy`, { stringData: { nmstate: nmstate(`192.0.2.${count + 1}`) } });
      }
    }
    const { metadata } = await read(`${secrets}/busy`);
    const { resourceVersion } = metadata;
    const after = await until('busy', (now) => now.status?.networkData?.version === resourceVersion);
    expect(isReady(after)).toBe(true);
  });

  it('puts right what others write into the status', async () => {
    await start();
    await create('meddled');
    const before = await until('meddled', isReady);
    await patch(`${images}/meddled/status`, { status: { imageUrl: 'http://192.0.2.66/evil.iso' } });
    const after = await until('meddled', ({ status }) => status?.imageUrl === before.status?.imageUrl);
    expect(after.status).toEqual(before.status);
  });

  it('looks after all namespaces, where its role lets it', async () => {
    const replica = await start({ namespace: '', kubeconfig: await cluster.kubeconfigForAll() });
    const elsewhere = images.replace('/metal3/', '/default/');
    await cluster.server().ask('POST', elsewhere, {
      apiVersion: 'metal3.io/v1alpha1',
      kind: 'PreprovisioningImage',
      metadata: { name: 'elsewhere' },
      spec: { acceptFormats: ['iso'], architecture: 'x86_64' },
    });
    await expect.poll(async () => isReady(await read(`${elsewhere}/elsewhere`))).toBe(true);
    const { status } = await read(`${elsewhere}/elsewhere`);
    const fetched = await bytesFrom(replica, status?.imageUrl);
    expect(status?.imageUrl).toContain('/h.default~2Felsewhere.');
    expect(JSON.stringify(await configIn(fetched, 'iso', 'ignition', 'show'))).toContain('=elsewhere ');
    await remove(`${elsewhere}/elsewhere`);
  });

  it('serves the same from every replica, and another one writes when the leader ends', async () => {
    const [one, other] = [await start(), await start()];
    await createSecret('replicas', { nmstate: nmstate('192.0.2.50') });
    await create('replicas', { networkDataName: 'replicas' });
    const { status } = await until('replicas', isReady);
    const leaders = (): number => [one, other].filter(({ isLeader }) => isLeader).length;
    await expect.poll(leaders).toBe(1);
    const expected = await preparedIso('replicas', nmstate('192.0.2.50'));
    for (const replica of [one, other]) {
      expect(await bytesFrom(replica, status?.imageUrl)).toEqual(expected);
    }
    const [leader, next] = one.isLeader ? [one, other] : [other, one];
    await cluster.stop(leader);
    await create('replicas-2');
    await until('replicas-2', isReady);
    expect(next.isLeader).toBe(true);
    const third = await start();
    expect(await bytesFrom(third, status?.imageUrl)).toEqual(expected);
    expect((await read(`${images}/replicas`)).status).toEqual(status);
  });

  it('serves and goes on when the API server ends and comes again', async () => {
    const replica = await start();
    await create('restart');
    const { status } = await until('restart', isReady);
    const before = await bytesFrom(replica, status?.imageUrl);
    await cluster.server().down();
    expect(await bytesFrom(replica, status?.imageUrl)).toEqual(before);
    expect((await fetch(`${replica.origin}/readyz`)).status).toBe(200);
    await sleep(1500); // so that attempts fail
    await cluster.server().up();
    await create('restart-2');
    await remove(`${images}/restart`);
    await until('restart-2', isReady);
    await cluster.untilGone('restart');
  });

  it('makes everything anew when the settings change, and keeps the old ones where the new are wrong', async () => {
    const replica = await start();
    await create('settings');
    const before = await until('settings', isReady);
    cluster.mountSettings('agent: {ironic.apiUrls: "no url"}\n');
    await expect.poll(cluster.said).toContain('still serving the settings and images of ');
    expect((await fetchFrom(replica, before.status?.imageUrl, 'HEAD')).status).toBe(200);
    cluster.mountSettings(settings.replace('192.0.2.1', '192.0.2.111'));
    const after = await until('settings', ({ status }) => status?.imageUrl !== before.status?.imageUrl);
    const image = await bytesFrom(replica, after.status?.imageUrl);
    expect(agentConf(await configIn(image, 'iso', 'ignition', 'show'))).toContain('https://192.0.2.111:6385');
    cluster.mountSettings(settings);
    await until('settings', ({ status }) => status?.imageUrl === before.status?.imageUrl);
  });

  it('serves pages for operators and probes', async () => {
    writeFileSync(cluster.path('tokens'), 'operator-token-0123456789\n', { mode: 0o600 });
    const replica = await start({ tokenFile: 'tokens' });
    await create('pages');
    await until('pages', isReady);
    await expect.poll(() => replica.isLeader).toBe(true);
    const headers = { authorization: 'Bearer operator-token-0123456789' };
    const pageAt = async (page: string): Promise<string> =>
      (await fetch(`${replica.origin}${page}`, { headers })).text();
    expect(await pageAt('/healthz')).toBe('ok\n');
    const metrics = await pageAt('/metrics');
    expect(metrics).toMatch(/^ironic_coreos_leader 1$/m);
    const [, contact] = /^ironic_coreos_cluster_contact_timestamp_seconds ([\d.]+)$/m.exec(metrics) ?? [];
    expect(Number(contact)).toBeGreaterThan(Date.now() / 1000 - 300);
    expect(metrics).toMatch(/^ironic_coreos_statuses_written_total\{reason="ImageSuccess"\} \d+$/m);
    await expect.poll(async () => pageAt('/metrics')).toMatch(/^ironic_coreos_queue\{state="waiting"\} 0$/m);
    expect(await pageAt('/?format=json')).toContain('"name":"metal3/pages"');
    expect(await pageAt('/')).toContain('metal3/pages');
  });

  it('ends as a process when running downloads are through', async () => {
    const { size } = statSync(cluster.path('live.iso'));
    const port = await freePort();
    const options = ['--kubeconfig', cluster.kubeconfig(), '--namespace', 'metal3', '--iso', 'live.iso'];
    const settingsOption = ['--settings', 'volume/ramdisk.yaml', '--key-file', 'key'];
    const listen = ['--listen', `127.0.0.1:${port}`, '--drain-time', '3s', '--grace', '60s'];
    const program = await startControllerProcess([...options, ...settingsOption, ...listen], cluster.folder);
    await create('process');
    const { status } = await until(
      'process',
      (now) => isReady(now) && now.status?.imageUrl?.includes(`:${port}/`) === true,
    );
    const origin = `http://127.0.0.1:${port}`;
    const running = await beginDownload(status?.imageUrl ?? '');
    program.signal('SIGTERM');
    const readiness = async (): Promise<number> => (await fetch(`${origin}/readyz`)).status;
    await expect.poll(readiness).toBe(503);
    await sleep(3500); // beyond the time to look elsewhere
    expect((await buffer(running)).length).toBe(size);
    expect(await program.ended).toBe(0);
    expect(program.said()).toContain('"event":"stopped","aborted":0');
  });

  it('has never told a token, nor what is in a Secret', () => {
    expect(cluster.said()).not.toMatch(/\.-\.[\w-]{22}/);
    expect(cluster.said()).not.toContain('prefix-length');
  });

  it('has needed what its roles allow, and nothing else', () => {
    const user = `system:serviceaccount:${account.namespace}:${account.name}`;
    const own = cluster.server().requests();
    const asked = own.filter((request) => request.user === user);
    const used = asked.filter(({ status }) => status !== 403).map(tellRequest);
    // An API server that has just come up does not know yet what it has allowed before.
    const refused = asked.filter(({ status }) => status === 403).map(tellRequest);
    expect(used).toEqual(expect.arrayContaining(refused));
    const roles = [...readManifests('base/role-images.yaml'), ...readManifests('base/role-controller.yaml')];
    expect([...new Set(used)].toSorted()).toEqual(allowedBy(roles));
  });
});
