import { describe, expect, it } from 'vitest';
import {
  findIpaOption,
  findRemovedIpaOption,
  ipaKnowledge,
  ipaSectionNames,
  isIpaSection,
  suggestIpaOption,
  suggestIpaSection,
} from '../../src/agent/ipaOptions.ts';

describe('schemas/ipa-options.json', () => {
  const { options, removed } = ipaKnowledge();

  it('has each option once, with what its type needs', () => {
    expect(new Set(options.map(({ section, name }) => `${section}.${name}`)).size).toBe(options.length);
    for (const option of options) {
      expect(['string', 'integer', 'float', 'port', 'boolean', 'list', 'dict']).toContain(option.type);
      expect(option.name).toMatch(/^[a-z][a-z0-9_]*$/);
      expect(option.help).not.toBe('');
      expect(() => new RegExp(option.pattern ?? '')).not.toThrow();
      // Only texts are compared with choices and patterns.
      expect(option.type === 'string' || (option.choices ?? option.pattern) === undefined).toBe(true);
    }
  });

  it('marks what must not be shown', () => {
    const sensitive = options.filter((option) => option.sensitive).map(({ name }) => name);
    expect(sensitive).toEqual(
      expect.arrayContaining(['agent_token', 'image_server_password', 'keyfile', 'tls_key_file']),
    );
  });

  it('does not list an option as current and as removed', () => {
    expect(removed.filter(({ section, name }) => findIpaOption(section, name))).toEqual([]);
  });
});

describe('findIpaOption', () => {
  it.each([
    ['DEFAULT', 'api_url', 'api_url', false],
    ['MDNS', 'lookup_attempts', 'lookup_attempts', false],
    ['DEFAULT', 'logfile', 'log_file', true],
    ['DEFAULT', 'log-config', 'log_config_append', true],
    ['ssl', 'cert_file', 'tls_cert_file', true],
  ])('[%s] %s', (section, name, expected, renamed) => {
    expect(findIpaOption(section, name)).toMatchObject({ option: { name: expected }, renamed });
  });

  it.each([
    ['default', 'api_url'],
    ['DEFAULT', 'api-url'],
    ['DEFAULT', 'lookup_attempts'],
    ['DEFAULT', 'constructor'],
  ])('[%s] %s is unknown', (section, name) => {
    expect(findIpaOption(section, name)).toBeUndefined();
  });
});

describe('suggestions', () => {
  it.each([
    ['DEFAULT', 'ipa-api-url', 'api_url'],
    ['DEFAULT', 'ipa-ip-lookup-timeout', 'ip_lookup_sleep'],
    ['DEFAULT', 'API-URL', 'api_url'],
    ['DEFAULT', 'inspection_colectors', 'inspection_collectors'],
    ['DEFAULT', 'use_mdns', 'use_mdns'],
    ['container', 'runer', 'runner'],
    ['DEFAULT', 'zzz', undefined],
    ['DEFAULT', 'x'.repeat(10_000), undefined],
  ])('[%s] %s', (section, name, expected) => {
    expect(suggestIpaOption(section, name)?.name).toBe(expected);
  });

  it.each([
    ['default', 'DEFAULT'],
    [' DEFAULT ', 'DEFAULT'],
    ['containers', 'container'],
    ['nope', undefined],
  ])('[%s]', (name, expected) => {
    expect(suggestIpaSection(name)).toBe(expected);
  });
});

it('knows sections and options of the past', () => {
  expect(ipaSectionNames()).toContain('ssl');
  expect(isIpaSection('ssl')).toBe(false);
  expect(isIpaSection('mdns')).toBe(true);
  expect(findRemovedIpaOption('standalone')).toMatchObject({ last: '6.6.0' });
});
