/**
 * The YAML files of the user for /etc/coreos/installer.d, which coreos-installer reads. Conflicts between values are left to the
 * installer. A number is accepted as a string, as in the installer.
 */

import { isUtf8 } from 'node:buffer';
import { CliError, type FilePlace, FormatError, orFormatError } from '../../core/errors.ts';
import type { Path } from '../../core/finding.ts';
import { isMapping } from '../../formats/mapping.ts';
import { parseYaml } from '../../formats/yaml.ts';
import { parseConsole } from './installerConsole.ts';

/** The value of `dest-device` in a file of the user, and where it is. */
export interface InstallerDevice {
  readonly device: string;
  readonly at: FilePlace;
}

/**
 * Checks a file of the user, and returns the disk to install to, if the file sets one.
 * @param name name of the file for errors
 * @throws CliError if the installer would refuse the file, or its YAML is ambiguous
 */
export function checkInstallerConfig(content: Uint8Array, name: string): InstallerDevice | undefined {
  const refusal = (
    problem: string,
    details: Partial<Problem> & { readonly cause?: unknown } = {},
  ): CliError =>
    new CliError(`parsing installer config ${name}: ${problem}`, {
      code: 'ERR_CONFIG_INVALID',
      hint: details.hint ?? 'use YAML with the options of coreos-installer',
      cause: details.cause,
    });
  if (!isUtf8(content)) throw refusal('the file is not UTF-8');
  const yaml = orFormatError(() => parseYaml(new TextDecoder().decode(content)));
  if (yaml instanceof FormatError) throw refusal(yaml.message, { hint: yaml.hint, cause: yaml });
  const config = yaml.value ?? {};
  const problem = findProblem(config);
  if (problem !== undefined) {
    const position = yaml.locate(problem.path);
    const where = position === undefined ? '' : ` at line ${position.line} column ${position.column}`;
    throw refusal(`${problem.message}${where}`, problem);
  }
  const device = isMapping(config) ? config['dest-device'] : undefined;
  if (typeof device !== 'string') return undefined;
  return { device, at: { file: name, ...yaml.locate(['dest-device']) } };
}

interface Problem {
  readonly message: string;
  readonly hint?: string | undefined;
}

function findProblem(config: unknown): (Problem & { readonly path: Path }) | undefined {
  if (!isMapping(config)) return { path: [], message: 'the file is not a mapping' };
  for (const [key, value] of Object.entries(config)) {
    const check = checks.get(key);
    if (check === undefined) {
      const hint = `use one of these keys: ${[...checks.keys()].join(', ')}`;
      return { path: [key], message: `unknown field \`${key}\``, hint };
    }
    const isList = Array.isArray(check);
    if (isList && value !== null && !Array.isArray(value))
      return { path: [key], message: `${key}: expected a list` };
    const items: readonly unknown[] = !isList ? [value] : Array.isArray(value) ? value : [];
    for (const [index, item] of items.entries()) {
      const problem = (isList ? check[0] : check)(item);
      if (problem === undefined) continue;
      const { hint, message } = problem;
      return { path: isList ? [key, index] : [key], message: `${key}: ${message}`, hint };
    }
  }
  return undefined;
}

type Check = (value: unknown) => Problem | undefined;

/** Check of a value that may be missing. */
function expected(what: string, isValid: (text: string) => boolean = () => true): Check {
  return (value) =>
    value === null || (isScalar(value) && isValid(String(value)))
      ? undefined
      : { message: `expected ${what}` };
}

function isScalar(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

const text = expected('a string');

const url = expected('a URL with scheme and host', (value) => URL.canParse(value));

const hash = expected('sha256- or sha512- and the digest in hexadecimal digits', (value) =>
  /^(?:sha256-[0-9a-f]{64}|sha512-[0-9a-f]{128})$/i.test(value),
);

const retries = expected(
  'a number or "infinite"',
  (value) => value === 'infinite' || (/^[0-9]+$/.test(value) && Number(value) < 2 ** 32),
);

const flag: Check = (value) =>
  typeof value === 'boolean' ? undefined : { message: 'expected true or false' };

const consoleSpec: Check = (value) => {
  if (typeof value !== 'string') return { message: 'expected a console' };
  const parsed = parseConsole(value);
  return typeof parsed === 'string' ? undefined : parsed;
};

/** Of each option; in a list, of each item. */
const checks: ReadonlyMap<string, Check | readonly [Check]> = new Map<string, Check | readonly [Check]>([
  ['stream', text],
  ['image-url', url],
  ['image-file', text],
  ['ignition-file', text],
  ['ignition-url', url],
  ['ignition-hash', hash],
  ['architecture', text],
  ['platform', text],
  ['console', [consoleSpec]],
  ['append-karg', [text]],
  ['delete-karg', [text]],
  ['copy-network', flag],
  ['network-dir', text],
  ['save-partlabel', [text]],
  ['save-partindex', [text]],
  ['offline', flag],
  ['insecure', flag],
  ['insecure-ignition', flag],
  ['stream-base-url', url],
  ['preserve-on-error', flag],
  ['fetch-retries', retries],
  ['secure-ipl', flag],
  ['dest-device', text],
]);
