/** User names and passwords of BMCs: from a file or the environment, never from the command line. */

import { CliError, FormatError } from '../../core/errors.ts';
import { deepestNode, targetOf } from '../../formats/documentTree.ts';
import { valueAt } from '../../formats/mapping.ts';
import { parseYaml, type YamlDocument } from '../../formats/yaml.ts';
import { readSecretFile } from '../../io/files/secretFile.ts';
import type { Io } from '../../io/io.ts';
import { report } from '../../io/report/report.ts';
import type { RedfishCredentials } from '../../redfish/redfishClient.ts';

const USERNAME = 'IRONIC_COREOS_BMC_USERNAME';
const PASSWORD = 'IRONIC_COREOS_BMC_PASSWORD';
const MAX_CREDENTIALS = 64 * 1024;

/**
 * @param file a YAML or JSON file with `username` and `password`, or a Secret of Kubernetes; undefined for the environment
 * @param host for error messages
 * @throws CliError without a part of the file
 */
export async function readBmcCredentials(
  file: string | undefined,
  host: string,
  io: Io,
): Promise<RedfishCredentials> {
  if (file === undefined) return fromEnvironment(host, io);
  const expected = { what: 'Credentials of the BMC', maxBytes: MAX_CREDENTIALS };
  const { password, username } = credentialsIn(await readSecretFile(file, io, expected), file);
  if (username !== undefined && password !== undefined) {
    warnOfLineBreak('user name', username, file, io);
    warnOfLineBreak('password', password, file, io);
    return { username, password };
  }
  throw new CliError(`${file} contains no ${username === undefined ? 'username' : 'password'}`, {
    code: 'ERR_SETTING',
    hint: 'write two lines to it: username: NAME and password: "PASSWORD"',
  });
}

/** `echo PASSWORD | base64` encodes the line break, too. */
function warnOfLineBreak(what: 'user name' | 'password', text: string, file: string, io: Io): void {
  if (!/[\r\n]$/.test(text)) return;
  report(io, {
    severity: 'warning',
    message: `the ${what} in ${file} ends with a line break`,
    hint: "encode it without the line break: printf %s 'TEXT' | base64",
  });
}

function fromEnvironment(host: string, { env }: Io): RedfishCredentials {
  const { [USERNAME]: username, [PASSWORD]: password } = env;
  if (username !== undefined && password !== undefined) return { username, password };
  throw new CliError(`no credentials for the BMC of ${host}`, {
    code: 'ERR_SETTING',
    hint: `pass --credentials FILE, add bmc.credentialsFile to the inventory, or set ${USERNAME} and ${PASSWORD}`,
  });
}

function credentialsIn(text: string, file: string): Record<keyof RedfishCredentials, string | undefined> {
  const { root, value } = parseCredentials(text, file);
  const read = (key: string): string | undefined => {
    const path = valueAt(value, ['stringData', key]) === undefined ? [key] : ['stringData', key];
    const own = valueAt(value, path);
    if (typeof own === 'string') return own;
    if (typeof own === 'number') {
      // As it is written: YAML reads 0x1F as 31.
      const node = root && targetOf(deepestNode(root, path));
      return node?.kind === 'scalar' ? node.text : String(own);
    }
    const secret = valueAt(value, ['data', key]);
    return typeof secret === 'string' ? Buffer.from(secret, 'base64').toString('utf8') : undefined;
  };
  return { username: read('username'), password: read('password') };
}

/** The errors of the parser quote the line, so only the position is taken from them. */
function parseCredentials(text: string, file: string): YamlDocument {
  try {
    return parseYaml(text);
  } catch (error) {
    const position = error instanceof FormatError ? error.position : undefined;
    throw new CliError('this is not valid YAML or JSON', {
      code: 'ERR_SETTING',
      at: { file, ...position },
      hint: "put the password in single quotes: password: 'PASSWORD'",
    });
  }
}
