/** The lines of configs, by owner: of every profile, of other generators, and made by hand. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareConfigs, describeConfig } from '../../src/agent/configLines.ts';
import { profileNames } from '../../src/agent/settings.ts';
import { encodeGzip } from '../../src/formats/gzip.ts';
import type { Config, File } from '../../src/ignition/config.ts';
import { decodeConfig, randomConfigs } from '../support/randomConfigs.ts';
import { sharedData, sharedDataNote } from '../support/sharedData.ts';
import { changesOf, key, render } from './fullConfig.ts';

const linesOf = (config: Config, owner: string): readonly string[] | undefined =>
  describeConfig(config).find((part) => part.owner === owner)?.lines;

const dataUrl = (text: string): string => `data:;base64,${Buffer.from(text).toString('base64')}`;
const withFile = (file: File): Config => ({ storage: { files: [file] } });
const withText = (path: string, text: string): Config =>
  withFile({ path, contents: { source: dataUrl(text) } });
const conf = (text: string): Config => withText('/etc/ironic-python-agent.conf', text);
const unit = (contents: string): Config => ({ systemd: { units: [{ name: 'a.service', contents }] } });
const withUnit = (contents: string): Config => unit(`[Service]\n${contents}\n`);
const digest = expect.stringMatching(/ = \d+ bytes?, sha256:[0-9a-f]{12}…$/);

describe('describeConfig', () => {
  it.each<readonly [owner: string, lines: readonly string[]]>([
    ['ignition', ['version = 3.2.0', 'proxy.httpProxy = http://(secret)@proxy.example.com:3128']],
    ['user core', [`sshAuthorizedKeys = ${key}`]],
    ['file /etc/ironic-python-agent.conf', ['mode = 0600', '[DEFAULT] agent_token = (secret)']],
    ['file /etc/ironic-python-agent.conf', ['[mdns] lookup_attempts = 5']],
    ['file /etc/authfile.json', ['mode = 0600', digest]],
    ['file /etc/chrony.conf', ['appended:', 'server ntp1.example.com iburst']],
    [
      'file /etc/NetworkManager/system-connections/wlan0.nmconnection',
      ['[connection] id=wlan0', '[wifi-security] psk=(secret)'],
    ],
    ['file /etc/site', ['mode = 0600', digest]],
    [
      'unit site.service',
      ['[Service] ExecStart=/bin/site', '[Service] ExecStart=/bin/site … --password (secret)'],
    ],
    ['unit ironic-agent.service', ['enabled = true', '[Service] ExecStart=/bin/podman … --network host']],
    ['unit ironic-agent.service', ['[Service] ExecStart=/bin/podman … registry.example.com/ipa:1']],
    ['unit getty@.service', ['drop-in autologin.conf']],
  ])('%s of a rendered config', (owner, lines) => {
    expect(linesOf(render(), owner)).toEqual(expect.arrayContaining([...lines]));
  });

  it('shows no secret', () => {
    expect(JSON.stringify(describeConfig(render()))).not.toContain('hunter2');
  });

  it.each<readonly [what: string, text: string]>([
    ['a private key', '-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----\n'],
    ['a login', 'url = https://ops:hunter2@h/\n'],
    ['a password in YAML', 'password: hunter2\n'],
    ['a password in JSON', '{"password": "hunter2"}\n'],
    ['a token in a variable', 'export API_TOKEN=hunter2\n'],
    ['a pull secret', '{"auths":{"quay.io":{"auth":"hunter2"}}}'],
    ['a header', 'curl -H "Authorization: Basic hunter2" https://h\n'],
    ['a hash of a password', 'ops:$6$salt$hunter2\n'],
    ['an encoded text', `${'hunter2A'.repeat(12)}\n`],
  ])('shows a file with %s by its digest', (_what, text) => {
    expect(linesOf(withText('/etc/x', text), 'file /etc/x')).toEqual([digest]);
  });

  it.each<readonly [what: string, config: Config, owner: string, lines: readonly unknown[]]>([
    ['a text', withText('/etc/x', 'one\n\ttwo\n'), 'file /etc/x', ['one', '\ttwo']],
    ['a text without end', withText('/etc/x', 'one'), 'file /etc/x', ['one', '(no line feed at the end)']],
    ['no text', withText('/etc/x', 'a\0'), 'file /etc/x', [digest]],
    ['a long text', withText('/etc/x', 'a\n'.repeat(40_000)), 'file /etc/x', [digest]],
    [
      'contents that are compressed',
      withFile({
        path: '/etc/x',
        contents: {
          source: `data:;base64,${Buffer.from(encodeGzip(Buffer.from('worker-1\n'))).toString('base64')}`,
          compression: 'gzip',
        },
      }),
      'file /etc/x',
      ['worker-1'],
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
        'mode = 0600',
        'contents from https://(secret)@host/x?token=(secret)',
        'contents with header X-Key: (secret)',
        'contents.verification.hash = sha256-00',
      ],
    ],
    [
      'a conf that cannot be read',
      conf('[DEFAULT]\nagent_token = hunter2\nnonsense\n'),
      'file /etc/ironic-python-agent.conf',
      [digest],
    ],
    [
      'a misspelled secret of a conf',
      conf('[DEFAULT]\nagent_tokn = hunter2\n'),
      'file /etc/ironic-python-agent.conf',
      ['[DEFAULT] agent_tokn = (secret)'],
    ],
    [
      'a command',
      withUnit('ExecStart=-/usr/bin/curl -u ops:hunter2 --fail \\\n  https://h/x y'),
      'unit a.service',
      [
        '[Service] ExecStart=-/usr/bin/curl',
        '[Service] ExecStart=-/usr/bin/curl … -u ops:(secret)',
        '[Service] ExecStart=-/usr/bin/curl … --fail https://h/x',
        '[Service] ExecStart=-/usr/bin/curl … y',
      ],
    ],
    [
      'a command with an open quote',
      withUnit('ExecStart=/bin/a "b --c'),
      'unit a.service',
      ['[Service] ExecStart=/bin/a "b --c'],
    ],
    [
      'a user with rights',
      { passwd: { users: [{ name: 'ops', passwordHash: '$6$hunter2', groups: ['wheel'] }] } },
      'user ops',
      ['passwordHash = (secret)', 'groups = wheel'],
    ],
    [
      'a config that is merged in',
      { ignition: { version: '3.2.0', config: { merge: [{ source: 'http://h/x' }] } } },
      'ignition',
      ['version = 3.2.0', 'config.merge.1 from http://h/x'],
    ],
    [
      'a volume with a key',
      { storage: { luks: [{ name: 'root', keyFile: { source: dataUrl('hunter2') }, device: '/dev/x' }] } },
      'luks root',
      [expect.stringMatching(/^keyFile = 7 bytes, sha256:/), 'device = /dev/x'],
    ],
    [
      'kernel arguments',
      { kernelArguments: { shouldExist: ['a'], shouldNotExist: ['b'] } },
      'kernelArguments',
      ['shouldExist = a', 'shouldNotExist = b'],
    ],
    ['a user without anything', { passwd: { users: [{ name: 'ops' }] } }, 'user ops', ['nothing else']],
    ['nothing at all', {}, 'ignition', ['version = ']],
  ])('%s', (_what, config, owner, lines) => {
    expect(linesOf(config, owner)).toEqual(lines);
  });
});

describe('compareConfigs', () => {
  it.each(profileNames)('finds nothing where nothing changed: %s', (profile) => {
    expect(compareConfigs(render({ profile }), render({ profile }))).toEqual([]);
  });

  it('names the file and the line', () => {
    const confOptions = {
      cafile: '/etc/ironic-python-agent/ca.crt',
      enable_vlan_interfaces: 'all',
      ntp_server: 'ntp1.example.com',
    };
    const changed = render({ debug: false, confOptions, agentImage: 'quay.io/other' });
    expect(compareConfigs(render(), changed)).toEqual([
      {
        owner: 'file /etc/ironic-python-agent.conf',
        first: ['[DEFAULT] debug = True', '[DEFAULT] use_stderr = True'],
        second: [],
      },
      {
        owner: 'file /etc/motd.d/ipa.motd',
        first: ['  Agent      registry.example.com/ipa:1'],
        second: ['  Agent      quay.io/other'],
      },
      {
        owner: 'unit ironic-agent.service',
        first: [
          '[Service] ExecStartPre=/bin/podman … registry.example.com/ipa:1',
          '[Service] ExecStart=/bin/podman … --log-driver=journald',
          '[Service] ExecStart=/bin/podman … registry.example.com/ipa:1',
        ],
        second: [
          '[Service] ExecStartPre=/bin/podman … quay.io/other',
          '[Service] ExecStart=/bin/podman … quay.io/other',
        ],
      },
    ]);
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
  ])('%s does not count', (_what, one, other) => {
    expect(compareConfigs(one, other)).toEqual([]);
  });

  it.each<readonly [what: string, one: Config, other: Config]>([
    ['lines before the first section', unit('A=1\n[Unit]\n'), unit('A=2\n[Unit]\n')],
    ['lines that Ignition takes for a comment', unit('# c\\\n[Unit]\nA=1\n'), unit('# c\\\n[Unit]\nA=2\n')],
    ['lines that cannot be read', unit('[Unit]\nA\n'), unit('[Unit]\nB\n')],
    ['quotes', withUnit('ExecStart=a "b c"'), withUnit('ExecStart=a b c')],
    [
      'specifiers',
      withUnit('ExecStart=podman run -e A=%%t img'),
      withUnit('ExecStart=podman run -e A=%t img'),
    ],
    ['a mode', withFile({ path: '/a', mode: 0o600 }), withFile({ path: '/a', mode: 0o644 })],
    ['what is appended', withText('/a', 'x\n'), withFile({ path: '/a', append: [{ source: 'data:,x%0A' }] })],
  ])('%s count', (_what, one, other) => {
    expect(compareConfigs(one, other)).not.toEqual([]);
  });

  it('tells secrets apart without showing them', () => {
    const [one, other] = ['a1', 'b2'].map((token) => conf(`[DEFAULT]\nagent_token = ${token}\n`));
    expect(compareConfigs(one ?? {}, other ?? {})).toEqual([
      {
        owner: 'file /etc/ironic-python-agent.conf',
        first: ['[DEFAULT] agent_token = (secret)'],
        second: ['[DEFAULT] agent_token = (secret) (another value)'],
      },
    ]);
  });

  it('tells another order, by the lines that moved', () => {
    const [one, other] = ['1\n2\n3\n4\n', '1\n3\n2\n4\n'].map((text) => withText('/a', text));
    expect(compareConfigs(one ?? {}, other ?? {})).toEqual([
      { owner: 'file /a', first: ['2', '3'], second: ['3', '2'] },
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

function withFiles(...paths: readonly string[]): Config {
  return { storage: { files: paths.map((path) => ({ path, contents: { source: dataUrl(path) } })) } };
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
    expect(JSON.stringify(describeConfig(config))).not.toMatch(/:\/\/[^\s/@()]+@/);
  });
});
