/**
 * Units and quadlets as `validate` gives them to `systemd-analyze verify` and `quadlet -dryrun`: what these programs say becomes
 * a warning at its place in the config, and what they accept none.
 */

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Config, File, Unit } from '../../src/ignition/config.ts';
import { have, oracleFile, oracleNote } from '../support/programs.ts';
import { runCli } from '../support/runCli.ts';

let cwd: string;

beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'unit tools '));
});
afterAll(() => rmSync(cwd, { recursive: true }));

/** `path line message` of each warning of the program. */
async function check(config: Config, program: string): Promise<string[]> {
  writeFileSync(join(cwd, 'x.ign'), JSON.stringify({ ignition: { version: '3.5.0' }, ...config }));
  const env = { PATH: dirname(oracleFile(program)) };
  const { stdout } = await runCli(['validate', '--format', 'json', 'x.ign'], { cwd, env });
  const { messages }: { messages: readonly Message[] } = JSON.parse(stdout);
  return messages
    .filter(({ rule }) => /^(?:unit|quadlet)-rejected/.test(rule))
    .map(({ message, path, severity }) => `${severity} ${path.replace('$.', '')} ${message}`);
}

interface Message {
  readonly severity: string;
  readonly rule: string;
  readonly path: string;
  readonly message: string;
}

const unit = (name: string, ...lines: readonly string[]): Unit => ({
  name,
  contents: `${lines.join('\n')}\n`,
});
const service = (...lines: readonly string[]): Unit =>
  unit('a.service', '[Service]', 'ExecStart=/bin/true', ...lines);
const file = (path: string, ...lines: readonly string[]): File => ({
  path,
  contents: { source: `data:,${encodeURIComponent(`${lines.join('\n')}\n`)}` },
});
const contents = 'systemd.units.0.contents';

