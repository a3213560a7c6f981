/** `render`: renders the Ignition config that runs ironic-python-agent. Invalid configs are not written. */

import { formatWordList } from '../../formats/messageText.ts';
import { writeOutput } from '../../io/files/newFile.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { refuseUnused } from '../../io/report/choices.ts';
import { writeStdout } from '../../io/stdout.ts';
import { UsageError } from '../../core/errors.ts';
import { printable } from '../../core/foreignText.ts';
import type { RenderOptions } from '../../hosts/settings/options.ts';
import { createUnitCheck } from '../../hosts/input/unitTools.ts';
import { createRenderer } from '../../hosts/settings/renderConfig.ts';
import { readInputs, type RenderSource } from '../../hosts/settings/settings.ts';
import { formatShownSettings, formatShownSettingsJson } from './showSettings.ts';

/**
 * Writes the config to `options.output` or standard output. If the agent would reject its conf or Ignition the config,
 * the exit code is 1 and nothing is written; invalid options and files are thrown as errors. If the inventory lists
 * hosts, `options.output` is a folder with one config for each host.
 */
export async function render(options: RenderOptions, io: Io): Promise<ExitCode> {
  refuseUnwritten(options);
  refuseUnused(options, [
    ['showSettings', ['format']],
    ['inventory', ['showNetwork', 'failFast']],
  ]);
  if (options.inventory === undefined) return renderOne({ options, io });
  if (options.showNetwork !== undefined) {
    const { formatNetwork } = await import('./showNetwork.ts');
    await writeStdout(io, [Buffer.from(await formatNetwork(options.inventory, options.showNetwork, io))]);
    return 0;
  }
  const { readInventoryFile, refuseInvalidHost } = await import('../../hosts/settings/inventory.ts');
  const { inventory, source } = await readInventoryFile(options.inventory, options, io);
  const { hosts } = inventory;
  if (hosts === undefined) return renderOne(source);
  const { hostSource, renderHosts } = await import('../../hosts/settings/renderHosts.ts');
  if (options.showSettings !== true) return renderHosts(hosts, source);
  const [host] = hosts;
  // `--host` is the name of a host, which is then the only one, or else the address of Ironic, as in build.py.
  const isName = options.host !== undefined && source.options.host === undefined;
  if (!isName || host === undefined) return renderOne(source);
  refuseInvalidHost(host, io);
  return renderOne(hostSource(host, source, io));
}

function refuseUnwritten({ failFast, output, showSettings }: RenderOptions): void {
  const unused = output === undefined ? failFast === true && '--fail-fast' : '--output';
  if (showSettings !== true || unused === false) return;
  throw new UsageError(`${unused} cannot be combined with --show-settings, which only prints the settings`, {
    hint: `remove ${unused}, or remove --show-settings to write the config`,
  });
}

async function renderOne(source: RenderSource): Promise<ExitCode> {
  const { io, options } = source;
  if (options.showSettings === true) {
    const format = options.format === 'json' ? formatShownSettingsJson : formatShownSettings;
    await writeStdout(io, [Buffer.from(format(readInputs(source), options))]);
    return 0;
  }
  const rendered = await createRenderer(createUnitCheck(io))(source);
  if (rendered === undefined) return 1;
  const { output = '-' } = options;
  if (output === '-') await writeStdout(io, [rendered.document]);
  else {
    const isSecret = rendered.secrets.length > 0;
    await writeOutput(output, rendered.document, io, isSecret ? 0o600 : undefined);
    const note = isSecret ? `; mode 0600 because it contains ${formatWordList(rendered.secrets)}` : '';
    io.stderr.write(`${printable(output)} written (${rendered.document.length} bytes)${note}\n`);
  }
  return 0;
}
