/** Compares hosts with their machines (`--hardware`). */

import { bootModeOf } from '../../agent/hardwareChecks.ts';
import type { Finding } from '../../core/finding.ts';
import { readMachines } from '../../hosts/input/hardwareFiles.ts';
import { readDescribedNetwork } from '../../hosts/input/networkDescription.ts';
import type { Io } from '../../io/io.ts';
import { withoutIgnored } from '../../io/report/ignored.ts';
import { readConnections } from '../../network/keyfile/readKeyfile.ts';
import type { RamdiskNetwork } from './documents/bareMetalHost.ts';
import type { DeployHost } from './documents/host.ts';
import type { DeployOptions } from './options.ts';

/** What differs between a host and its machine; nothing without `--hardware`. Each file or folder is read once, for all hosts. */
export function createMachineCheck() {
  const known = new Map<string, ReturnType<typeof readMachines>>();
  return async (
    { architecture, bootMac, name, rootDevice }: DeployHost,
    { hardware: path, inventory, spec }: DeployOptions,
    network: RamdiskNetwork | undefined,
    io: Io,
  ): Promise<readonly Finding[]> => {
    if (path === undefined) return [];
    const reading = known.get(path) ?? readMachines(path, io);
    known.set(path, reading);
    const keyfiles =
      network === undefined
        ? []
        : (await readDescribedNetwork({ format: network.key, text: network.text, file: 'network' })).keyfiles;
    const connections = readConnections(
      keyfiles.map(({ name: file, text }) => ({ name: file, data: Buffer.from(text) })),
    );
    const check = await reading;
    const expected = { rootDevice, bootMac, architecture, bootMode: bootModeOf(spec), connections } as const;
    return withoutIgnored(check({ name, isOnly: inventory === undefined }, expected), io);
  };
}
