/**
 * Renders one config for each host of an inventory. Invalid hosts are reported with their names and lines, and skipped.
 * Unchanged files are not written.
 */

import type { HardwareCheck } from './hardwareCheck.ts';
import type { InventoryHost } from './inventoryDocument.ts';
import { networkRules } from '../../network/networkRules.ts';
import { UsageError } from '../../core/errors.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { report } from '../../io/report/report.ts';
import { ignoringRules } from '../../io/report/ignored.ts';
import type { Connection } from '../../network/connection.ts';
import { formatAddress } from '../../network/ipAddress.ts';
import {
  type FileContent,
  type HostRun,
  type MadeHost,
  makeHosts,
  startRun,
  writeHostFiles,
} from '../hostRun.ts';
import { type CheckUnits, createUnitCheck } from '../input/unitTools.ts';
import { createRenderer, type RenderedConfig } from './renderConfig.ts';
import { readInputs, type RenderSource } from './settings.ts';

/**
 * Writes to the folder `options.output`. With `options.failFast` an invalid host ends the run: if its description is
 * invalid before anything is written, else when it is rendered; files that are written by then stay.
 * @param source the settings that all hosts share
 */
export async function renderHosts(hosts: readonly InventoryHost[], source: RenderSource): Promise<ExitCode> {
  const { io, options } = source;
  const { output = '' } = options;
  if (['', '-'].includes(output)) {
    throw new UsageError('an inventory with hosts requires --output', {
      hint: 'pass the folder for the configs, for example --output configs',
    });
  }
  readInputs(source); // reports errors that concern all hosts once
  const run = startRun({ io, done: 'written', failFast: options.failFast }, hosts.length);
  return writeHostFiles(renderEach(hosts, source, run, createUnitCheck(io)), output, '.ign', fileOf, run);
}

/** Yields the configs of valid hosts; `run` receives the errors of the others. */
export function renderEach(
  hosts: readonly InventoryHost[],
  source: RenderSource,
  run: HostRun,
  checkUnits?: CheckUnits,
  checkHardware?: HardwareCheck,
): AsyncGenerator<MadeHost<RenderedConfig>> {
  const render = createRenderer(checkUnits);
  const checkAddresses = createAddressCheck();
  return makeHosts(
    hosts,
    async (host, hostIo) => {
      const own = hostSource(host, source, hostIo);
      const config = await render(own);
      if (config === undefined) return undefined;
      checkAddresses(host, config.connections, own.io);
      const { connections } = config;
      return checkHardware?.(host, { connections }, own.io) === false ? undefined : config;
    },
    run,
  );
}

export type AddressCheck = (host: InventoryHost, connections: readonly Connection[], io: Io) => void;

/** Warns if two hosts have the same IP or MAC address: usually, a network was copied from one to the other. */
export function createAddressCheck(): AddressCheck {
  const owners = new Map<string, string>();
  return ({ mac: bootMac, name: host }, connections, io) => {
    const active = connections.filter(({ isAutoconnected }) => isAutoconnected);
    const subnets = active.flatMap(({ ip }) => [...ip[4].addresses, ...ip[6].addresses]);
    const macs = active.flatMap(({ clonedMac, mac }) => mac ?? clonedMac ?? []);
    const identities = new Set([
      ...subnets
        .map(({ address }) => formatAddress(address))
        .filter((address) => !LINK_LOCAL.test(address))
        .map((address) => `address ${address}`),
      ...[...macs, ...(bootMac === undefined ? [] : [bootMac])].map(
        (mac) => `MAC address ${mac.toUpperCase()}`,
      ),
    ]);
    for (const identity of identities) {
      const owner = owners.get(identity) ?? host;
      owners.set(identity, owner);
      if (owner === host) continue;
      const { rule, severity } = networkRules['agent-network'];
      const message = `${owner} has the same ${identity}`;
      const hint = `set a unique ${identity.replace(/ [^ ]+$/, '')} for each host`;
      report(io, { severity, message, hint, rule });
    }
  };
}

/** Addresses of these ranges only have to be unique on one link. */
const LINK_LOCAL = /^(?:169\.254\.|fe80:)/;

/** The sources of one host: the settings of all hosts, overridden by its own. */
export function hostSource(host: InventoryHost, source: RenderSource, io: Io): RenderSource {
  const { architecture, at, ignore = [], name, readInputs: readOwn } = host;
  const hostname = { text: name, name: 'host.hostname', at, origin: 'file' } as const;
  return {
    ...source,
    io: ignoringRules(io, [...(source.io.ignored ?? []), ...ignore]),
    files: [readOwn(), ...(source.files ?? [])],
    implied: new Map([['host.hostname', [hostname]]]), // the name of the host, unless it sets another
    architecture,
  };
}

function fileOf({ document, secrets }: RenderedConfig): FileContent {
  return { data: document, ...(secrets.length > 0 && { mode: 0o600 }) };
}
