/** Files that describe the network of a host: nmstate or OpenStack network data. */

import { diagnosticIn } from '../../core/finding.ts';
import { CliError } from '../../core/errors.ts';
import { isMapping } from '../../formats/mapping.ts';
import { nameInput } from '../../hosts/input/nameInput.ts';
import { refuseKeyfile } from '../../hosts/input/networkFiles.ts';
import { keysOfNetworks, readNetworkDocument } from '../../hosts/input/pastedPart.ts';
import { converters } from '../../hosts/input/networkDescription.ts';
import { readUserFile } from '../../io/files/files.ts';
import type { Io } from '../../io/io.ts';
import { report } from '../../io/report/report.ts';
import { locateLines } from '../../network/convertedKeyfile.ts';
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
 * @throws CliError if the file cannot be read, contains no mapping, or is not of this kind
 */
export async function readNetworkFile(
  file: string,
  kind: keyof typeof networkKinds,
  what: string,
  io: Io,
): Promise<string> {
  const bytes = await readUserFile(file, io, { what, maxBytes: 1024 * 1024 });
  const written = Buffer.from(bytes).toString('utf8');
  const { text, warnings, yaml } = await nameInput(file, async () => {
    const document = await readNetworkDocument(kind, written, file);
    return { ...document, yaml: await document.parse() };
  });
  report(io, warnings);
  const { value } = yaml;
  if (!isMapping(value)) {
    throw new CliError(`${file}: ${what} must be a YAML mapping`, {
      code: 'ERR_FORMAT',
      hint: 'pass a YAML or JSON file with a mapping',
    });
  }
  const { keys, name } = networkKinds[kind];
  if (keys.some((key) => Object.hasOwn(value, key))) {
    const convert = await converters[kind]();
    // Other programs convert the document on the machine, and may support more.
    const { findings, keyfiles } = convert(value);
    const errors = findings.filter(({ rule, severity }) => severity === 'error' && rule !== NOT_COVERED);
    const error = errors.pop();
    if (error === undefined) {
      for (const keyfile of keyfiles) {
        const data = Buffer.from(keyfile.text);
        refuseKeyfile({ name: keyfile.name, data, locate: locateLines(keyfile, file, yaml.locate) }, {}, io);
      }
      return text;
    }
    report(
      io,
      errors.map((other) => diagnosticIn(file, { ...other, position: yaml.locate(other.path) })),
    );
    const at = { file, ...yaml.locate(error.path) };
    throw new CliError(error.message, { code: 'ERR_FORMAT', hint: error.hint, at });
  }
  const other = networkKinds[kind === 'nmstate' ? 'networkData' : 'nmstate'];
  const isOther = other.keys.some((key) => Object.hasOwn(value, key));
  throw new CliError(`${file}: ${what}: the file contains ${isOther ? other.name : `no ${name}`}`, {
    code: 'ERR_FORMAT',
    hint: isOther ? other.hint : `pass a file with the key "${keys[0]}"`,
  });
}
