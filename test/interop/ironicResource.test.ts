/** The resources of docs/metal3.md in a real API server with the definition of ironic-standalone-operator, and the pod of Ironic. */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer } from './kubernetes/apiServer.js';
import { ironicDefinition } from './kubernetes/programs.js';
import { fileOfPage } from '../support/docs/markdown.ts';
import { eventually } from '../support/eventually.ts';
import { haveKubernetes, kubernetesNote } from '../support/kubernetes.ts';
import { have, oracleNote } from '../support/programs.ts';

interface Ironic {
  readonly spec: { readonly overrides: { readonly initContainers: readonly object[] } };
}

const prepared = fileOfPage('docs/metal3.md', 'ironic.yaml');
const { spec }: Ironic = JSON.parse(JSON.stringify(load(prepared)));
const withUrls = fileOfPage('docs/metal3.md', 'extra-config.yaml');

describe.skipIf(!haveKubernetes)(`the resource of Ironic${kubernetesNote}`, () => {
  let server: ApiServer;
  const ironics = '/apis/ironic.metal3.io/v1alpha1/namespaces/baremetal-operator-system/ironics';
  /** Unknown fields are errors, too. Nothing is stored. */
  const create = async (path: string, object: unknown): Promise<unknown> =>
    server.ask('POST', `${path}?fieldValidation=Strict&dryRun=All`, object);

  beforeAll(async () => {
    server = await startApiServer();
    await server.ask('POST', '/api/v1/namespaces', { metadata: { name: 'baremetal-operator-system' } });
    const definition = load(readFileSync(ironicDefinition, 'utf8'));
    await server.ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
    await eventually(() => server.ask('GET', ironics));
  });
  afterAll(async () => server?.stop());

  it.each([
    ['an init container', prepared],
    ['URLs as options of ironic.conf', withUrls],
  ])('is accepted with %s', async (_title, text) => {
    await expect(create(ironics, load(text))).resolves.toMatchObject({ kind: 'Ironic' });
  });

  it('is refused with unknown fields', async () => {
    const text = prepared.replace('initramfs:', 'ramdisk:');
    await expect(create(ironics, load(text))).rejects.toThrow('agentImages');
  });

  it('has init containers for the pod of the operator', async () => {
    const { initContainers } = spec.overrides;
    // As the operator names them.
    const shared = { name: 'ironic-shared', emptyDir: {} };
    const certificate = { name: 'cert-ironic', secret: { secretName: 'ironic-tls' } };
    const podWith = (...volumes: object[]): object => ({
      metadata: { name: 'ironic' },
      spec: { containers: [{ name: 'ironic', image: 'quay.io/metal3-io/ironic' }], initContainers, volumes },
    });
    const pods = '/api/v1/namespaces/baremetal-operator-system/pods';
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
    const metadata = { name: 'ironic', namespace: 'baremetal-operator-system' };
    apply(JSON.stringify({ apiVersion: 'ironic.metal3.io/v1alpha1', kind: 'Ironic', metadata, spec: own }));
    apply(prepared, '--field-manager=ironic-coreos');
    const merged = await server.ask('GET', `${ironics}/ironic`);
    expect(merged).toMatchObject({ spec: { ...own, ...spec } });
    // With the same field manager, fields that the second document does not contain are removed.
    apply(prepared);
    const replaced = await server.ask('GET', `${ironics}/ironic`);
    expect(replaced).not.toHaveProperty('spec.tls.certificateName');
  });
});
