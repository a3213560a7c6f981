import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  readDeploySettings,
  inventoryKey,
  withoutOverridden,
} from '../../../../src/commands/deploy/hosts.ts';

describe('the settings below deploy', () => {
  it('are those of the schema', () => {
    const url = new URL('../../../../dist/schemas/inventory.json', import.meta.url);
    const schema: { definitions: { deploy: { properties: object } } } = JSON.parse(readFileSync(url, 'utf8'));
    const names = Object.keys(schema.definitions.deploy.properties);
    const read = new Set<string>();
    readDeploySettings(new Proxy({}, { get: (_mapping, name) => void read.add(String(name)) }));
    expect([...read].toSorted()).toEqual(names.toSorted());
  });

  it('are read as options', () => {
    const mapping = {
      bmcAddress: '192.0.2.1',
      bmcInsecure: false,
      namespace: null,
      appendKargs: ['a', 'b=c'],
      rootDeviceHints: { minSizeGigabytes: 100, rotational: false, model: '<in> A=B' },
    };
    expect(readDeploySettings(mapping)).toEqual({
      bmcAddress: '192.0.2.1',
      bmcInsecure: false,
      appendKarg: ['a', 'b=c'],
      rootDevice: ['minSizeGigabytes=100', 'rotational=false', 'model=<in> A=B'],
    });
  });
});

describe('inventoryKey', () => {
  it.each([
    ['bmcAddress', 'bmcAddress'],
    ['namespace', 'namespace'],
    ['appendKarg', 'appendKargs'],
    ['rootDevice', 'rootDeviceHints'],
    ['bootMac', 'mac'],
    ['step', 'method'],
    ['set', undefined],
    ['format', undefined],
  ])('%s: %s', (option, name) => {
    expect(inventoryKey(option)).toBe(name);
  });
});

describe('withoutOverridden', () => {
  const pair = { deployKernel: 'k', deployRamdisk: 'r', kernelAppendParams: 'a' };
  const image = { imageSource: 'i', imageChecksum: 'c', imageFormat: 'raw' };
  it.each([
    ['what is not said again', pair, { bmcAddress: 'b' }, pair],
    ['a value that is set back', image, { imageChecksum: null }, { imageSource: 'i', imageFormat: 'raw' }],
    ['a pair beside an ISO', pair, { deployIso: 'i' }, {}],
    ['an ISO beside a ramdisk', { deployIso: 'i' }, { deployRamdisk: 'r' }, {}],
    [
      'a pair beside other arguments',
      pair,
      { kernelAppendParams: 'b' },
      { deployKernel: 'k', deployRamdisk: 'r' },
    ],
    ['the checksum of another image', image, { imageSource: 'j' }, {}],
    ['an ISO beside no other', { deployIso: 'i' }, { deployKernel: null }, { deployIso: 'i' }],
  ])('%s', (_title, weaker, stronger, left) => {
    expect(withoutOverridden(weaker, stronger)).toEqual(left);
  });
});
