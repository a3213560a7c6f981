/** `preflight`: asks the servers that hosts need, as their programs will do, and reports what fails. Nothing is changed. */

import { readSubject } from '../../agent/lint/subject.ts';
import { CliError } from '../../core/errors.ts';
import { groupBy } from '../../core/lists.ts';
import { runParallel } from '../../core/parallel.ts';
import { jsonText } from '../../formats/mapping.ts';
import { MAX_MANIFEST } from '../../hosts/artifacts/manifest.ts';
import { reportGroups, startRun } from '../../hosts/hostRun.ts';
import { readInventoryDocument, selectHosts, sharedSource } from '../../hosts/settings/inventory.ts';
import type { InventoryHost } from '../../hosts/settings/inventoryDocument.ts';
import { createRenderer } from '../../hosts/settings/renderConfig.ts';
import { renderEach } from '../../hosts/settings/renderHosts.ts';
import { readInputs } from '../../hosts/settings/settings.ts';
import { readEffectiveConfig } from '../../ignition/effectiveConfig.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { listenToStop } from '../../io/process.ts';
import { collectDiagnostics, report } from '../../io/report/report.ts';
import { writeStdout } from '../../io/stdout.ts';
import { watchSilence } from '../../io/waiting.ts';
import { bmcProbe } from './bmcProbe.ts';
import { listSettingFiles, readPublishedFiles } from './bootFiles.ts';
import { bootAccess, listProbes, unprepared } from './hostProbes.ts';
import type { PreflightOptions } from './options.ts';
import { type CheckedHost, describeRows, formatRows, type Row } from './output.ts';
import { failed, type Probe } from './probe.ts';
import { type Limits, request } from './request.ts';

/** The name of the only entry of the report for an inventory without hosts. */
const ALL_MACHINES = 'all machines';

/** @returns 1 if a check failed, or if a host is invalid */
export async function preflight(options: PreflightOptions, io: Io): Promise<ExitCode> {
  const { format, parallel, timeout: time } = options;
  const { ignore, signal } = listenToStop({ aborted: io.signal });
  try {
    const limits = { signal, time };
    const { needed, valid } = await collectProbes(options, limits, io);
    const rows = await runProbes(needed, parallel, limits, io);
    if (signal.aborted) throw new CliError('canceled', { code: 'ERR_NETWORK' });
    const failing = new Set(rows.flatMap(({ hosts, status }) => (status === 'error' ? hosts : [])));
    const hosts = Array.from(valid, ([name, isValid]): CheckedHost => {
      return { name, passed: isValid && !failing.has(name) };
    });
    const text = format === 'json' ? jsonText(describeRows(rows, hosts)) : formatRows(rows, hosts);
    await writeStdout(io, [Buffer.from(text)]);
    return hosts.every(({ passed }) => passed) ? 0 : 1;
  } finally {
    ignore();
  }
}

/** A probe, with the name of a host that needs it. */
type Need = Probe & { readonly host: string };

/** Renders the config of each host, and lists what it needs. Of all hosts, `valid` has the names. Errors are reported. */
async function collectProbes(
  options: PreflightOptions,
  limits: Limits,
  io: Io,
): Promise<{ readonly needed: readonly Need[]; readonly valid: ReadonlyMap<string, boolean> }> {
  const { baseUrl, host: wanted, inventory: file } = options;
  const read = await readInventoryDocument(file, io);
  const { inventory } = read;
  const source = { ...sharedSource(inventory, {}, io), settingsPlace: 'under "agent"' };
  readInputs(source); // reports what concerns all hosts once
  const needed: Need[] = [];
  let published: ReturnType<typeof readPublishedFiles> | undefined;

  const add = async (document: Uint8Array, host: InventoryHost | undefined): Promise<void> => {
    const effective = readEffectiveConfig(document);
    if (effective.status !== 'read') return;
    const subject = readSubject(effective.config);
    if (baseUrl !== undefined)
      published ??= readPublishedFiles(baseUrl, (url) =>
        request(url, bootAccess(subject), limits, {}, MAX_MANIFEST),
      );
    const { architecture, name = ALL_MACHINES } = host ?? {};
    const prepared = (await published)?.(host?.name);
    const files = [...listSettingFiles(host, read), ...(prepared ?? [])];
    const imageUrl = files.find(({ url }) => url.pathname.endsWith('.iso'))?.url;
    const own = host === undefined ? [] : bmcProbe(host, read, options, imageUrl, io);
    const lacking = published === undefined || prepared !== undefined ? [] : [unprepared(name)];
    for (const probe of [...own, ...lacking, ...listProbes(subject, files, architecture)])
      needed.push({ ...probe, host: name });
  };

  if (inventory.hosts === undefined && wanted === undefined) {
    const { io: quiet, reported } = collectDiagnostics(source.io); // "validate" reports warnings
    const config = await createRenderer()({ ...source, io: quiet });
    if (config === undefined) report(io, reported);
    else await add(config.document, undefined);
    return { needed, valid: new Map([[ALL_MACHINES, config !== undefined]]) };
  }
  const hosts = selectHosts(inventory.hosts ?? [], wanted, file);
  const byName = new Map(hosts.map((host) => [host.name, host]));
  const valid = new Map(hosts.map(({ name }) => [name, false]));
  const run = startRun({ io, done: 'rendered' }, hosts.length);
  for await (const { host, made } of renderEach(hosts, source, run)) {
    valid.set(host.name, true);
    await add(made.document, byName.get(host.name));
  }
  reportGroups(run);
  return { needed, valid };
}

/** Milliseconds until a message names the servers that have not answered. */
const SILENCE = 5000;

/** Runs the same probe of several hosts once. */
async function runProbes(
  needed: readonly Need[],
  parallel: number,
  limits: Limits,
  io: Io,
): Promise<readonly Row[]> {
  const shared = groupBy(needed, ({ check, key }) =>
    JSON.stringify([check, key], (_, value: unknown) => (value instanceof Map ? [...value] : value)),
  );
  const watch = watchSilence(SILENCE, ['', ''], io);
  try {
    const rows = await runParallel([...shared.values()], parallel, async (same) => {
      const [probe] = same;
      if (limits.signal.aborted || probe === undefined) return [];
      const { check, run, subject } = probe;
      watch.heard(subject);
      const outcomes = await run(limits).catch((error: unknown) => [failed(error)]);
      watch.done(subject);
      const hosts = [...new Set(same.map(({ host }) => host))];
      return outcomes.map((outcome): Row => ({ check, ...outcome, hosts }));
    });
    return rows.flat();
  } finally {
    watch.close();
  }
}
