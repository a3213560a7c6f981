/**
 * One boot of the real chain: renders a config, puts it into what the machine boots, starts the servers that the machine needs,
 * with `try` as Ironic, boots, and looks into the guest once its agent has called home.
 */

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createCertificates } from './certificates.ts';
import {
  type BootSource,
  CONSOLE,
  GUEST_MAC,
  type Machine,
  type Network,
  startMachine,
  translated,
} from './machine.ts';
import { type Registry, startRegistry } from './registry.ts';
import { freePort } from '../../support/listening.ts';
import { program } from '../../support/packageFolder.ts';

const factsScript = readFileSync(join(import.meta.dirname, 'guestFacts.sh'), 'utf8');

/** The files that `build.js` has made. */
export interface Parts {
  readonly iso: string;
  readonly kernel: string;
  readonly initramfs: string;
  readonly rootfs: string;
  readonly oci: string;
  readonly archive: string;
}

/** What a boot is set up with. */
export interface Setting {
  readonly folder: string;
  readonly network: Network;
  readonly ironicPort: number;
  readonly registryPort: number;
  /** For a proxy. */
  readonly proxyPort: number;
  /** Serves the folder `www`. */
  readonly filesUrl: string;
  readonly parts: Parts;
  /** `10.0.2.2:5000/ironic-agent` */
  readonly image: string;
}

export interface BootPlan {
  readonly title: string;
  readonly network?: Network;
  readonly firmware?: 'bios' | 'uefi';
  readonly medium?: 'iso' | 'minimal ISO' | 'PXE';
  readonly clock?: Date;
  /** The registry of the agent's image; default: plain HTTP. */
  readonly registry?: RegistryPlan;
  /** Whether Ironic has HTTPS, with a certificate authority of its own. */
  readonly ironicTls?: boolean;
  /** Default: a free port. */
  readonly ironicPort?: number;
  /** Options of `render`; undefined: the medium is booted without a config. */
  readonly render?: (setting: Setting) => readonly string[];
  /** The config has the SSH key from elsewhere: `render` does not get it. */
  readonly hasOwnKey?: boolean;
  /** Options of `iso ignition embed`. */
  readonly embed?: (setting: Setting) => readonly string[];
  /** Servers besides; they are closed after the boot. */
  readonly start?: (setting: Setting) => Promise<() => void>;
  /** Texts that must not be in the journal of the guest. */
  readonly secrets?: readonly string[];
  /** Minutes until `try` gives up. */
  readonly minutes?: number;
  /** Ends the trial as soon as it is on the console, with 10 s for what follows. */
  readonly until?: RegExp;
  /** Takes the medium out 10 s after it is on the console. */
  readonly ejectAt?: RegExp;
}

export interface RegistryPlan {
  readonly login?: string;
  readonly period?: { readonly from: Date; readonly to: Date };
  /** Seconds after the start of the machine; undefined: from the beginning. `never`: there is no registry. */
  readonly after?: number | 'never';
}

export interface Cause {
  readonly id: string;
  readonly certainty: 'proven' | 'likely' | 'possible';
}

interface ReportedHost {
  readonly calledHome: boolean;
  readonly stage: string;
  readonly causes: readonly Cause[];
  readonly callback?: { readonly answered?: boolean };
}

export interface Outcome {
  readonly setting: Setting;
  readonly host: ReportedHost | undefined;
  readonly console: string;
  /** The sections of `guestFacts.sh`; empty if the agent has not called home. */
  readonly facts: ReadonlyMap<string, string>;
  /** Lines of the journal with a secret. */
  readonly leaks: string;
  /** Inventories that the agent has sent, as text. */
  readonly inventories: string;
  readonly registryRequests: readonly string[];
  readonly seconds: number;
}

/** @param folder must not exist */
export async function boot(folder: string, parts: Parts, plan: BootPlan): Promise<Outcome> {
  mkdirSync(join(folder, 'www'), { recursive: true });
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, 'ssh-key')]);
  const network = plan.network ?? translated;
  const files = await serveFolder(join(folder, 'www'));
  const registryPort = await freePort();
  const setting: Setting = {
    folder,
    network,
    parts,
    registryPort,
    ironicPort: plan.ironicPort ?? (await freePort()),
    proxyPort: await freePort(),
    filesUrl: `http://${network.host}:${files.port}`,
    image: `${network.host}:${registryPort}/ironic-agent`,
  };
  const closers: (() => void)[] = [files.close];
  const start = Date.now();
  const ironic = startTry(setting, plan);
  closers.push(() => void ironic.process.kill('SIGKILL'));
  try {
    if (plan.ironicTls === true) await waitForFile(join(folder, 'ironic-ca.pem'));
    const certificates =
      plan.registry?.period === undefined
        ? undefined
        : createCertificates(network.host, plan.registry.period);
    if (certificates !== undefined) writeFileSync(join(folder, 'registry-ca.pem'), certificates.authority);
    if (plan.start !== undefined) closers.push(await plan.start(setting));
    const source = prepareMedium(setting, plan);
    const options = {
      layout: parts.oci,
      port: registryPort,
      ...plan.registry,
      ...(certificates && { tls: certificates.server }),
    };
    const registry = startWhenDue(options, plan.registry?.after);
    const machine = await startMachine(folder, { network, source, ...plan });
    closers.push(() => void machine.stop());
    if (plan.until !== undefined)
      void waitForConsole(machine, plan.until).then(() => ironic.process.kill('SIGINT'));
    if (plan.ejectAt !== undefined)
      void waitForConsole(machine, plan.ejectAt).then(async () => machine.eject());
    const report = await ironic.report;
    const [host] = report.hosts;
    const isHome = host?.calledHome === true;
    const facts = isHome ? await readFacts(folder, machine) : new Map<string, string>();
    const leaks = isHome ? await findSecrets(machine, plan.secrets ?? []) : '';
    const { close, requests } = await registry();
    close();
    return {
      setting,
      host,
      console: machine.console(),
      facts,
      leaks,
      inventories: readAll(join(folder, 'inventories')),
      registryRequests: requests,
      seconds: Math.round((Date.now() - start) / 1000),
    };
  } finally {
    for (const close of closers.toReversed()) close();
  }
}

