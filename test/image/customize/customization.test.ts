import { gunzipSync } from 'node:zlib';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { readUnit } from '../../support/readUnit.ts';
import {
  type Customization,
  installNotice,
  lacksDevice,
  type NamedFile,
  renderCustomization,
} from '../../../src/image/customize/customization.ts';
import type { Config, Resource } from '../../../src/ignition/config.ts';
import { readConfig, validateConfig } from '../../../src/ignition/validate.ts';

const none: Customization = {
  destIgnition: [],
  destConsoles: [],
  destKargs: { append: [], delete: [] },
  keyfiles: [],
  authorities: [],
  preInstall: [],
  postInstall: [],
  installerConfigs: [],
  liveIgnition: [],
};
const bytes = (text: string): Uint8Array => Buffer.from(text);
const file = (name: string, text = name): NamedFile => ({ name, data: bytes(text) });
const dataOf = ({ source = '', compression }: Resource = {}): string => {
  expect(compression).toBe('gzip');
  return gunzipSync(Buffer.from(source.replace(/^data:;base64,/, ''), 'base64')).toString();
};

function decode(document: Uint8Array): Config {
  const read = readConfig(Buffer.from(document));
  return read.status === 'read' ? read.config : {};
}

function liveConfig(part: Partial<Customization>): Config {
  const config = renderCustomization({ ...none, ...part }).get('config.ign') ?? new Uint8Array();
  expect(validateConfig(config)).toEqual({ valid: true, findings: [] });
  return decode(config);
}

const filesOf = ({ storage }: Config): Record<string, string> =>
  Object.fromEntries((storage?.files ?? []).map(({ path, contents }) => [path, dataOf(contents)]));
const settingsOf = (part: Partial<Customization>): unknown =>
  load(filesOf(liveConfig(part))['/etc/coreos/installer.d/0000-customize.yaml'] ?? '');