/** Units of a config, and what follows `warning`. */
const units: readonly (readonly [title: string, units: readonly Unit[], ...found: readonly string[]])[] = [
  ['a service', [service('Restart=on-failure', 'RestartSec=5')]],
  ['quotes next to each other', [unit('a.service', '[Service]', "ExecStart=/bin/echo 'a '^b' c'")]],
  ['a template', [unit('a@.service', '[Service]', 'ExecStart=/bin/echo %i')]],
  ['a unit that this machine lacks', [service('[Unit]', 'Requires=crio.service', 'After=crio.service')]],
  [
    'a program that this machine lacks',
    [unit('a.service', '[Service]', 'ExecStart=/usr/bin/rpm-ostree status')],
  ],
  ['a manual page that this machine lacks', [service('[Unit]', 'Documentation=man:crio(8)')]],
  ['a key for another program', [service('X-Own=1', '[X-Own]', 'Key=1')]],
  ['a masked unit', [{ ...service('Foo=1'), mask: true }]],
  ['a unit that is only enabled', [{ name: 'crio.service', enabled: true }]],
  [
    'a drop-in for a unit of the image',
    [{ name: 'crio.service', dropins: [{ name: '10.conf', contents: '[Service]\nRestart=always\n' }] }],
  ],
  [
    'a mount',
    [unit('var-data.mount', '[Mount]', 'What=/dev/disk/by-label/data', 'Where=/var/data', 'Type=xfs')],
  ],
  ['a timer with its service', [unit('a.timer', '[Timer]', 'OnCalendar=daily'), service()]],
  ['a socket with its service', [unit('a.socket', '[Socket]', 'ListenStream=8080'), service()]],
  [
    'an unknown key',
    [service('Restrat=always')],
    `${contents} a.service:3: Unknown key 'Restrat' in section [Service], ignoring`,
  ],
  [
    'an unknown section',
    [unit('a.service', '[Servise]', 'A=1', '[Service]', 'ExecStart=/bin/true')],
    `${contents} a.service:1: Unknown section 'Servise'. Ignoring`,
  ],
  [
    'a key of another section',
    [unit('a.service', '[Unit]', 'Restart=always', '[Service]', 'ExecStart=/bin/true')],
    `${contents} a.service:2: Unknown key 'Restart' in section [Unit], ignoring`,
  ],
  [
    'a key above all sections',
    [unit('a.service', 'After=x.target', '[Service]', 'ExecStart=/bin/true')],
    `${contents} a.service:1: Assignment outside of section. Ignoring`,
  ],
  [
    'a value of a fixed set',
    [service('Restart=allways')],
    `${contents} a.service:3: Failed to parse service restart specifier, ignoring`,
  ],
  [
    'a boolean',
    [service('RemainAfterExit=maybe')],
    `${contents} a.service:3: Failed to parse boolean value, ignoring`,
  ],
  ['a time', [service('RestartSec=soon')], `${contents} a.service:3: Failed to parse sec value, ignoring`],
  [
    'a name of a unit',
    [service('[Unit]', 'After=network')],
    `${contents} a.service:4: Failed to add dependency on network, ignoring`,
  ],
  [
    'a calendar',
    [unit('a.timer', '[Timer]', 'OnBootSec=1', 'OnCalendar=Mon..Blah 25:61'), service()],
    `${contents} a.timer:3: Failed to parse calendar specification, ignoring`,
  ],
  [
    'an assignment',
    [service('Environment=hunter2')],
    `${contents} a.service:3: Invalid environment assignment, ignoring`,
  ],
  [
    'an open quote in an assignment',
    [service("Environment=A='hunter2")],
    `${contents} a.service:3: Invalid syntax, ignoring`,
  ],
  [
    'an open quote in a command',
    [unit('a.service', '[Service]', "ExecStart=/bin/echo 'hunter2")],
    `${contents} a.service:2: Unbalanced quoting, ignoring`,
  ],
  [
    'a relative program',
    [unit('a.service', '[Service]', 'ExecStart=bin/hunter2')],
    `${contents} a.service:2: Neither a valid executable name nor an absolute path`,
  ],
  [
    'a relative folder',
    [service('WorkingDirectory=hunter2')],
    `${contents} a.service:3: WorkingDirectory= path is not absolute`,
  ],
  [
    'a service without a command',
    [unit('a.service', '[Service]', 'Type=exec')],
    `${contents} a.service: Service has no ExecStart=, ExecStop=, or SuccessAction=. Refusing`,
  ],
  [
    'two commands',
    [service('ExecStart=/bin/true')],
    `${contents} a.service: Service has more than one ExecStart= setting, which is only allowed for Type=oneshot services. Refusing`,
  ],
  [
    'a oneshot that always restarts',
    [service('Type=oneshot', 'Restart=always')],
    `${contents} a.service: Service has Restart= set to either always or on-success, which isn't allowed for Type=oneshot services. Refusing`,
  ],
  [
    'a mount with another name',
    [unit('var-data.mount', '[Mount]', 'What=/dev/sda', 'Where=/data')],
    `${contents} var-data.mount: Where= setting doesn't match unit name. Refusing`,
  ],
  [
    'a timer without a time',
    [unit('a.timer', '[Timer]', 'Persistent=true'), service()],
    `${contents} a.timer: Timer unit lacks value setting. Refusing`,
  ],
  [
    'a socket without an address',
    [unit('a.socket', '[Socket]', 'Accept=no'), service()],
    `${contents} a.socket: Unit has no Listen setting (ListenStream=, ListenDatagram=, ListenFIFO=, ...). Refusing`,
  ],
  [
    'a drop-in',
    [{ ...service(), dropins: [{ name: '10 a.conf', contents: '[Service]\nRestrat=no\n' }] }],
    "systemd.units.0.dropins.0.contents a.service.d/10 a.conf:2: Unknown key 'Restrat' in section [Service], ignoring",
  ],
  [
    'a drop-in for a unit of the image with a mistake',
    [{ name: 'crio.service', dropins: [{ name: '10.conf', contents: '[Service]\nRestrat=no\n' }] }],
    "systemd.units.0.dropins.0.contents crio.service.d/10.conf:2: Unknown key 'Restrat' in section [Service], ignoring",
  ],
  [
    'a drop-in for an instance',
    [
      unit('a@.service', '[Service]', 'ExecStart=/bin/true'),
      { name: 'a@b.service', dropins: [{ name: '10.conf', contents: '[Service]\nRestrat=no\n' }] },
    ],
    "systemd.units.1.dropins.0.contents a@b.service.d/10.conf:2: Unknown key 'Restrat' in section [Service], ignoring",
  ],
  [
    'a setting over several lines',
    [unit('a.service', '[Service]', 'ExecStart=/bin/echo --password hunter2 \\', '  "hunter3')],
    `${contents} a.service:3: Unbalanced quoting, ignoring`,
  ],
];

