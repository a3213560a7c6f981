/**
 * A real Ironic (API and conductor in one process, SQLite, no Keystone) that drives one machine through its BMC. What operators
 * would type runs in a shell with the real `baremetal` client.
 * `build.js` installs the Python programs; docs/proof.md names the Debian packages.
 */

import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../../../support/listening.ts';
import { have } from '../../../support/programs.ts';
import { CREDENTIALS, MAC, startMachine, SYSTEM } from './machine.ts';
import { addAddresses, GATEWAY, removeAddresses } from './network.ts';
import { type Program, startProgram } from './programs.ts';
import { writeTemplate } from './templates.ts';

/** What is used of the scripts, which are plain JavaScript. */
interface PartsModule {
  readonly parts: { readonly ironic: string };
}
interface FolderServer {
  readonly serveFolder: (
    root: string,
    addresses: readonly string[],
  ) => Promise<{ readonly port: number; readonly close: () => void }>;
}
const { serveFolder }: FolderServer = await import(
  new URL('../../boot/folderServer.js', import.meta.url).href
);

const { parts }: PartsModule = await import(new URL('../parts.js', import.meta.url).href);

const venv = parts.ironic;
const programFile = (name: string): string => join(venv, 'bin', name);

/** What is missing of what this takes. */
export function missingForIronic(): readonly string[] {
  const needed = ['libvirtd', 'virsh', 'qemu-system-x86_64', 'qemu-img', 'mkisofs', 'unshare'];
  const files = ['ironic', 'sushy-emulator', 'baremetal'].map((name) => programFile(name));
  return [
    ...needed.filter((name) => !have(name)),
    ...files.filter((file) => !existsSync(file)),
    ...(process.getuid?.() === 0 ? [] : ['root']),
  ];
}

/** Fields of a node as the API describes it. */
export interface Node {
  readonly uuid: string;
  readonly provision_state: string;
  readonly power_state: string | null;
  readonly last_error: string | null;
  readonly driver: string;
  readonly deploy_interface: string;
  readonly boot_interface: string;
  readonly driver_info: Readonly<Record<string, unknown>>;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly clean_step: { readonly step?: string };
  readonly deploy_step: { readonly step?: string };
}

/** How far a node came. */
export interface Progress {
  /** The provision states in their order, as far as they lasted. */
  readonly states: readonly string[];
  /** Names of the clean and deploy steps. */
  readonly steps: ReadonlySet<string>;
  readonly node: Node;
}

export interface RealIronic {
  /** As this machine reaches it. */
  readonly apiUrl: string;
  /** As the booted machine reaches it. */
  readonly guestApiUrl: string;
  /** For `--bmc-address`. */
  readonly bmcAddress: string;
  readonly mac: string;
  /** The folder of images, for this machine and for the booted machine. */
  readonly imagesUrl: string;
  /** Resolves with what the serial console has printed since a moment, once it contains the text. Rejects at the deadline, in minutes. */
  readonly untilPrinted: (text: string, deadline: number, since?: number) => Promise<string>;
  /** The changes that the BMC has accepted, in order: `PATCH`, or the name of an action such as `InsertMedia`. */
  readonly changes: () => readonly string[];
  /** Everything that the serial console has printed. */
  readonly console: () => string;
  /** Runs shell commands, as an operator with the credentials of the BMC. Returns their standard output. */
  readonly run: (commands: string, cwd?: string) => Promise<string>;
  readonly get: <Answer>(path: string) => Promise<Answer>;
  /** Sets the target of a node's provision state, and follows the node. */
  readonly provision: (name: string, target: string, deadline: number) => Promise<Progress>;
  /** Resolves when the node is in a state in which it stays. Rejects at the deadline, in minutes. */
  readonly follow: (name: string, deadline: number) => Promise<Progress>;
  readonly close: () => Promise<void>;
}

/** States in which a node stays until somebody changes them. */
const finalStates = new Set(['enroll', 'manageable', 'available', 'active', 'error']);
const POLL_MILLISECONDS = 3000;
/** The API version of the client of Ironic 39. */
const version = { 'X-OpenStack-Ironic-API-Version': '1.87', 'Content-Type': 'application/json' };

interface IronicSettings {
  /** An empty folder with a short path. */
  readonly work: string;
  /** The folder of images that is served. */
  readonly imageFolder: string;
}

