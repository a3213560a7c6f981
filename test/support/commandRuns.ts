/** Runs of every command that write all files that it can write; each in an empty folder, next to the folder with the inputs. */

import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loaderPartition } from './fatImage.ts';
import { liveIso, liveIsoWith } from './liveIso.ts';
import { packedIso } from './minimalIso.ts';
import { isolinux, initrd, kernel, ldlinux, liveInitrd } from './newIso.ts';
import { runCli } from './runCli.ts';

/** A run of a command. */
export interface CommandRun {
  /** Arguments after the words of the command. */
  readonly args: readonly string[];
  /** The run edits its image, `image.iso`, in place. */
  readonly inPlace?: true;
  /** The arguments with which the run can be repeated, if these are different. */
  readonly again?: readonly string[];
  /** A server runs until its output contains this text. */
  readonly until?: string;
}

const SECRET = createHash('shake256', { outputLength: 30 }).update('secret').digest('hex');
const noise = createHash('shake256', { outputLength: 340_000 }).update('noise').digest('base64');

const configOf = (text: string): string => {
  const source = `data:;base64,${Buffer.from(SECRET + text).toString('base64')}`;
  const file = { path: '/etc/secret', mode: 384, contents: { source } };
  return JSON.stringify({ ignition: { version: '3.4.0' }, storage: { files: [file] } });
};

const inventory = `agent:
  ironic.apiUrls: https://192.0.2.1
  agent.image: registry.example.com/ironic-agent
  agent.pullSecret: pull-secret.json
deploy:
  ignition: small.ign
  bmcAddress: "redfish://192.0.2.10/redfish/v1/Systems/{name}"
hosts:
- {mac: "52:54:00:00:00:01", name: a}
- {mac: "52:54:00:00:00:02", name: b}
`;

