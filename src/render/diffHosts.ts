/** `render --diff` for the hosts of an inventory: each is compared with NAME.ign in a folder, one after the other. */

import { access, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { formatCount } from '../formats/wordList.ts';
import type { SettingChange } from '../agent/deployed/describeConfig.ts';
import type { InventoryHost } from '../hosts/settings/inventoryDocument.ts';
import { UsageError } from '../core/errors.ts';
import { fileError } from '../io/files/fileErrors.ts';
import type { ExitCode, Io } from '../io/io.ts';
import { writeStdout } from '../io/stdout.ts';
import {
  formatWrong,
  type HostRun,
  makeRoom,
  startRun,
  reportGroups,
  type MadeHost,
  makeHosts,
} from '../hosts/run/hostRun.ts';
import { readDeployedConfig } from '../hosts/input/imageSource.ts';
import { compareRendered, type DiffForm } from './diffForm.ts';
import { listHosts } from '../hosts/settings/renderHosts.ts';
import { createRenderer, type RenderedConfig } from '../hosts/settings/renderConfig.ts';
import { readInputs, type RenderSource } from '../hosts/settings/settings.ts';

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
    makeRoom(run);
    yield Buffer.from(separator + parts.join(form.separator));
    ({ separator } = form);
  }
  yield Buffer.from(form.end);
}
