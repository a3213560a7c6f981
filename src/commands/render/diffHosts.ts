/** `render --diff` for the hosts of an inventory: each is compared with NAME.ign in a folder, one after the other. */

import { access, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Writable } from 'node:stream';
import { compareConfigs, type SettingChange } from '../../agent/deployed/describeConfig.ts';
import type { InventoryHost } from '../../agent/inventory.ts';
import type { Inputs } from '../../agent/settingInputs.ts';
import { CliError, UsageError } from '../../errors.ts';
import { fileError } from '../../io/fileErrors.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { writeStdout } from '../../io/stdout.ts';
import { formatRemark } from '../../reporters/remark.ts';
import { readDeployedConfig } from './deployedConfig.ts';
import { configOf, type DiffForm } from './diff.ts';
import { formatFinding } from './inventory.ts';
import { createRenderer, type RenderConfig } from './renderConfig.ts';
import { readInputs, type RenderSource } from './settings.ts';

/** Where the deployed configs are, and how changes are told. */
export interface HostsDiff {
  readonly folder: string;
  readonly form: DiffForm;
}

/** A host that is wrong is told, and the others are compared; the exit code is 2 then. */
export async function diffHosts(
  hosts: readonly InventoryHost[],
  source: RenderSource,
  { folder, form }: HostsDiff,
): Promise<ExitCode> {
  const { io } = source;
  await checkFolder(folder, io);
  readInputs(source); // what is wrong for all is said once
  const run: Run = { source, folder, form, render: createRenderer(), counts: { changed: 0, wrong: 0 } };
  await writeStdout(io, chunksOf(hosts, run));
  const { changed, wrong } = run.counts;
  io.stderr.write(`${changed} of ${hosts.length} hosts would change${wrong > 0 ? `, ${wrong} wrong` : ''}\n`);
  if (wrong > 0) return 2;
  return changed > 0 ? 1 : 0;
}

interface Run extends HostsDiff {
  readonly source: RenderSource;
  readonly render: RenderConfig;
  readonly counts: { changed: number; wrong: number };
}

async function checkFolder(folder: string, { cwd }: Io): Promise<void> {
  const stats = await stat(resolve(cwd, folder)).catch((error: unknown) => {
    throw fileError(error, { path: folder, what: 'Folder of deployed configs (--diff)', action: 'read' });
  });
  if (stats.isDirectory()) return;
  throw new UsageError('an inventory with hosts is compared with a folder', {
    hint: 'give the folder that holds NAME.ign for each host, as render --output wrote it',
  });
}

/** One host at a time, so that any number of them fits into memory. */
async function* chunksOf(hosts: readonly InventoryHost[], run: Run): AsyncIterable<Uint8Array> {
  const { form, source } = run;
  yield Buffer.from(form.start);
  let separator = '';
  for (const host of hosts) {
    const changes = await compareHost(host, run);
    const parts = form.format(changes, host.name);
    if (changes.length > 0) run.counts.changed += 1;
    if (parts.length > 0) yield Buffer.from(separator + parts.join(form.separator));
    if (parts.length > 0) ({ separator } = form);
    if (run.counts.wrong > 0 && source.options.failFast === true) break;
  }
  yield Buffer.from(form.end);
}

async function compareHost(host: InventoryHost, run: Run): Promise<readonly SettingChange[]> {
  const { source } = run;
  const { io, said } = collectTalk(source.io);
  try {
    if (host.findings.length > 0) throw new CliError('its settings are wrong');
    const files = [host.readInputs(), ...(source.files ?? [])];
    const rendered = await run.render({ ...source, io, files, implied: impliedBy(host) });
    if (rendered === undefined) throw new CliError('its config would not be valid');
    const path = join(run.folder, `${host.name}.ign`);
    if (!(await exists(resolve(io.cwd, path)))) return [newConfig(path, rendered.document)];
    return compareConfigs(await readDeployedConfig(path, io), configOf(rendered));
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    tellProblem(host, { error, said }, run);
    return [];
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function newConfig(path: string, document: Uint8Array): SettingChange {
  return { setting: 'Ignition config', deployed: [], rendered: [`${path} (${document.length} bytes)`] };
}

/** A host goes by its name, where nobody says otherwise. */
function impliedBy({ name }: InventoryHost): Inputs {
  const place = `${name}: host.hostname`;
  return new Map([['host.hostname', [{ text: name, place, origin: 'file', isContent: false }]]]);
}

/** What is said about a config that can be rendered was said when it was. */
function collectTalk(io: Io): { readonly io: Io; readonly said: string[] } {
  const said: string[] = [];
  const stderr = new Writable({
    decodeStrings: false,
    write: (text: string, _encoding, done) => {
      said.push(text);
      done();
    },
  });
  const { env, cwd, programName, stdin, stdout } = io;
  return { io: { env, cwd, programName, stdin, stdout, stderr }, said };
}

interface Problem {
  readonly error: CliError;
  readonly said: readonly string[];
}

function tellProblem({ name, findings, line = 1 }: InventoryHost, { error, said }: Problem, run: Run): void {
  const { io, options } = run.source;
  const place = `${options.inventory}:${line}`;
  const { hint } = error;
  const message = `${name} is not compared (${place}): ${error.message}`;
  const details = findings.map((finding) => formatFinding(finding, options.inventory ?? '')).join('');
  io.stderr.write(`${said.join('')}${formatRemark({ severity: 'error', message, hint })}${details}`);
  run.counts.wrong += 1;
}
