/** The resources of `deploy ironic` in a real API server with the definition of ironic-standalone-operator, and the pod of Ironic. */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ApiServer, startApiServer } from './kubernetes/apiServer.js';
import { ironicDefinition } from './kubernetes/programs.js';
import { deployFolder } from '../commands/deploy/support.ts';
import { haveKubernetes, kubernetesNote } from '../support/kubernetes.ts';
import { have, oracleNote } from '../support/programs.ts';

interface Ironic {
  readonly spec: { readonly overrides: { readonly initContainers: readonly object[] } };
}

const { run } = deployFolder();
const live = 'coreos.live.rootfs_url=http://h/r ignition.firstboot ignition.platform.id=metal';
const urls = ['--deploy-kernel', 'http://h/k', '--deploy-ramdisk', 'http://h/r'];
const arm = ['--deploy-kernel', 'aarch64=http://h/arm.k', '--deploy-ramdisk', 'aarch64=http://h/arm.r'];
const isos = ['--live-iso', 'x86_64=http://h/x86/coreos.iso', '--live-iso', 'aarch64=/coreos-arm.iso'];
const prepared = [
  '--prepare-image',
  'registry.example.com/ironic-coreos:0.1.0',
  '--ironic-ca',
  ...isos,
].concat('--settings', 'secret/ramdisk-settings');

async function ironic(...options: readonly string[]): Promise<string> {
  const args = ['--namespace', 'metal3', '--kernel-append-params', live, ...options];
  const { code, stdout, stderr } = await run(['ironic', ...args]);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('error')]);
  return stdout;
}

describe.skipIf(!haveKubernetes)(`the resource of Ironic${kubernetesNote}`, { timeout: 240_000 }, () => {
  let server: ApiServer;
  const ironics = '/apis/ironic.metal3.io/v1alpha1/namespaces/metal3/ironics';
  /** Unknown fields are errors, too. Nothing is stored. */
  const create = async (path: string, object: unknown): Promise<unknown> =>
    server.ask('POST', `${path}?fieldValidation=Strict&dryRun=All`, object);

  beforeAll(async () => {
    server = await startApiServer();
    await server.ask('POST', '/api/v1/namespaces', { metadata: { name: 'metal3' } });
    const definition = load(readFileSync(ironicDefinition, 'utf8'));
    await server.ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
    await vi.waitFor(() => server.ask('GET', ironics), { timeout: 60_000 });
  });
  afterAll(async () => server?.stop());

  it.each([
    ['URLs of two architectures', [...urls, ...arm]],
    ['options of ironic.conf', [...urls, ...arm, '--extra-config']],
    ['an init container', prepared],
  ])('is accepted with %s', async (_title, options) => {
    await expect(create(ironics, load(await ironic(...options)))).resolves.toMatchObject({ kind: 'Ironic' });
  });

  it('is refused with other architectures and unknown fields', async () => {
    const text = await ironic(...urls, ...arm);
    for (const changed of [text.replace('aarch64', 's390x'), text.replace('initramfs:', 'ramdisk:')]) {
      await expect(create(ironics, load(changed))).rejects.toThrow('agentImages');
    }
  });

  it('has init containers for the pod of the operator', async () => {
    const { spec }: Ironic = JSON.parse(await ironic(...prepared, '--format', 'json'));
    const { initContainers } = spec.overrides;
    // As the operator names them.
    const shared = { name: 'ironic-shared', emptyDir: {} };
    const certificate = { name: 'cert-ironic', secret: { secretName: 'ironic-tls' } };
    const podWith = (...volumes: object[]): object => ({
      metadata: { name: 'ironic' },
      spec: { containers: [{ name: 'ironic', image: 'quay.io/metal3-io/ironic' }], initContainers, volumes },
    });
    const pods = '/api/v1/namespaces/metal3/pods';
    await expect(create(pods, podWith(shared, certificate))).resolves.toMatchObject({ kind: 'Pod' });
    await expect(create(pods, podWith(certificate))).rejects.toThrow('ironic-shared');
  });

  it.skipIf(!have('kubectl'))(`is merged by kubectl${oracleNote('kubectl')}`, async () => {
    const kubeconfig = server.writeKubeconfig('admin', server.adminToken);
    const apply = (text: string, ...options: readonly string[]): void => {
      const args = ['--kubeconfig', kubeconfig, 'apply', '--server-side', ...options, '-f', '-'];
      const { status, stderr } = spawnSync('kubectl', args, { input: text, encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, '']);
    };
    const own = { networking: { ipAddress: '192.0.2.1' }, tls: { certificateName: 'ironic-tls' } };
    const metadata = { name: 'ironic', namespace: 'metal3' };
    apply(JSON.stringify({ apiVersion: 'ironic.metal3.io/v1alpha1', kind: 'Ironic', metadata, spec: own }));
    const text = await ironic(...prepared, '--format', 'json');
    const { spec }: Ironic = JSON.parse(text);
    apply(text, '--field-manager=ironic-coreos');
    const merged = await server.ask('GET', `${ironics}/ironic`);
    expect(merged).toMatchObject({ spec: { ...own, ...spec } });
    // With the same field manager, fields that the second document does not contain are removed.
    apply(text);
    const replaced = await server.ask('GET', `${ironics}/ironic`);
    expect(replaced).not.toHaveProperty('spec.tls.certificateName');
  });
});
