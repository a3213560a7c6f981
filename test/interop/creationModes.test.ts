/**
 * Every file that a command creates is readable by its owner only until it is complete, whatever the umask: strace shows the mode
 * of each system call that creates a file, and that nothing is written to a file after it got its final permissions. Another user
 * who opens files while they are written reads no secret.
 */

import { spawn, spawnSync } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeAgentIso } from '../support/agentIso.ts';
import { type CommandRun, commandRuns, writeInputs } from '../support/commandRuns.ts';
import { bmcUser, type FakeBmc, startFakeBmc } from '../support/fakeBmc.ts';
import { type ImageServer, startImageServer } from '../support/imageServer.ts';
import { liveIsoWith } from '../support/liveIso.ts';
import { listenLocally } from '../support/listening.ts';
import { liveInitrd } from '../support/newIso.ts';
import { have } from '../support/programs.ts';
import { scriptedAgent } from '../support/scriptedAgent.ts';
import { until } from '../support/serveFixtures.ts';
import { canTrace, traceNote } from '../support/strace.ts';
import { wholeProgram } from '../support/wholeProgram.ts';
import { programCommand } from '../support/runProgram.ts';

let root: string;
let server: ImageServer;
let bmc: FakeBmc;
let api: Awaited<ReturnType<typeof startApi>>;
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'creation modes ')));
  await writeInputs(root);
  server = await startImageServer();
  server.files.set('/disk.raw.gz', { content: gzipSync('disk'.repeat(100_000)) });
  bmc = await startFakeBmc();
  api = await startApi();
  await writeAgentIso(join(root, 'in'), 'agent.iso', 'http://192.0.2.1:6385');
  await writeFile(join(root, 'in', 'bmc.json'), JSON.stringify(bmcUser), { mode: 0o600 });
  await writeFile(join(root, 'in', 'kubeconfig'), JSON.stringify(kubeconfigOf(api.origin)), { mode: 0o600 });
  const qemu = join(root, 'home', 'qemu-system-x86_64');
  await writeFile(qemu, '#!/bin/sh\necho FIRMWARE\nexec sleep 60\n');
  await chmod(qemu, 0o755);
});
afterAll(async () => {
  for (const one of [server, bmc, api]) await one.close();
  await rm(root, { recursive: true, force: true });
});

/** An API server that refuses everything. */
async function startApi() {
  const http = createServer((_request, response) => {
    response.writeHead(403, { 'content-type': 'application/json' });
    response.end('{"kind":"Status","code":403}');
  });
  const port = await listenLocally(http);
  const close = async (): Promise<void> => {
    http.closeAllConnections();
    http.close();
  };
  return { origin: `http://127.0.0.1:${port}`, close };
}

const kubeconfigOf = (origin: string): object => ({
  'current-context': 'c',
  contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
  clusters: [{ name: 'k', cluster: { server: origin } }],
  users: [{ name: 'u', user: {} }],
});

/** The calls that create files, give them permissions, or write to them. */
const CALLS =
  'open,openat,creat,mknod,mknodat,mkdir,mkdirat,chmod,fchmod,fchmodat,write,pwrite64,writev,pwritev';

interface Traced {
  readonly code: number | null;
  readonly output: string;
  readonly trace: string;
}

