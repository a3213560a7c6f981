/** The manifests of the controller: that they fit each other, the program, and what restricted namespaces allow. */

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseYaml } from '../../src/formats/yaml.ts';
import { allowedBy, type Manifest, manifestFolder, readManifests } from '../interop/kubernetes/manifests.ts';
import { have, oracleNote } from '../support/programs.ts';
import { runCli } from '../support/runCli.ts';
import { wholeProgram } from '../support/wholeProgram.ts';

const base = readdirSync(join(manifestFolder, 'base')).filter((name) => name !== 'kustomization.yaml');
const manifests = base.flatMap((name) => readManifests(`base/${name}`));

/** What tests look at of a Deployment. */
interface Pod {
  readonly terminationGracePeriodSeconds: number;
  readonly securityContext: object;
  readonly containers: readonly Container[];
  readonly initContainers: readonly Container[];
  readonly volumes: readonly {
    readonly name: string;
    readonly secret?: { readonly secretName: string };
    readonly projected?: { readonly sources: readonly Source[] };
  }[];
}

/** One of both. */
interface Source {
  readonly configMap?: { readonly name: string };
  readonly secret?: { readonly name: string };
}

interface Container {
  readonly args: readonly string[];
  readonly ports: readonly { readonly name: string }[];
  readonly securityContext: object;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly resources: { readonly limits: { readonly memory: string } };
}

function podOf(all: readonly Manifest[]): Pod {
  const deployment = all.find(({ kind }) => kind === 'Deployment');
  const { template }: { template: { spec: Pod } } = JSON.parse(JSON.stringify(deployment?.['spec']));
  return template.spec;
}

function secretOf({ volumes }: Pod): string | undefined {
  return volumes.flatMap(({ secret }) => secret?.secretName ?? [])[0];
}

const keys = { name: 'ironic-coreos-keys', files: ['url-key', 'tokens'] };

function settingsIn(...files: string[]): object {
  return { name: 'ironic-coreos-settings', files, options: { disableNameSuffixHash: true } };
}

const pod = podOf(manifests);
const containers = [...pod.initContainers, ...pod.containers];

describe('the manifests', () => {
  it('are all listed, and none names a namespace', () => {
    const [listed] = readManifests('base/kustomization.yaml');
    expect(listed?.['resources']).toEqual(expect.arrayContaining(base));
    expect(listed?.['resources']).toHaveLength(base.length);
    for (const { metadata } of manifests) expect(metadata).not.toHaveProperty('namespace');
  });

  it('start the program with options that it has', () => {
    const program = wholeProgram();
    for (const { args } of containers) {
      const [name, ...options] = args;
      const command = program.commands.find((other) => other.name() === name);
      const known = command?.options.map(({ long }) => long);
      const used = options.filter((arg) => arg.startsWith('--')).map((arg) => arg.replace(/=.*/, ''));
      expect(used.length).toBeGreaterThan(0);
      expect(known).toEqual(expect.arrayContaining(used));
    }
  });

  it('give the end the time that it is granted', () => {
    const seconds = pod.containers.flatMap(({ args }) =>
      args.flatMap((arg) => /^--(?:grace|drain-time)=(\d+)s$/.exec(arg)?.[1] ?? []),
    );
    expect(seconds).toHaveLength(2);
    const needed = seconds.reduce((sum, text) => sum + Number(text), 0);
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(needed);
  });

  it('keep to what restricted namespaces allow', () => {
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    for (const { securityContext, resources } of containers) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(resources.limits.memory).toMatch(/Mi$/);
    }
  });

  it('name no user or group, which OpenShift assigns, and only kinds of volumes that it permits', () => {
    const fixed =
      /^(?:runAsUser|runAsGroup|fsGroup|supplementalGroups|seLinuxOptions|hostNetwork|hostPID|hostIPC)$/;
    const fields = [pod, pod.securityContext, ...containers.map(({ securityContext }) => securityContext)];
    expect(fields.flatMap((field) => Object.keys(field)).filter((name) => fixed.test(name))).toEqual([]);
    const kinds = pod.volumes.flatMap(({ name: _name, ...kind }) => Object.keys(kind));
    expect(new Set(kinds)).toEqual(new Set(['emptyDir', 'projected', 'secret']));
  });

  it('let others reach only the port of the images', () => {
    const policy = manifests.find(({ kind }) => kind === 'NetworkPolicy');
    const [{ port } = { port: '' }] = pod.containers.flatMap(({ ports }) =>
      ports.map(({ name }) => ({ port: name })),
    );
    expect(policy?.['spec']).toEqual({
      podSelector: { matchLabels: policy?.metadata['labels'] },
      policyTypes: ['Ingress'],
      ingress: [{ ports: [{ protocol: 'TCP', port }] }],
    });
  });

  it('mount what there is', () => {
    const volumes = pod.volumes.map(({ name }) => name);
    for (const { volumeMounts } of containers) {
      expect(volumes).toEqual(expect.arrayContaining(volumeMounts.map(({ name }) => name)));
    }
  });

  it('read the settings where their volume is, which follows changes', () => {
    const [{ args, volumeMounts } = { args: [], volumeMounts: [] }] = pod.containers;
    const mount = volumeMounts.find(({ name }) => name === 'settings');
    expect(args).toContain(`--settings=${mount?.mountPath}/ramdisk.yaml`);
    expect(mount).not.toHaveProperty('subPath');
  });

  it('come with settings that are valid', async () => {
    const { code } = await runCli(['render', '--inventory', 'ramdisk.yaml'], { cwd: manifestFolder });
    expect(code).toBe(0);
  });

  it('allow the same in all namespaces as in one', () => {
    const one = readManifests('base/role-images.yaml');
    const all = readManifests('all-namespaces/clusterrole-images.yaml');
    expect(allowedBy(all)).toEqual(allowedBy(one));
    expect(all.map(({ kind }) => kind)).toEqual(['ClusterRole', 'ClusterRoleBinding']);
  });

  it('allow nothing by a star, and no write to a Secret', () => {
    const allowed = allowedBy([...manifests, ...readManifests('all-namespaces/clusterrole-images.yaml')]);
    expect(allowed.join('\n')).not.toContain('*');
    const writes = allowed.filter((line) => /secrets/.test(line) && !/ (get|list|watch)$/.test(line));
    expect(writes).toEqual([]);
  });
});