/** Writes the inputs to the folder `in`, and a folder `home`. */
export async function writeInputs(root: string): Promise<void> {
  for (const name of ['in', 'home']) await mkdir(join(root, name));
  const auth = Buffer.from(`user:${SECRET}`).toString('base64');
  const files: Readonly<Record<string, string | Uint8Array>> = {
    'coreos.iso': liveIso('2023-07'),
    'full.iso': await packedIso(),
    'efi.iso': liveIsoWith((members) => members.set('images/efiboot.img', loaderPartition)),
    'small.ign': configOf('small'),
    'large.ign': configOf(noise),
    'site.ign': '{"ignition":{"version":"3.4.0"}}',
    'site.bu': `variant: fcos\nversion: 1.5.0\npasswd: {users: [{name: core, password_hash: ${SECRET}}]}\n`,
    'agent.tar': SECRET.repeat(4000),
    'eth0.nmconnection': `[connection]\nid=eth0\ntype=ethernet\n[802-1x]\npassword=${SECRET}\n`,
    'pull-secret.json': JSON.stringify({ auths: { 'registry.example.com': { auth } } }),
    'hosts.yaml': inventory,
    'local.yaml':
      'agent: {ironic.apiUrls: "http://127.0.0.1:9", agent.image: 127.0.0.1:9/agent}\nhosts: [{name: a}]\n',
    'settings.yaml':
      'agent: {ironic.apiUrls: "https://192.0.2.1", agent.image: registry.example.com/agent}\n',
    'hosts.csv': `name,username,password\na,admin,${SECRET}\n`,
    'stream.json':
      '{"stream":"stable","metadata":{"last-modified":"2026-01-01T00:00:00Z"},"architectures":{}}',
    kernel,
    initrd,
    'live.img': liveInitrd,
    'isolinux.bin': isolinux,
    'ldlinux.c32': ldlinux,
  };
  for (const [name, data] of Object.entries(files)) await writeFile(join(root, 'in', name), data);
  const cli = async (...args: readonly string[]): Promise<void> => {
    const { code, stderr } = await runCli(args, { cwd: join(root, 'in') });
    if (code !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
  };
  await cli('iso', 'ignition', 'embed', '-i', 'small.ign', '-o', 'secret.iso', 'coreos.iso');
  await cli('iso', 'network', 'embed', '-k', 'eth0.nmconnection', 'secret.iso');
  await cli('pxe', 'network', 'wrap', '-k', 'eth0.nmconnection', '-o', 'network.img');
  await cli('pxe', 'ignition', 'wrap', '-i', 'small.ign', '-o', 'config.img');
}

const image = ['../in/coreos.iso'];
const secretImage = ['../in/secret.iso'];
const config = ['-i', '../in/small.ign'];
const keyfile = ['-k', '../in/eth0.nmconnection'];
const output = ['-o', 'out'];
const agent = [
  '--api-url',
  'https://192.0.2.1',
  '--agent-image',
  'registry.example.com/ironic-agent',
  '--no-ssh-key',
];
const hosts = ['--inventory', '../in/hosts.yaml'];
const host = [
  '--name',
  'a',
  '--boot-mac',
  '52:54:00:00:00:01',
  '--bmc-address',
  'redfish://192.0.2.10/redfish/v1/Systems/1',
];
const local = ['--listen', '127.0.0.1:0'];

/** To an own file, over an existing one, and in place. */
const edits = (options: readonly string[], input = image): CommandRun[] => [
  { args: [...options, ...output, ...input], again: [...options, ...output, '--overwrite', ...input] },
  { args: [...options, 'image.iso'], inPlace: true },
];
const once = (...args: readonly string[]): CommandRun[] => [{ args }];
const toFile = (...args: readonly string[]): CommandRun[] => [{ args: [...args, ...output] }];
const toFolder = (...args: readonly string[]): CommandRun[] => [
  { args: ['-C', 'out', ...args], again: ['-C', 'out', '--overwrite', ...args] },
];
const toNewFile = (...args: readonly string[]): CommandRun[] => [
  { args: [...args, ...output], again: [...args, ...output, '--overwrite'] },
];

/** By the words of the command. The inputs of these runs are in the folder of {@link writeInputs}. */
export const commandRuns: Readonly<Record<string, readonly CommandRun[]>> = {
  quickstart: once('-C', 'out'),
  init: once('deploy', '-o', 'out'),
  import: once('-o', 'out', '../in/hosts.csv'),
  render: [...toFile(...agent, '--pull-secret', '../in/pull-secret.json'), ...toFile(...hosts)],
  validate: once('../in/small.ign'),
  explain: once('path-relative'),
  inspect: once(...secretImage),
  download: [
    { args: ['-u', 'SERVER/disk.raw.gz', '-C', 'out', '--insecure', '--decompress'] },
    { args: ['-u', 'SERVER/disk.raw.gz', '-C', 'out', '--insecure'] },
  ],
  'list-stream': once('--stream-base-url', '../in/stream.json'),
  'iso customize': edits(['-f', '--live-ignition', '../in/small.ign', '--live-karg-append', 'x=1']),
  'iso ignition embed': [
    ...edits([...config, '-f']),
    ...edits(['-i', '../in/large.ign', '-f', '--grow', '--iso-file', '../in/agent.tar:agent.tar']),
  ],
  'iso ignition show': once(...secretImage),
  'iso ignition remove': edits([], secretImage),
  'iso network embed': edits([...keyfile, '-f']),
  'iso network extract': toFolder(...secretImage),
  'iso network remove': edits([], secretImage),
  'iso kargs modify': edits(['-a', 'x=1'], secretImage),
  'iso kargs reset': edits([], secretImage),
  'iso kargs show': once(...secretImage),
  'iso extract pxe': [
    { args: ['-o', 'out', ...secretImage], again: ['-o', 'out', '--overwrite', ...secretImage] },
  ],
  'iso extract minimal-iso': [
    {
      args: ['--output-rootfs', 'rootfs', '../in/full.iso', 'out'],
      again: ['--output-rootfs', 'rootfs', '--overwrite', '../in/full.iso', 'out'],
    },
  ],
  'iso extract loaders': [
    { args: [...output, '../in/efi.iso'], again: [...output, '--overwrite', '../in/efi.iso'] },
  ],
  'iso reset': edits([], secretImage),
  'iso create': toNewFile('-k', '../in/kernel', '-i', '../in/initrd', '--isolinux', '../in/isolinux.bin'),
  'pxe kargs': toFile('--base-url', 'http://192.0.2.1', '--embedded', '--format', 'ipxe'),
  'pxe customize': toNewFile('--live-ignition', '../in/small.ign', '../in/live.img'),
  'pxe ignition wrap': toFile(...config),
  'pxe ignition unwrap': once('../in/config.img'),
  'pxe network wrap': toFile(...keyfile),
  'pxe network unwrap': toFolder('../in/network.img'),
  prepare: [
    { args: ['--iso', ...image, '--base-url', 'http://192.0.2.1', ...hosts, ...output] },
    {
      args: [
        '--iso',
        ...image,
        '--base-url',
        'http://192.0.2.1',
        ...hosts,
        ...output,
        '--bundle',
        'out.tar.gz',
      ],
    },
  ],
  preflight: [{ args: ['--inventory', '../in/local.yaml'], until: 'ironic' }],
  serve: [{ args: ['--iso', ...image, ...hosts, ...local, '--key-file', 'key'], until: 'listening on' }],
  try: [
    { args: [...local, '--tls', '--ca-out', 'ca.pem'], until: 'wrote the certificate authority' },
    { args: [...local, '--save', 'inventories'], until: 'sent its inventory' },
    {
      args: [...local, '--qemu', ...secretImage, '--accel', 'tcg', '--console', 'console.log'],
      until: 'FIRMWARE',
    },
  ],
  boot: [
    {
      args: [
        '--yes',
        '--bmc',
        'BMC',
        '--credentials',
        '../in/bmc.json',
        '--iso',
        '../in/agent.iso',
        ...local,
        '--serve-listen',
        '127.0.0.1:0',
        '--save',
        'inventories',
      ],
      until: 'sent its inventory',
    },
  ],
  controller: [
    {
      args: [
        '--kubeconfig',
        '../in/kubeconfig',
        '--settings',
        '../in/settings.yaml',
        '--iso',
        ...image,
        ...local,
        '--public-url',
        'http://192.0.2.1',
        '--key-file',
        'key',
      ],
      until: 'no SSH key is set',
    },
  ],
  'deploy steps': toFile('--ignition', '../in/small.ign', '--config-drive', 'drive.json'),
  'deploy configdrive': [...toFile('--ignition', '../in/small.ign'), ...toFile(...hosts)],
  'deploy baremetalhost': toFile(...host, '--ignition', '../in/small.ign'),
  'deploy node': toFile(...host),
  'ignition merge': toFile('../in/site.ign', '../in/small.ign'),
  'ignition translate': toFile('--to', '3.5.0', '../in/small.ign'),
  'ignition from-butane': toFile('../in/site.bu'),
  __complete: once('--', 'va'),
  completion: once('bash'),
  man: once('-C', 'out'),
};
