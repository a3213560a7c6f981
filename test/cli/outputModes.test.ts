/** Who may read what a command writes: its owner alone where it contains secrets, and whoever the umask lets otherwise. */

import { cp, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Command } from 'commander';
import { liveIso } from '../support/liveIso.ts';
import { efiPartition, kernel } from '../support/newIso.ts';
import { runCli } from '../support/runCli.ts';
import { wholeProgram } from '../support/wholeProgram.ts';

const ignition = (more: object): string => JSON.stringify({ ignition: { version: '3.4.0' }, ...more });
const hash = { passwd: { users: [{ name: 'core', passwordHash: '$6$x$y' }] } };
const keyfile = (more: string): string => `[connection]\nid=eth0\ntype=ethernet\n${more}`;
const inventory = (more: string): string => `agent:
  ironic.apiUrls: https://192.0.2.1
${more}deploy: {bmcAddress: 'redfish-virtualmedia://192.0.2.10/redfish/v1/Systems/1'}
hosts: [{name: a, mac: '52:54:00:00:00:01'}]
`;
const params = (value: string): string[] => [
  '--kernel-append-params',
  `http_proxy=http://${value}proxy:8080`,
];
const pair = ['--deploy-kernel', 'http://h/k', '--deploy-ramdisk', 'http://h/i'];
const login = { open: '', secret: 'user:hunter2@' };
const bmc = [
  '--name',
  'a',
  '--boot-mac',
  '52:54:00:00:00:01',
  '--bmc-address',
  'redfish://192.0.2.1/redfish/v1/Systems/1',
];

/** The files of each kind, in folders of these names. */
const inputs = {
  open: {
    'site.ign': ignition({}),
    'site.bu': 'variant: fcos\nversion: 1.5.0\n',
    'a.nmconnection': keyfile(''),
    'hosts.yaml': inventory(''),
  },
  secret: {
    'site.ign': ignition(hash),
    'site.bu': 'variant: fcos\nversion: 1.5.0\npasswd: {users: [{name: core, password_hash: $6$a$b}]}\n',
    'a.nmconnection': keyfile('[802-1x]\npassword=hunter2\n'),
    'hosts.yaml': inventory('  agent.pullSecret: ../auth.json\n'),
  },
} as const;
type Kind = keyof typeof inputs;

const render = ['render', '--api-url', 'https://192.0.2.1', '--no-ssh-key'];

/** Every command that writes files, with arguments that make it write `out`, a file or a folder. */
const writing: Readonly<Record<string, (kind: Kind) => readonly string[]>> = {
  render: (kind) => [...render, ...(kind === 'secret' ? ['--pull-secret', '../auth.json'] : []), '-o', 'out'],
  'render --inventory': () => ['render', '--inventory', 'hosts.yaml', '-o', 'out'],
  'ignition merge': () => ['ignition', 'merge', 'site.ign', '../empty.ign', '-o', 'out'],
  'ignition translate': () => ['ignition', 'translate', '--to', '3.5.0', 'site.ign', '-o', 'out'],
  'ignition from-butane': () => ['ignition', 'from-butane', 'site.bu', '-o', 'out'],
  'iso customize': () => ['iso', 'customize', '--live-ignition', 'site.ign', '-o', 'out', '../plain.iso'],
  'iso ignition embed': () => ['iso', 'ignition', 'embed', '-i', 'site.ign', '-o', 'out', '../plain.iso'],
  'iso ignition remove': () => ['iso', 'ignition', 'remove', '-o', 'out', 'network.iso'],
  'iso network embed': () => ['iso', 'network', 'embed', '-k', 'a.nmconnection', '-o', 'out', '../plain.iso'],
  'iso network extract': () => ['iso', 'network', 'extract', '-C', 'out', 'network.iso'],
  'iso network remove': () => ['iso', 'network', 'remove', '-o', 'out', 'ipa.iso'],
  'iso kargs modify': () => ['iso', 'kargs', 'modify', '-a', 'x', '-o', 'out', 'ipa.iso'],
  'iso kargs reset': () => ['iso', 'kargs', 'reset', '-o', 'out', 'ipa.iso'],
  'iso create': () => [
    'iso',
    'create',
    '-o',
    'out',
    '-k',
    '../vmlinuz',
    '-i',
    'config.img',
    '--efi-image',
    '../esp.img',
  ],
  'pxe kargs': (kind) => [
    'pxe',
    'kargs',
    '--base-url',
    'http://192.0.2.1',
    '--embedded',
    '--https-proxy',
    `http://${login[kind]}proxy:8080`,
    '-o',
    'out',
  ],
  'pxe customize': () => ['pxe', 'customize', '--live-ignition', 'site.ign', '-o', 'out', '../live.img'],
  'pxe ignition wrap': () => ['pxe', 'ignition', 'wrap', '-i', 'site.ign', '-o', 'out'],
  'pxe network wrap': () => ['pxe', 'network', 'wrap', '-k', 'a.nmconnection', '-o', 'out'],
  'pxe network unwrap': () => ['pxe', 'network', 'unwrap', '-C', 'out', 'network.img'],
  'deploy baremetalhost': (kind) => [
    'deploy',
    'baremetalhost',
    ...bmc,
    '-o',
    'out',
    ...(kind === 'secret' ? ['--ignition', 'site.ign'] : ['--user-data-name', 'data']),
  ],
  'deploy node': (kind) => [
    'deploy',
    'node',
    '--name',
    'a',
    '--set',
    ...pair,
    ...params(login[kind]),
    '-o',
    'out',
  ],
  prepare: () => [
    'prepare',
    '--inventory',
    'hosts.yaml',
    '--artifacts',
    'ign',
    '-o',
    'out',
    '--base-url',
    'https://192.0.2.1',
  ],
};

