/**
 * Writes the documents of a `deploy` command for one host or many: all in the order of the inventory, or one file per host.
 * Invalid hosts are reported with their names and places, and skipped. Unchanged files are not written, and files with secrets
 * are readable only by their owner.
 */

import { join, resolve } from 'node:path';
import { listEmbeddedSecrets } from '../../agent/embeddedSecrets.ts';
import { CliError, UsageError, located } from '../../core/errors.ts';
import { formatYaml } from '../../formats/yamlText.ts';
import {
  formatInvalid,
  keepRemarks,
  type MakeHost,
  makeHosts,
  reportGroups,
  startRun,
  writeHostFiles,
} from '../../hosts/hostRun.ts';
import { pathIn } from '../../hosts/settings/reading.ts';
import { writeOutput } from '../../io/files/newFile.ts';
import { isSameFile } from '../../io/files/shareFile.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { writeStdout } from '../../io/stdout.ts';
import type { RamdiskNetwork } from './documents/bareMetalHost.ts';
import { createMachineCheck } from './hardware.ts';
import { cacheConfigs, flagContext, type HostContext } from './hostContext.ts';
import {
  type DeploySource,
  optionsOf,
  readSelectedHosts,
  type SelectedHost,
  sourcesOf,
} from './inventoryHosts.ts';
import { checkNetworkText, readNetworkFile } from './networkFile.ts';
import type { DeployOptions } from './options.ts';

/** The parts that differ between the commands. */
export interface DeployCommand<Document> {
  readonly options: DeployOptions;
  readonly format: DocumentFormat<Document>;
  /**
   * Returns undefined for an invalid host, after reporting its errors.
   * @param host the options, with the settings of the host
   */
  readonly make: (host: DeployOptions, context: HostContext) => Promise<Made<Document> | undefined>;
}

/** What is written for one host. */
interface Made<Document> {
  readonly document: Document;
  /** Whether only the owner may read the file. Text that seems to contain a secret has the same mode. */
  readonly isSecret: boolean;
}

interface DocumentFormat<Document> {
  /** File name extension, with a leading dot, for one file per host. */
  readonly extension: string;
  readonly write: (hosts: readonly HostDocument<Document>[]) => string;
}

export interface HostDocument<Document> {
  /** Undefined if the host has a document of its own. */
  readonly host: string | undefined;
  readonly document: Document;
}

/** The document of a host, or a mapping from names of hosts to their documents. */
export function byHost<Document>(hosts: readonly HostDocument<Document>[]): unknown {
  const [first] = hosts;
  return first?.host === undefined
    ? first?.document
    : Object.fromEntries(hosts.map(({ host = '', document }) => [host, document]));
}

/** Formats a value, with a final line break. */
export function formatValue(value: unknown, format: 'json' | 'yaml'): string {
  return format === 'json' ? `${JSON.stringify(value, undefined, 2)}\n` : formatYaml([value]);
}

/**
 * Writes the document of the host that the options describe, or of the hosts of an inventory. Invalid hosts are reported
 * and skipped; the exit code is then 1.
 */
export async function writeDeployed<Document>(
  { format, make, options }: DeployCommand<Document>,
  io: Io,
): Promise<ExitCode> {
  const { inventory, host, failFast = false, output = '-' } = options;
  if (inventory === undefined) {
    if (host !== undefined || failFast) {
      const flag = host === undefined ? '--fail-fast' : '--host';
      throw new UsageError(`${flag} requires --inventory`, { hint: 'pass --inventory FILE' });
    }
    const context = flagContext(io);
    await refuseSameFile(options, context);
    const made = await make(options, context);
    if (made === undefined) return 1;
    await writeText(format.write([{ host: undefined, document: made.document }]), output, made.isSecret, io);
    return 0;
  }
  const hosts = await readSelectedHosts(inventory, options, io);
  const run = startRun({ io, done: 'written', failFast: options.failFast }, hosts.length);
  const makeOne = makerOf(make, format.extension);
  const made = makeHosts<SelectedHost, Made<Document>>(hosts, makeOne, run);
  if (output !== '-') {
    const fileOf = ({ document, isSecret }: Made<Document>) => {
      const text = format.write([{ host: undefined, document }]);
      return { data: Buffer.from(text), ...modeOf(text, isSecret) };
    };
    return writeHostFiles(made, output, format.extension, fileOf, run);
  }
  const documents: HostDocument<Document>[] = [];
  for await (const { host: named, made: one, remarks } of made) {
    keepRemarks(remarks, named.name, run);
    documents.push({ host: named.name, document: one.document });
  }
  if (documents.length > 0) await writeStdout(io, [Buffer.from(format.write(documents))]);
  reportGroups(run);
  if (run.counts.invalid === 0) return 0;
  io.stderr.write(`${documents.length} written, ${formatInvalid(run)}\n`);
  return 1;
}

