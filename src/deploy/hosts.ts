/**
 * A `deploy` command for many hosts: one document of all of them, or a file for each in a folder, in the order of the
 * inventory. A host that is wrong is reported with its name and place, and the others are written; files that would stay
 * the same are left alone.
 */

import { diagnosticIn } from '../core/diagnostic.ts';
import { CliError, FormatError, UsageError } from '../core/errors.ts';
import type { ExitCode, Io } from '../io/io.ts';
import { writeStdout } from '../io/stdout.ts';
import {
  formatWrong,
  type HostRun,
  keepRemarks,
  clearProgress,
  startRun,
  reportGroups,
  type ListedHost,
  type MadeHost,
  type MakeHost,
  makeHosts,
} from '../hosts/run/hostRun.ts';
import { type FileContent, writeHostFiles } from '../hosts/run/writeHostFiles.ts';
import { type DeployJob, type HostFrame, type HostOutput, permissionsFor } from './deployDocument.ts';
import { rememberConfigs, type Wording } from './hostContext.ts';
import { isFolder } from './options.ts';
import {
  type DeploySource,
  factsOf,
  type HostReading,
  type InventoryOptions,
  mergeSettings,
  optionsOf,
  readHostNmstate,
  wordingOf,
} from './inventoryHost.ts';
import type { InventoryHost } from '../hosts/settings/inventoryDocument.ts';
import { parseBmcAddress } from './documents/host.ts';
import { fillPlaceholders } from '../core/placeholders.ts';
import { nearestNames } from '../io/report/choices.ts';
import { readInventoryDocument } from '../hosts/settings/inventory.ts';

/** Ends with 1 where a host is wrong. */
export async function writeHosts<O extends InventoryOptions>(
  inventory: string,
  job: DeployJob<O>,
  io: Io,
): Promise<ExitCode> {
  const { options, extension, frame } = job;
  const hosts = await readWantedHosts(inventory, options, io);
  const run = startRun({ io, done: 'written', failFast: options.failFast }, hosts.length);
  const made = makeHosts(hosts, makerOf(job), run);
  const { output = '' } = options;
  if (isFolder(options)) return writeHostFiles(made, { folder: output, extension, fileOf }, run);
  const counts = { written: 0 };
  await writeStdout(io, joinHosts({ made, frame, counts }, run));
  reportGroups(run);
  const { wrong } = run.counts;
  if (wrong > 0) io.stderr.write(`${counts.written} written, ${formatWrong(run)}\n`);
  return wrong > 0 ? 1 : 0;
}

function makerOf<O>({ make }: DeployJob<O>): MakeHost<WantedHost<O>, HostOutput> {
  const readConfig = rememberConfigs();
  return async (host, io) => {
    const { options, wording, ...reading } = host.read();
    const context = { io, wording, readConfig, readNmstate: () => reading.readNmstate(io) };
    return make(options, context).catch((error: unknown) => {
      throw error instanceof CliError ? rewordError(error, wording) : error;
    });
  };
}

function rewordError(error: CliError, { reword }: Wording): CliError {
  const { code, message, hint } = error;
  return new CliError(reword(message), { code, cause: error, hint: hint && reword(hint) });
}

function fileOf({ text, content }: HostOutput): FileContent {
  return { data: Buffer.from(text), ...permissionsFor(text, content) };
}

/** Hosts that become one document. */
interface JoinedHosts {
  readonly made: AsyncIterable<MadeHost<HostOutput>>;
  readonly frame: HostFrame;
  readonly counts: { written: number };
}

async function* joinHosts({ made, frame, counts }: JoinedHosts, run: HostRun): AsyncGenerator<Uint8Array> {
  for await (const { host, made: output, remarks } of made) {
    keepRemarks(remarks, host.name, run);
    clearProgress(run);
    yield Buffer.from(`${counts.written === 0 ? frame.start : frame.between}${output.text}`);
    counts.written += 1;
  }
  if (counts.written > 0) yield Buffer.from(frame.end);
}

/** A host that is wanted. */
interface WantedHost<O> extends ListedHost {
  /** @throws CliError where a placeholder has no value */
  readonly read: () => HostReading<O>;
}

