/**
 * `render --diff`: the changes, by setting, if the rendered config replaced the deployed one. Nothing is written. The
 * exit codes are those of diff(1), so that a pipeline can distinguish a change from a failure.
 */

import { join, resolve } from 'node:path';
import { formatCount } from '../../formats/messageText.ts';
import { CliError, UsageError } from '../../core/errors.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { writeStdout } from '../../io/stdout.ts';
import { readDeployedConfig } from '../../hosts/input/imageSource.ts';
import { parseTextOrJson, type TextOrJson } from '../../io/report/choices.ts';
import { asTrouble } from '../../io/report/report.ts';
import { readInventoryFile } from '../../hosts/settings/inventory.ts';
import type { RenderOptions } from '../../hosts/settings/options.ts';
import { createRenderer, type RenderedConfig } from '../../hosts/settings/renderConfig.ts';
import { readInputs, type RenderSource } from '../../hosts/settings/settings.ts';
import { compareConfigs, type SettingChange } from '../../agent/deployed/describeConfig.ts';
import { printable } from '../../core/foreignText.ts';
import type { Config } from '../../ignition/config.ts';
import { readEffectiveConfig } from '../../ignition/effectiveConfig.ts';
import type { InventoryHost } from '../../hosts/settings/inventoryDocument.ts';
import { statsOf, statUserFile } from '../../io/files/fileStates.ts';
import {
  formatInvalid,
  type HostRun,
  type MadeHost,
  makeHosts,
  clearProgress,
  reportGroups,
  startRun,
} from '../../hosts/hostRun.ts';
import { hostSource } from '../../hosts/settings/renderHosts.ts';

/** Exit codes: 0 no changes, 1 changes, 2 failure. */
export async function diff(options: RenderOptions, io: Io): Promise<ExitCode> {
  const { deployed, form } = checkDiffOptions(options);
  try {
    if (options.inventory === undefined) return await diffOne(deployed, { options, io }, form);
    const { inventory, source } = await readInventoryFile(options.inventory, options, io);
    if (inventory.hosts === undefined) return await diffOne(deployed, source, form);
    return await diffHosts(inventory.hosts, source, deployed, form);
  } catch (error) {
    throw asTrouble(error);
  }
}

function checkDiffOptions({ diff: deployed, format, output, showSettings }: RenderOptions): {
  readonly deployed: string;
  readonly form: DiffForm;
} {
  if (deployed === undefined) {
    throw new UsageError('--format requires --diff or --show-settings', {
      hint: 'add --diff or --show-settings, for example --show-settings --format json',
    });
  }
  if (deployed === '') throw new UsageError('--diff is empty', { hint: 'pass a file, an ISO or a URL' });
  if (output !== undefined) {
    throw new UsageError('--output cannot be combined with --diff, which writes nothing', {
      hint: 'remove --output, or remove --diff to write the config',
    });
  }
  if (showSettings === true) {
    throw new UsageError('--show-settings cannot be combined with --diff', {
      hint: 'pass either --show-settings or --diff',
    });
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
  io.stderr.write(changes.length === 0 ? 'no changes\n' : `${count} would change\n`);
  return changes.length === 0 ? 0 : 1;
}

/** An output format for changes. */
interface DiffForm {
  /** The changes of one host. @param host its name, if there are several hosts */
  readonly format: (changes: readonly SettingChange[], host?: string) => readonly string[];
  readonly start: string;
  readonly separator: string;
  readonly end: string;
}

/** By the values of `--format`. */
const diffForms: Readonly<Record<TextOrJson, DiffForm>> = {
  text: { format: formatText, start: '', separator: '', end: '' },
  json: {
    format: (changes, host) => changes.map((change) => `\n  ${JSON.stringify({ host, ...change })}`),
    start: '[',
    separator: ',',
    end: '\n]\n',
  },
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

/**
 * Changes by setting. The rendered config is read back from its document, so that both sides are read in the same way.
 * @throws CliError if the document cannot be read
 */
function compareRendered(deployed: Config, { document }: RenderedConfig): readonly SettingChange[] {
  const read = readEffectiveConfig(document);
  if (read.status === 'read') return compareConfigs(deployed, read.config);
  throw new CliError(`the rendered config cannot be read: ${read.finding.message}`, { code: 'ERR_INTERNAL' });
}

/** Invalid hosts are reported and skipped; the exit code is then 2. */
async function diffHosts(
  hosts: readonly InventoryHost[],
  source: RenderSource,
  folder: string,
  form: DiffForm,
): Promise<ExitCode> {
  const { io, options } = source;
  await checkFolder(folder, io);
  readInputs(source); // reports errors that concern all hosts once
  const run = startRun({ io, done: 'compared', failFast: options.failFast }, hosts.length);
  const render = createRenderer();
  const compared = makeHosts(
    hosts,
    async (host, hostIo) => {
      const rendered = await render(hostSource(host, source, hostIo));
      return rendered && compareHost(join(folder, `${host.name}.ign`), rendered, hostIo);
    },
    run,
  );
  const counts = { changed: 0 };
  await writeStdout(io, chunksOf(compared, form, counts, run));
  reportGroups(run);
  const { invalid } = run.counts;
  const end = invalid > 0 ? `, ${formatInvalid(run)}` : '';
  io.stderr.write(`${counts.changed} of ${formatCount(hosts.length, 'host')} would change${end}\n`);
  if (invalid > 0) return 2;
  return counts.changed > 0 ? 1 : 0;
}

async function checkFolder(folder: string, io: Io): Promise<void> {
  const stats = await statUserFile(folder, 'Folder of deployed configs (--diff)', io);
  if (stats.isDirectory()) return;
  throw new UsageError('--diff requires a folder for an inventory with hosts', {
    hint: 'pass the folder with the NAME.ign of each host, as render --output writes it',
  });
}

async function compareHost(
  path: string,
  rendered: RenderedConfig,
  io: Io,
): Promise<readonly SettingChange[]> {
  if ((await statsOf(resolve(io.cwd, path))) !== undefined) {
    return compareRendered(await readDeployedConfig(path, io), rendered);
  }
  const shown = `${path} (${rendered.document.length} bytes)`;
  return [{ setting: 'Ignition config', deployed: [], rendered: [shown] }];
}

/**
 * Formats one host at a time, so that memory does not grow with the number of hosts. Warnings are not repeated here:
 * they were reported when the config was rendered.
 */
async function* chunksOf(
  compared: AsyncIterable<MadeHost<readonly SettingChange[]>>,
  form: DiffForm,
  counts: { changed: number },
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
