/**
 * A new user at a shell: an empty folder, an SSH key in the home folder, and `ironic-coreos` on the PATH, which is the built
 * program. The variable IRONIC_COREOS_STREAM_BASE_URL names a mirror of CoreOS on this machine. Everything else is made by the
 * commands of the page. Port 8084 of the pages is a free one, so that several sessions run at once. bmc-0.example.com is a BMC
 * whose machine calls the Ironic of --ironic-url.
 */

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { bmcModels, startFakeBmc } from '../fakeBmc.ts';
import { dockerArchive } from '../containerImages.ts';
import { type ImageServer, startImageServer } from '../imageServer.ts';
import { packedIso } from '../minimalIso.ts';
import { scriptedAgent, startAgentApi } from '../scriptedAgent.ts';
import { freePort } from '../listening.ts';
import { program } from '../packageFolder.ts';

/** What takes long to make, and is the same for all sessions. */
export interface Supplies {
  readonly iso: Uint8Array;
  /** Folder with the files that stand-ins of blocks copy, `$SUPPLIES` of the shell. */
  readonly folder: string;
  /** Folder for the program's compiled code. */
  readonly cache: string;
  readonly remove: () => void;
}

export interface Session {
  readonly write: (name: string, content: string) => void;
  /** Runs the commands in one shell, one after the other. */
  readonly run: (commands: readonly string[]) => Promise<readonly Ran[]>;
  readonly end: () => Promise<void>;
}

/** A command that has ended. */
export interface Ran {
  readonly lines: readonly string[];
  readonly status: number;
}

const release = '44.20261101.3.0';
const publicKey =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK9zIsVJMfhacIuKONUMGEmrH10rGh7UkLGfneQkUQH0 core@desk\n';

export async function makeSupplies(): Promise<Supplies> {
  const place = mkdtempSync(join(tmpdir(), 'docs supplies '));
  const cache = join(place, 'cache');
  const folder = join(place, 'files');
  for (const path of [cache, folder]) mkdirSync(path);
  const names = ['registry.example.com/ironic-agent:13.0.0'];
  writeFileSync(join(folder, 'ironic-agent.tar'), await dockerArchive({ names }));
  return {
    iso: await packedIso(),
    folder,
    cache,
    remove: () => rmSync(place, { recursive: true, force: true }),
  };
}

export async function startSession(supplies: Supplies): Promise<Session> {
  const place = mkdtempSync(join(tmpdir(), 'docs '));
  const folder = join(place, 'folder');
  const bin = join(place, 'bin');
  const home = join(place, 'home');
  for (const path of [folder, bin, join(home, '.ssh')]) mkdirSync(path, { recursive: true });
  writeFileSync(join(bin, 'ironic-coreos'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
  chmodSync(join(bin, 'ironic-coreos'), 0o755);
  writeFileSync(join(home, '.ssh/id_ed25519.pub'), publicKey);
  const mirror = await startMirror(supplies.iso);
  const port = await freePort();
  const ironic = await freePort();
  const bmc = await startMachine(ironic);
  const env = {
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    HOME: home,
    XDG_CACHE_HOME: supplies.cache,
    LC_ALL: 'C.UTF-8',
    TZ: 'UTC',
    SUPPLIES: supplies.folder,
    IRONIC_COREOS_STREAM_BASE_URL: `${mirror.origin}/streams/`,
  };
  return {
    write: (name, content) => {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      const here = content.replaceAll(BMC, bmc.host);
      writeFileSync(join(folder, name), here, { mode: 0o600 });
    },
    run: async (commands) => {
      const servers = `--listen 127.0.0.1:${ironic} --serve-listen 127.0.0.1:0`;
      const here = commands.map((command) =>
        command
          .replaceAll(':8084', `:${port}`)
          .replaceAll(`${BMC}:443`, bmc.host)
          .replaceAll(/--ironic-url (http:\/\/192\.0\.2\.1):6385/g, `--ironic-url $1:${ironic} ${servers}`),
      );
      const printed = await runInShell(here, { cwd: folder, env });
      return splitOutput(
        printed.replaceAll(`:${port}`, ':8084').replaceAll(`:${ironic}`, ':6385').replaceAll('\r\n', '\n'),
      );
    },
    end: async () => {
      await mirror.close();
      await bmc.close();
      rmSync(place, { recursive: true, force: true });
    },
  };
}

const BMC = 'bmc-0.example.com';

/** A BMC and its machine. */
async function startMachine(
  ironic: number,
): Promise<{ readonly host: string; readonly close: () => Promise<void> }> {
  const mac = '52:54:00:12:34:56';
  const agentApi = await startAgentApi();
  const callHome = async (image: string): Promise<void> => {
    await (await fetch(image)).arrayBuffer();
    await scriptedAgent({ api: `http://127.0.0.1:${ironic}`, mac, callbackUrl: agentApi.url }).callHome();
  };
  const bmc = await startFakeBmc({
    model: bmcModels.ilo5,
    tls: true,
    mac,
    memory: 64,
    processor: { InstructionSet: 'x86-64' },
    onBoot: (image) => void callHome(image),
  });
  return {
    host: bmc.host,
    close: async () => {
      agentApi.close();
      await bmc.close();
    },
  };
}

/** A mirror of the stream `stable`: its metadata, and a live ISO with the file name of today. */
async function startMirror(iso: Uint8Array): Promise<ImageServer> {
  const mirror = await startImageServer();
  const name = `fedora-coreos-${release}-live-iso.x86_64.iso`;
  const sha256 = createHash('sha256').update(iso).digest('hex');
  const disk = { location: `${mirror.origin}/${name}`, sha256 };
  const metal = { release, formats: { iso: { disk } } };
  const stream = { stream: 'stable', architectures: { x86_64: { artifacts: { metal } } } };
  mirror.files.set(`/${name}`, { content: iso });
  mirror.files.set('/streams/stable.json', { content: Buffer.from(JSON.stringify(stream)) });
  return mirror;
}

interface SnapshotContext {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Milliseconds for a whole page. */
const PATIENCE = 240_000;

/** What was printed, with a mark before and behind each command. What is still running then is ended. */
async function runInShell(commands: readonly string[], { cwd, env }: SnapshotContext): Promise<string> {
  const script = [
    'exec 2>&1; status=0',
    // "$?" is that of the command before.
    ...commands.flatMap((command) => ["printf '\\001'; (exit $status)", command, `status=$?; ${MARK}`]),
  ].join('\n');
  const child = spawn('sh', ['-c', script], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const endAll = (): void => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // Nothing is left.
    }
  };
  const timer = setTimeout(endAll, PATIENCE);
  child.on('exit', endAll);
  try {
    return await text(child.stdout);
  } finally {
    clearTimeout(timer);
  }
}

const MARK = "printf '\\002%s\\n' $status";

function splitOutput(printed: string): Ran[] {
  return printed
    .split('\u0001')
    .slice(1)
    .map((part) => {
      const [output = '', status = ''] = part.split('\u0002');
      const lines = output.split('\n');
      if (lines.at(-1) === '') lines.pop();
      return { lines, status: Number.parseInt(status, 10) };
    });
}