function makerOf<Document>(
  make: DeployCommand<Document>['make'],
  extension: string,
): MakeHost<SelectedHost, Made<Document>> {
  const readConfig = cacheConfigs();
  const checkMachine = createMachineCheck();
  return async ({ name, source, sameBmc }, io) => {
    const sources = sourcesOf(source);
    if (sameBmc !== undefined) {
      throw new CliError(`${sources.nameOf('bmcAddress')}: host ${sameBmc.name} has the same BMC`, {
        code: 'ERR_INVENTORY',
        at: sources.locate('bmcAddress'),
        hint: 'fix one of the addresses; both hosts are skipped',
      });
    }
    const options = optionsOf(source, sources);
    const context: HostContext = {
      ...sources,
      io,
      readConfig: (config) => readConfig(config, io),
      readRamdiskNetwork: () => readRamdiskNetwork(source, io),
      checkMachine,
    };
    const { output = '-' } = options;
    const file = output === '-' ? output : join(output, `${name}${extension}`);
    await refuseSameFile({ ...options, output: file }, context);
    return make(options, context);
  };
}

const inputFiles = ['inventory', 'ignition', 'nmstate', 'networkData'] as const;
const outputFiles = ['configDrive', 'output'] as const;

/** @throws UsageError if an output would replace an input or another output */
async function refuseSameFile(files: DeployOptions, { io, nameOf }: HostContext): Promise<void> {
  const known: { readonly name: string; readonly path: string }[] = [];
  for (const option of [...inputFiles, ...outputFiles]) {
    const file = files[option] ?? '-';
    if (file === '-') continue;
    const path = resolve(io.cwd, file);
    const name = nameOf(option);
    for (const other of outputFiles.some((output) => output === option) ? known : []) {
      if (path !== other.path && !(await isSameFile(path, other.path))) continue;
      throw new UsageError(`${other.name} and ${name} are the same file: ${file}`, {
        hint: `use another file for ${name}`,
      });
    }
    known.push({ name, path });
  }
}

/** @param output a file, or `-` for standard output */
export async function writeText(text: string, output: string, isSecret: boolean, io: Io): Promise<void> {
  if (output === '-') return writeStdout(io, [Buffer.from(text)]);
  return writeOutput(output, text, io, modeOf(text, isSecret).mode);
}

/** Without secrets, the umask decides. */
function modeOf(text: string, isSecret: boolean): { readonly mode?: number } {
  const found = isSecret || listEmbeddedSecrets(new Map([['', Buffer.from(text)]])).length > 0;
  return found ? { mode: 0o600 } : {};
}

/** The network of the ramdisk: that of the host, or of all hosts. */
async function readRamdiskNetwork(
  { host, inventory }: DeploySource,
  io: Io,
): Promise<RamdiskNetwork | undefined> {
  const inputs = host.readInputs();
  for (const key of ['nmstate', 'networkData'] as const) {
    const value = (inputs.get(`host.${key}`) ?? inventory.agent.get(`host.${key}`))?.at(-1);
    if (value === undefined) continue;
    const { document } = value;
    const what = `${key} (${value.name})`;
    const text =
      document === undefined
        ? readNetworkFile(pathIn(value, value.text), key, what, io)
        : checkNetworkText(
            { format: key, file: document.name, text: formatYaml([document.value]), document },
            what,
            io,
          );
    return { key, text: await located({ at: value.at }, () => text) };
  }
  return undefined;
}
