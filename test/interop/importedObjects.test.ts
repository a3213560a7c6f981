/**
 * `import` of the objects in the sources of other projects: examples, samples of resource definitions and pages. UPSTREAM_TREES is a
 * folder of Git repositories named `OWNER+NAME/repo`.
 */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createImportedFiles } from '../../src/commands/import/imported.ts';
import { importObjects, objectKind } from '../../src/commands/import/importObjects.ts';
import { readDocuments } from '../../src/commands/import/kubernetesObjects.ts';
import { ifWellFormed } from '../../src/core/errors.ts';
import { asMapping, isMapping, type Mapping } from '../../src/formats/mapping.ts';
import { formatYaml } from '../../src/formats/yamlText.ts';
import { have, oracleFile, oracleNote } from '../support/programs.ts';
import { runCli } from '../support/runCli.ts';

const oracle = 'sources of other projects';
const root = oracleFile(oracle);
const repositories = [
  'metal3-io+baremetal-operator',
  'openshift+assisted-service',
  'nmstate+kubernetes-nmstate',
  'openshift+enhancements',
  'suse-edge+suse-edge.github.io',
  'openstack-k8s-operators+architecture',
  'openshift-kni+telco-reference',
  'openshift-kni+eco-ci-cd',
  'openshift+oc-mirror',
  'openshift+hypershift',
  'ebeaudoi+ocp-cluster-catalogs',
  'nmagnezi+assisted-service-crs',
  'tosin2013+openshift-agent-install',
  'wangjun1974+tips',
];

/** Kinds, and how many objects of each there are at least. */
const KINDS = {
  BareMetalHost: 10,
  NMStateConfig: 10,
  NodeNetworkConfigurationPolicy: 10,
  InstallConfig: 10,
  ImageDigestMirrorSet: 10,
  ImageContentSourcePolicy: 10,
};

function git(repository: string, ...args: readonly string[]): string {
  const tree = join(root, repository, 'repo');
  if (!existsSync(tree)) return '';
  return spawnSync('git', ['-C', tree, ...args], { encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 }).stdout;
}

const wanted = `^[- ]*kind: (${Object.keys(KINDS).join('|')})\\s*$|^pullSecret:`;

/** The objects of each file, or of each example in a page: a block of YAML, or the text that a shell gives to `oc apply`. */
function groupsIn(repository: string): readonly (readonly Mapping[])[] {
  const files = git(repository, 'grep', '-lE', wanted, 'HEAD', '--', '*.yaml', '*.yml', '*.md').split('\n');
  return files
    .filter((file) => file !== '')
    .flatMap((file) => {
      const text = git(repository, 'show', file);
      if (!file.endsWith('.md')) return [text];
      const examples = text.matchAll(
        /^( *)(?:```ya?ml|[^\n]*<<-? *['"]?EOF['"]?[^\n]*)\n(.*?)^ *(?:```|EOF\s*$)/gms,
      );
      return Array.from(examples, ([, blanks = '', example = '']) =>
        example.replaceAll(new RegExp(`^${blanks}`, 'gm'), ''),
      );
    })
    .map((text) => (ifWellFormed(() => readDocuments(text)) ?? []).filter(isMapping))
    .filter((objects) => objects.some((object) => objectKind(object) in KINDS));
}

const groups = have(oracle) ? repositories.flatMap(groupsIn) : [];
const cwd = mkdtempSync(join(tmpdir(), 'imported objects '));
afterAll(() => rmSync(cwd, { recursive: true }));

describe.skipIf(!have(oracle))(`objects of other projects${oracleNote(oracle)}`, () => {
  it.each(Object.entries(KINDS))('of kind %s are read, at least %i', (kind, least) => {
    const objects = groups.flat().filter((object) => objectKind(object) === kind);
    expect(objects.length).toBeGreaterThanOrEqual(least);
    for (const object of objects) {
      const notes = importObjects([object], createImportedFiles('files')).flatMap((part) => part.notes ?? []);
      expect(notes.filter((note) => note.startsWith(`the ${kind}`))).toEqual([]);
    }
  });

  it('BareMetalHosts come back from deploy', async () => {
    const hosts = groups.flatMap((objects) => objects.filter(isDeployable));
    expect(hosts.length).toBeGreaterThanOrEqual(8);
    const changed: unknown[] = [];
    for (const [index, host] of hosts.entries()) {
      const inventory = `${index}.yaml`;
      writeFileSync(join(cwd, 'host.yaml'), formatYaml([host]));
      await runCli(['import', '-o', inventory, 'host.yaml'], { cwd });
      const { code, stdout, stderr } = await runCli(
        ['deploy', 'baremetalhost', '--format', 'json', '--inventory', inventory],
        { cwd },
      );
      const items = code === 0 ? asMapping(JSON.parse(stdout))['items'] : stderr;
      const [written] = Array.isArray(items) ? items : [{ error: items }];
      const { kind, metadata, spec } = asMapping(written);
      const { name, namespace, labels } = asMapping(host['metadata']);
      const same = { kind: host['kind'], metadata: { name, namespace, labels }, spec: host['spec'] };
      try {
        expect({ kind, metadata, spec }).toEqual(same);
      } catch {
        changed.push({ host, written });
      }
    }
    expect(changed).toEqual([]);
  });
});

/** With what `deploy` requires, and with a value in each place. In brackets, Go and Python refuse IPv4 addresses since 2025, as `deploy` does. */
function isDeployable(object: Mapping): boolean {
  const { bmc, online } = asMapping(object['spec']);
  const { address } = asMapping(bmc);
  const isReal = typeof address === 'string' && /:\/\/(?!\[[\d.]+\])/.test(address);
  const isTemplate = /\{\{|\$\{/.test(JSON.stringify(object));
  return objectKind(object) === 'BareMetalHost' && isReal && online === true && !isTemplate;
}
