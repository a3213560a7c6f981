/** Standard streams that fail, for every command: one line instead of a stack trace, and an exit code that is true. */

import {
  closeSync,
  createWriteStream,
  existsSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loaderPartition } from '../support/fatImage.ts';
import { liveIso, liveIsoWith } from '../support/liveIso.ts';
import { packedIso } from '../support/minimalIso.ts';
import { runCli } from '../support/runCli.ts';
import { efiPartition, kernel } from '../support/newIso.ts';
import { type ProgramResult, runProgram } from '../support/runProgram.ts';
import { wholeProgram } from '../support/wholeProgram.ts';
import { freePort } from '../support/listening.ts';

const apiUrl = ['--api-url', 'https://192.0.2.1', '--no-ssh-key'];
const boot = ['--base-url', 'http://192.0.2.1', '--embedded'];
const bmc = ['--bmc-address', 'redfish-virtualmedia://192.0.2.10/redfish/v1/Systems/1'];
const listen = ['--listen', '127.0.0.1:0'];

/** Arguments with which each command prints data; undefined for those that never print any. */
const printing: Readonly<Record<string, readonly string[] | undefined>> = {
  quickstart: ['-C', 'sample'],
  init: ['deploy', '-o', '-'],
  import: undefined,
  render: apiUrl,
  validate: ['--format', 'json', 'site.ign'],
  explain: [],
  inspect: ['ipa.iso'],
  'ignition merge': ['site.ign', 'site.ign'],
  'ignition translate': ['--to', '3.5.0', 'site.ign'],
  'ignition from-butane': ['site.bu'],
  download: ['--image-url', 'SERVER/coreos.iso', '--insecure', '-C', '.'],
  'list-stream': ['--stream-base-url', 'stream.json'],
  'iso customize': ['-o', '-', 'plain.iso'],
  'iso ignition embed': ['-i', 'site.ign', '-o', '-', 'plain.iso'],
  'iso ignition show': ['ipa.iso'],
  'iso ignition remove': ['-o', '-', 'ipa.iso'],
  'iso network embed': ['-k', 'eth0.nmconnection', '-o', '-', 'plain.iso'],
  'iso network extract': ['ipa.iso'],
  'iso network remove': ['-o', '-', 'ipa.iso'],
  'iso kargs modify': ['-a', 'x', '-o', '-', 'plain.iso'],
  'iso kargs reset': ['-o', '-', 'plain.iso'],
  'iso kargs show': ['plain.iso'],
  'iso extract pxe': ['-o', 'tree', 'plain.iso'],
  'iso extract loaders': ['-o', 'loaders', 'efi.iso'],
  'iso extract minimal-iso': ['full.iso', '-'],
  'iso reset': ['-o', '-', 'ipa.iso'],
  'iso create': ['-o', '-', '-k', 'vmlinuz', '-i', 'network.img', '--efi-image', 'esp.img'],
  'pxe kargs': boot,
  'pxe customize': ['--live-ignition', 'site.ign', '-o', '-', 'pxe/plain-initrd.img'],
  'pxe ignition wrap': ['-i', 'site.ign'],
  'pxe ignition unwrap': ['config.img'],
  'pxe network wrap': ['-k', 'eth0.nmconnection'],
  'pxe network unwrap': ['network.img'],
  'deploy steps': ['--ignition', 'site.ign', '--config-drive', 'drive.json'],
  'deploy configdrive': ['--ignition', 'site.ign'],
  'deploy baremetalhost': ['--name', 'a', '--boot-mac', '52:54:00:12:34:56', ...bmc],
  'deploy node': ['--name', 'a', '--set', '--deploy-iso', 'http://192.0.2.1/a.iso'],
  prepare: undefined,
  serve: [
    '--log',
    'text',
    '--inventory',
    'hosts.yaml',
    '--iso',
    'plain.iso',
    '--open',
    '--format',
    'json',
    ...listen,
  ],
  try: ['--timeout', '1s', ...listen],
  preflight: ['--inventory', 'quiet.yaml'],
  boot: ['--check', '--bmc', 'http://127.0.0.1:1', '--credentials', 'bmc.json'],
  controller: undefined,
  __complete: ['--', 'va'],
  completion: ['bash'],
  man: [],
};