/** @throws Error if a program cannot be started */
export async function startIronic({ work, imageFolder }: IronicSettings): Promise<RealIronic> {
  const closers: (() => Promise<void> | void)[] = [];
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).toReversed()) await closer();
  };
  try {
    mkdirSync(join(work, 'http'));
    const [apiPort, bmcPort] = [await freePort(), await freePort()];
    addAddresses();
    closers.push(removeAddresses);
    const images = await serveFolder(imageFolder, ['127.0.0.1', GATEWAY]);
    const published = await serveFolder(join(work, 'http'), ['127.0.0.1', GATEWAY]);
    closers.push(images.close, published.close);
    const machine = await startMachine(work, venv, bmcPort);
    closers.push(machine.close);
    const ironic = await startConductor(work, { API_PORT: apiPort, HTTP_PORT: published.port });
    closers.push(ironic.stop);
    const apiUrl = `http://127.0.0.1:${apiPort}`;
    const trouble = (): string => troubleOf(work, machine.console());
    return {
      ...clientOf(apiUrl, trouble),
      apiUrl,
      guestApiUrl: `http://${GATEWAY}:${apiPort}`,
      bmcAddress: `redfish-virtualmedia://127.0.0.1:${bmcPort}/redfish/v1/Systems/${SYSTEM}`,
      mac: MAC,
      imagesUrl: `http://${GATEWAY}:${images.port}`,
      console: machine.console,
      changes: machine.changes,
      untilPrinted: async (text, deadline, since = 0) => {
        const end = performance.now() + deadline * 60_000;
        while (performance.now() < end) {
          const printed = machine.console().slice(since);
          if (printed.includes(text)) return printed;
          await sleep(POLL_MILLISECONDS);
        }
        throw new Error(`the console does not contain ${text} after ${deadline} minutes\n${trouble()}`);
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startConductor(
  work: string,
  ports: { API_PORT: number; HTTP_PORT: number },
): Promise<Program> {
  mkdirSync(join(work, 'state'));
  const settings = writeTemplate('ironic.conf', work, { ...ports, WORK: work, GATEWAY });
  execFileSync(programFile('ironic-dbsync'), ['--config-file', settings, 'create_schema'], { stdio: 'pipe' });
  const env = { ...process.env, TMPDIR: join(work, 'tmp') };
  const ironic = startProgram(
    [programFile('ironic'), '--config-file', settings],
    join(work, 'ironic.out'),
    env,
  );
  try {
    await ironic.until(() => hasDriver(`http://127.0.0.1:${ports.API_PORT}`));
  } catch (error) {
    await ironic.stop();
    throw error;
  }
  return ironic;
}

async function hasDriver(apiUrl: string): Promise<boolean> {
  try {
    const answer = await fetch(`${apiUrl}/v1/drivers`, { headers: version });
    return (await answer.text()).includes('redfish');
  } catch {
    return false;
  }
}

/** @param trouble what the logs say, for errors */
function clientOf(
  apiUrl: string,
  trouble: () => string,
): Pick<RealIronic, 'run' | 'get' | 'provision' | 'follow'> {
  const ask = async (path: string, request?: RequestInit): Promise<string> => {
    const answer = await fetch(`${apiUrl}${path}`, { ...request, headers: version });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
    return text;
  };
  const get: RealIronic['get'] = async (path) => JSON.parse(await ask(path));

  const follow: RealIronic['follow'] = async (name, deadline) => {
    const states: string[] = [];
    const steps = new Set<string>();
    const end = performance.now() + deadline * 60_000;
    while (performance.now() < end) {
      const node = await get<Node>(`/v1/nodes/${name}`);
      const { provision_state: state } = node;
      if (states.at(-1) !== state) states.push(state);
      const step = node.clean_step.step ?? node.deploy_step.step;
      if (step !== undefined) steps.add(step);
      if (finalStates.has(state) || state.endsWith('failed')) return { states, steps, node };
      await sleep(POLL_MILLISECONDS);
    }
    throw new Error(`${name} is still in ${states.join(', ')} after ${deadline} minutes\n${trouble()}`);
  };

  const provision: RealIronic['provision'] = async (name, target, deadline) => {
    await ask(`/v1/nodes/${name}/states/provision`, { method: 'PUT', body: JSON.stringify({ target }) });
    return follow(name, deadline);
  };

  const run: RealIronic['run'] = async (commands, cwd) => {
    const PATH = `${join(venv, 'bin')}:${process.env['PATH']}`;
    const env = { ...process.env, ...CREDENTIALS, PATH, OS_AUTH_TYPE: 'none', OS_ENDPOINT: apiUrl };
    const { stdout } = await promisify(execFile)('sh', ['-e', '-c', commands], { env, cwd });
    return stdout;
  };
  return { run, get, follow, provision };
}

function troubleOf(work: string, console: string): string {
  const log = readFileSync(join(work, 'ironic.log'), 'utf8').split('\n');
  const warnings = log.filter((line) => /\b(?:WARNING|ERROR)\b/.test(line)).slice(-10);
  return [...warnings, console.slice(-3000)].join('\n');
}
