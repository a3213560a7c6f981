/** The hosts of the service, and what is served for them. All configs are rendered and validated before the first request. */

import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { InventoryHost } from '../hosts/settings/inventoryDocument.ts';
import type { Diagnostic } from '../core/finding.ts';
import { CliError } from '../core/errors.ts';
import type { Io } from '../io/io.ts';
import { keepRemarks, reportGroups, startRun, makeHosts } from '../hosts/hostRun.ts';
import { type HostPlan, planHost, type PlanJob } from '../hosts/plan/planHost.ts';
import { formatSentence } from '../io/report/diagnosticText.ts';
import { report } from '../io/report/report.ts';
import type { OpenFiles } from './openFiles.ts';
import type { Links } from '../hosts/plan/links.ts';
import { hostPlaces } from './places.ts';
import type { HostSummary } from './status/hostStatus.ts';

export interface ServedHost extends HostSummary {
  /** With compressed configs; undefined if nothing is served for the host. */
  readonly plan: HostPlan | undefined;
  /** The files that its images are made from. */
  readonly files: OpenFiles;
}

/**
 * Reports invalid hosts. An invalid host keeps its last valid plan (`stale`); without one, it is skipped.
 * @param earlier the hosts of the previous snapshot
 * @throws CliError if all hosts have become invalid, and with `failFast` for an invalid host
 */
export async function planHosts(
  hosts: readonly InventoryHost[],
  earlier: readonly ServedHost[],
  job: PlanJob,
  files: OpenFiles,
  links: Links,
  pack: PackConfig,
  failFast: boolean,
  io: Io,
): Promise<readonly ServedHost[]> {
  const before = new Map(
    earlier.flatMap((host) => (host.plan === undefined ? [] : [[host.name, { ...host, plan: host.plan }]])),
  );
  const invalid = new Map<string, readonly Diagnostic[]>();
  const served = new Map<string, ServedHost>();
  const run = startRun(
    {
      io,
      done: 'served',
      failFast,
      onProblem: ({ name }, problems) => invalid.set(name, problems),
      kept: before.size === 0 ? undefined : before,
    },
    hosts.length,
  );
  const planned = makeHosts(
    hosts,
    async (host, hostIo) => {
      const plan = await planHost(host, job, hostPlaces(files, links, host.name), hostIo);
      return plan && packPlan(plan, pack);
    },
    run,
  );
  for await (const { host, made: plan, remarks } of planned) {
    keepRemarks(remarks, host.name, run);
    const { architecture, macs, name, stream } = plan;
    const summary = { name, macs, architecture, stream, staleSince: undefined, messages: remarks };
    served.set(name, { ...summary, plan, files });
  }
  reportGroups(run);
  if (failFast && run.counts.invalid > 0) {
    throw new CliError('Nothing is served: a host is invalid', {
      code: 'ERR_HOST',
      hint: 'fix the errors reported above',
    });
  }
  const stale = [...invalid.keys()].filter((name) => before.has(name) && !served.has(name));
  if (served.size === 0 && stale.length > 0) throw allInvalid(invalid);
  // Valid hosts get the boot scripts by their MAC addresses.
  const taken = new Set([...served.values()].flatMap(({ macs }) => macs));
  for (const last of stale.flatMap((name) => before.get(name) ?? [])) {
    const plan = { ...last.plan, macs: last.plan.macs.filter((mac) => !taken.has(mac)) };
    const messages = invalid.get(last.name) ?? [];
    served.set(last.name, { ...last, staleSince: last.staleSince ?? new Date(), messages, plan });
  }
  report(
    io,
    stale.map((name) => ({
      severity: 'warning',
      message: 'stale: the last valid image is still served',
      hint: 'fix the errors reported above; to stop serving a host, remove it from the inventory',
      host: { name },
    })),
  );
  return hosts.map(
    ({ name, mac, architecture }) =>
      served.get(name) ?? {
        name,
        macs: mac === undefined ? [] : [mac],
        architecture,
        stream: undefined,
        staleSince: undefined,
        messages: invalid.get(name) ?? [],
        plan: undefined,
        files,
      },
  );
}

/** The error names one host and its first error, as the cause is often a setting of all hosts. */
function allInvalid(invalid: ReadonlyMap<string, readonly Diagnostic[]>): CliError {
  const [[name, problems] = ['', []]] = invalid;
  const first = problems.find(({ severity }) => severity === 'error');
  const cause = first === undefined ? '' : `, for example ${name}: ${formatSentence(first)}`;
  return new CliError(`All hosts are invalid${cause}`, { code: 'ERR_HOST', hint: first?.hint });
}

export function packPlan(plan: HostPlan, pack: PackConfig): HostPlan {
  const [config, isoConfig] = [plan.config(), plan.isoConfig()];
  const packed = pack(config);
  const onIso = Buffer.compare(config, isoConfig) === 0 ? packed : pack(isoConfig);
  return { ...plan, config: packed.read, isoConfig: onIso.read };
}

export type PackConfig = (config: Uint8Array) => {
  readonly read: () => Uint8Array;
  /** Bytes in memory. */
  readonly size: number;
};

/** The window of deflate: of a longer dictionary only the end is used. */
const WINDOW = 32 * 1024;

/** Keeps many similar configs in little memory: the first one is the dictionary of all. */
export function createPacker(): PackConfig {
  let first: Buffer | undefined;
  return (config) => {
    const dictionary = (first ??= Buffer.from(config.subarray(-WINDOW)));
    // A copy: the result of zlib has unused space, or is a part of the buffer pool and would keep the whole pool in memory.
    const packed = new Uint8Array(deflateRawSync(config, { dictionary }));
    const maxOutputLength = Math.max(1, config.length);
    return {
      // A copy, too: zlib puts any result into 16 KiB, which a cached config would keep in memory.
      read: () => new Uint8Array(inflateRawSync(packed, { dictionary, maxOutputLength })),
      size: packed.length,
    };
  };
}