const file = { location: 'https://example.com/a', sha256: 'ab'.repeat(32) };
const metal = { release: '1', formats: { iso: { disk: file } } };
const streamMetadata = { stream: 'stable', architectures: { x86_64: { artifacts: { metal } } } };

const pathsBelow = (command: Command, parents: readonly string[] = []): string[] =>
  command.commands.flatMap((child) => {
    const words = [...parents, child.name()];
    return child.commands.length === 0 ? [words.join(' ')] : pathsBelow(child, words);
  });
const paths = pathsBelow(wholeProgram());
const groups = [...new Set(paths.map((path) => path.split(' ').slice(0, -1).join(' ')))];

let cwd: string;
let server: Server;
const run = (args: readonly string[], script: string): Promise<ProgramResult> =>
  runProgram(
    args.map((arg) => arg.replace('SERVER', originOf(server))),
    { cwd, script, env: { HOME: cwd } },
  );

const originOf = (listening: Server): string => {
  const address = listening.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
};

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'broken streams '));
  server = createServer(({ url = '' }, response) => {
    response.writeHead(url.endsWith('.sig') ? 404 : 200).end('x');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const write = (name: string, data: string | Uint8Array): void => writeFileSync(join(cwd, name), data);
  write('esp.img', efiPartition);
  write('vmlinuz', kernel);
  write('site.ign', '{"ignition": {"version": "3.4.0"}}');
  write('site.bu', 'variant: fcos\nversion: 1.5.0\n');
  write('drive.json', '{}');
  writeFileSync(join(cwd, 'bmc.json'), '{"username": "a", "password": "b"}', { mode: 0o600 });
  write('hosts.yaml', 'agent: {ironic.apiUrls: https://192.0.2.1}\nhosts: [{name: a}]\n');
  write('quiet.yaml', 'agent: {ironic.apiUrls: mdns, agent.pullPolicy: never}\n');
  write('eth0.nmconnection', '[connection]\nid=eth0\ntype=ethernet\n');
  write('plain.iso', liveIso('2023-07'));
  write('ipa.iso', liveIso('2023-07'));
  write(
    'efi.iso',
    liveIsoWith((files) => files.set('images/efiboot.img', loaderPartition)),
  );
  write('full.iso', await packedIso());
  write('stream.json', JSON.stringify(streamMetadata));
  for (const args of [
    ['iso', 'ignition', 'embed', '-i', 'site.ign', 'ipa.iso'],
    ['iso', 'network', 'embed', '-k', 'eth0.nmconnection', 'ipa.iso'],
    ['pxe', 'network', 'wrap', '-k', 'eth0.nmconnection', '-o', 'network.img'],
    ['pxe', 'ignition', 'wrap', '-i', 'site.ign', '-o', 'config.img'],
    ['iso', 'extract', 'pxe', '-o', 'pxe', 'plain.iso'],
  ]) {
    const { code, stderr } = await runCli(args, { cwd });
    if (code !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
  }
});
afterAll(() => {
  server.close();
  rmSync(cwd, { recursive: true, force: true });
});

const FULL = 'error: cannot write to standard output: No space left on device\n';

describe.skipIf(!existsSync('/dev/full'))('standard output without any space', () => {
  it('is tried with every command', () => {
    expect(Object.keys(printing).toSorted()).toEqual(paths.toSorted());
  });

  const commands = Object.entries(printing).flatMap(([path, args]) =>
    args === undefined ? [] : [`${path} ${args.join(' ')}`.trim()],
  );
  const helps = [...paths, ...groups].map((path) => `${path} --help`.trim());
  it.each([...commands, ...helps, '--version'])('%s', async (line) => {
    const full = openSync('/dev/full', 'w');
    const args = line.replace('SERVER', originOf(server)).split(' ');
    const { code, stderr } = await runCli(args, {
      cwd,
      stdout: createWriteStream('', { fd: full, autoClose: false }),
    });
    closeSync(full);
    expect(stderr).toContain(FULL);
    expect(code).toBe(1);
  });

  it.each(['render', 'iso ignition embed', 'man', 'serve', 'boot'])(
    'a process that runs %s',
    async (words) => {
      const line = [...words.split(' '), ...(printing[words] ?? [])];
      const { code, stderr } = await run(line, '"$@" > /dev/full');
      expect(stderr).toContain(FULL);
      expect(stderr).not.toMatch(/^\s+at |node:internal|Node\.js v/m);
      expect(code).toBe(1);
    },
  );

  it('is one line where nothing else is to say', async () => {
    expect(await run(['explain'], '"$@" > /dev/full')).toMatchObject({ stderr: FULL });
  });
});

describe('other failures of standard streams', () => {
  it.each([
    ['no reader', '"$@" | true; exit ${PIPESTATUS[0]}', 0, ''],
    [
      'not open for writing',
      ': > empty; "$@" 1< empty',
      1,
      'error: cannot write to standard output: Bad file descriptor\n',
    ],
    ['closed', '"$@" >&-', 0, ''],
    [
      'a limit on its size',
      '(ulimit -f 0; trap "" XFSZ; exec "$@" > limited)',
      1,
      'error: cannot write to standard output: File too large\n',
    ],
  ])('standard output: %s', async (_title, script, code, stderr) => {
    expect(await run(['explain'], `bash -c '${script}' bash "$@"`)).toMatchObject({ code, stderr });
  });

  it('a pipe that is set not to block gets everything', async () => {
    const reader =
      'import os,sys,time,subprocess\nr,w=os.pipe()\nos.set_blocking(w,False)\n' +
      'p=subprocess.Popen(sys.argv[1:],stdout=w)\nos.close(w)\ntime.sleep(1)\nn=0\n' +
      'while True:\n b=os.read(r,65536)\n if not b: break\n n+=len(b)\nprint(n,p.wait())';
    const { stdout, stderr } = await run(
      ['iso', 'ignition', 'embed', '-i', 'site.ign', '-o', '-', 'full.iso'],
      `python3 -c '${reader}' "$@"`,
    );
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^\d{7,} 0\n$/);
  });

  it.each([
    [['frobnicate'], 2],
    [['explain'], 0],
    [['validate', 'nosuch'], 1],
    [['render', '--api-url', 'https://192.0.2.1'], 0],
  ])('standard error: %j still ends with %i', async (args, code) => {
    for (const place of ['2> /dev/full', '2>&-', '2< /dev/null', '2>&1 >/dev/null | true'])
      expect(await run(args, `bash -c 'set -o pipefail; "$@" ${place}' bash "$@"`)).toMatchObject({
        code,
        stderr: '',
      });
  });

  it.each([
    [['validate', '-']],
    [['pxe', 'ignition', 'unwrap']],
    [['inspect', '-']],
    [['iso', 'kargs', 'show', '-']],
  ])('standard input that cannot be read: %j', async (args) => {
    const { code, stderr } = await run(args, '"$@" 0> unreadable');
    expect([code, stderr]).toEqual([1, 'error: cannot read standard input: Bad file descriptor\n']);
  });

  it('a service goes on serving while its log cannot be written', async () => {
    const port = await freePort();
    const serve = [
      'serve',
      '--inventory',
      'hosts.yaml',
      '--iso',
      'plain.iso',
      '--open',
      '--listen',
      `127.0.0.1:${port}`,
    ];
    const script = `"$@" 2> /dev/full & for i in $(seq 150); do curl -sf -o fetched.iso http://127.0.0.1:${port}/a.iso && break; sleep 0.2; done
      curl -sf http://127.0.0.1:${port}/healthz; kill $!; wait $!; echo "ended with $?"`;
    const { stdout } = await run(serve, script);
    expect(stdout).toMatch(/ended with 0\n$/);
    expect(statSync(join(cwd, 'fetched.iso')).size).toBe(statSync(join(cwd, 'plain.iso')).size);
  });
});