/** Those that write no file, only what is secret by its kind, only what is public, or in place. */
const others = {
  nothing: [
    'validate',
    'explain',
    'inspect',
    'preflight',
    'list-stream',
    'iso ignition show',
    'iso kargs show',
  ],
  stdout: ['pxe ignition unwrap', '__complete', 'completion'],
  public: [
    'quickstart',
    'init',
    'download',
    'man',
    'iso extract loaders',
    'iso extract minimal-iso',
    'iso extract pxe',
    'iso reset',
  ],
  secret: ['import', 'deploy steps', 'deploy configdrive'],
  services: ['serve', 'try', 'boot', 'controller'],
};

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'output modes '));
  const common = {
    'auth.json': JSON.stringify({ auths: { 'quay.io': { auth: 'dTpw' } } }),
    'empty.ign': ignition({}),
    'esp.img': efiPartition,
    vmlinuz: kernel,
    'plain.iso': liveIso('2023-07'),
  };
  for (const [name, data] of Object.entries(common)) await writeFile(join(cwd, name), data);
  await run('.', ['iso', 'extract', 'pxe', 'plain.iso']);
  await cp(join(cwd, 'plain-initrd.img'), join(cwd, 'live.img'));
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

async function run(folder: string, args: readonly string[]): Promise<void> {
  const { code, stderr } = await runCli(args, { cwd: join(cwd, folder) });
  if (code !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
}

/** A new folder with the inputs of a kind, and with images that contain them. */
async function makeInputs(kind: Kind): Promise<string> {
  const folder = await mkdtemp(join(cwd, 'inputs '));
  for (const [name, text] of Object.entries(inputs[kind])) await writeFile(join(folder, name), text);
  const inFolder = (line: string): Promise<void> => run(folder.slice(cwd.length + 1), line.split(' '));
  for (const name of ['ipa.iso', 'network.iso']) {
    await cp(join(cwd, 'plain.iso'), join(folder, name));
    await inFolder(`iso ignition embed -i site.ign ${name}`);
  }
  await inFolder('iso network embed -k a.nmconnection network.iso');
  await inFolder('pxe ignition wrap -i site.ign -o config.img');
  await inFolder('pxe network wrap -k a.nmconnection -o network.img');
  return folder;
}

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

/** Of the file, or of those in the folder that have the content which matters. */
async function modesOf(out: string): Promise<number[]> {
  if ((await stat(out)).isFile()) return [await modeOf(out)];
  const names = await readdir(out, { recursive: true });
  const checked = names.filter((name) => /\.(?:ign|nmconnection)$/.test(name));
  return Promise.all(checked.map((name) => modeOf(join(out, name))));
}

describe('mode of a new file', () => {
  const pathsBelow = (command: Command, parents: readonly string[] = []): string[] =>
    command.commands.flatMap((child) => {
      const words = [...parents, child.name()];
      return child.commands.length === 0 ? [words.join(' ')] : pathsBelow(child, words);
    });

  it('is checked for every command', () => {
    const known = [...Object.keys(writing), ...Object.values(others).flat()];
    const commands = new Set(known.map((name) => name.replace(/ --.*/, '')));
    expect([...commands].toSorted()).toEqual(pathsBelow(wholeProgram()).toSorted());
  });

  it.each(Object.entries(writing))('%s', async (_name, args) => {
    const byUmask = 0o666 & ~process.umask();
    for (const [kind, mode] of [
      ['open', byUmask],
      ['secret', 0o600],
    ] as const) {
      const folder = await makeInputs(kind);
      await run(folder.slice(cwd.length + 1), args(kind));
      const modes = await modesOf(join(folder, 'out'));
      expect(modes.length).toBeGreaterThan(0);
      expect([kind, ...new Set(modes)]).toEqual([kind, mode]);
    }
  });

  it('of a file that is replaced becomes as strict', async () => {
    const folder = await makeInputs('secret');
    await writeFile(join(folder, 'out'), 'older', { mode: 0o644 });
    await run(folder.slice(cwd.length + 1), writing['ignition merge']?.('secret') ?? []);
    expect(await modesOf(join(folder, 'out'))).toEqual([0o600]);
  });

  it('is said, with the reason', async () => {
    const folder = await makeInputs('secret');
    const { stderr } = await runCli(writing['ignition merge']?.('secret') ?? [], { cwd: folder });
    expect(stderr).toContain('the new file contains a password hash, so it is created with mode 0600\n');
  });

  it.each([
    [
      'deploy steps',
      ['deploy', 'steps', '--ignition', 'site.ign', '--config-drive', 'out', '-o', 'steps.json'],
    ],
    ['deploy configdrive', ['deploy', 'configdrive', '--ignition', 'site.ign', '-o', 'out']],
  ])('%s: always strict', async (_name, args) => {
    const folder = await makeInputs('open');
    await run(folder.slice(cwd.length + 1), args);
    expect(await modesOf(join(folder, 'out'))).toEqual([0o600]);
  });
});
