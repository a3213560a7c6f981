import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { checkConf } from '../../src/agent/confCheck.ts';
import {
  findIpaOption,
  findRemovedIpaOption,
  hadIpaOption,
  hasIpaOption,
  ipaCollectors,
  ipaKnowledge,
  ipaSectionNames,
  parseIpaVersion,
  suggestIpaOption,
  suggestIpaSection,
} from '../../src/ipa/ipaOptions.ts';
import { hasIpa, ipaInspection, ipaNote, ipaPython, ipaVerdicts } from '../support/ipaOracle.ts';

describe('src/ipa/ipa-options.json', () => {
  const { options, removed } = ipaKnowledge();

  it('has each option once, with what its type needs', () => {
    expect(new Set(options.map(({ section, name }) => `${section}.${name}`)).size).toBe(options.length);
    for (const option of options) {
      expect(['string', 'integer', 'float', 'port', 'boolean', 'list', 'dict']).toContain(option.type);
      expect(option.name).toMatch(/^[a-z][a-z0-9_]*$/);
      expect(option.help !== undefined).toBe(option.kernelParam !== undefined);
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
    ['DEFAULT', 'DEFAULT.lookup_timeoutt', 'lookup_timeout'],
    ['DEFAULT', 'container.runner', 'runner'],
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
  expect(findRemovedIpaOption('standalone')).toMatchObject({ last: '6.6.0' });
});

describe('releases', () => {
  it.each([
    ['9', [9, 0, 0]],
    ['9.4', [9, 4, 0]],
    ['11.2.1', [11, 2, 1]],
    ['14.0.0', [14, 0, 0]],
  ])('reads %s', (text, expected) => {
    expect(parseIpaVersion(text)).toEqual(expected);
  });

  it.each(['', '8.6.0', '9.x', 'v9', '9.4.2.1', '11 ', '1e9', 'x'.repeat(1000)])('refuses %j', (text) => {
    expect(() => parseIpaVersion(text)).toThrow(/^unsupported version of ironic-python-agent/);
  });

  it.each([
    ['DEFAULT', 'image_download_max_duration', '11.1.0', false],
    ['DEFAULT', 'image_download_max_duration', '11.2.0', true],
    ['DEFAULT', 'permitted_image_formats', '9.4.1', false],
    ['DEFAULT', 'permitted_image_formats', '9.4.3', true],
    ['DEFAULT', 'permitted_image_formats', '9.5.0', false],
    ['DEFAULT', 'permitted_image_formats', '9.14.0', true],
    ['disk_utils', 'efi_system_partition_size', '9.0.0', true],
  ])('[%s] %s in %s: %s', (section, name, version, expected) => {
    const option = findIpaOption(section, name)?.option;
    expect(option && hasIpaOption(option, parseIpaVersion(version))).toBe(expected);
  });

  it.each([
    ['agent_token_required', 'DEFAULT', '10.2.3', true],
    ['agent_token_required', 'DEFAULT', '11.0.0', false],
    ['container_conf_file', 'container', '10.0.0', false],
    ['container_conf_file', 'Container', '11.0.0', true],
  ])('%s, which is gone, in [%s] of %s: %s', (name, section, version, expected) => {
    const option = findRemovedIpaOption(name, section);
    expect(option && hadIpaOption(option, parseIpaVersion(version))).toBe(expected);
  });
});

// The data on releases, compared with the release that is installed: IPA_PYTHON may name one of 9 to 13.

describe.skipIf(!hasIpa)(`the installed ironic-python-agent${ipaNote}`, () => {
  const ipaVersion = parseIpaVersion(hasIpa ? installedVersion() : '13');
  const { options, removed } = ipaKnowledge();
  // Before 11.1, a library declared the options of [ssl] when it was first used, and not when the agent starts.
  const names = [...options, ...removed].filter(
    ({ section, name }) => section !== 'ssl' && name !== 'root_helper',
  );

  it(`${ipaVersion.join('.')} ignores the options that it is said not to know`, () => {
    const text = names.map(({ section, name }) => `[${section}]\n${name} = x\n`).join('');
    const unknown = ipaVerdicts([text])[0]?.unknown.map((path) => path.join('.')) ?? [];
    const found = checkConf(text, ipaVersion)
      .filter(({ path, rule }) => rule === 'conf-unknown' && path.length === 2)
      .map(({ path }) => path.join('.'));
    expect(found.toSorted()).toEqual(unknown.toSorted());
  });

  it(`${ipaVersion.join('.')} contains the collectors that it is said to contain`, () => {
    expect(ipaInspection('').names).toEqual(ipaCollectors(ipaVersion).toSorted());
  });

  it('runs no collector beside one that it does not find, and sends only the error', () => {
    const { error, sent } = ipaInspection('default,logs,nope');
    expect(error).toBe('InspectionError');
    expect(sent).toEqual({ error: expect.stringContaining("Failed to load collector {'nope'}") });
  });
});

function installedVersion(): string {
  const script = "import importlib.metadata; print(importlib.metadata.version('ironic-python-agent'))";
  return spawnSync(ipaPython, ['-c', script]).stdout.toString().trim();
}
