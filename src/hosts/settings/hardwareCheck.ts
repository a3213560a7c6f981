/** Compares the hosts of an inventory with their machines (`--hardware`). */

import { bootModeOf, type ExpectedHardware } from '../../agent/hardwareChecks.ts';
import { diagnosticAt, hasErrors } from '../../core/finding.ts';
import type { Io } from '../../io/io.ts';
import { report } from '../../io/report/report.ts';
import { readRootDevice } from '../../ipa/rootDeviceHints.ts';
import { readMachines } from '../input/hardwareFiles.ts';
import type { InventoryHost } from './inventoryDocument.ts';

/** What the entry of the inventory does not say: that of the rendered config, and of the images. */
export type BootedHardware = Pick<ExpectedHardware, 'architecture' | 'connections' | 'memory'>;

/** Reports what differs between a host and its machine. False if the host would not boot or not be installed. */
export type HardwareCheck = (host: InventoryHost, booted: BootedHardware, io: Io) => boolean;

/** Undefined without a path. @throws CliError if a file cannot be read, or describes no machine */
export async function createHardwareCheck(
  path: string | undefined,
  io: Io,
): Promise<HardwareCheck | undefined> {
  if (path === undefined) return undefined;
  const check = await readMachines(path, io);
  return (host, booted, hostIo) => {
    const diagnostics = check(host, expectedHardware(host, booted)).map((finding) =>
      diagnosticAt(finding, finding.path.length > 0 ? host.at : undefined),
    );
    return !hasErrors(report(hostIo, diagnostics));
  };
}

export function expectedHardware(host: InventoryHost, booted: BootedHardware): ExpectedHardware {
  const { rootDeviceHints, spec } = host.deployment ?? {};
  const { rootDevice, issues } = readRootDevice(Object.entries(rootDeviceHints ?? {}));
  return {
    ...booted,
    architecture: booted.architecture ?? host.architecture,
    // The commands "deploy" report invalid hints.
    rootDevice: rootDeviceHints === undefined || issues.length > 0 ? undefined : rootDevice,
    bootMac: host.mac,
    bootMode: bootModeOf(spec),
  };
}
