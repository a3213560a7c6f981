/**
 * Renders one config for each host of an inventory. Invalid hosts are reported with their names and lines, and skipped.
 * Unchanged files are not written.
 */

import type { InventoryHost } from './inventoryDocument.ts';
import type { Inputs } from '../../agent/settingInputs.ts';
import { formatPlace, UsageError } from '../../core/errors.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { ignoringRules } from '../../io/report/ruleBook.ts';
import { type FileContent, makeHosts, startRun, writeHostFiles } from '../run/hostRun.ts';
import { createRenderer, type RenderedConfig } from './renderConfig.ts';
import { readInputs, type RenderSource } from './settings.ts';

/**
 * Writes to the folder `options.output`. With `options.failFast` an invalid host ends the run: if its description is
 * invalid before anything is written, else when it is rendered; files that are written by then stay.
 * @param source the settings that all hosts share
 */
export async function renderHosts(hosts: readonly InventoryHost[], source: RenderSource): Promise<ExitCode> {
  const { io, options } = source;
  const folder = requireFolder(source);
  readInputs(source); // reports errors that concern all hosts once
  const run = startRun({ io, done: 'written', failFast: options.failFast }, hosts.length);
  const render = createRenderer();
  const rendered = makeHosts(hosts, (host, hostIo) => render(hostSource(host, source, hostIo)), run);
  return writeHostFiles(rendered, { folder, extension: '.ign', fileOf }, run);
}

function requireFolder({ options: { output } }: RenderSource): string {
  if (output !== undefined && output !== '' && output !== '-') return output;
  throw new UsageError('an inventory with hosts requires --output', {
    hint: 'pass the folder for the configs, for example --output configs',
  });
}

/** The sources of one host: the settings of all hosts, overridden by its own. */
export function hostSource(host: InventoryHost, source: RenderSource, io: Io): RenderSource {
  const { architecture, ignore = [], readInputs: readOwn } = host;
  return {
    ...source,
    io: ignoringRules(io, [...(source.io.ignored ?? []), ...ignore]),
    files: [readOwn(), ...(source.files ?? [])],
    implied: impliedBy(host),
    architecture,
  };
}

/** The name of the host is the default of its host name. */
function impliedBy({ name, at }: InventoryHost): Inputs {
  const place = `${formatPlace(at)}: host.hostname`;
  const hostname = { text: name, place, origin: 'file', isContent: false } as const;
  return new Map([['host.hostname', [hostname]]]);
}

function fileOf({ document, secrets }: RenderedConfig): FileContent {
  return { data: document, ...(secrets.length > 0 && { mode: 0o600 }) };
}
