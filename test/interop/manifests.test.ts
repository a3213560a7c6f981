/**
 * The manifests of `deploy baremetalhost` in a real API server with the definitions of the Bare Metal Operator: it takes all their
 * fields, and refuses what the definitions forbid.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { namespaceProblem, objectNameProblem } from '../../src/core/objectName.ts';
import { type ApiServer, haveKubernetes, kubernetesNote, startKubernetes } from '../support/kubernetes.ts';
import { runCli } from '../support/runCli.ts';
import { defineKind } from './kubernetes/definitions.ts';

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: object;
}

const places = new Map([
  ['Secret', '/api/v1/namespaces/default/secrets'],
  ['BareMetalHost', '/apis/metal3.io/v1alpha1/namespaces/default/baremetalhosts'],
]);

const checksum = 'a'.repeat(64);
const address = 'redfish-virtualmedia://192.0.2.13/redfish/v1/Systems/1';
const hardware = {
  name: 'root',
  level: '1',
  controller: 'RAID.1',
  physicalDisks: ['a', 'b'],
  sizeGibibytes: 100,
};
const disks = [{ serialNumber: '1' }, { deviceName: '/dev/disk/by-path/x' }];
const software = { level: '1', rootVolume: true, physicalDisks: disks };

describe.skipIf(!haveKubernetes)(`manifests${kubernetesNote}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'manifests-'));
  let server: ApiServer;

  beforeAll(async () => {
    writeFileSync(join(folder, 'host.ign'), '{"ignition":{"version":"3.4.0"}}');
    server = await startKubernetes();
    await defineKind('baremetalhosts.metal3.io', server.ask);
  });

  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Fields that a definition does not have are refused, instead of dropped. */
  async function create(manifest: Manifest): Promise<unknown> {
    const { kind } = manifest;
    return server.ask('POST', `${places.get(kind)}?fieldValidation=Strict`, manifest);
  }

  async function manifestsOf(name: string, settings: object): Promise<readonly Manifest[]> {
    const host = { name, mac: '52:54:00:12:34:56', deploy: settings };
    const deploy = { bmcAddress: address, ignition: 'host.ign' };
    writeFileSync(join(folder, 'hosts.json'), JSON.stringify({ deploy, hosts: [host] }));
    const args = ['deploy', 'baremetalhost', '--inventory', 'hosts.json', '--format', 'json'];
    const { code, stderr, stdout } = await runCli(args, { cwd: folder });
    if (code !== 0) throw new Error(stderr);
    const { items }: { items: readonly Manifest[] } = JSON.parse(stdout);
    return items;
  }

  it.each([
    ['minimal', {}],
    [
      'custom',
      {
        copyNetwork: true,
        appendKargs: ['a=b'],
        imageSource: 'https://h/i',
        imageChecksum: checksum,
        rootDeviceHints: { minSizeGigabytes: 1, rotational: false, wwn: '0x1' },
        spec: { bootMode: 'UEFI', automatedCleaningMode: 'disabled' },
        bmcInsecure: true,
      },
    ],
    [
      'direct',
      {
        deployInterface: 'direct',
        imageSource: 'https://h/i',
        imageChecksum: checksum,
        imageFormat: 'qcow2',
      },
    ],
    ['bootc', { deployInterface: 'bootc', imageSource: 'oci://h/i:1' }],
    ['live-iso', { bootIso: 'https://h/i.iso' }],
    ['disabled', { spec: { inspectionMode: 'disabled' } }],
    ['fast', { spec: { inspectionMode: 'fast' } }],
    ['agent', { spec: { inspectionMode: 'agent' } }],
    ['labels', { labels: { 'site.example/rack': 'r-7', plain: '' } }],
    ['hardware', { spec: { raid: { hardwareRAIDVolumes: [hardware], softwareRAIDVolumes: null } } }],
    ['no-hardware', { spec: { raid: { hardwareRAIDVolumes: [] } } }],
    ['software', { spec: { raid: { softwareRAIDVolumes: [software, { level: '0', sizeGibibytes: 0 }] } } }],
  ])('have what the definitions have: %s', async (name, settings) => {
    for (const manifest of await manifestsOf(name, settings)) {
      const { kind, metadata, spec } = manifest;
      expect(await create(manifest)).toMatchObject({ kind, metadata, ...(spec !== undefined && { spec }) });
    }
  });

  it.each([
    ['an unknown field', { extra: 1 }, /unknown field \\?"spec\.extra/],
    ['another inspection', { inspectionMode: 'x' }, /inspectionMode/],
    ['the format of the design', { image: { url: 'https://h/i', format: 'coreos' } }, /format/],
    ['another level', { raid: { softwareRAIDVolumes: [{ level: '5' }] } }, /level/],
  ])('are refused with %s', async (_title, spec, message) => {
    const [, host] = await manifestsOf('refused', {});
    if (host === undefined) throw new Error('there is no host');
    const changed = { ...host, spec: { ...host.spec, ...spec } };
    await expect(create(changed)).rejects.toThrow(message);
  });

  const names = ['a1', 'a.b', 'a-b', 'A', 'a_b', '-a', 'a-', 'a..b', 'é', 'x'.repeat(63), 'x'.repeat(254)];
  const created = async (path: string, metadata: object): Promise<boolean> => {
    try {
      await server.ask('POST', path, { metadata });
      return true;
    } catch {
      return false;
    }
  };

  it.each(names)('name objects and namespaces as Kubernetes allows: %s', async (name) => {
    expect(await created('/api/v1/namespaces/default/configmaps', { name })).toBe(
      objectNameProblem(name) === undefined,
    );
    expect(await created('/api/v1/namespaces', { name })).toBe(namespaceProblem(name) === undefined);
  });

  it.each([
    ['a', ''],
    ['a.b/c', 'D_e.f'],
    ['a b', ''],
    ['/a', ''],
    ['A/a', ''],
  ])('have labels with keys that Kubernetes accepts: %s=%s', async (label, value) => {
    const metadata = { generateName: 'label-', labels: { [label]: value } };
    const isAccepted = await created('/api/v1/namespaces/default/configmaps', metadata);
    const written = manifestsOf('labels', { labels: { [label]: value } });
    const problem = await written.then(() => '', String);
    expect(problem.includes('"labels"')).toBe(!isAccepted);
  });
});
