/** Compares hosts with their machines (`--hardware`). */

import { checkHardware, hardwareRules } from '../../agent/hardwareChecks.ts';
import type { Finding } from '../../core/finding.ts';
import { asMapping } from '../../formats/mapping.ts';
import { machineOf, readHardwareFiles } from '../../hosts/input/hardwareFiles.ts';
import { readDescribedNetwork } from '../../hosts/input/networkDescription.ts';
import type { Io } from '../../io/io.ts';
import { withoutIgnored } from '../../io/report/ignored.ts';
import { readConnections } from '../../network/keyfile/readKeyfile.ts';
import type { RamdiskNetwork } from './documents/bareMetalHost.ts';
import type { DeployHost } from './documents/host.ts';
import type { DeployOptions } from './options.ts';

/** What differs between a host and its machine; nothing without `--hardware`. Each file or folder is read once, for all hosts. */
export function createMachineCheck() {
  const known = new Map<string, ReturnType<typeof readHardwareFiles>>();
  return async (
    host: DeployHost,
    options: DeployOptions,
    network: RamdiskNetwork | undefined,
    io: Io,
  ): Promise<readonly Finding[]> => {
    const { bootMac: mac, name, architecture, rootDevice } = host;
    const { hardware: path, inventory, spec } = options;
    if (path === undefined) return [];
    const reading = known.get(path) ?? readHardwareFiles(path, io);
    known.set(path, reading);
    const machines = await reading;
    // Of the only host, the only machine may have any name.
    const [only] = inventory === undefined && machines.length === 1 ? machines : [];
    const machine = only ?? machineOf(machines, { name, mac });
    if (machine === undefined) {
      const message = `${path} contains no machine with the name or the boot MAC address of the host`;
      return withoutIgnored([{ ...hardwareRules.noMachine, path: [], message }], io);
    }
    const mode = asMapping(spec)['bootMode'];
    const bootMode = typeof mode === 'string' ? (mode === 'legacy' ? 'bios' : 'uefi') : undefined;
    const keyfiles =
      network === undefined
        ? []
        : (await readDescribedNetwork({ format: network.key, text: network.text, file: 'network' })).keyfiles;
    const connections = readConnections(
      keyfiles.map(({ name: file, text }) => ({ name: file, data: Buffer.from(text) })),
    );
    const expected = { rootDevice, bootMac: mac, architecture, bootMode, connections } as const;
    return withoutIgnored(checkHardware(expected, machine), io);
  };
}