function run(args: readonly string[], cwd: string): string {
  return execFileSync(process.execPath, [program, ...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** The words of a command line without quotes. */
export function words(text: string): string[] {
  return text.split(' ').filter((word) => word !== '');
}

interface Report {
  readonly hosts: readonly ReportedHost[];
}

/** `try` as Ironic. It also calls the agent: see `Network`. */
function startTry(
  { folder, ironicPort, network }: Setting,
  { ironicTls, minutes = 25 }: BootPlan,
): { readonly process: ReturnType<typeof spawn>; readonly report: Promise<Report> } {
  const tls = ironicTls === true ? `--tls --tls-name ${network.host} --ca-out ironic-ca.pem` : '';
  const wanted = `--expect ${GUEST_MAC} --until callback --ask-back anywhere --timeout ${minutes}m`;
  const files = `--save inventories --console-log ${CONSOLE} --format json`;
  const args = words(`try --listen :${ironicPort} ${wanted} ${files} ${tls}`);
  writeFileSync(join(folder, CONSOLE), '');
  const child = spawn(process.execPath, [program, ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => writeFileSync(join(folder, 'try.log'), chunk, { flag: 'a' }));
  const report = once(child, 'close').then(() => {
    writeFileSync(join(folder, 'report.json'), text);
    const document: Report = JSON.parse(text);
    return document;
  });
  return { process: child, report };
}

async function waitForConsole(machine: Machine, pattern: RegExp): Promise<void> {
  while (!pattern.test(machine.console())) await setTimeout(1000, undefined, { ref: false });
  await setTimeout(10_000);
}

async function waitForFile(file: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    try {
      if (readFileSync(file, 'utf8').endsWith('-----END CERTIFICATE-----\n')) return;
    } catch {
      // not there yet
    }
    await setTimeout(200);
  }
  throw new Error(`${file} was not written`);
}

function prepareMedium(setting: Setting, plan: BootPlan): BootSource {
  const { filesUrl, folder, parts } = setting;
  if (plan.render === undefined) return { iso: parts.iso };
  const key = plan.hasOwnKey === true ? [] : ['--ssh-key', 'ssh-key.pub'];
  run(['render', ...key, ...plan.render(setting), '-o', 'agent.ign'], folder);
  const rootfsUrl = `${filesUrl}/rootfs.img`;
  if (plan.medium === 'PXE') {
    run(['pxe', 'ignition', 'wrap', '-i', 'agent.ign', '-o', 'config.img'], folder);
    const initramfs = join(folder, 'initramfs');
    execFileSync('sh', [
      '-c',
      'cat "$0" "$1" > "$2"',
      parts.initramfs,
      join(folder, 'config.img'),
      initramfs,
    ]);
    const args = run(['pxe', 'kargs', '--embedded', '--rootfs-url', rootfsUrl, '--console', 'ttyS0'], folder);
    return { kernel: parts.kernel, initramfs, args: args.trim() };
  }
  let { iso } = parts;
  if (plan.medium === 'minimal ISO') {
    iso = join(folder, 'minimal.iso');
    run(['iso', 'extract', 'minimal-iso', parts.iso, iso, '--rootfs-url', rootfsUrl], folder);
  }
  const embed = plan.embed?.(setting) ?? [];
  run(['iso', 'ignition', 'embed', '-i', 'agent.ign', '-o', 'agent.iso', ...embed, iso], folder);
  return { iso: join(folder, 'agent.iso') };
}

/** Returns a function that resolves to the registry, even if it has not been started. */
function startWhenDue(
  options: Parameters<typeof startRegistry>[0],
  after: number | 'never' = 0,
): () => Promise<Pick<Registry, 'close' | 'requests'>> {
  if (after === 'never') return async () => ({ close: () => undefined, requests: [] });
  const started = setTimeout(after * 1000).then(async () => startRegistry(options));
  return async () => started;
}

/** Python's plain web server. */
async function serveFolder(folder: string): Promise<{ readonly port: number; readonly close: () => void }> {
  const port = await freePort();
  const args = ['-m', 'http.server', String(port), '--directory', folder];
  const server = spawn('python3', args, { stdio: 'ignore' });
  return { port, close: () => void server.kill('SIGKILL') };
}

async function readFacts(folder: string, machine: Machine): Promise<ReadonlyMap<string, string>> {
  const { output } = await machine.run('sh', factsScript);
  writeFileSync(join(folder, 'facts.txt'), output);
  const sections = output.split(/^== /m).slice(1);
  return new Map(
    sections.map((section) => {
      const [name = '', ...lines] = section.split('\n');
      return [name, lines.join('\n').trim()];
    }),
  );
}

async function findSecrets(machine: Machine, secrets: readonly string[]): Promise<string> {
  if (secrets.length === 0) return '';
  const script = 'cat > /tmp/secrets; sudo journalctl --boot --output cat | grep -F -f /tmp/secrets';
  const { output } = await machine.run(script, `${secrets.join('\n')}\n`);
  return output;
}

function readAll(folder: string): string {
  try {
    return readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('\n');
  } catch {
    return '';
  }
}
