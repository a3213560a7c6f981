/**
 * A real Ironic (API and conductor in one process, SQLite, no Keystone) that drives one machine through its BMC. The machine reaches
 * the API over TLS. What operators would type runs in a shell with the real `baremetal` client.
 * `build.js` installs the Python programs; docs/proof.md names the Debian packages.
 */

import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request as forward } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createCertificates, type KeyPair, valid } from '../certificates.ts';
import { freePort, listenLocally } from '../../../support/listening.ts';
import { CREDENTIALS, MAC, startMachine, SYSTEM } from './machine.ts';
import { addAddresses, GATEWAY, removeAddresses } from './network.ts';
import { type Program, startProgram } from './programs.ts';
import { writeTemplate } from './templates.ts';
import { serveFolder } from '../../boot/folderServer.js';
import { parts } from '../parts.js';

const venv = parts.ironic;
const programFile = (name: string): string => join(venv, 'bin', name);

/** Fields of a node as the API describes it. */
export interface Node {
  readonly uuid: string;
  readonly provision_state: string;
  readonly power_state: string | null;
  readonly last_error: string | null;
  readonly driver: string;
  readonly deploy_interface: string;
  readonly boot_interface: string;
  readonly inspect_interface: string;
  readonly instance_info: Readonly<Record<string, unknown>>;
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
  /** As the booted machine reaches it: over TLS, with a certificate of `authority`. */
  readonly guestApiUrl: string;
  /** PEM. */
  readonly authority: string;
  /** Whoever speaks to the API over TLS. */
  readonly front: Pick<Front, 'requests' | 'refusals'>;
  /** Starts the conductor again, with these lines for its configuration in a file of their own. */
  readonly configure: (lines: string) => Promise<void>;
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
const LOCK_ATTEMPTS = 20;
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
    const { authority, server: certificate } = createCertificates(GATEWAY, valid);
    const front = await startFront(certificate, apiPort);
    closers.push(front.close);
    const ports = { API_PORT: apiPort, HTTP_PORT: published.port, FRONT_PORT: front.port };
    let ironic = await startConductor(work, ports);
    closers.push(() => ironic.stop());
    const apiUrl = `http://127.0.0.1:${apiPort}`;
    const trouble = (): string => troubleOf(work, machine.console());
    return {
      ...clientOf(apiUrl, trouble),
      apiUrl,
      guestApiUrl: `https://${GATEWAY}:${front.port}`,
      authority,
      front,
      configure: async (lines) => {
        await ironic.stop();
        writeFileSync(join(work, CONF_FOLDER, 'coreos.conf'), lines);
        ironic = await startConductor(work, ports);
      },
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

/** Files that an operator adds to the configuration, as in /etc/ironic/ironic.conf.d. */
const CONF_FOLDER = 'ironic.conf.d';

async function startConductor(
  work: string,
  ports: { API_PORT: number; HTTP_PORT: number; FRONT_PORT: number },
): Promise<Program> {
  for (const name of ['state', CONF_FOLDER]) mkdirSync(join(work, name), { recursive: true });
  const settings = [
    '--config-file',
    writeTemplate('ironic.conf', work, { ...ports, WORK: work, GATEWAY }),
    '--config-dir',
    join(work, CONF_FOLDER),
  ];
  if (!existsSync(join(work, 'ironic.sqlite'))) {
    execFileSync(programFile('ironic-dbsync'), [...settings, 'create_schema'], { stdio: 'pipe' });
  }
  const env = { ...process.env, TMPDIR: join(work, 'tmp') };
  const ironic = startProgram([programFile('ironic'), ...settings], join(work, 'ironic.out'), env);
  try {
    await ironic.until(() => hasDriver(`http://127.0.0.1:${ports.API_PORT}`));
  } catch (error) {
    await ironic.stop();
    throw error;
  }
  return ironic;
}

/** TLS in front of the API, where other installations have a web server. */
interface Front {
  readonly port: number;
  /** `METHOD PATH` of each request, without the query. */
  readonly requests: readonly string[];
  /** Why clients have broken off the handshake. */
  readonly refusals: readonly string[];
  readonly close: () => void;
}

async function startFront(certificate: KeyPair, apiPort: number): Promise<Front> {
  const requests: string[] = [];
  const refusals: string[] = [];
  const server = createServer(certificate, (incoming, outgoing) => {
    const { method = '', url: path = '', headers } = incoming;
    requests.push(`${method} ${path.split('?', 1)[0]}`);
    const forwarded = forward({ host: '127.0.0.1', port: apiPort, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  server.on('tlsClientError', ({ message }) => void refusals.push(message));
  const port = await listenLocally(server);
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { port, requests, refusals, close };
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
    for (let attempt = 1; ; attempt++) {
      const answer = await fetch(`${apiUrl}${path}`, { ...request, headers: version });
      const text = await answer.text();
      if (answer.ok) return text;
      // The conductor still works on the node, as after a change of its power state. The client of Ironic tries again, too.
      const isLocked = answer.status === 409 && text.includes('is locked by host');
      if (!isLocked || attempt === LOCK_ATTEMPTS) throw new Error(`${path}: ${answer.status} ${text}`);
      await sleep(POLL_MILLISECONDS);
    }
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
