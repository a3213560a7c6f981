/** The schemas of the package, which the build makes of those in `schemas/`. */

import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isMapping, valueAt } from '../../src/formats/mapping.ts';
import { specVersions } from '../../src/ignition/versions.ts';

const root = resolve(import.meta.dirname, '../..');
const listJson = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.replaceAll(sep, '/'));
const readJson = (path: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(root, path), 'utf8'));

describe('dist/schemas', () => {
  it('has the schemas of the sources, and one of each version of Ignition', () => {
    const sources = listJson('schemas').filter((name) => !name.startsWith('ignition/'));
    const versions = specVersions.map((version) => `ignition/${version}.json`);
    expect(listJson('dist/schemas').toSorted()).toEqual([...sources, ...versions].toSorted());
  });

  it.each([
    [
      'a text with commas',
      'ironic.apiUrls',
      'URLs of Ironic, or "mdns". URLs without port and path get port 6385. A list, or a text with commas.',
    ],
    ['a switch', 'ironic.insecure', "Do not verify Ironic's TLS certificate."],
    [
      'a file instead of that of another flag',
      'host.networkData',
      'OpenStack network data of the host (network_data.json), instead of host.nmstate. Relative paths start at the folder of the inventory.',
    ],
    [
      'files',
      'ironic.caFiles',
      'Trusted CA certificates (PEM) for Ironic and the registry. A list. Relative paths start at the folder of the inventory.',
    ],
    [
      'a file name at its start',
      'agent.registriesConf',
      'registries.conf for podman, e.g. with mirrors. Relative paths start at the folder of the inventory.',
    ],
    ['a kernel argument', 'boot.ip', 'For pxe kargs: value of the ip= kernel argument, e.g. dhcp. A list.'],
  ])('describes %s in an inventory', (_title, name, description) => {
    const { definitions } = readJson('dist/schemas/inventory.json');
    expect(valueAt(definitions, ['settings', 'properties', name, 'description'])).toBe(description);
  });

  it.each(specVersions)('has the names of Ignition %s in its schema', (version) => {
    const schema = readJson(`dist/schemas/ignition/${version}.json`);
    const { $id, title, definitions } = schema;
    expect({ $id, title }).toEqual({ $id: `ignition-${version}.json`, title: `Ignition config ${version}` });
    const references = JSON.stringify(schema).matchAll(/"#\/definitions\/(\w+)"/g);
    const used = new Set(Array.from(references, ([, name = '']) => name));
    expect([...used].toSorted()).toEqual(Object.keys(definitions ?? {}).toSorted());
  });
});

const older = specVersions.slice(0, -1).map((version, index) => [version, specVersions[index + 1]] as const);

describe('schemas/ignition', () => {
  it.each(older)('%s has nothing in its patch that is so in %s', (version, newer) => {
    const patch = readJson(`schemas/ignition/${version}.patch.json`);
    expect(unneeded(patch, readJson(`dist/schemas/ignition/${newer}.json`))).toEqual([]);
  });

  it.each([
    ['a member that is equal', { a: { b: [1] } }, { a: { b: [1], c: 1 } }, ['a.b']],
    ['a member to remove that is not there', { b: null }, { a: 1 }, ['b']],
    ['a change, a new member and one to remove', { a: 2, b: null, c: { d: 1 } }, { a: 1, b: 1 }, []],
  ])('finds %s', (_title, patch, value, found) => {
    expect(unneeded(patch, value)).toEqual(found);
  });
});

/** The members of a merge patch that change nothing. */
function unneeded(
  patch: Readonly<Record<string, unknown>>,
  value: Readonly<Record<string, unknown>>,
): string[] {
  return Object.entries(patch).flatMap(([name, change]) => {
    const old = value[name];
    if (isMapping(change) && isMapping(old)) return unneeded(change, old).map((path) => `${name}.${path}`);
    return JSON.stringify(old) === JSON.stringify(change ?? undefined) ? [name] : [];
  });
}