describe.skipIf(!have('kubectl'))(`by kubectl kustomize${oracleNote('kubectl')}`, () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'manifests '));
    cpSync(manifestFolder, join(folder, 'kubernetes'), { recursive: true });
    mkdirSync(join(folder, 'own'));
    for (const name of ['url-key', 'tokens', 'ramdisk.yaml', 'auth.json'])
      writeFileSync(join(folder, 'own', name), 'secret');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const build = (resource: string, more: object = {}): Manifest[] => {
    const own = {
      namespace: 'metal3',
      resources: [`../kubernetes/${resource}`],
      images: [{ name: 'ironic-coreos', newName: 'registry.example.com/ironic-coreos', newTag: '1' }],
      secretGenerator: [keys],
      ...more,
    };
    writeFileSync(join(folder, 'own/kustomization.yaml'), JSON.stringify(own));
    const { status, stderr, stdout } = spawnSync('kubectl', ['kustomize', join(folder, 'own')], {
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
    const documents = stdout.split(/^---$/m).map((document) => parseYaml(document).value);
    return JSON.parse(JSON.stringify(documents));
  };

  it.each([
    ['base', ['Role ironic-coreos-controller', 'Role ironic-coreos-images'], undefined],
    ['all-namespaces', ['ClusterRole ironic-coreos-images', 'Role ironic-coreos-controller'], ''],
  ])('%s', (resource, roles, watched) => {
    const built = build(resource);
    const found = built.filter(({ kind }) => kind.endsWith('Role'));
    expect(found.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted()).toEqual(roles);
    for (const { kind, metadata } of built.filter((other) => !other.kind.startsWith('Cluster'))) {
      expect([kind, metadata['namespace']]).toEqual([kind, 'metal3']);
    }
    // It puts the hash of a generated name wherever it takes a name for that one, in roles too.
    const named = built.flatMap(({ rules = [] }) => rules.flatMap(({ resourceNames = [] }) => resourceNames));
    expect(named).toEqual(['ironic-coreos-controller']);
    expect(secretOf(podOf(built))).toMatch(/^ironic-coreos-keys-./);
    const bindings = built.filter(({ kind }) => kind.endsWith('RoleBinding'));
    for (const binding of bindings) {
      expect(binding['subjects']).toEqual([
        { kind: 'ServiceAccount', name: 'ironic-coreos-controller', namespace: 'metal3' },
      ]);
    }
    const [container] = podOf(built).containers;
    expect(container?.env.find(({ name }) => name === 'WATCH_NAMESPACE')?.value).toBe(watched);
  });

  it.each([
    ['a ConfigMap', { configMapGenerator: [settingsIn('ramdisk.yaml')] }, ['ConfigMap']],
    ['a Secret', { secretGenerator: [keys, settingsIn('ramdisk.yaml', 'auth.json')] }, ['Secret']],
    [
      'both',
      {
        configMapGenerator: [settingsIn('ramdisk.yaml')],
        secretGenerator: [keys, settingsIn('auth.json')],
      },
      ['ConfigMap', 'Secret'],
    ],
  ])('with settings in %s', (_title, more, kinds) => {
    const built = build('base', more);
    const made = built.filter(({ metadata }) => metadata.name === 'ironic-coreos-settings');
    expect(made.map(({ kind }) => kind).toSorted()).toEqual(kinds);
    const sources = podOf(built).volumes.flatMap(({ projected }) => projected?.sources ?? []);
    const optional = { name: 'ironic-coreos-settings', optional: true };
    expect(sources).toEqual([{ configMap: optional }, { secret: optional }]);
  });
});
