import { describe, expect, it } from 'vitest';
import { brokenRules, issuesOf } from '../../support/brokenRules.ts';

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
  ])('%j breaks %j', (tang, rules) => {
    expect(brokenRules('Tang', tang)).toEqual(rules);
  });

  it('have a URL that Clevis can ask', () => {
    expect(issuesOf('Tang', { ...server, url: 's3://b/k' }).map((issue) => issue.hint)).toEqual([
      'write the http or https URL of the Tang server',
    ]);
  });

  it('have an advertisement that is checked since 3.4.0', () => {
    expect(brokenRules('Tang', { ...server, advertisement: '{' }, '3.3.0')).toEqual([]);
  });
});
