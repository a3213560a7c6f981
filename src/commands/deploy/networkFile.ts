/** Descriptions of the network of a host, nmstate or OpenStack network data, which other programs convert on the machine. */

import { CliError } from '../../core/errors.ts';
import type { Diagnostic } from '../../core/finding.ts';
import { isMapping } from '../../formats/mapping.ts';
import {
  keysOfNetworks,
  type NetworkText,
  readDescribedNetwork,
  refuseNetwork,
} from '../../hosts/input/networkDescription.ts';
import { checkKeyfiles, reportConnections } from '../../hosts/input/networkFiles.ts';
import { readUserFile } from '../../io/files/files.ts';
import type { Io } from '../../io/io.ts';
import { report } from '../../io/report/report.ts';
import { NOT_COVERED } from '../../network/documentPlace.ts';

/** The kinds of network descriptions: keys of which each has one, and what to do with one in place of the other. */
const networkKinds = {
  nmstate: {
    keys: keysOfNetworks.nmstate,
    name: 'nmstate',
    hint: 'use --nmstate for nmstate',
  },
  networkData: {
    keys: keysOfNetworks.networkData,
    name: 'OpenStack network data',
    hint: 'set network.networkData of the host in an inventory',
  },
} as const;

/**
 * The text of a YAML or JSON file that describes a network.
 * @param what for error messages
 * @throws CliError if the file cannot be read, or {@link checkNetworkText} refuses it
 */
export async function readNetworkFile(
  file: string,
  format: keyof typeof networkKinds,
  what: string,
  io: Io,
): Promise<string> {
  const bytes = await readUserFile(file, io, { what, maxBytes: 1024 * 1024 });
  return checkNetworkText({ format, text: Buffer.from(bytes).toString('utf8'), file }, what, io);
}

/**
 * Reports problems of the network and returns its text.
 * @throws CliError if it is no mapping, or not of this kind, or if NetworkManager would not apply it
 */
export async function checkNetworkText(description: NetworkText, what: string, io: Io): Promise<string> {
  const { file, format } = description;
  const reportOne = (problem: Diagnostic) => void report(io, problem);
  const network = await readDescribedNetwork(description);
  refuseOtherKind(network.value, format, `${file}: ${what}`);
  // The other programs may support more.
  const findings = network.findings.filter(({ rule }) => rule !== NOT_COVERED);
  refuseNetwork({ ...network, findings }, reportOne);
  reportConnections(checkKeyfiles(network.keyfiles, {}, io), io);
  return network.text;
}

/** @param subject for messages */
function refuseOtherKind(value: unknown, format: keyof typeof networkKinds, subject: string): void {
  if (!isMapping(value)) {
    throw new CliError(`${subject} must be a YAML mapping`, {
      code: 'ERR_FORMAT',
      hint: 'pass a YAML or JSON file with a mapping',
    });
  }
  const { keys } = networkKinds[format];
  if (keys.some((key) => Object.hasOwn(value, key))) return;
  const other = networkKinds[format === 'nmstate' ? 'networkData' : 'nmstate'];
  const isOther = other.keys.some((key) => Object.hasOwn(value, key));
  const { name } = isOther ? other : networkKinds[format];
  throw new CliError(`${subject}: the file contains ${isOther ? name : `no ${name}`}`, {
    code: 'ERR_FORMAT',
    hint: isOther ? other.hint : `pass a file with the key "${keys[0]}"`,
  });
}
