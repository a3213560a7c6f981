/** Compares the hosts of an inventory with their machines: those of `--hardware`, and those of agents that run. */

import {
  checkHardware,
  checkReportedAddresses,
  type ExpectedHardware,
  hardwareRules,
} from '../../agent/hardwareChecks.ts';
import { connectionsOf } from '../../agent/hostNetwork.ts';
import { diagnosticAt, type Finding, hasErrors } from '../../core/finding.ts';
import { readEffectiveConfig } from '../../ignition/effectiveConfig.ts';
import type { Io } from '../../io/io.ts';
import { report } from '../../io/report/report.ts';
import { withoutIgnored } from '../../io/report/ignored.ts';
import type { MachineHardware } from '../../ipa/machineHardware.ts';
import { readRootDevice } from '../../ipa/rootDeviceHints.ts';
import { machineOf, readHardwareFiles } from '../input/hardwareFiles.ts';
import type { HostPlan } from '../plan/planHost.ts';
import type { InventoryHost } from '../settings/inventoryDocument.ts';
import { memoryNeeds } from './hostMemory.ts';

/** Reports what differs between a host and its machine. False if the host would not boot or not be installed. */
export type HardwareCheck = (host: InventoryHost, plan: HostPlan, io: Io) => boolean;

/** @throws CliError if a file cannot be read, or describes no machine */
export async function createHardwareCheck(path: string, io: Io): Promise<HardwareCheck> {
  const machines = await readHardwareFiles(path, io);
  return (host, plan, hostIo) => {
    const machine = machineOf(machines, host);
    const missing = `${path} contains no machine with the name or the MAC address of the host`;
    const findings: readonly Finding[] =
      machine === undefined
        ? [{ ...hardwareRules.noMachine, path: [], message: missing }]
        : checkHardware(expectedHardware(host, plan), machine);
    const counted = withoutIgnored(findings, hostIo);
    report(
      hostIo,
      counted.map((finding) => diagnosticAt(finding, finding.path.length > 0 ? host.at : undefined)),
    );
    return !hasErrors(counted);
  };
}

/** What differs between a host and what its agent reports, as clauses. The images fit into the memory: the agent runs. */
export function compareWithAgent(
  host: InventoryHost,
  plan: HostPlan,
  machine: MachineHardware,
): readonly string[] {
  const expected = { ...expectedHardware(host, plan), memory: undefined };
  return [...checkHardware(expected, machine), ...checkReportedAddresses(expected.connections, machine)]
    .filter(({ severity }) => severity !== 'info')
    .map(({ message }) => message);
}

function expectedHardware(host: InventoryHost, plan: HostPlan): ExpectedHardware {
  const { architecture, archive, artifacts, base, config } = plan;
  const { rootDevice, issues } = readRootDevice(Object.entries(host.rootDeviceHints ?? {}));
  const [need] = memoryNeeds(artifacts, base, archive)
    .map(({ minimum }) => minimum)
    .toSorted((one, other) => one - other);
  const read = readEffectiveConfig(config());
  return {
    // The commands "deploy" report invalid hints.
    rootDevice: host.rootDeviceHints === undefined || issues.length > 0 ? undefined : rootDevice,
    bootMac: host.mac,
    architecture: base === undefined ? host.architecture : architecture,
    connections: read.status === 'read' ? connectionsOf(read.config) : [],
    memory: need,
  };
}
