import { describe, expect, it } from 'vitest';
import { specVersions } from '../../../src/ignition/versions.ts';
import { brokenRules } from '../../support/brokenRules.ts';

const volume = { name: 'a', device: '/dev/a' };
const tang = [{ url: 'http://t', thumbprint: 'x' }];
const since = specVersions.slice(2);

describe('encrypted volumes', () => {
  it.each([
    ['a device', volume, []],
    ['no device', { name: '' }, ['disk-device-required at device']],
    ['a device that is no path', { device: 'sda' }, ['path-relative at device']],
    ['a slash in the name', { ...volume, name: 'a/b' }, ['luks-name-slash at name']],
    ['a label', { ...volume, label: 'x'.repeat(47) }, []],
    ['a long label', { ...volume, label: 'é'.repeat(24) }, ['luks-label-too-long at label']],
    ['a key file', { ...volume, keyFile: { source: 'data:,x' } }, []],
    ['an empty key file', { ...volume, keyFile: { source: '' } }, []],
    ['a bad key file', { ...volume, keyFile: { source: 'x' } }, ['luks-key-file at keys']],
    ['Clevis with several pins', { ...volume, clevis: { tang, tpm2: true, threshold: 2 } }, []],
    [
      'a custom pin and others',
      { ...volume, clevis: { custom: { pin: 'sss' }, threshold: -1 } },
      ['clevis-custom-with-others at clevis'],
    ],
    [
      'a custom pin and threshold 0',
      { ...volume, clevis: { custom: { pin: 'sss' }, tpm2: false, threshold: 0 } },
      [],
    ],
  ])('with %s', (_title, luks, rules) => {
    for (const version of since) expect(brokenRules('Luks', luks, version)).toEqual(rules);
  });

  it('have a custom pin in 3.2.0 even if it is empty', () => {
    const luks = { ...volume, clevis: { custom: {}, tpm2: true } };
    expect(brokenRules('Luks', luks, '3.2.0')).toEqual(['clevis-custom-with-others at clevis']);
    expect(brokenRules('Luks', luks, '3.3.0')).toEqual([]);
  });

  it.each([
    [{ clevis: {} }, []],
    [{ clevis: { custom: { config: 'x' }, threshold: 0, tpm2: false } }, []],
    [{ clevis: { tpm2: true } }, ['cex-with-clevis at cex']],
    [{ clevis: { tang } }, ['cex-with-clevis at cex']],
    [{ clevis: { threshold: 1 } }, ['cex-with-clevis at cex']],
    [{ clevis: { custom: { pin: 'x' } } }, ['cex-with-clevis at cex']],
    [{ keyFile: { source: 'data:,' } }, ['cex-with-key-file at cex']],
    [{ keyFile: { source: '' } }, []],
  ])('with CEX since 3.5.0: %j', (part, rules) => {
    expect(brokenRules('Luks', { ...volume, ...part, cex: { enabled: true } }, '3.5.0')).toEqual(rules);
    expect(brokenRules('Luks', { ...volume, ...part, cex: { enabled: true } }, '3.4.0')).toEqual([]);
    expect(brokenRules('Luks', { ...volume, ...part, cex: {} }, '3.5.0')).toEqual([]);
  });
});