describe.skipIf(!have('systemd-analyze'))(`units${oracleNote('systemd-analyze')}`, () => {
  it.each(units.map(([title, list, ...found]) => ({ title, list, found })))(
    '$title',
    async ({ found, list }) => {
      const said = await check({ systemd: { units: list } }, 'systemd-analyze');
      expect(said).toEqual(found.map((text) => `warning ${text}`));
    },
  );

  it('reads units and drop-ins that are written as files', async () => {
    const files = [
      file('/etc/systemd/system/a.service', '[Service]', 'ExecStart=/bin/true', 'Foo=1'),
      file('/etc/systemd/system/b.service.d/10.conf', '[Service]', 'Foo=1'),
      file('/etc/systemd/system.conf', '[Manager]', 'Foo=1'),
    ];
    expect(await check({ storage: { files } }, 'systemd-analyze')).toEqual([
      "warning storage.files.0.contents.source a.service:3: Unknown key 'Foo' in section [Service], ignoring",
      "warning storage.files.1.contents.source b.service.d/10.conf:2: Unknown key 'Foo' in section [Service], ignoring",
    ]);
  });

  it('says once which release it is, prints no secret, and leaves no folder', async () => {
    const config = { systemd: { units: [service('Environment=hunter2', '"hunter2=1')] } };
    writeFileSync(join(cwd, 'x.ign'), JSON.stringify({ ignition: { version: '3.5.0' }, ...config }));
    const temporary = mkdtempSync(join(cwd, 'tmp '));
    vi.stubEnv('TMPDIR', temporary);
    const env = { PATH: dirname(oracleFile('systemd-analyze')) };
    const { code, stderr } = await runCli(['validate', '--format', 'json', 'x.ign', 'x.ign'], { cwd, env });
    expect(code).toBe(0);
    expect(stderr.match(/the units are checked by \S+, release systemd \d+/g)).toHaveLength(1);
    expect((await check(config, 'systemd-analyze')).join('\n')).not.toContain('hunter2');
    expect(readdirSync(temporary)).toEqual([]);
    vi.unstubAllEnvs();
  });

  it('checks the units that render gets from the user, not its own', async () => {
    writeFileSync(
      join(cwd, 'own.service'),
      '[Service]\nExecStart=/bin/true\nRestrat=no\n[Install]\nWantedBy=multi-user.target\n',
    );
    const args = [
      'render',
      '--api-url',
      'https://192.0.2.1:6385',
      '--unit',
      'own.service',
      '--output',
      'y.ign',
    ];
    const env = { PATH: dirname(oracleFile('systemd-analyze')) };
    const { stderr } = await runCli(args, { cwd, env });
    expect(stderr).toContain("warning: own.service:3: Unknown key 'Restrat' in section [Service], ignoring");
    expect(stderr).not.toContain('ironic-agent.service:');
  });

  it('checks the units of a config that is embedded', async () => {
    const text = '[Service]\nExecStart=/bin/true\nRestrat=no\n';
    const config = {
      ignition: { version: '3.4.0' },
      systemd: { units: [{ name: 'own.service', contents: text }] },
    };
    writeFileSync(join(cwd, 'own.ign'), JSON.stringify(config));
    const env = { PATH: dirname(oracleFile('systemd-analyze')) };
    const { code, stderr } = await runCli(['pxe', 'ignition', 'wrap', '-i', 'own.ign', '-o', 'own.img'], {
      cwd,
      env,
    });
    expect(code).toBe(0);
    expect(stderr).toContain("warning: own.service:3: Unknown key 'Restrat' in section [Service], ignoring");
  });
});

const folder = '/etc/containers/systemd';
const container = (...lines: readonly string[]): File =>
  file(`${folder}/a.container`, '[Container]', 'Image=quay.io/x/y:1', ...lines);
const source = 'storage.files.0.contents.source';

