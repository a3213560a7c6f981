/** Descriptions of the network of a host, nmstate or OpenStack network data, which other programs convert on the machine. */

import type { Inputs } from '../../agent/settingInputs.ts';
import { CliError, located } from '../../core/errors.ts';
import type { Diagnostic } from '../../core/finding.ts';
import { asMapping } from '../../formats/mapping.ts';
import { formatYaml } from '../../formats/yamlText.ts';
import {
  keysOfNetworks,
  type NetworkText,
  readDescribedNetwork,
  refuseNetwork,
} from '../../hosts/input/networkDescription.ts';
import { checkKeyfiles, reportConnections } from '../../hosts/input/networkFiles.ts';
import type { InventoryHost } from '../../hosts/settings/inventoryDocument.ts';
import { pathIn } from '../../hosts/settings/reading.ts';
import { readUserFile } from '../../io/files/files.ts';
import type { Io } from '../../io/io.ts';
import { report } from '../../io/report/report.ts';
import type { Connection } from '../../network/connection.ts';
import { NOT_COVERED } from '../../network/documentPlace.ts';
import { readConnections } from '../../network/keyfile/readKeyfile.ts';
import type { RamdiskNetwork } from './documents/bareMetalHost.ts';

const networkKinds = {
  nmstate: {
    name: 'nmstate',
    hint: 'pass nmstate; for OpenStack network data, set network.networkData of the host in an inventory',
  },
  networkData: {
    name: 'OpenStack network data',
    hint: 'pass OpenStack network data; for nmstate, use --nmstate',
  },
} as const;

/** With what the machine makes of it. */
export interface ReadNetwork extends RamdiskNetwork {
  readonly connections: readonly Connection[];
}

/**
 * A YAML or JSON file that describes a network.
 * @param what for error messages
 */
export async function readNetworkFile(
  file: string,
  format: keyof typeof networkKinds,
  what: string,
  io: Io,
): Promise<ReadNetwork> {
  const bytes = await readUserFile(file, io, { what, maxBytes: 1024 * 1024 });
  return checkNetworkText({ format, text: Buffer.from(bytes).toString('utf8'), file }, what, io);
}

/** Reports problems of the network. */
async function checkNetworkText(description: NetworkText, what: string, io: Io): Promise<ReadNetwork> {
  const { file, format, text } = description;
  const reportOne = (problem: Diagnostic) => void report(io, problem);
  const network = await readDescribedNetwork(description);
  refuseOtherKind(network.value, format, `${file}: ${what}`);
  // The other programs may support more.
  const findings = network.findings.filter(({ rule }) => rule !== NOT_COVERED);
  refuseNetwork({ ...network, findings }, reportOne);
  const keyfiles = checkKeyfiles(network.keyfiles, {}, io);
  reportConnections(keyfiles, io);
  return { key: format, text, connections: readConnections(keyfiles) };
}

/** Documents of another kind have only keys that this program does not know. @param subject for messages */
function refuseOtherKind(value: unknown, format: keyof typeof networkKinds, subject: string): void {
  if (keysOfNetworks[format].some((key) => Object.hasOwn(asMapping(value), key))) return;
  const { hint, name } = networkKinds[format];
  throw new CliError(`${subject}: the file contains no ${name}`, { code: 'ERR_FORMAT', hint });
}

/** The network of the ramdisk: that of the host, or of all hosts. */
export async function readRamdiskNetwork(
  host: InventoryHost,
  shared: Inputs,
  io: Io,
): Promise<ReadNetwork | undefined> {
  const inputs = host.readInputs();
  for (const key of ['nmstate', 'networkData'] as const) {
    const value = (inputs.get(`host.${key}`) ?? shared.get(`host.${key}`))?.at(-1);
    if (value === undefined) continue;
    const { document } = value;
    const what = `${key} (${value.name})`;
    const read =
      document === undefined
        ? readNetworkFile(pathIn(value, value.text), key, what, io)
        : checkNetworkText(
            { format: key, file: document.name, text: formatYaml([document.value]), document },
            what,
            io,
          );
    return located({ at: value.at }, () => read);
  }
  return undefined;
}
