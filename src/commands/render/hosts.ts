/**
 * One config for each host of an inventory. A host that is wrong is reported with its name and line, and the others are
 * written; files that would stay the same are left alone.
 */

import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Writable } from 'node:stream';
import type { InventoryHost } from '../../agent/inventory.ts';
import type { Inputs } from '../../agent/settingInputs.ts';
import { CliError, UsageError } from '../../errors.ts';
import { fileError } from '../../io/fileErrors.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { writeIfChanged } from '../../io/outputFile.ts';
import { type Progress, showProgress } from '../../io/progress.ts';
import { printable } from '../../reporters/printable.ts';
import { formatFinding } from './inventory.ts';
import { createRenderer, type RenderConfig } from './renderConfig.ts';
import { readInputs, type RenderSource } from './settings.ts';

/** Files that are on their way to the disk while further hosts are rendered. */
const mostWrites = 16;

/**
 * Writes to the folder `options.output`. `source` is what all hosts have in common. With `options.failFast` a host that
 * is wrong ends it: one that is not described right before anything is written, any other one when its turn comes; what
 * is written by then stays.
 */
export async function renderHosts(hosts: readonly InventoryHost[], source: RenderSource): Promise<ExitCode> {
  const { io, options } = source;
  const folder = await makeFolder(source);
  readInputs(source); // what is wrong for all is said once
  const wrong = options.failFast === true ? hosts.find(({ findings }) => findings.length > 0) : undefined;
  const progress = showProgress(io.stderr, 'hosts', hosts.length);
  const run: Run = {
    progress,
    source,
    folder,
    render: createRenderer(),
    remarks: new Map(),
    problems: new Map(),
    counts: [0, 0, 0],
  };
  await writeHosts(wrong === undefined ? hosts : [wrong], run).finally(progress.clear);
  return tellEnd(run);
}

interface Run {
  readonly source: RenderSource;
  readonly folder: string;
  readonly progress: Progress;
  readonly render: RenderConfig;
  /** What there is to say about hosts that are written. */
  readonly remarks: Map<string, NamedHosts>;
  /** What is wrong; the first host of each has been told. */
  readonly problems: Map<string, NamedHosts>;
  /** Written, unchanged, wrong. */
  readonly counts: [written: number, unchanged: number, wrong: number];
}

/** Hosts of which the same is said: names of the first ones, and how many they are. */
interface NamedHosts {
  readonly names: string[];
  count: number;
}

async function writeHosts(hosts: readonly InventoryHost[], run: Run): Promise<void> {
  const { counts, progress, source } = run;
  const pending = new Set<Promise<void>>();
  for (const [index, host] of hosts.entries()) {
    progress.update(index);
    const outcome = await prepareHost(host, run);
    if ('problem' in outcome) tellProblem(host, outcome.problem, run);
    else {
      const write = writeHost(host, outcome, run).finally(() => pending.delete(write));
      pending.add(write);
      if (pending.size >= mostWrites) await Promise.race(pending);
    }
    if (source.options.failFast === true && counts[2] > 0) break;
  }
  await Promise.all(pending);
}

async function makeFolder({ io, options: { output } }: RenderSource): Promise<string> {
  if (output === undefined || output === '') {
    throw new UsageError('an inventory with hosts needs a folder for their configs', {
      hint: 'for example --output configs',
    });
  }
  const folder = resolve(io.cwd, output);
  await mkdir(folder, { recursive: true }).catch((error: unknown) => {
    throw fileError(error, { path: output, what: 'Folder for the configs', action: 'create' });
  });
  return folder;
}

/** `problem` goes on behind the name of the host. */
type Outcome = { readonly document: Buffer; readonly isSecret: boolean } | { readonly problem: string };

