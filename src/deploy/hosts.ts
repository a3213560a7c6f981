/**
 * A `deploy` command for many hosts: one document of all of them, or a file for each in a folder, in the order of the
 * inventory. A host that is wrong is reported with its name and place, and the others are written; files that would stay
 * the same are left alone.
 */

import { CliError } from '../core/errors.ts';
import type { ExitCode, Io } from '../io/io.ts';
import { writeStdout } from '../io/stdout.ts';
import {
  formatWrong,
  type HostRun,
  makeRoom,
  keepRemarks,
  startRun,
  reportGroups,
} from '../hosts/run/hostRun.ts';
import { type MadeHost, type MakeHost, makeHosts } from '../hosts/run/makeHosts.ts';
import { type HostFile, writeHostFiles } from '../hosts/run/writeHostFiles.ts';
import { permissionsFor } from './deployDocument.ts';
import type { Wording } from './deployIssues.ts';
import type { HostFrame } from './hostFrames.ts';
import { type HostContext, rememberConfigs } from './hostContext.ts';
import { readWantedHosts, type WantedHost } from './inventory.ts';
import type { InventoryOptions } from './inventoryHost.ts';

/** What a command makes of one host. */
export interface HostOutput {
  /** In the folder: the whole of a file. Else, what goes between the parts of the frame. */
  readonly text: string;
  readonly content: 'secret' | 'public';
}

/** What is different between the commands. */
export interface HostJob<O> {
  readonly options: O & { readonly inventory: string };
  /** Of the files, with its dot. */
  readonly extension: string;
  /** Around the hosts, where they make one document. */
  readonly frame: HostFrame;
  /** Undefined where the host is wrong, after telling why. */
  readonly make: (
    options: O & { readonly name: string },
    context: HostContext,
  ) => Promise<HostOutput | undefined>;
}

/** Whether there is to be a file for each host. */
export function isFolder({ output }: Pick<InventoryOptions, 'output'>): boolean {
  return output !== undefined && output !== '-';
}

/** Ends with 1 where a host is wrong. */
export async function writeHosts<O extends InventoryOptions>(job: HostJob<O>, io: Io): Promise<ExitCode> {
  const { options, extension, frame } = job;
  const hosts = await readWantedHosts(options, io);
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

function makerOf<O>({ make }: HostJob<O>): MakeHost<WantedHost<O>, HostOutput> {
  const readConfig = rememberConfigs();
  return async (host, io) => {
    const { options, wording, readNmstate } = host.read();
    const context = { io, wording, readConfig, readNmstate: () => readNmstate(io) };
    return make(options, context).catch((error: unknown) => {
      throw error instanceof CliError ? rewordError(error, wording) : error;
    });
  };
}

function rewordError(error: CliError, { reword }: Wording): CliError {
  const { message, hint } = error;
  return new CliError(reword(message), { cause: error, ...(hint !== undefined && { hint: reword(hint) }) });
}

function fileOf({ text, content }: HostOutput): HostFile {
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
    makeRoom(run);
    yield Buffer.from(`${counts.written === 0 ? frame.start : frame.between}${output.text}`);
    counts.written += 1;
  }
  if (counts.written > 0) yield Buffer.from(frame.end);
}
