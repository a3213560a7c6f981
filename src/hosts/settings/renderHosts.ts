/**
 * One config for each host of an inventory. A host that is wrong is reported with its name and line, and the others are
 * written; files that would stay the same are left alone.
 */

import type { InventoryHost } from './inventoryDocument.ts';
import type { Inputs } from '../../agent/settingInputs.ts';
import { diagnosticIn } from '../../core/diagnostic.ts';
import { type FilePlace, formatPlace, UsageError } from '../../core/errors.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { ignoringRules } from '../../io/report/ruleBook.ts';
import { startRun, type ListedHost, makeHosts } from '../run/hostRun.ts';
import { type FileContent, writeHostFiles } from '../run/writeHostFiles.ts';
import { createRenderer, type RenderedConfig } from './renderConfig.ts';
import { readInputs, type RenderSource } from './settings.ts';

/**
 * Writes to the folder `options.output`. `source` is what all hosts have in common. With `options.failFast` a host that
 * is wrong ends it: one that is not described right before anything is written, any other one when its turn comes; what
 * is written by then stays.
 */
export async function renderHosts(hosts: readonly InventoryHost[], source: RenderSource): Promise<ExitCode> {
  const { io, options } = source;
  const folder = requireFolder(source);
  readInputs(source); // what is wrong for all is said once
  const run = startRun({ io, done: 'written', failFast: options.failFast }, hosts.length);
  const render = createRenderer();
  const rendered = makeHosts(
    listHosts(hosts, source),
    (host, hostIo) => render(host.readSource(hostIo)),
    run,
  );
  return writeHostFiles(rendered, { folder, extension: '.ign', fileOf }, run);
}

function requireFolder({ options: { output } }: RenderSource): string {
  if (output !== undefined && output !== '' && output !== '-') return output;
  throw new UsageError('an inventory with hosts needs a folder for their configs', {
    hint: 'for example --output configs',
  });
}

/** A host of which a config can be rendered. */
export interface RenderHost extends ListedHost {
  readonly inventory: InventoryHost;
  readonly readSource: (io: Io) => RenderSource;
}

/** The hosts as they are rendered: with what all of them have in common. */
export function listHosts(hosts: readonly InventoryHost[], source: RenderSource): RenderHost[] {
  const file = source.options.inventory ?? '';
  return hosts.map((host) => ({
    name: host.name,
    inventory: host,
    at: placeIn(file, host),
    problems: host.findings.map((finding) => diagnosticIn(file, finding)),
    readSource: hostSource(host, formatPlace(placeIn(file, host)), source),
  }));
}

function placeIn(file: string, { line = 1 }: InventoryHost): FilePlace {
  return { file, line };
}

/** What one host is rendered from. `place` is what messages call the host. */
export function hostSource(
  { name, architecture, ignore = [], readInputs: readOwn }: InventoryHost,
  place: string,
  source: RenderSource,
): RenderHost['readSource'] {
  return (io) => ({
    ...source,
    io: ignoringRules(io, [...(source.io.ignored ?? []), ...ignore]),
    files: [readOwn(), ...(source.files ?? [])],
    implied: impliedBy(name, place),
    ...(architecture !== undefined && { architecture }),
  });
}

/** A host goes by its name, where nobody says otherwise. */
function impliedBy(name: string, place: string): Inputs {
  const hostname = {
    text: name,
    place: `${place}: host.hostname`,
    origin: 'file',
    isContent: false,
  } as const;
  return new Map([['host.hostname', [hostname]]]);
}

function fileOf({ document, secrets }: RenderedConfig): FileContent {
  return { data: document, ...(secrets.length > 0 && { mode: 0o600 }) };
}
