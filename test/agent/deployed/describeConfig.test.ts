/** Configs read back into settings: of every profile, of other generators, and made by hand. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareConfigs, describeConfig } from '../../../src/agent/deployed/describeConfig.ts';
import { CONF_PATH } from '../../../src/agent/files.ts';
import { type AgentSettings, profileNames } from '../../../src/agent/settings.ts';
import { settingTable } from '../../../src/agent/settingTable.ts';
import { decodeDataUrl } from '../../../src/formats/dataUrl.ts';
import { encodeGzip } from '../../../src/formats/gzip.ts';
import { readDefaults } from '../../../src/formats/osloConfig.ts';
import type { Config, File } from '../../../src/ignition/config.ts';
import { findIpaOption } from '../../../src/ipa/ipaOptions.ts';
import { decodeConfig, randomConfigs } from '../../support/randomConfigs.ts';
import { sharedData, sharedDataNote } from '../../support/sharedData.ts';
import { changesOf, key, otherCertificate, render } from './support.ts';

const valuesOf = (config: Config, setting: string): readonly string[] | undefined =>
  describeConfig(config).find((row) => row.setting === setting)?.values;

const dataUrl = (text: string): string => `data:;base64,${Buffer.from(text).toString('base64')}`;
const withFile = (file: File): Config => ({ storage: { files: [file] } });
const withUnit = (contents: string, name = 'ironic-agent.service'): Config => ({
  systemd: { units: [{ name, enabled: true, contents: `[Service]\n${contents}\n` }] },
});
const unit = (contents: string): Config => ({ systemd: { units: [{ name: 'a.service', contents }] } });
const conf = (text: string): Config =>
  withFile({ path: '/etc/ironic-python-agent.conf', contents: { source: dataUrl(text) } });

describe('describeConfig', () => {
  it.each<readonly [setting: string, values: readonly string[]]>([
    ['ironic.apiUrls', ['https://192.0.2.1:6385', 'https://[2001:db8::1]:6385']],
    ['ironic.inspectionCallbackUrls', ['https://192.0.2.1:5050/v1/continue']],
    ['ironic.insecure', ['yes']],
    ['agent.image', ['registry.example.com/ipa:1']],
    ['agent.pullPolicy', ['always']],
    ['agent.insecureRegistry', ['--tls-verify=false']],
    ['agent.podman.environment', ['API_TOKEN=(secret)', 'PERCENT=50% of $HOME']],
    ['agent.podman.pullArgs', ['--creds=(secret)', '--retry=3']],
    ['agent.vlanInterfaces', ['all']],
    ['host.autologin', ['getty@.service: drop-in autologin.conf']],
    ['host.consoles', ['ttyS0']],
    ['host.copyNetwork', ['true']],
    ['host.hostname', ['worker-0']],
    ['host.installIpOptions', ['ip=dhcp6']],
    ['proxy.http', ['http://(secret)@proxy.example.com:3128']],
    ['proxy.none', ['localhost', '192.0.2.1', '2001:db8::1']],
    ['Ignition version', ['3.2.0']],
  ])('%s of a rendered config', (setting, values) => {
    expect(valuesOf(render(), setting)).toEqual(expect.arrayContaining([...values]));
  });

  it.each<readonly [what: string, setting: string, pattern: RegExp]>([
    ['a key by its fingerprint', 'host.sshKeys', /^ssh-ed25519 SHA256:[\w+/]{43} ipa-test@example$/],
    ['a password hash', 'host.passwordHash', /^hash \$6\$, sha256:[0-9a-f]{12}…$/],
    [
      'credentials by their registries',
      'agent.pullSecret',
      /^sha256:[0-9a-f]{12}… \(registries: quay\.io\)$/,
    ],
    ['certificates', 'ironic.caFiles', /^CN=.*, sha256:[0-9a-f]{12}…, until .* GMT$/],
    ['secrets of a connection', 'host.keyfiles', /^wlan0\.nmconnection: \[wifi-security\] psk=\(secret\)$/],
    ['sensitive options', 'agent.options', /^\[DEFAULT\] agent_token = \(secret\)$/],
    ['options of sections', 'agent.options', /^\[mdns\] lookup_attempts = 5$/],
    ['a file that few may read', 'file /etc/site', /^7 bytes, sha256:[0-9a-f]{12}…$/],
    ['a unit of the user', 'unit site.service', /^\[Service\] ExecStart=\/bin\/site --password \(secret\)$/],
  ])('%s', (_what, setting, pattern) => {
    expect(valuesOf(render(), setting)?.some((value) => pattern.test(value))).toBe(true);
  });

  it('names each user and each group', () => {
    const passwd = {
      users: [{ name: 'admin', uid: 1000 }],
      groups: [{ name: 'wheel', gid: 10 }],
    };
    const rows = describeConfig({ ignition: { version: '3.4.0' }, passwd });
    expect(rows.map(({ setting }) => setting)).toEqual(['Ignition version', 'group wheel', 'user admin']);
  });

  it('shows no secret', () => {
    expect(JSON.stringify(describeConfig(render()))).not.toContain('hunter2');
  });

  it.each<readonly [what: string, config: Config, setting: string, values: readonly string[]]>([
    [
      'contents that are compressed',
      withFile({
        path: '/etc/hostname',
        contents: {
          source: `data:;base64,${Buffer.from(encodeGzip(Buffer.from('worker-1\n'))).toString('base64')}`,
          compression: 'gzip',
        },
      }),
      'host.hostname',
      ['worker-1', '/etc/hostname: mode 0644'],
    ],
    [
      'contents elsewhere',
      withFile({
        path: '/etc/x',
        mode: 0o600,
        contents: {
          source: 'https://a:b@host/x?token=c',
          httpHeaders: [{ name: 'X-Key', value: 'd' }],
          verification: { hash: 'sha256-00' },
        },
      }),
      'file /etc/x',
      [
        'mode 0600',
        'from https://(secret)@host/x?token=(secret)',
        'header X-Key: (secret)',
        'verified by sha256-00',
      ],
    ],
    [
      'a conf that cannot be read',
      conf('[DEFAULT]\napi_url = http://h\nnonsense\n'),
      'ironic.apiUrls',
      ['http://h'],
    ],
    [
      'an image with a short name',
      withUnit('ExecStartPre=/bin/podman pull r.example/a\nExecStart=/bin/podman run --name ironic-agent a'),
      'agent.image',
      ['r.example/a', 'run as a'],
    ],
    [
      'a command in the container',
      withUnit('ExecStart=/bin/podman run -e A=1 -v /a:/b img --debug'),
      'command of the container',
      ['--debug'],
    ],
    [
      'short options',
      withUnit('ExecStart=podman run -e A=1 -v /a:/b img'),
      'agent.podman.mounts',
      ['volume /a:/b'],
    ],
    [
      'options that are not known',
      withUnit('ExecStart=podman run --new thing img'),
      'unit ironic-agent.service',
      ['enabled', '[Service] ExecStart=podman run --new thing img'],
    ],
    [
      'variables that cannot be taken apart',
      withUnit('Environment="A=b\nExecStart=podman run img'),
      'unit ironic-agent.service',
      ['enabled', '[Service] Environment="A=b', '[Service] ExecStart=podman run …'],
    ],
    [
      'a variable that is no proxy',
      withUnit('Environment=A=b\nExecStart=podman run img'),
      'unit ironic-agent.service',
      ['enabled', 'Environment=A=b', '[Service] ExecStart=podman run …'],
    ],
    [
      'a setting whose contents are elsewhere',
      withFile({ path: '/etc/hostname', contents: { source: 'http://h/name' } }),
      'host.hostname',
      ['/etc/hostname: mode 0644', '/etc/hostname: from http://h/name'],
    ],
    [
      'a setting that is no text',
      withFile({ path: '/etc/hostname', contents: { source: 'data:;base64,/w==' } }),
      'host.hostname',
      ['/etc/hostname: mode 0644', expect.stringMatching(/^\/etc\/hostname: 1 byte, sha256:/)],
    ],
    [
      'a user with rights',
      { passwd: { users: [{ name: 'ops', groups: ['wheel'], sshAuthorizedKeys: ['hunter2'] }] } },
      'user ops',
      [expect.stringMatching(/^unreadable SSH key, sha256:/), 'groups.1 = wheel'],
    ],
    [
      'a config that is merged in',
      { ignition: { version: '3.2.0', config: { merge: [{ source: 'http://h/x' }] } } },
      'Ignition config',
      ['merge.1 from http://h/x'],
    ],
    [
      'a volume with a key',
      { storage: { luks: [{ name: 'root', keyFile: { source: dataUrl('hunter2') }, device: '/dev/x' }] } },
      'luks /dev/x',
      ['name = root', expect.stringMatching(/^keyFile 7 bytes, sha256:/), 'device = /dev/x'],
    ],
    [
      'kernel arguments',
      { kernelArguments: { shouldExist: ['a'], shouldNotExist: ['b'] } },
      'kernel arguments',
      ['a', 'without b'],
    ],
    ['nothing at all', {}, 'Ignition version', ['(empty)']],
  ])('%s', (_what, config, setting, values) => {
    expect(valuesOf(config, setting)).toEqual(values);
  });

  const written = new Map(
    settingTable.toReversed().flatMap(({ name, options = [] }) => options.map((option) => [option, name])),
  );
  it.each([...written])('the option %s is read back as a part of %s', (option, name) => {
    expect(findIpaOption('DEFAULT', option)).toBeDefined();
    for (const profile of ['default', 'buildpy'] as const) {
      const config = render({ profile });
      expect(valuesOf(config, name)).toBeDefined();
      expect(valuesOf(config, 'agent.options')?.filter((line) => line.startsWith('[DEFAULT]'))).toEqual([
        '[DEFAULT] agent_token = (secret)',
        ...(profile === 'default' ? ['[DEFAULT] inspection_collectors = default,logs'] : []),
      ]);
      const [file] = config.storage?.files?.filter(({ path }) => path === CONF_PATH) ?? [];
      const source = file?.contents?.source ?? '';
      expect(readDefaults(decodeDataUrl(source).data.toString()).has(option)).toBe(true);
    }
  });

  it('has the order of the table of settings', () => {
    const names: readonly string[] = settingTable.map(({ name }) => name);
    const places = describeConfig(render())
      .map(({ setting }) => names.indexOf(setting))
      .filter((place) => place >= 0);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });
});

describe('compareConfigs', () => {
  it.each(profileNames)('finds nothing where nothing changed: %s', (profile) => {
    expect(compareConfigs(render({ profile }), render({ profile }))).toEqual([]);
  });

  it.each<readonly [what: string, settings: Partial<AgentSettings>, rows: readonly string[]]>([
    [
      'URL of Ironic',
      { apiUrls: ['https://192.0.2.9:6385', 'https://[2001:db8::2]:6385'] },
      ['ironic.apiUrls', 'proxy.none'],
    ],
    ['image', { agentImage: 'quay.io/other' }, ['agent.image']],
    [
      'pull policy',
      { pullPolicy: 'newer' },
      ['agent.pullPolicy', 'agent.podman.args', 'agent.podman.pullArgs'],
    ],
    ['pull secret', { pullSecret: '{"auths":{"quay.io":{"auth":"x"}}}' }, ['agent.pullSecret']],
    ['debug', { debug: false }, ['agent.debug']],
    ['host name', { hostname: 'worker-1' }, ['host.hostname']],
    ['password', { passwordHash: '$6$other$hash' }, ['host.passwordHash']],
    ['certificates', { caCertificates: otherCertificate }, ['ironic.caFiles']],
    ['time servers', { ntpServers: [] }, ['host.ntpServers']],
    ['hardware managers', { hardwareManagers: [] }, ['agent.hardwareManagers']],
    ['consoles', { serialConsoles: ['ttyS1'] }, ['host.consoles']],
    ['autologin', { autologin: false }, ['host.autologin']],
  ])('one setting is one row: %s', (_what, settings, rows) => {
    const found = compareConfigs(render(), render(settings)).map(({ setting }) => setting);
    expect(found.filter((setting) => !rows.includes(setting) && !/unit ironic-agent/.test(setting))).toEqual(
      [],
    );
    expect(found).toContain(rows[0]);
  });

  it.each(profileNames)('every change of a config is found: %s', (profile) => {
    const config = render({ profile });
    const missed = changesOf(config, 150).filter(
      (changed) => compareConfigs(config, changed.config).length === 0,
    );
    expect(missed.map(({ place }) => place)).toEqual([]);
  });

  it('every change of any config is found', () => {
    const anyChange = randomConfigs()
      .map(({ config }) => ({ config, changes: changesOf(config, 10) }))
      .filter(({ changes }) => changes.length > 0);
    fc.assert(
      fc.property(anyChange, ({ config, changes }) => {
        const missed = changes.filter((changed) => compareConfigs(config, changed.config).length === 0);
        expect(missed.map(({ place }) => place)).toEqual([]);
        expect(compareConfigs(config, config)).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  it.each<readonly [what: string, one: Config, other: Config]>([
    ['order of files', withFiles('/a', '/b'), withFiles('/b', '/a')],
    [
      'encoding',
      withFile({ path: '/a', contents: { source: 'data:,x%0A' } }),
      withFile({ path: '/a', contents: { source: dataUrl('x\n') } }),
    ],
    ['comments', conf('# one\n[DEFAULT]\ndebug = True\n'), conf('[DEFAULT]\n\n# two\ndebug = True\n')],
    [
      'lines of a unit',
      withUnit('ExecStart=podman run \\\n  --rm img'),
      withUnit('# c\nExecStart=podman run --rm img'),
    ],
    [
      'a mode that is the default',
      withFile({ path: '/a', contents: { source: 'data:,x' } }),
      withFile({ path: '/a', mode: 0o644, overwrite: false, contents: { source: 'data:,x' } }),
    ],
    ['how a pull secret is written', authFile('{"auths":{"a":{}}}'), authFile('{ "auths": { "a": {} } }\n')],
  ])('%s does not count', (_what, one, other) => {
    expect(compareConfigs(one, other)).toEqual([]);
  });

  it.each<readonly [what: string, one: Config, other: Config]>([
    ['lines before the first section', unit('A=1\n[Unit]\n'), unit('A=2\n[Unit]\n')],
    ['lines that Ignition takes for a comment', unit('# c\\\n[Unit]\nA=1\n'), unit('# c\\\n[Unit]\nA=2\n')],
    ['lines that cannot be read', unit('[Unit]\nA\n'), unit('[Unit]\nB\n')],
    [
      'specifiers',
      withUnit('ExecStart=podman run -e A=%%t img'),
      withUnit('ExecStart=podman run -e A=%t img'),
    ],
    ['a mode', withFile({ path: '/a', mode: 0o600 }), withFile({ path: '/a', mode: 0o644 })],
  ])('%s count', (_what, one, other) => {
    expect(compareConfigs(one, other)).not.toEqual([]);
  });

  it('tells secrets apart without showing them', () => {
    const [change] = compareConfigs(
      conf('[DEFAULT]\nagent_token = a1\n'),
      conf('[DEFAULT]\nagent_token = b2\n'),
    );
    expect(change).toEqual({
      setting: 'agent.options',
      deployed: ['[DEFAULT] agent_token = (secret)'],
      rendered: ['[DEFAULT] agent_token = (secret) (another)'],
    });
  });

  it.each(['w', 'host', 'This', 'ironic'])('is not misled by a host that has the name %s', (hostname) => {
    const found = compareConfigs(render(), render({ hostname })).map(({ setting }) => setting);
    expect(found).toContain('host.hostname');
    expect(found).not.toContain('file /etc/issue.d/ipa.issue');
  });

  it('tells another order', () => {
    expect(compareConfigs(urls('http://a,http://b'), urls('http://b,http://a'))).toEqual([
      { setting: 'ironic.apiUrls', deployed: ['http://a', 'http://b'], rendered: ['http://b', 'http://a'] },
    ]);
  });

  it('takes no long time for a file that is all separators', () => {
    const hostile = [
      `[DEFAULT]\napi_url = ${','.repeat(100_000)}`,
      '='.repeat(200_000),
      '[a]\n'.repeat(50_000),
    ];
    for (const text of hostile) expect(() => compareConfigs(conf(text), withUnit(text))).not.toThrow();
  });
});

const urls = (text: string): Config => conf(`[DEFAULT]\napi_url = ${text}\n`);

const users = (...keys: string[]): Config => ({
  passwd: { users: [{ name: 'core', sshAuthorizedKeys: keys }] },
});

function withFiles(...paths: readonly string[]): Config {
  return { storage: { files: paths.map((path) => ({ path, contents: { source: dataUrl(path) } })) } };
}

function authFile(text: string): Config {
  return withFile({ path: '/etc/authfile.json', mode: 0o600, contents: { source: dataUrl(text) } });
}

const folder = sharedData === undefined ? undefined : join(sharedData, 'agent-golden');
const names = (folder === undefined ? [] : readdirSync(folder)).filter(
  (file) =>
    file.endsWith('.json') &&
    !/\.(?:meta|input|error)\.json$/.test(file) &&
    /^(?:buildpy|icc|assisted|conf)/.test(file),
);

describe.skipIf(folder === undefined)(`configs of other generators${sharedDataNote}`, () => {
  it.each(names)('%s', (name) => {
    const config = decodeConfig(readFileSync(join(folder ?? '', name)));
    expect(compareConfigs(config, config)).toEqual([]);
    const missed = changesOf(config, 8).filter(
      (changed) => compareConfigs(config, changed.config).length === 0,
    );
    expect(missed.map(({ place }) => place)).toEqual([]);
    const shown = JSON.stringify(describeConfig(config));
    expect(shown).not.toMatch(/:\/\/[^\s/@()]+@/);
    // One has no agent, the unit of the other cannot be read.
    const hasImage = valuesOf(config, 'agent.image') !== undefined;
    expect(hasImage).toBe(!/nonconverged|hostname-special/.test(name));
  });
});

describe('keys', () => {
  it('are the same in any order', () => {
    const other = key.replace('ipa-test', 'other');
    expect(compareConfigs(users(key, other), users(other, key))).toEqual([]);
    expect(compareConfigs(users(key, other), users(key))).toMatchObject([{ setting: 'host.sshKeys' }]);
  });
});
