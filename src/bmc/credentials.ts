/** The user name and the password of a BMC: from a file or the environment, never from the command line. */

import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Diagnostic } from '../core/diagnostic.ts';
import { CliError, FormatError } from '../core/errors.ts';
import { asMapping, type Mapping } from '../formats/mapping.ts';
import { parseYaml } from '../formats/yaml.ts';
import { readUserFile } from '../io/files/files.ts';
import { canAllRead } from '../io/files/platform.ts';
import type { Io } from '../io/io.ts';
import type { RedfishCredentials } from '../io/redfish/redfishClient.ts';
import { report } from '../io/report/report.ts';

const USERNAME = 'IRONIC_COREOS_BMC_USERNAME';
const PASSWORD = 'IRONIC_COREOS_BMC_PASSWORD';
const MAX_FILE = 64 * 1024;

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
  const bytes = await readUserFile(file, io, { what: 'Credentials of the BMC', maxBytes: MAX_FILE });
  const stats = await stat(resolve(io.cwd, file)).catch(() => undefined);
  if (stats !== undefined && canAllRead(stats)) {
    report(io, {
      severity: 'warning',
      message: `all users of this machine can read ${file}`,
      hint: `run: chmod o= ${file}`,
    });
  }
  const { password, username } = fieldsOf(parse(Buffer.from(bytes).toString('utf8'), file));
  if (username !== undefined && password !== undefined) {
    if (/[\r\n]$/.test(password)) report(io, lineBreakWarning(file));
    return { username, password };
  }
  throw new CliError(`${file} contains no ${username === undefined ? 'username' : 'password'}`, {
    code: 'ERR_SETTING',
    hint: 'write two lines to it: username: NAME and password: "PASSWORD"',
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

/** `echo PASSWORD | base64` encodes the line break, too. */
function lineBreakWarning(file: string): Diagnostic {
  return {
    severity: 'warning',
    message: `the password in ${file} ends with a line break`,
    hint: "encode it without the line break: printf %s 'PASSWORD' | base64",
  };
}

function fieldsOf(value: Mapping): Record<keyof RedfishCredentials, string | undefined> {
  const plain = { ...value, ...asMapping(value['stringData']) };
  const encoded = asMapping(value['data']);
  const read = (key: string): string | undefined => {
    const own = plain[key];
    if (typeof own === 'string' || typeof own === 'number') return String(own);
    const secret = encoded[key];
    return typeof secret === 'string' ? Buffer.from(secret, 'base64').toString('utf8') : undefined;
  };
  return { username: read('username'), password: read('password') };
}

/** The errors of the parser quote the line, so only the position is taken from them. */
function parse(text: string, file: string): Mapping {
  try {
    return asMapping(parseYaml(text).value);
  } catch (error) {
    const position = error instanceof FormatError ? error.position : undefined;
    throw new CliError('this is not valid YAML or JSON', {
      code: 'ERR_SETTING',
      at: { file, ...position },
      hint: "put the password in single quotes: password: 'PASSWORD'",
    });
  }
}
