/**
 * Writes the output of a `deploy` command for one host or many: one document in the order of the inventory, or one file per
 * host. Invalid hosts are reported with their names and places, and skipped. Unchanged files are not written.
 */

import { join } from 'node:path';
import { CliError, ifWellFormed, UsageError } from '../../core/errors.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { writeStdout } from '../../io/stdout.ts';
import {
  type FileContent,
  formatInvalid,
  type HostRun,
  keepRemarks,
  clearProgress,
  startRun,
  reportGroups,
  type MadeHost,
  type MakeHost,
  makeHosts,
  writeHostFiles,
} from '../../hosts/hostRun.ts';
import {
  type DeployJob,
  type HostFrame,
  type HostOutput,
  permissionsFor,
  refuseSameFile,
  writeDocument,
} from './deployDocument.ts';
import { cacheConfigs, flagContext, type HostContext } from './hostContext.ts';
import { type DeployOptions, isFolder } from './options.ts';
import {
  type DeploySource,
  factsOf,
  mergeSettings,
  optionsOf,
  readRamdiskNetwork,
  sourcesOf,
} from './inventoryHost.ts';
import { findTwins, type InventoryHost } from '../../hosts/settings/inventoryDocument.ts';
import { parseBmcAddress } from '../../redfish/bmcAddress.ts';
import { fillPlaceholders } from '../../core/placeholders.ts';
import { findHost, readInventoryDocument } from '../../hosts/settings/inventory.ts';

/**
 * Writes the document of the host that the options describe, or of the hosts of an inventory. Invalid hosts are reported
 * and skipped; the exit code is then 1.
 */
export async function writeDeployed(job: DeployJob, io: Io): Promise<ExitCode> {
  const { options, make } = job;
  const { inventory, host, failFast = false } = options;
  if (inventory === undefined && (host !== undefined || failFast)) {
    const flag = host === undefined ? '--fail-fast' : '--host';
    throw new UsageError(`${flag} requires --inventory`, { hint: 'pass --inventory FILE' });
  }
  if (inventory !== undefined) return writeHosts(inventory, job, io);
  const context = flagContext(io);
  await refuseSameFile(options, context);
  const made = await make(options, context);
  if (made === undefined) return 1;
  const text = `${job.frame.start}${made.text}${job.frame.end}`;
  await writeDocument(text, options.output, made.content, io);
  return 0;
}

/** The exit code is 1 if a host is invalid. */
async function writeHosts(inventory: string, job: DeployJob, io: Io): Promise<ExitCode> {
  const { options, extension, frame } = job;
  const hosts = await readSelectedHosts(inventory, options, io);
  const run = startRun({ io, done: 'written', failFast: options.failFast }, hosts.length);
  const made = makeHosts(hosts, makerOf(job), run);
  const { output = '' } = options;
  if (isFolder(options)) {
    const fileOf = ({ text, content }: HostOutput): FileContent => {
      const document = `${frame.start}${text}${frame.end}`;
      return { data: Buffer.from(document), ...permissionsFor(document, content) };
    };
    return writeHostFiles(made, { folder: output, extension, fileOf }, run);
  }
  const counts = { written: 0 };
  await writeStdout(io, joinHosts(made, frame, counts, run));
  reportGroups(run);
  const { invalid } = run.counts;
  if (invalid > 0) io.stderr.write(`${counts.written} written, ${formatInvalid(run)}\n`);
  return invalid > 0 ? 1 : 0;
}

function makerOf({ extension, make }: DeployJob): MakeHost<SelectedHost, HostOutput> {
  const readConfig = cacheConfigs();
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
      agent: {
        files: [source.host.readInputs(), source.inventory.agent],
        options: { profile: source.inventory.profile },
      },
    };
    const { output = '-' } = options;
    const file = isFolder(options) ? join(output, `${name}${extension}`) : output;
    await refuseSameFile({ ...options, output: file }, context);
    return make(options, context);
  };
}

/** The hosts as one document. */
async function* joinHosts(
  made: AsyncIterable<MadeHost<HostOutput>>,
  frame: HostFrame,
  counts: { written: number },
  run: HostRun,
): AsyncGenerator<Uint8Array> {
  for await (const { host, made: output, remarks } of made) {
    keepRemarks(remarks, host.name, run);
    clearProgress(run);
    yield Buffer.from(`${counts.written === 0 ? frame.start : frame.between}${output.text}`);
    counts.written += 1;
  }
  if (counts.written > 0) yield Buffer.from(frame.end);
}

/** A host that the options select. */
interface SelectedHost extends InventoryHost {
  readonly source: DeploySource;
  /** Another host with the same BMC. */
  readonly sameBmc: InventoryHost | undefined;
}

/**
 * Reads the inventory and selects the hosts that the options name.
 * @throws CliError if it cannot be read, or if its settings for all hosts are invalid (after reporting the errors)
 */
async function readSelectedHosts(
  name: string,
  options: DeployOptions,
  io: Io,
): Promise<readonly SelectedHost[]> {
  const { inventory, document } = await readInventoryDocument(name, io);
  const { hosts } = inventory;
  if (hosts === undefined || hosts.length === 0) {
    throw new CliError(`${name} contains no hosts`, {
      code: 'ERR_INVENTORY',
      hint: 'add "hosts", or remove --inventory and pass --name',
    });
  }
  const sources = hosts.map((host, index) => ({ options, name, document, inventory, host, index }));
  const wanted = chooseHosts(sources, options);
  const shared = findTwins(sources.map(bmcOf));
  return wanted.map((source) => {
    const { host, index } = source;
    const other = shared.get(index)?.find((one) => one !== index);
    return { ...host, source, sameBmc: other === undefined ? undefined : hosts[other] };
  });
}

/** In the order of the inventory. */
function chooseHosts(sources: readonly DeploySource[], options: DeployOptions): readonly DeploySource[] {
  const { host: names, name, bootMac, inventory = '' } = options;
  if (name !== undefined) {
    throw new UsageError('--name cannot be combined with --inventory', { hint: `use --host ${name}` });
  }
  const hosts = sources.map(({ host }) => host);
  for (const wanted of names ?? []) findHost(hosts, wanted, inventory);
  const chosen = sources.filter(({ host }) => names?.includes(host.name) !== false);
  if (bootMac === undefined || chosen.length < 2) return chosen;
  throw new UsageError('--boot-mac requires a single host', { hint: 'select it with --host NAME' });
}

/** Identifies a BMC, independent of the driver; undefined if the host has none. */
function bmcOf(source: DeploySource): string | undefined {
  if (source.host.problems.length > 0) return undefined;
  const text = source.options.bmcAddress ?? mergeSettings(source).bmcAddress;
  if (text === undefined) return undefined;
  // Errors are reported when the host is read.
  const address = parseBmcAddress(ifWellFormed(() => fillPlaceholders(text, factsOf(source))) ?? '');
  if ('problem' in address) return undefined;
  const { host, path, port = '', transport } = address;
  // A URL has no default port, and its host is in lower case.
  return `${new URL(`${transport}://${host}:${port}`).host}${path.replace(/\/$/, '')}`;
}