describe('renderCustomization', () => {
  it('makes no config where there is nothing for Ignition', () => {
    expect([...renderCustomization(none)]).toEqual([]);
    expect([...renderCustomization({ ...none, keyfiles: [file('a')] }).keys()]).toEqual([
      'etc/coreos-firstboot-network/a',
    ]);
  });

  it.each<[string, Partial<Customization>, unknown]>([
    ['dest-device', { destDevice: '/dev/sda' }, { 'dest-device': '/dev/sda' }],
    ['console', { destConsoles: ['tty0'] }, { console: ['tty0'] }],
    ['append-karg', { destKargs: { append: ['a', 'true'], delete: [] } }, { 'append-karg': ['a', 'true'] }],
    ['delete-karg', { destKargs: { append: [], delete: ['b'] } }, { 'delete-karg': ['b'] }],
    ['ignition-file', { destIgnition: [bytes('{}')] }, { 'ignition-file': '/etc/coreos/dest.ign' }],
    [
      'copy-network',
      { destDevice: 'a', keyfiles: [file('k')] },
      { 'copy-network': true, 'dest-device': 'a' },
    ],
  ])('tells the installer %s', (_title, part, expected) => {
    expect(settingsOf(part)).toEqual(expected);
  });

  it('numbers the configs of the installer, its own one last', () => {
    const installerConfigs = ['b.yaml', 'a.yaml'].map((name) => ({ ...file(name), sets: undefined }));
    const config = liveConfig({ installerConfigs, destDevice: '/dev/sda' });
    expect(config.storage?.files?.map(({ mode, path }) => [path, mode])).toEqual([
      ['/etc/coreos/installer.d/0000-b.yaml', 0o600],
      ['/etc/coreos/installer.d/0001-a.yaml', 0o600],
      ['/etc/coreos/installer.d/0002-customize.yaml', 0o600],
    ]);
    expect(Object.keys(filesOf(liveConfig({ installerConfigs })))).toHaveLength(2);
    const keyfiles = [file('k')];
    expect(
      filesOf(liveConfig({ installerConfigs, keyfiles }))['/etc/coreos/installer.d/0002-customize.yaml'],
    ).toBe('copy-network: true\n');
  });

  it('takes a single config for the installed system as it is', () => {
    const child = '{"ignition":{"version":"3.6.0"}}\n';
    expect(filesOf(liveConfig({ destIgnition: [bytes(child)] }))['/etc/coreos/dest.ign']).toBe(child);
  });

  it.each<[string, Partial<Customization>, number]>([
    ['two configs', { destIgnition: [bytes('1'), bytes('2')] }, 0],
    ['a config and a certificate', { destIgnition: [bytes('1')], authorities: [bytes('ca')] }, 1],
  ])('merges %s for the installed system', (_title, part, certificates) => {
    const config = liveConfig(part);
    const dest = decode(bytes(filesOf(config)['/etc/coreos/dest.ign'] ?? ''));
    expect(dest.ignition?.version).toBe('3.3.0');
    expect(dest.ignition?.config?.merge?.map(dataOf)).toEqual(part.destIgnition?.map(String));
    for (const { ignition } of [config, dest]) {
      expect(ignition?.security?.tls?.certificateAuthorities ?? []).toHaveLength(certificates);
    }
  });

  it('merges configs for the live system, in order', () => {
    const config = liveConfig({ liveIgnition: [bytes('1'), bytes('2')], authorities: [bytes('ca')] });
    expect(config.ignition?.config?.merge?.map(dataOf)).toEqual(['1', '2']);
    expect(config.ignition?.security?.tls?.certificateAuthorities?.map(dataOf)).toEqual(['ca']);
  });

  it('runs scripts before and after the installer', () => {
    const config = liveConfig({ preInstall: [file('a.sh')], postInstall: [file('a.sh')] });
    expect(config.storage?.files?.map(({ mode, path }) => [path, mode])).toEqual([
      ['/usr/local/bin/pre-install-a.sh', 0o700],
      ['/usr/local/bin/post-install-a.sh', 0o700],
    ]);
    const units = config.systemd?.units ?? [];
    expect(units.map(({ enabled, name }) => [name, enabled])).toEqual([
      ['pre-install-a.sh.service', true],
      ['post-install-a.sh.service', true],
    ]);
    const options = units.map(({ contents = '' }) => {
      const unit = readUnit(contents);
      const sections = 'sections' in unit ? unit.sections : [];
      return sections.flatMap(({ name, options: list }) =>
        list.map((option) => `${name}.${option.name}=${option.value}`),
      );
    });
    expect(options[0]).toEqual(
      expect.arrayContaining([
        'Unit.Description=Pre-Install Script (a.sh)',
        'Unit.After=coreos-installer-pre.target',
        'Unit.Before=coreos-installer.service',
        'Service.Type=oneshot',
        'Service.ExecStart=/usr/local/bin/pre-install-a.sh',
        'Service.RemainAfterExit=true',
        'Install.RequiredBy=coreos-installer.service',
      ]),
    );
    expect(options[1]).toEqual(
      expect.arrayContaining([
        'Unit.After=coreos-installer.service',
        'Unit.Before=coreos-installer.target',
        'Service.ExecStart=/usr/local/bin/post-install-a.sh',
        'Install.RequiredBy=coreos-installer.target',
      ]),
    );
  });

  it.each(['a b', 'a%n', 'a@b', 'a\nExecStart=x', 'a\\x', 'ä', '$HOME', '"'])(
    'makes a unit of the script %j',
    (name) => {
      const [unit] = liveConfig({ preInstall: [file(name)] }).systemd?.units ?? [];
      expect(unit?.name).toMatch(/^pre-install-[A-Za-z0-9:_.-]+\.service$/);
      expect(unit?.contents?.match(/^ExecStart=\S+$/gm)).toHaveLength(1);
    },
  );

  it.each<[string, Partial<Customization>, string]>([
    ['keyfiles', { keyfiles: [file('a'), file('a', '2')] }, 'config already specifies keyfile a'],
    [
      'scripts',
      { preInstall: [file('a'), file('a')] },
      'config already specifies path /usr/local/bin/pre-install-a',
    ],
  ])('refuses two %s of one name', (_title, part, message) => {
    expect(() => renderCustomization({ ...none, ...part })).toThrow(message);
  });
});

describe('what the installer will do', () => {
  const withDevice = [{ ...file('i.yaml'), sets: { device: '/dev/sda', at: { file: 'i.yaml' } } }];
  it.each<[string, Partial<Customization>, string | undefined, boolean]>([
    ['nothing', {}, undefined, false],
    ['a live config', { liveIgnition: [bytes('')] }, undefined, false],
    ['a script', { preInstall: [file('a')] }, undefined, false],
    [
      'a disk',
      { destDevice: 'sda' },
      'Boot media will automatically install to sda without confirmation.',
      false,
    ],
    ['no disk', { destIgnition: [bytes('')] }, 'Boot media will automatically run installer.', true],
    [
      'a disk in a file',
      { installerConfigs: withDevice },
      'Boot media will automatically run installer.',
      false,
    ],
    [
      'a script that may choose',
      { destConsoles: ['tty0'], preInstall: [file('a')] },
      'Boot media will automatically run installer.',
      false,
    ],
  ])('%s', (_title, part, notice, isMissing) => {
    expect(installNotice({ ...none, ...part })).toBe(notice);
    expect(lacksDevice({ ...none, ...part })).toBe(isMissing);
  });
});