async function prepareHost(host: InventoryHost, run: Run): Promise<Outcome> {
  const { source } = run;
  const name = source.options.inventory ?? '';
  if (host.findings.length > 0) {
    return { problem: `\n${host.findings.map((finding) => formatFinding(finding, name)).join('')}` };
  }
  const { io, said } = collectTalk(source.io);
  try {
    const files = [host.readInputs(), ...(source.files ?? [])];
    const rendered = await run.render({ ...source, io, files, implied: impliedBy(host, name) });
    if (rendered === undefined) return { problem: `:\n${said.join('')}` };
    noteHost(run.remarks, said.join(''), host);
    return { document: rendered.document, isSecret: rendered.secrets.length > 0 };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    noteHost(run.remarks, said.join(''), host);
    return { problem: formatError(error) };
  }
}

function formatError({ message, hint }: CliError): string {
  return `: ${printable(message)}\n${hint === undefined ? '' : `hint: ${printable(hint)}\n`}`;
}

/** A host goes by its name, where nobody says otherwise. */
function impliedBy(host: InventoryHost, name: string): Inputs {
  const place = `${name}:${host.line ?? 1}: host.hostname`;
  return new Map([['host.hostname', [{ text: host.name, place, origin: 'file', isContent: false }]]]);
}

function collectTalk(io: Io): { readonly io: Io; readonly said: string[] } {
  const said: string[] = [];
  const stderr = new Writable({
    decodeStrings: false,
    write: (text: string, _encoding, done) => {
      said.push(text);
      done();
    },
  });
  const { env, cwd, programName, stdout } = io;
  const quiet: Io = {
    get stdin() {
      return io.stdin; // opening it takes time
    },
    stderr,
    stdout,
    env,
    cwd,
    programName,
  };
  return { io: quiet, said };
}

/** Enough to see which hosts they are. */
const mostNames = 3;

/** Gives the number of hosts of which this is said by now. */
function noteHost(hosts: Map<string, NamedHosts>, said: string, { name }: InventoryHost): number {
  if (said === '') return 0;
  const noted = hosts.get(said) ?? { names: [], count: 0 };
  hosts.set(said, noted);
  if (noted.names.length < mostNames) noted.names.push(name);
  return (noted.count += 1);
}

async function writeHost(
  host: InventoryHost,
  outcome: Exclude<Outcome, { problem: string }>,
  run: Run,
): Promise<void> {
  const { folder } = run;
  const options = outcome.isSecret ? { mode: 0o600 } : {};
  try {
    const isWritten = await writeIfChanged(join(folder, `${host.name}.ign`), outcome.document, options);
    run.counts[isWritten ? 0 : 1] += 1;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    tellProblem(host, formatError(error), run);
  }
}

/** At once, but what is wrong in the same way with many hosts only once. */
function tellProblem(host: InventoryHost, problem: string, run: Run): void {
  const { counts, problems, progress, source } = run;
  counts[2] += 1;
  if (noteHost(problems, problem, host) > 1) return;
  progress.clear();
  const place = `${source.options.inventory}:${host.line ?? 1}`;
  source.io.stderr.write(`error: ${printable(`${host.name} is not written (${place})`)}${problem}`);
}

function tellEnd({ counts, problems, remarks, source }: Run): ExitCode {
  const { io, options } = source;
  for (const [said, hosts] of remarks) io.stderr.write(`${said}  for ${formatHosts(hosts)}\n`);
  for (const { names, count } of problems.values()) {
    const [first = '', ...others] = names;
    if (others.length === 0) continue;
    const same = formatHosts({ names: others, count: count - 1 });
    io.stderr.write(`error: not written for the same reason as ${printable(first)}: ${same}\n`);
  }
  const [written, unchanged, wrong] = counts;
  const end = wrong > 0 && options.failFast === true ? '; stopped there' : '';
  const text = `${written} written, ${unchanged} unchanged, ${wrong} wrong${end}`;
  io.stderr.write(`${printable(options.output ?? '')}: ${text}\n`);
  return wrong > 0 ? 1 : 0;
}

function formatHosts({ names, count }: NamedHosts): string {
  const more = count - names.length;
  return `${names.map(printable).join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
}
