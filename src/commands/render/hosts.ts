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

/** Writes to the folder `options.output`. `source` is what all hosts have in common. */
export async function renderHosts(hosts: readonly InventoryHost[], source: RenderSource): Promise<ExitCode> {
  const { io, options } = source;
  const folder = await makeFolder(source);
  readInputs(source); // what is wrong for all is said once
  const isFailFast = options.failFast === true;
  const wrong = isFailFast ? hosts.find(({ findings }) => findings.length > 0) : undefined;
  const progress = showProgress(io.stderr, 'hosts', hosts.length);
  const run: Run = {
    progress,
    source,
    folder,
    render: createRenderer(),
    remarks: new Map(),
    counts: [0, 0, 0],
  };
  const pending = new Set<Promise<void>>();
  for (const [index, host] of (wrong === undefined ? hosts : [wrong]).entries()) {
    progress.update(index);
    const outcome = await prepareHost(host, run);
    if ('problem' in outcome) tellProblem(outcome.problem, run);
    else {
      const write = writeHost(host, outcome, run).finally(() => pending.delete(write));
      pending.add(write);
      if (pending.size >= mostWrites) await Promise.race(pending);
    }
    if (isFailFast && run.counts[2] > 0) break;
  }
  await Promise.all(pending);
  progress.clear();
  return tellEnd(run);
}

interface Run {
  readonly source: RenderSource;
  readonly folder: string;
  readonly progress: Progress;
  readonly render: RenderConfig;
  /** Names of hosts by what there is to say about them. */
  readonly remarks: Map<string, string[]>;
  /** Written, unchanged, wrong. */
  readonly counts: [written: number, unchanged: number, wrong: number];
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

type Outcome = { readonly document: Buffer; readonly isSecret: boolean } | { readonly problem: string };

async function prepareHost(host: InventoryHost, run: Run): Promise<Outcome> {
  const { source } = run;
  const name = source.options.inventory ?? '';
  const head = headOf(host, source);
  if (host.findings.length > 0) {
    return { problem: `${head}\n${host.findings.map((finding) => formatFinding(finding, name)).join('')}` };
  }
  const { io, said } = collectTalk(source.io);
  try {
    const files = [host.readInputs(), ...(source.files ?? [])];
    const rendered = await run.render({ ...source, io, files, implied: impliedBy(host, name) });
    if (rendered === undefined) return { problem: `${head}:\n${said.join('')}` };
    noteRemarks(host, said.join(''), run);
    return { document: rendered.document, isSecret: rendered.secrets.length > 0 };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { problem: `${said.join('')}${head}: ${formatError(error)}` };
  }
}

function headOf({ name, line = 1 }: InventoryHost, { options }: RenderSource): string {
  return `error: ${printable(`${name} is not written (${options.inventory}:${line})`)}`;
}

function formatError({ message, hint }: CliError): string {
  return `${printable(message)}\n${hint === undefined ? '' : `hint: ${printable(hint)}\n`}`;
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

function noteRemarks({ name }: InventoryHost, said: string, { remarks }: Run): void {
  if (said === '') return;
  const names = remarks.get(said);
  if (names === undefined) remarks.set(said, [name]);
  else names.push(name);
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
    tellProblem(`${headOf(host, run.source)}: ${formatError(error)}`, run);
  }
}

function tellProblem(problem: string, { counts, progress, source }: Run): void {
  progress.clear();
  source.io.stderr.write(problem);
  counts[2] += 1;
}

function tellEnd({ counts, remarks, source }: Run): ExitCode {
  const { io, options } = source;
  for (const [said, [first = '', ...others]] of remarks) {
    const more = others.length === 0 ? '' : ` and ${others.length} more`;
    io.stderr.write(`${said}  for ${printable(first)}${more}\n`);
  }
  const [written, unchanged, wrong] = counts;
  const end = wrong > 0 && options.failFast === true ? '; stopped there' : '';
  const text = `${written} written, ${unchanged} unchanged, ${wrong} wrong${end}`;
  io.stderr.write(`${printable(options.output ?? '')}: ${text}\n`);
  return wrong > 0 ? 1 : 0;
}
