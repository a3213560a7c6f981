/** `preflight`: asks the servers that hosts need, as their programs will do, and reports what fails. Nothing is changed. */

import { readSubject } from '../../agent/lint/subject.ts';
import { CliError } from '../../core/errors.ts';
import { runParallel } from '../../core/parallel.ts';
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
import { jsonBytes } from '../../io/report/choices.ts';
import { collectDiagnostics, report } from '../../io/report/report.ts';
import { writeStdout } from '../../io/stdout.ts';
import { watchSilence } from '../../io/waiting.ts';
import { bmcProbe } from './bmcProbe.ts';
import { listSettingFiles, readPublishedFiles } from './bootFiles.ts';
import { bootAccess, listProbes } from './hostProbes.ts';
import type { PreflightOptions } from './options.ts';
import { type CheckedHost, describeRows, formatRows, type Row } from './output.ts';
import { failed, type Probe } from './probe.ts';
import { type Limits, request } from './request.ts';

/** The name of the only entry of the report for an inventory without hosts. */
const ALL_MACHINES = 'all machines';

/** A probe, and the hosts that need it. */
interface SharedProbe extends Probe {
  readonly hosts: string[];
}

/** @returns 1 if a check failed, or if a host is invalid */
export async function preflight(options: PreflightOptions, io: Io): Promise<ExitCode> {
  const { format, parallel, timeout: time } = options;
  const { ignore, signal } = listenToStop({ aborted: io.signal });
  try {
    const limits = { signal, time };
    const probes = new Map<string, SharedProbe>();
    const names = await collectProbes(options, probes, limits, io);
    const rows = await runProbes([...probes.values()], parallel, limits, io);
    if (signal.aborted) throw new CliError('canceled', { code: 'ERR_NETWORK' });
    const failing = new Set(rows.flatMap(({ hosts, status }) => (status === 'error' ? hosts : [])));
    const hosts = Array.from(names, ([name, isValid]): CheckedHost => {
      return { name, passed: isValid && !failing.has(name) };
    });
    const isJson = format === 'json';
    await writeStdout(io, [
      isJson ? jsonBytes(describeRows(rows, hosts)) : Buffer.from(formatRows(rows, hosts)),
    ]);
    return hosts.every(({ passed }) => passed) ? 0 : 1;
  } finally {
    ignore();
  }
}

/**
 * Renders the config of each host, and adds what it needs.
 * @returns the names of all hosts, and whether their configs are valid; the errors of the others are reported
 */
async function collectProbes(
  options: PreflightOptions,
  probes: Map<string, SharedProbe>,
  limits: Limits,
  io: Io,
): Promise<ReadonlyMap<string, boolean>> {
  const { baseUrl, host: wanted, inventory: file } = options;
  const read = await readInventoryDocument(file, io);
  const { inventory } = read;
  const source = { ...sharedSource(inventory, {}, io), settingsPlace: 'under "agent"' };
  readInputs(source); // reports what concerns all hosts once
  let published: Promise<(name: string) => ReturnType<typeof listSettingFiles>> | undefined;

  const add = async (document: Uint8Array, host: InventoryHost | undefined): Promise<void> => {
    const effective = readEffectiveConfig(document);
    if (effective.status !== 'read') return;
    const subject = readSubject(effective.config);
    if (baseUrl !== undefined)
      published ??= readPublishedFiles(baseUrl, (url) =>
        request(url, bootAccess(subject), limits, {}, MAX_MANIFEST),
      );
    const { architecture, name = ALL_MACHINES } = host ?? {};
    const files = [...listSettingFiles(host, read), ...((await published)?.(name) ?? [])];
    const imageUrl = files.find(({ url }) => url.pathname.endsWith('.iso'))?.url;
    const own = host === undefined ? [] : bmcProbe(host, read, options, imageUrl, io);
    for (const probe of [...own, ...listProbes(subject, files, architecture)]) {
      const key = JSON.stringify([probe.check, probe.key], (_, value: unknown) =>
        value instanceof Map ? [...value] : value,
      );
      const known = probes.get(key) ?? { ...probe, hosts: [] };
      probes.set(key, known);
      if (!known.hosts.includes(name)) known.hosts.push(name);
    }
  };

  if (inventory.hosts === undefined && wanted === undefined) {
    const { io: quiet, reported } = collectDiagnostics(source.io); // "validate" reports warnings
    const config = await createRenderer()({ ...source, io: quiet });
    if (config === undefined) report(io, reported);
    else await add(config.document, undefined);
    return new Map([[ALL_MACHINES, config !== undefined]]);
  }
  const hosts = selectHosts(inventory.hosts ?? [], wanted, file);
  const byName = new Map(hosts.map((host) => [host.name, host]));
  const names = new Map(hosts.map(({ name }) => [name, false]));
  const run = startRun({ io, done: 'rendered' }, hosts.length);
  for await (const { host, made } of renderEach(hosts, source, run)) {
    names.set(host.name, true);
    await add(made.document, byName.get(host.name));
  }
  reportGroups(run);
  return names;
}

/** Milliseconds until a message names the servers that have not answered. */
const SILENCE = 5000;

async function runProbes(
  probes: readonly SharedProbe[],
  parallel: number,
  limits: Limits,
  io: Io,
): Promise<readonly Row[]> {
  const watch = watchSilence(SILENCE, ['', ''], io);
  try {
    const rows = await runParallel(probes, parallel, async (probe) => {
      if (limits.signal.aborted) return [];
      const name = `${probe.subject} (${probe.check})`;
      watch.heard(name);
      const outcomes = await probe.run(limits).catch((error: unknown) => [failed(error)]);
      watch.done(name);
      return outcomes.map((outcome): Row => ({ check: probe.check, ...outcome, hosts: probe.hosts }));
    });
    return rows.flat();
  } finally {
    watch.close();
  }
}