let count = 0;
/** With the umask that hides no mode. */
async function traceRun(words: readonly string[], run: CommandRun): Promise<Traced> {
  const cwd = join(root, `run ${count++}`);
  for (const folder of [cwd, join(cwd, 'tmp')]) await mkdir(folder);
  await copyFile(join(root, 'in', 'secret.iso'), join(cwd, 'image.iso'));
  await copyFile(join(root, 'in', 'full.iso'), join(cwd, 'full.iso'));
  const file = join(root, 'trace');
  const args = run.args.map((arg) => arg.replace('SERVER', server.origin).replace('BMC', bmc.origin));
  const strace = [
    'strace',
    '-f',
    '-qq',
    '-y',
    '-s',
    '0',
    '--seccomp-bpf',
    '-o',
    file,
    '-e',
    `trace=${CALLS}`,
  ];
  const child = spawn(
    'sh',
    ['-c', 'umask 0; exec "$@"', 'sh', ...strace, ...programCommand, ...words, ...args],
    {
      cwd,
      env: {
        PATH: `${join(root, 'home')}:${process.env['PATH']}`,
        HOME: join(root, 'home'),
        TMPDIR: join(cwd, 'tmp'),
        SOURCE_DATE_EPOCH: '1700000000',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    },
  );
  let output = '';
  let isAsked = false;
  let isStopped = false;
  const look = (part: Buffer): void => {
    output += part.toString();
    const ironic = /mock Ironic.*listening on (http:\/\/[^\s:]+:\d+)/.exec(output)?.[1];
    if (ironic !== undefined && !isAsked) {
      isAsked = true;
      // The program may be stopped before the agent has all answers.
      scriptedAgent({ api: ironic, mac: '52:54:00:00:00:01' })
        .inspect()
        .catch(() => undefined);
    }
    const isReady = run.until !== undefined && output.includes(run.until) && !isStopped;
    if (!isReady || child.pid === undefined) return;
    isStopped = true;
    process.kill(-child.pid, 'SIGTERM'); // the group, because strace with -o ignores it
  };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', look);
  const code = await new Promise<number | null>((done) => void child.on('close', done));
  return { code, output, trace: await readFile(file, 'utf8') };
}

/** What is wrong with the calls, as lines of the trace. */
function findFaults(trace: string, cwd: string): readonly string[] {
  const faults: string[] = [];
  const ownFolders = new Set<string>();
  const complete = new Set<string>();
  for (const line of trace.split('\n')) {
    const [, call = '', rest = ''] = /^\d+ +(\w+)\((.*)$/.exec(line) ?? [];
    const named = /^(?:AT_FDCWD(?:<[^>]*>)?, )?"([^"]*)"/.exec(rest)?.[1];
    const path = named === undefined ? /^\d+<([^>]*)>/.exec(rest)?.[1] : resolve(cwd, named);
    const mode = Number.parseInt(/, (0\d+)(?:\)| <unfinished)/.exec(rest)?.[1] ?? '0', 8) & 0o777;
    if (path === undefined || /^\/(?:dev|proc\/(?!self\/fd))|^(?:pipe|socket|anon_inode):/.test(path))
      continue;
    const isOpened = /^(?:open|openat)$/.test(call);
    if (call.startsWith('mkdir') && mode === 0o700) ownFolders.add(path);
    else if (isOpened && rest.includes('O_CREAT')) {
      // The file descriptor is that of a folder that the program has created just before.
      const isHidden = ownFolders.has(dirname(path)) || path.startsWith('/proc/self/fd/');
      const isPrivate = (mode & 0o077) === 0 && rest.includes('O_EXCL');
      if (!isPrivate && !isHidden) faults.push(line);
      complete.delete(path);
    } else if (/^(?:creat|mknod)/.test(call)) faults.push(line);
    else if (call.includes('chmod')) {
      // copyFile gives the copy the mode of its source; it is in a hidden folder, and private again before it is changed.
      if ((mode & 0o077) === 0) complete.delete(path);
      else complete.add(path);
    }
    if (/write/.test(call) && complete.has(path)) faults.push(`after its permissions: ${line}`);
  }
  return faults;
}

function commandsOf(command: Command, words: readonly string[] = []): string[] {
  if (command.commands.length === 0) return [words.join(' ')];
  return command.commands.flatMap((child) => commandsOf(child, [...words, child.name()]));
}

it('each command has a run', () => {
  expect(Object.keys(commandRuns).toSorted()).toEqual(commandsOf(wholeProgram()).toSorted());
});