/** Files of a config, and what follows `warning`. */
const quadlets: readonly (readonly [title: string, files: readonly File[], ...found: readonly string[]])[] = [
  ['a container', [container('Volume=/var/x:/x:Z', 'PublishPort=80:80', 'Environment=A=b')]],
  ['other sections', [container('[Service]', 'Restart=always', '[Install]', 'WantedBy=multi-user.target')]],
  ['a volume', [file(`${folder}/a.volume`, '[Volume]', 'Label=x')]],
  ['a network', [file(`${folder}/a.network`, '[Network]', 'Subnet=192.0.2.0/24')]],
  [
    'a pod with its container',
    [
      file(`${folder}/a.pod`, '[Pod]', 'PodName=x'),
      file(`${folder}/b.container`, '[Container]', 'Image=quay.io/x/y', 'Pod=a.pod'),
    ],
  ],
  ['an image', [file(`${folder}/a.image`, '[Image]', 'Image=quay.io/x/y')]],
  ['a build', [file(`${folder}/a.build`, '[Build]', 'ImageTag=localhost/x', 'File=/etc/x/Containerfile')]],
  ['a manifest', [file(`${folder}/a.kube`, '[Kube]', 'Yaml=/etc/x/pod.yaml')]],
  ['a volume of another quadlet', [container('Volume=b.volume:/x'), file(`${folder}/b.volume`, '[Volume]')]],
  [
    'a network of another quadlet',
    [container('Network=b.network'), file(`${folder}/b.network`, '[Network]')],
  ],
  ['a nonsense port, which podman accepts here', [container('PublishPort=nonsense')]],
  ['a file of another kind', [file(`${folder}/README.md`, 'x')]],
  ['an empty volume', [file(`${folder}/a.volume`, '')]],
  [
    'a key that does not exist',
    [container('Volumes=/a:/b')],
    `${source} a.container:3: unsupported key 'Volumes' in group 'Container'`,
  ],
  [
    'a key of another kind',
    [file(`${folder}/a.volume`, '[Volume]', 'Exec=x')],
    `${source} a.volume:2: unsupported key 'Exec' in group 'Volume'`,
  ],
  [
    'no image',
    [file(`${folder}/a.container`, '[Container]', 'Exec=hunter2')],
    `${source} a.container: no Image or Rootfs key specified`,
  ],
  [
    'no group',
    [file(`${folder}/a.container`, 'Image=hunter2')],
    `${source} a.container: key file does not start with a group`,
  ],
  [
    'two sources',
    [container('Rootfs=/x')],
    `${source} a.container: the Image And Rootfs keys conflict can not be specified together`,
  ],
  [
    'a short name',
    [file(`${folder}/a.container`, '[Container]', 'Image=ipa')],
    `${source} a.container: image "ipa" is not a fully qualified image name`,
  ],
  [
    'a volume that does not exist',
    [container('Volume=b.volume:/x')],
    `${source} a.container: requested Quadlet source b.volume was not found`,
  ],
  [
    'a network that does not exist',
    [container('Network=b.network')],
    `${source} a.container: requested Quadlet unit b.network was not found`,
  ],
  [
    'an image that does not exist',
    [file(`${folder}/a.container`, '[Container]', 'Image=b.image')],
    `${source} a.container: requested Quadlet image b.image was not found`,
  ],
  [
    'a pod that does not exist',
    [container('Pod=b.pod')],
    `${source} a.container: quadlet pod unit b.pod does not exist`,
  ],
  ['a pod of podman', [container('Pod=b')], `${source} a.container: pod b is not Quadlet based`],
  [
    'a mode of killing',
    [container('[Service]', 'KillMode=process')],
    `${source} a.container: invalid KillMode 'process'`,
  ],
  [
    'a type of service',
    [container('[Service]', 'Type=forking')],
    `${source} a.container: invalid service Type 'forking'`,
  ],
  ['a port to expose', [container('ExposeHostPort=x')], `${source} a.container: invalid port format 'x'`],
  ['a group without a user', [container('Group=1')], `${source} a.container: invalid Group set without User`],
  [
    'a mapping',
    [container('RemapUsers=nope')],
    `${source} a.container: unsupported RemapUsers option 'nope'`,
  ],
  [
    'more gateways than subnets',
    [
      file(
        `${folder}/a.network`,
        '[Network]',
        'Subnet=192.0.2.0/24',
        'Gateway=192.0.2.1',
        'Gateway=192.0.2.2',
      ),
    ],
    `${source} a.network: cannot set more gateways than subnets`,
  ],
  [
    'a gateway without a subnet',
    [file(`${folder}/a.network`, '[Network]', 'Gateway=192.0.2.1')],
    `${source} a.network: cannot set gateway or range without subnet`,
  ],
  [
    'a type without a device',
    [file(`${folder}/a.volume`, '[Volume]', 'Type=xfs')],
    `${source} a.volume: key Type can't be used without Device`,
  ],
  [
    'a manifest without a file',
    [file(`${folder}/a.kube`, '[Kube]', 'LogDriver=x')],
    `${source} a.kube: no Yaml key specified`,
  ],
  [
    'a build without a tag',
    [file(`${folder}/a.build`, '[Build]', 'File=/x')],
    `${source} a.build: no ImageTag key specified`,
  ],
  [
    'a line that is no setting',
    [container('hunter2')],
    `${source} a.container:3: not a key with a value, a group or a comment`,
  ],
  [
    'a file beside one that cannot be read, which is read when that one is fixed',
    [container('hunter2'), file(`${folder}/b.container`, '[Container]')],
    `${source} a.container:3: not a key with a value, a group or a comment`,
  ],
  [
    'a quadlet of a user',
    [file('/var/home/core/.config/containers/systemd/web/a.container', '[Container]')],
    `${source} a.container: no Image or Rootfs key specified`,
  ],
  [
    'a drop-in',
    [container(), file(`${folder}/a.container.d/10.conf`, '[Container]', 'Volumes=/a')],
    `${source} a.container: unsupported key 'Volumes' in group 'Container'`,
  ],
];

describe.skipIf(!have('quadlet'))(`quadlets${oracleNote('quadlet')}`, () => {
  it.each(quadlets.map(([title, files, ...found]) => ({ title, files, found })))(
    '$title',
    async ({ files, found }) => {
      const said = await check({ storage: { files } }, 'quadlet');
      expect(said).toEqual(found.map((text) => `warning ${text}`));
    },
  );
});
