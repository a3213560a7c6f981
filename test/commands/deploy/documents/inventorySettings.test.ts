import { describe, expect, it } from 'vitest';
import { readDeploySettings } from '../../../../src/commands/deploy/inventoryHosts.ts';
import { overrideSettings } from '../../../../src/hosts/settings/deployOverrides.ts';

describe('the settings below deploy', () => {
  it('are read as options', () => {
    const mapping = {
      bmcAddress: '192.0.2.1',
      bmcInsecure: false,
      namespace: null,
      ignition: 'host.ign',
      networkData: '/srv/data.json',
      appendKargs: ['a', 'b=c'],
      rootDeviceHints: { minSizeGigabytes: 100, rotational: false, model: '<in> A=B' },
    };
    expect(readDeploySettings(mapping, 'site')).toEqual({
      bmcAddress: '192.0.2.1',
      bmcInsecure: false,
      namespace: null,
      ignition: 'site/host.ign',
      networkData: '/srv/data.json',
      appendKarg: ['a', 'b=c'],
      rootDevice: ['minSizeGigabytes=100', 'rotational=false', 'model=<in> A=B'],
    });
  });
});

describe('settings of a host', () => {
  it('override fields of a mapping one by one', () => {
    const merged = overrideSettings(
      { spec: { bootMode: 'UEFI', online: true } },
      { spec: { online: false } },
    );
    expect(merged).toEqual({ spec: { bootMode: 'UEFI', online: false } });
  });

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
    expect(overrideSettings(weaker, stronger)).toEqual({ ...left, ...stronger });
  });
});
