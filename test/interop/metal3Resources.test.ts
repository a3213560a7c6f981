/** The resources of `deploy` in a real API server with the definitions of Metal3's operators, and the pod of Ironic. */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { load, loadAll } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ApiServer, startApiServer } from './kubernetes/apiServer.js';
import { definitionFile, definitions, missingDefinitions } from './kubernetes/programs.js';
import { deployFolder } from '../deploy/support.ts';
import { have, missingNote } from '../support/programs.ts';
import { haveKubernetes, kubernetesNote } from '../support/kubernetes.ts';

const missing = missingDefinitions();
const note =
  kubernetesNote ||
  (missing.length === 0 ? '' : ' (SKIPPED: node test/interop/kubernetes/fetch.js is needed)');

interface Resource {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}
interface Ironic extends Resource {
  readonly spec: { readonly overrides: { readonly initContainers: readonly object[] } };
}

const { run } = deployFolder();
const live = 'coreos.live.rootfs_url=http://h/r ignition.firstboot ignition.platform.id=metal';
const ironic = ['ironic', '--namespace', 'metal3', '--kernel-append-params', live];
const urls = ['--deploy-kernel', 'http://h/k', '--deploy-ramdisk', 'http://h/r'];
const arm = ['--deploy-kernel', 'aarch64=http://h/arm.k', '--deploy-ramdisk', 'aarch64=http://h/arm.r'];
const container = ['--prepare-image', 'registry.example.com/ironic-coreos:0.1.0'];
const prepare = [...container, '--settings', 'secret/ramdisk-settings'];
const isos = [
  '--ironic-ca',
  '--live-iso',
  'x86_64=http://h/x86/coreos.iso',
  '--live-iso',
  'aarch64=/coreos-arm.iso',
];
const host = [
  'baremetalhost',
  '--namespace',
  'metal3',
  '--name',
  'worker-0',
  '--boot-mac',
  '52:54:00:12:34:56',
].concat('--bmc-address', 'redfish-virtualmedia://192.0.2.10/redfish/v1/Systems/1');

describe.skipIf(!haveKubernetes || missing.length > 0)(
  `resources of Metal3${note}`,
  { timeout: 240_000 },
  () => {
    let server: ApiServer;
    const apis = {
      Secret: '/api/v1/namespaces/metal3/secrets',
      BareMetalHost: '/apis/metal3.io/v1alpha1/namespaces/metal3/baremetalhosts',
      Ironic: '/apis/ironic.metal3.io/v1alpha1/namespaces/metal3/ironics',
    };
    /** Unknown fields are errors, too. Nothing is stored. */
    const create = async (path: string, object: unknown): Promise<unknown> =>
      server.ask('POST', `${path}?fieldValidation=Strict&dryRun=All`, object);

    beforeAll(async () => {
      server = await startApiServer();
      await server.ask('POST', '/api/v1/namespaces', { metadata: { name: 'metal3' } });
      for (const name of Object.keys(definitions) as (keyof typeof definitions)[]) {
        const definition = load(readFileSync(definitionFile(name), 'utf8'));
        await server.ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
      }
      for (const path of [apis.BareMetalHost, apis.Ironic]) {
        await vi.waitFor(() => server.ask('GET', path), { timeout: 60_000 });
      }
    });
    afterAll(async () => server?.stop());

    it.each([
      ['Ironic with URLs of two architectures', [...ironic, ...urls, ...arm]],
      ['Ironic with URLs in ironic.conf', [...ironic, ...urls, ...arm, '--extra-config']],
      ['Ironic with an init container', [...ironic, ...prepare, ...isos]],
      ['BareMetalHost', host],
      [
        'BareMetalHost with all of its settings',
        [...host, '--ignition', 'host.ign', '--nmstate', 'nmstate.yaml'].concat([
          '--boot-mode',
          'UEFI',
          '--automated-cleaning',
          'disabled',
          '--root-device',
          'size=>= 100',
          '--copy-network',
        ]),
      ],
    ])('accepts %s', async (_title, args) => {
      const { code, stdout, stderr } = await run(args);
      expect([code, stderr]).toEqual([0, expect.not.stringContaining('error')]);
      const documents = loadAll(stdout) as Resource[];
      expect(documents).not.toEqual([]);
      for (const document of documents) {
        const api = apis[document.kind as keyof typeof apis];
        await expect(create(api, document)).resolves.toMatchObject({ kind: document.kind });
      }
    });

    it('refuses other architectures and unknown fields', async () => {
      const { stdout } = await run([...ironic, ...urls, ...arm]);
      for (const changed of [stdout.replace('aarch64', 's390x'), stdout.replace('initramfs:', 'ramdisk:')]) {
        await expect(create(apis.Ironic, load(changed))).rejects.toThrow('agentImages');
      }
    });

    it.skipIf(!have('kubectl'))(
      `is merged into the resource by kubectl${missingNote('kubectl')}`,
      async () => {
        const kubeconfig = server.writeKubeconfig('admin', server.adminToken);
        const apply = (text: string, ...options: readonly string[]): void => {
          const args = ['--kubeconfig', kubeconfig, 'apply', '--server-side', ...options, '-f', '-'];
          const { status, stderr } = spawnSync('kubectl', args, { input: text, encoding: 'utf8' });
          expect([status, stderr]).toEqual([0, '']);
        };
        const own = { networking: { ipAddress: '192.0.2.1' }, tls: { certificateName: 'ironic-tls' } };
        const metadata = { name: 'ironic', namespace: 'metal3' };
        apply(
          JSON.stringify({ apiVersion: 'ironic.metal3.io/v1alpha1', kind: 'Ironic', metadata, spec: own }),
        );
        const { stdout } = await run([...ironic, ...prepare, ...isos]);
        apply(stdout, '--field-manager=ironic-coreos');
        const merged = await server.ask('GET', `${apis.Ironic}/ironic`);
        expect(merged).toMatchObject({ spec: { ...own, ...(load(stdout) as Ironic).spec } });
      // With the same field manager, fields that the second document does not contain are removed.
      apply(stdout);
      const replaced = await server.ask('GET', `${apis.Ironic}/ironic`);
      expect(replaced).not.toHaveProperty('spec.tls.certificateName');
      },
    );

    it('accepts the pod of the operator with the init containers', async () => {
      const { stdout } = await run([...ironic, ...prepare, ...isos]);
      const { initContainers } = (load(stdout) as Ironic).spec.overrides;
      // As the operator names them.
      const shared = { name: 'ironic-shared', emptyDir: {} };
      const certificate = { name: 'cert-ironic', secret: { secretName: 'ironic-tls' } };
      const pod = {
        metadata: { name: 'ironic' },
        spec: {
          containers: [{ name: 'ironic', image: 'quay.io/metal3-io/ironic' }],
          initContainers,
          volumes: [shared, certificate],
        },
      };
      await expect(create('/api/v1/namespaces/metal3/pods', pod)).resolves.toMatchObject({ kind: 'Pod' });
      const without = { ...pod, spec: { ...pod.spec, volumes: [certificate] } };
      await expect(create('/api/v1/namespaces/metal3/pods', without)).rejects.toThrow('ironic-shared');
    });
  },
);
