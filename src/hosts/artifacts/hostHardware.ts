/** What the plan of a host expects of its machine. */

import { checkHardware, compareAddresses } from '../../agent/hardwareChecks.ts';
import { connectionsOf } from '../../agent/hostNetwork.ts';
import { readEffectiveConfig } from '../../ignition/effectiveConfig.ts';
import type { MachineHardware } from '../../ipa/machineHardware.ts';
import type { HostPlan } from '../plan/planHost.ts';
import { type BootedHardware, expectedHardware } from '../settings/hardwareCheck.ts';
import type { InventoryHost } from '../settings/inventoryDocument.ts';
import { memoryNeeds } from './hostMemory.ts';

/** With the memory of the way to boot that needs least. */
export function plannedHardware(plan: HostPlan): BootedHardware {
  const { architecture, archive, artifacts, base, config } = plan;
  const [memory] = memoryNeeds(artifacts, base, archive)
    .map(({ minimum }) => minimum)
    .toSorted((one, other) => one - other);
  const read = readEffectiveConfig(config());
  return {
    architecture: base === undefined ? undefined : architecture,
    connections: read.status === 'read' ? connectionsOf(read.config) : [],
    memory,
  };
}

/** What differs between a host and what its agent reports, as clauses. The images fit into the memory: the agent runs. */
export function compareWithAgent(
  host: InventoryHost,
  plan: HostPlan,
  machine: MachineHardware,
): readonly string[] {
  const expected = { ...expectedHardware(host, plannedHardware(plan)), memory: undefined };
  const findings = checkHardware(expected, machine).filter(({ severity }) => severity !== 'info');
  return [...findings.map(({ message }) => message), ...compareAddresses(expected.connections, machine)];
}
