import { describe, expect, it } from 'vitest';
import { specVersions } from '../../../src/ignition/versions.ts';
import { brokenRules, issuesOf } from '../../support/brokenRules.ts';

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

  it('have a custom pin in 3.2.0 even if the value is empty', () => {
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

const unknown = 'clevis-pin-unknown at pin';
const missing = 'clevis-pin-required at pin';
const noConfig = 'clevis-config-required at config';

describe('custom pins of Clevis', () => {
  it.each([
    ['3.2.0', {}, []],
    ['3.2.0', { needsNetwork: true }, []],
    ['3.2.0', { pin: 'sss', config: '{}' }, []],
    ['3.2.0', { pin: 'tpm2' }, [noConfig]],
    ['3.2.0', { config: '{}' }, [unknown]],
    ['3.2.0', { pin: 'x' }, [unknown, noConfig]],
    ['3.3.0', {}, []],
    ['3.3.0', { needsNetwork: false, pin: '' }, []],
    ['3.3.0', { needsNetwork: true }, [missing, noConfig]],
    ['3.3.0', { config: '{}' }, [missing]],
    ['3.5.0', { pin: 'x', config: '{}' }, [unknown]],
    ['3.6.0', { pin: 'x', config: '{}' }, []],
    ['3.6.0', { config: '{}' }, [missing]],
  ] as const)('in %s: %j breaks %j', (version, custom, rules) => {
    expect(brokenRules(version === '3.2.0' ? 'Custom' : 'ClevisCustom', custom, version)).toEqual(rules);
  });
});

describe('Tang servers', () => {
  const server = { url: 'https://t', thumbprint: 'x' };

  it.each([
    [server, []],
    [{ ...server, url: 'http://t' }, []],
    [{}, ['url-scheme at url', 'tang-thumbprint-required at thumbprint']],
    [{ ...server, url: 'data:,' }, ['url-scheme at url']],
    [{ ...server, url: 'http://%' }, ['url-unparsable at url']],
    [{ ...server, thumbprint: '' }, ['tang-thumbprint-required at thumbprint']],
    [{ ...server, advertisement: '' }, []],
    [{ ...server, advertisement: '{"payload":"x"}' }, []],
    [{ ...server, advertisement: '{' }, ['tang-advertisement-json at advertisement']],
    [{ ...server, advertisement: '1e999' }, ['tang-advertisement-json at advertisement']],
  ])('%j breaks %j', (checked, rules) => {
    expect(brokenRules('Tang', checked)).toEqual(rules);
  });

  it('have a URL that Clevis can ask', () => {
    expect(issuesOf('Tang', { ...server, url: 's3://b/k' }).map((issue) => issue.hint)).toEqual([
      'use the http or https URL of the Tang server',
    ]);
  });

  it('have an advertisement that is checked since 3.4.0', () => {
    expect(brokenRules('Tang', { ...server, advertisement: '{' }, '3.3.0')).toEqual([]);
  });
});
