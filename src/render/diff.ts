/**
 * `render --diff`: what would change if the rendered config took the place of the deployed one, by setting. Nothing is
 * written. The exit codes are those of diff(1), so that a pipeline can tell a change from a failure.
 */

import { access, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { formatCount } from '../formats/messageText.ts';
import { CliError, UsageError } from '../core/errors.ts';
import type { ExitCode, Io } from '../io/io.ts';
import { writeStdout } from '../io/stdout.ts';
import { readDeployedConfig } from '../hosts/input/imageSource.ts';
import { parseTextOrJson, type TextOrJson } from '../io/report/choices.ts';
import { asTrouble } from '../io/report/report.ts';
import { readInventoryFile } from '../hosts/settings/inventory.ts';
import type { RenderOptions } from '../hosts/settings/options.ts';
import { createRenderer, type RenderedConfig } from '../hosts/settings/renderConfig.ts';
import { readInputs, type RenderSource } from '../hosts/settings/settings.ts';
import { compareConfigs, type SettingChange } from '../agent/deployed/describeConfig.ts';
import { printable } from '../io/report/terminalText.ts';
import type { Config } from '../ignition/config.ts';
import { readEffectiveConfig } from '../ignition/effectiveConfig.ts';
import type { InventoryHost } from '../hosts/settings/inventoryDocument.ts';
import { fileError } from '../io/files/fileErrors.ts';
import {
  formatWrong,
  type HostRun,
  type MadeHost,
  makeHosts,
  clearProgress,
  reportGroups,
  startRun,
} from '../hosts/run/hostRun.ts';
import { listHosts } from '../hosts/settings/renderHosts.ts';

/** 0: nothing would change; 1: something would; anything that is wrong is thrown as UsageError, or told and 2. */
export async function diff(options: RenderOptions, io: Io): Promise<ExitCode> {
  const { deployed, form } = checkDiffOptions(options);
  try {
    if (options.inventory === undefined) return await diffOne(deployed, { options, io }, form);
    const { inventory, source } = await readInventoryFile(options.inventory, options, io);
    if (inventory.hosts === undefined) return await diffOne(deployed, source, form);
    return await diffHosts(inventory.hosts, source, { folder: deployed, form });
  } catch (error) {
    throw asTrouble(error);
  }
}

function checkDiffOptions({ diff: deployed, format, output, showSettings }: RenderOptions): {
  readonly deployed: string;
  readonly form: DiffForm;
} {
  if (deployed === undefined) {
    throw new UsageError('--format is for --diff and --show-settings', {
      hint: 'pass one of them too, such as --show-settings --format json',
    });
  }
  if (deployed === '') throw new UsageError('--diff names nothing', { hint: 'give a file, an ISO or a URL' });
  if (output !== undefined) {
    throw new UsageError('--output cannot be combined with --diff, which writes nothing', {
      hint: 'leave one of them out',
    });
  }
  if (showSettings === true) {
    throw new UsageError('--show-settings cannot be combined with --diff', { hint: 'leave one of them out' });
  }
  return { deployed, form: diffForms[parseTextOrJson(format)] };
}

async function diffOne(deployed: string, source: RenderSource, form: DiffForm): Promise<ExitCode> {
  const { io } = source;
  const before = await readDeployedConfig(deployed, io);
  const rendered = await createRenderer()(source);
  if (rendered === undefined) return 2;
  const changes = compareRendered(before, rendered);
  const text = form.start + form.format(changes).join(form.separator) + form.end;
  await writeStdout(io, [Buffer.from(text)]);
  const count = formatCount(changes.length, 'setting');
  io.stderr.write(changes.length === 0 ? 'nothing would change\n' : `${count} would change\n`);
  return changes.length === 0 ? 0 : 1;
}

/** How changes are written to standard output. */
interface DiffForm {
  /** Of one host; `host` is there where there are several. */
  readonly format: (changes: readonly SettingChange[], host?: string) => readonly string[];
  readonly start: string;
  readonly separator: string;
  readonly end: string;
}

/** By their names on the command line. */
const diffForms: Readonly<Record<TextOrJson, DiffForm>> = {
  text: { format: formatText, start: '', separator: '', end: '' },
  json: { format: formatJson, start: '[', separator: ',', end: '\n]\n' },
};

function formatText(changes: readonly SettingChange[], host?: string): string[] {
  const indent = host === undefined ? '' : '  ';
  const rows = changes.map(({ setting, deployed, rendered }) => {
    const lines = [...deployed.map((value) => `- ${value}`), ...rendered.map((value) => `+ ${value}`)];
    return [setting, ...lines.map((line) => `  ${line}`)]
      .map((line) => `${indent}${printable(line)}\n`)
      .join('');
  });
  return host === undefined || rows.length === 0 ? rows : [`${printable(host)}\n`, ...rows];
}

function formatJson(changes: readonly SettingChange[], host?: string): string[] {
  const ofHost = host === undefined ? {} : { host };
  return changes.map((change) => `\n  ${JSON.stringify({ ...ofHost, ...change })}`);
}

/** By setting; throws CliError where the rendered document cannot be read. */
function compareRendered(
  deployed: Config,
  rendered: Pick<RenderedConfig, 'document'>,
): readonly SettingChange[] {
  return compareConfigs(deployed, configOf(rendered));
}

/** As a reader of the document would see it, and not as it was before it was written. */
function configOf({ document }: Pick<RenderedConfig, 'document'>): Config {
  const read = readEffectiveConfig(document);
  if (read.status === 'read') return read.config;
  throw new CliError(`the rendered config cannot be read: ${read.finding.message}`, { code: 'ERR_INTERNAL' });
}

/** Where the deployed configs are, and how changes are reported. */
interface HostsDiff {
  readonly folder: string;
  readonly form: DiffForm;
}

/** A host that is wrong is reported, and the others are compared; the exit code is 2 then. */
async function diffHosts(
  hosts: readonly InventoryHost[],
  source: RenderSource,
  { folder, form }: HostsDiff,
): Promise<ExitCode> {
  const { io, options } = source;
  await checkFolder(folder, io);
  readInputs(source); // what is wrong for all is said once
  const run = startRun({ io, done: 'compared', failFast: options.failFast }, hosts.length);
  const render = createRenderer();
  const compared = makeHosts(
    listHosts(hosts, source),
    async (host, hostIo) => {
      const rendered = await render(host.readSource(hostIo));
      return rendered && compareHost(join(folder, `${host.name}.ign`), rendered, hostIo);
    },
    run,
  );
  const counts = { changed: 0 };
  await writeStdout(io, chunksOf(compared, { form, counts }, run));
  reportGroups(run);
  const { wrong } = run.counts;
  const end = wrong > 0 ? `, ${formatWrong(run)}` : '';
  io.stderr.write(`${counts.changed} of ${formatCount(hosts.length, 'host')} would change${end}\n`);
  if (wrong > 0) return 2;
  return counts.changed > 0 ? 1 : 0;
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

async function compareHost(
  path: string,
  rendered: RenderedConfig,
  io: Io,
): Promise<readonly SettingChange[]> {
  if (!(await exists(resolve(io.cwd, path)))) return [newConfig(path, rendered.document)];
  return compareRendered(await readDeployedConfig(path, io), rendered);
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

/** What changes become, and how many hosts have some. */
interface Telling {
  readonly form: DiffForm;
  readonly counts: { changed: number };
}

/**
 * One host at a time, so that any number of them fits into memory. What is said about a config that can be rendered was
 * said when it was.
 */
async function* chunksOf(
  compared: AsyncIterable<MadeHost<readonly SettingChange[]>>,
  { form, counts }: Telling,
  run: HostRun,
): AsyncIterable<Uint8Array> {
  yield Buffer.from(form.start);
  let separator = '';
  for await (const { host, made: changes } of compared) {
    const parts = form.format(changes, host.name);
    if (changes.length > 0) counts.changed += 1;
    if (parts.length === 0) continue;
    clearProgress(run);
    yield Buffer.from(separator + parts.join(form.separator));
    ({ separator } = form);
  }
  yield Buffer.from(form.end);
}
