/**
 * A `deploy` command for many hosts: one document of all of them, or a file for each in a folder, in the order of the
 * inventory. A host that is wrong is reported with its name and place, and the others are written; files that would stay
 * the same are left alone.
 */

import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CliError } from '../../errors.ts';
import { fileError } from '../../io/fileErrors.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { writeIfChanged } from '../../io/outputFile.ts';
import { type Progress, showProgress } from '../../io/progress.ts';
import { writeStdout } from '../../io/stdout.ts';
import { formatRemark } from '../../reporters/remark.ts';
import { printable } from '../../reporters/printable.ts';
import { collectTalk } from './collectTalk.ts';
import { privateMode } from './deployDocument.ts';
import { wordingOfFlags } from './deployIssues.ts';
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
  const hosts = await readWantedHosts(job.options, io);
  const progress = showProgress(io.stderr, 'hosts', hosts.length);
  const run: Run<O> = {
    job,
    io,
    progress,
    readConfig: rememberConfigs(),
    remarks: new Map(),
    problems: new Map(),
    counts: { written: 0, unchanged: 0, wrong: 0 },
  };
  const wrong = job.options.failFast === true ? hosts.find(({ problem }) => problem !== '') : undefined;
  const made = makeHosts(wrong === undefined ? hosts : [wrong], run);
  if (isFolder(job.options)) await writeFiles(made, run);
  else await writeStdout(io, joinHosts(made, run));
  progress.clear();
  return tellEnd(run);
}

interface Run<O> {
  readonly job: HostJob<O>;
  readonly io: Io;
  readonly progress: Progress;
  readonly readConfig: HostContext['readConfig'];
  /** Names of hosts by what there is to say about them. */
  readonly remarks: Map<string, string[]>;
  /** The same of wrong ones; the first has been told. */
  readonly problems: Map<string, string[]>;
  readonly counts: { written: number; unchanged: number; wrong: number };
}

interface MadeHost extends HostOutput {
  readonly host: WantedHost<unknown>;
}

/** The hosts that are right, one by one; ends early with `--fail-fast`. */
async function* makeHosts<O extends InventoryOptions>(
  hosts: readonly WantedHost<O>[],
  run: Run<O>,
): AsyncGenerator<MadeHost> {
  for (const [index, host] of hosts.entries()) {
    run.progress.update(index);
    const output = await makeHost(host, run);
    if (output !== undefined) yield { ...output, host };
    if (run.counts.wrong > 0 && run.job.options.failFast === true) return;
  }
}

async function makeHost<O>(host: WantedHost<O>, run: Run<O>): Promise<HostOutput | undefined> {
  if (host.problem !== '') return tellProblem(host, `\n${host.problem}`, run);
  const { io, said } = collectTalk(run.io);
  let { reword } = wordingOfFlags;
  try {
    const { options, wording, readNmstate } = host.read();
    ({ reword } = wording);
    const context = { io, wording, readConfig: run.readConfig, readNmstate: () => readNmstate(io) };
    const output = await run.job.make(options, context);
    if (output === undefined) return tellProblem(host, `:\n${said.join('')}`, run);
    note(run.remarks, said.join(''), host.name);
    return output;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const { message, hint } = error;
    const remark = formatRemark({
      severity: 'error',
      message: reword(message),
      hint: hint && reword(hint),
    });
    return tellProblem(host, `:\n${said.join('')}${remark}`, run);
  }
}

/** What is wrong in the same way with many hosts is told once. */
function tellProblem<O>(host: WantedHost<unknown>, problem: string, run: Run<O>): undefined {
  const { io, problems, progress, counts } = run;
  counts.wrong += 1;
  if (note(problems, problem, host.name) === 'known') return;
  progress.clear();
  io.stderr.write(`error: ${printable(`${host.name} is not written (${host.place})`)}${problem}`);
}

function note(names: Map<string, string[]>, said: string, name: string): 'new' | 'known' {
  const known = names.get(said);
  if (known !== undefined) known.push(name);
  else if (said !== '') names.set(said, [name]);
  return known === undefined ? 'new' : 'known';
}

async function* joinHosts<O>(made: AsyncIterable<MadeHost>, run: Run<O>): AsyncGenerator<Uint8Array> {
  const { frame } = run.job;
  const { counts } = run;
  for await (const { text } of made) {
    yield Buffer.from(`${counts.written === 0 ? frame.start : frame.between}${text}`);
    counts.written += 1;
  }
  if (counts.written > 0) yield Buffer.from(frame.end);
}

/** Files that are on their way to the disk while further hosts are made. */
const mostWrites = 16;

async function writeFiles<O extends InventoryOptions>(
  made: AsyncIterable<MadeHost>,
  run: Run<O>,
): Promise<void> {
  const { io, job } = run;
  const { output = '' } = job.options;
  const folder = resolve(io.cwd, output);
  await mkdir(folder, { recursive: true }).catch((error: unknown) => {
    throw fileError(error, { path: output, what: 'Folder for the hosts', action: 'create' });
  });
  const pending = new Set<Promise<void>>();
  for await (const host of made) {
    const path = join(folder, `${host.host.name}${job.extension}`);
    const write = writeHost(path, host, run).finally(() => pending.delete(write));
    pending.add(write);
    if (pending.size >= mostWrites) await Promise.race(pending);
  }
  await Promise.all(pending);
}

async function writeHost<O>(path: string, { host, text, content }: MadeHost, run: Run<O>): Promise<void> {
  try {
    const options = content === 'secret' ? { mode: privateMode } : {};
    const isWritten = await writeIfChanged(path, Buffer.from(text), options);
    run.counts[isWritten ? 'written' : 'unchanged'] += 1;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const { message, hint } = error;
    tellProblem(host, `:\n${formatRemark({ severity: 'error', message, hint })}`, run);
  }
}

function tellEnd<O extends InventoryOptions>({ io, job, counts, remarks, problems }: Run<O>): ExitCode {
  for (const [said, names] of remarks) io.stderr.write(`${said}  for ${formatNames(names)}\n`);
  for (const [, [first, ...others]] of problems) {
    if (first === undefined || others.length === 0) continue;
    const reason = `for the same reason as ${printable(first)}`;
    io.stderr.write(`error: not written ${reason}: ${formatNames(others)}\n`);
  }
  const { written, unchanged, wrong } = counts;
  const end = wrong > 0 && job.options.failFast === true ? '; stopped there' : '';
  if (isFolder(job.options)) {
    const folder = printable(job.options.output ?? '');
    io.stderr.write(`${folder}: ${written} written, ${unchanged} unchanged, ${wrong} wrong${end}\n`);
  } else if (wrong > 0) io.stderr.write(`${written} written, ${wrong} wrong${end}\n`);
  return wrong > 0 ? 1 : 0;
}

function formatNames([first = '', ...others]: readonly string[]): string {
  return `${printable(first)}${others.length === 0 ? '' : ` and ${others.length} more`}`;
}