describe.skipIf(!canTrace)(`files of the owner only${traceNote}`, () => {
  it.each(Object.entries(commandRuns))('%s', async (command, runs) => {
    for (const run of runs) {
      const { code, output, trace } = await traceRun(command.split(' '), run);
      const isDone = run.until === undefined ? code === 0 : output.includes(run.until);
      expect([run.args, output, isDone]).toEqual([run.args, output, true]);
      expect([run.args, findFaults(trace, join(root, `run ${count - 1}`))]).toEqual([run.args, []]);
    }
  });
});

/** Opens every file that appears in the folder and keeps it open. Prints at the end whether one is the file with the given inode. */
const SPY = `
  const { fstatSync, openSync, readdirSync } = require('node:fs');
  const [folder] = process.argv.slice(1);
  const known = new Set(readdirSync(folder));
  const opened = [];
  const look = (path, name) => {
    const id = path + name;
    try {
      opened.push(openSync(id, 'r'));
      known.add(name);
    } catch (error) {
      if (error.code === 'EISDIR') for (const inner of readdirSync(id)) look(id + '/', inner);
    }
  };
  let inode;
  process.stdin.on('data', (text) => (inode = Number(text)));
  console.log('ready');
  const turn = () => {
    for (let count = 0; count < 100; count++)
      for (const name of readdirSync(folder)) if (!known.has(name)) look(folder + '/', name);
    if (inode === undefined) return setImmediate(turn);
    console.log(opened.some((file) => fstatSync(file).ino === inode));
    process.exit();
  };
  turn();
`;

const canSpy = process.getuid?.() === 0 && have('setpriv');
const spyNote = canSpy ? '' : ' (skipped: requires root and setpriv)';
describe.skipIf(!canSpy)(`another user of the machine${spyNote}`, () => {
  const size = 48 * 1024 * 1024;
  beforeAll(async () => {
    await chmod(root, 0o755);
    await mkdir(join(root, 'public'), { mode: 0o755 });
    const large = liveIsoWith((files) =>
      files.set('images/pxeboot/rootfs.img', Buffer.alloc(size, 'rootfs')),
    );
    await writeFile(join(root, 'in', 'large.iso'), large);
    await writeFile(join(root, 'in', 'large.img'), Buffer.concat([liveInitrd, Buffer.alloc(size)]));
  });

  it.each<[string, boolean, readonly string[]]>([
    [
      'reads no secret of iso ignition embed',
      false,
      ['iso', 'ignition', 'embed', '-f', '-i', '../in/small.ign', '../in/large.iso'],
    ],
    [
      'reads no secret of pxe customize',
      false,
      ['pxe', 'customize', '--live-ignition', '../in/small.ign', '../in/large.img'],
    ],
    [
      'reads what all users may read',
      true,
      ['iso', 'ignition', 'embed', '-f', '-i', '../in/small.ign', '--mode', '0644', '../in/large.iso'],
    ],
  ])('%s', async (_title, isPublic, words) => {
    const cwd = join(root, 'public');
    const as = ['setpriv', '--reuid=65534', '--clear-groups', process.execPath, '-e', SPY, cwd];
    const spy = spawn(as[0] ?? '', as.slice(1), { cwd: '/', stdio: ['pipe', 'pipe', 'inherit'] });
    let told = '';
    spy.stdout.on('data', (part: Buffer) => (told += part.toString()));
    await until(() => told.includes('ready'));
    const { status, stderr } = spawnSync(
      process.execPath,
      [...programCommand.slice(1), ...words, '-o', 'out'],
      { cwd },
    );
    expect([status, stderr.toString()]).toEqual([0, expect.any(String)]);
    const ended = new Promise((done) => void spy.on('close', done));
    spy.stdin.write(String((await stat(join(cwd, 'out'))).ino));
    await ended;
    await rm(join(cwd, 'out'));
    expect(told).toBe(`ready\n${isPublic}\n`);
  });
});