/**
 * Reads the inventory and chooses the hosts that the options name.
 * @throws CliError where it cannot be read, and where what it says of all hosts is wrong, after reporting it
 */
async function readWantedHosts<O extends InventoryOptions>(
  name: string,
  options: O,
  io: Io,
): Promise<readonly WantedHost<O>[]> {
  const { inventory, document } = await readInventoryDocument(name, io, 'written');
  const { hosts } = inventory;
  if (hosts === undefined) {
    throw new CliError(`${name} has no list of hosts`, {
      code: 'ERR_INVENTORY',
      hint: 'add "hosts", or give --name of one host',
    });
  }
  const wanted = chooseHosts(hosts, options);
  const sources = hosts.map((host, index) => ({ options, name, document, inventory, host, index }));
  const twins = findBmcTwins(sources.map(bmcOf));
  return wanted.map((index) => wantedHost(sources, index, twins.get(index)));
}

/** Indexes in the order of the inventory. */
function chooseHosts(hosts: readonly InventoryHost[], options: InventoryOptions): readonly number[] {
  const { host: names, name, bootMac, inventory = '' } = options;
  if (name !== undefined) {
    throw new UsageError('--name is for a host without inventory', { hint: `use --host ${name}` });
  }
  const known = new Set(hosts.map((host) => host.name));
  const unknown = names?.find((wanted) => !known.has(wanted));
  if (unknown !== undefined) {
    const near = nearestNames(unknown, known);
    throw new UsageError(`${inventory} has no host ${JSON.stringify(unknown)}`, {
      hint: near.length === 0 ? 'see its list of hosts' : `did you mean ${near.join(', ')}?`,
    });
  }
  const wanted = new Set(names ?? known);
  const indexes = [...hosts.keys()].filter((index) => wanted.has(hosts[index]?.name ?? ''));
  if (bootMac === undefined || indexes.length < 2) return indexes;
  throw new UsageError('--boot-mac is for one host only', { hint: 'choose it with --host NAME' });
}

/** What one controller is known by, whichever driver is used; undefined where the host names none. */
function bmcOf<O extends InventoryOptions>(source: DeploySource<O>): string | undefined {
  if (source.host.findings.length > 0) return undefined;
  const text = source.options.bmcAddress ?? mergeSettings(source).bmcAddress;
  if (text === undefined) return undefined;
  const address = parseBmcAddress(tryToFill(text, source) ?? '');
  if ('problem' in address) return undefined;
  return `${address.host} ${address.port ?? ''} ${address.path}`.toLowerCase();
}

/** What is wrong with a text is reported when its host is read. */
function tryToFill(text: string, source: DeploySource<InventoryOptions>): string | undefined {
  try {
    return fillPlaceholders(text, factsOf(source));
  } catch (error) {
    if (error instanceof FormatError) return undefined;
    throw error;
  }
}

/** Index of another host with the same controller. */
function findBmcTwins(keys: readonly (string | undefined)[]): ReadonlyMap<number, number> {
  const seen = new Map<string, number>();
  const twins = new Map<number, number>();
  for (const [index, key] of keys.entries()) {
    if (key === undefined) continue;
    const first = seen.get(key);
    if (first === undefined) seen.set(key, index);
    else {
      twins.set(index, first);
      if (!twins.has(first)) twins.set(first, index);
    }
  }
  return twins;
}

function wantedHost<O extends InventoryOptions>(
  sources: readonly DeploySource<O>[],
  index: number,
  twin: number | undefined,
): WantedHost<O> {
  const source = sources[index];
  if (source === undefined) throw new RangeError(`no host has the index ${index}`);
  const { host, name } = source;
  const other = twin === undefined ? undefined : sources[twin]?.host;
  return {
    name: host.name,
    at: { file: name, line: host.line ?? 1 },
    problems: host.findings.map((finding) => diagnosticIn(name, finding)),
    read: () => {
      const wording = wordingOf(source);
      if (other !== undefined) {
        const message = `${wording.place('--bmc-address')}: the host ${other.name} has the same BMC`;
        throw new CliError(message, {
          code: 'ERR_INVENTORY',
          hint: 'correct one of them; neither is written',
        });
      }
      return {
        options: optionsOf(source, wording),
        wording,
        readNmstate: (io) => readHostNmstate(source, io),
      };
    },
  };
}
