/**
 * Parses the texts of settings. Profiles of upstream generators have parsers of their own in `profiles/`. All functions throw
 * FormatError without a subject; for URLs they throw UsageError with the whole message.
 */

import { parseCaCertificates } from '../formats/caCertificates.ts';
import { CliError, FormatError, UsageError } from '../core/errors.ts';
import { machineNameProblem } from '../formats/hostName.ts';
import { nearestName } from '../core/nearestNames.ts';
import { checkSshPublicKey, splitAuthorizedKeys } from '../formats/sshKey.ts';
import { formatIronicUrl, parseIronicUrl, type UrlSource } from './ironicUrl.ts';
import type { ParseContext } from './parseContext.ts';
import { checkTimeServerNames, DEFAULT_HINT, refuseCharacter } from './profiles/icc.ts';
import { splitList } from './proxy.ts';
import { parsePullSecret } from './pullSecret.ts';
import { readRegistriesConf } from './registriesConf.ts';

export function parsePort(text: string): number {
  if (/^[1-9][0-9]{0,4}$/.test(text) && Number(text) <= 65535) return Number(text);
  throw new FormatError('is not a valid port', { hint: 'use a number from 1 to 65535' });
}

/** The certificates without comments. */
export function parseCertificates(text: string, { warn }: ParseContext): string {
  const { pem, warnings } = parseCaCertificates(text, new Date());
  for (const warning of warnings)
    warn({ severity: 'warning', message: `has an invalid certificate: ${warning}` });
  return pem;
}

/** The text unchanged, as ICC writes it. */
export function checkIccCertificates(text: string, context: ParseContext): string {
  parseCertificates(text, context);
  return text;
}

/** The generators copy a variable to a data URL, so it is base64 on one line. ICC ignores an empty file. */
export function parseEncodedSecret(text: string, { file }: ParseContext): string | undefined {
  const base64 = text.trim();
  if (file !== undefined) return base64 === '' ? undefined : parsePullSecret(text);
  const json = parsePullSecret(base64);
  if (Buffer.from(json).toString('base64') === base64) return json;
  throw new FormatError('is not base64 on one line, so Ignition could not decode the resulting data URL', {
    hint: 'encode it with: base64 -w 0',
  });
}

/** Throws CliError for the first mistake for which podman does not read the file; its hint names the places of the others. */
export function parseRegistries(text: string, context: ParseContext): string | undefined {
  if (text === '') throw new FormatError('is empty', { hint: 'pass a file with [[registry]] tables' });
  return parseIccRegistries(text, context);
}

/** ICC ignores an empty file. */
export function parseIccRegistries(
  text: string,
  { file = 'registries.conf' }: ParseContext,
): string | undefined {
  if (text === '') return undefined;
  const [first, ...others] = readRegistriesConf(text).issues;
  if (first === undefined) return text;
  const more = others.map(({ position: { column, line } }) => `${line}:${column}`);
  throw new CliError(first.message, {
    code: 'ERR_SETTING',
    at: { file, ...first.position },
    hint: more.length === 0 ? first.hint : `${first.hint}; also fix ${more.slice(0, 5).join(', ')}`,
  });
}

/** The lines are joined to one file, so none may contain a line break. Messages never quote the value: it may be secret. */
export function checkOptionLine(line: string): string {
  if (/[\r\n]/.test(line)) {
    throw new FormatError('contains a line break', { hint: 'use one --option for each line' });
  }
  if (/^[ \t]+[^ \t]/.test(line)) {
    throw new FormatError('starts with whitespace and would continue the previous line', {
      hint: 'remove the leading whitespace',
    });
  }
  return line;
}

/** podman would use a word that is not a flag as the image. */
export function checkPodmanArg(text: string): string {
  if (/^-[^\0]+$/s.test(text)) return text;
  throw new FormatError('is not a flag', { hint: 'write flag and value with "=": --memory=2g' });
}

/** A variable has several arguments of `podman pull`, a flag or file one. */
export function parsePullArgs(text: string, { origin }: ParseContext): readonly string[] {
  if (origin !== 'environment') return [checkPodmanArg(text)];
  return text.split(/\s+/).filter((word) => word !== '');
}

/**
 * Whether a text is a key and not a path, such as `my ssh-keys here/id.pub`: each key starts with the length of its type, which
 * is AAAA in base64. Includes private keys: the message `not found: …` must not quote them.
 */
export const SSH_KEY = /PRIVATE KEY|(?:^|\s)(?:ssh|ecdsa|sk|rsa)-[a-z0-9@.-]+\s+AAAA/;

export const NEW_KEY_HINT =
  'create a key with "ssh-keygen -t ed25519", or pass the file of another public key';

/** Lines of `authorized_keys`. Keys of unknown types are kept with a warning: sshd on the host may support them. */
export function parseKeys(text: string, context: ParseContext): readonly string[] {
  const keys = SSH_KEY.test(text) ? splitAuthorizedKeys(text) : [];
  return checkKeys(text, keys, context);
}

/** One key, because ICC would write several lines as one entry. The generators write any text of a variable. */
export function parseSingleKey(text: string, context: ParseContext): readonly string[] {
  const keys = context.file === undefined || SSH_KEY.test(text) ? splitAuthorizedKeys(text) : [];
  if (keys.length === 0 || text.trim() === keys[0]) return checkKeys(text, keys, context);
  throw new FormatError('contains more than one SSH key; ICC would write all of them as one entry', {
    hint: 'pass one key, or use the default profile, which supports several',
  });
}

function checkKeys(text: string, keys: readonly string[], { warn }: ParseContext): readonly string[] {
  if (text.includes('PRIVATE KEY')) {
    throw new FormatError('is a private key', { hint: 'pass the public key, in the file that ends in .pub' });
  }
  if (keys.length === 0) {
    throw new FormatError('contains no SSH public key', {
      hint: 'use lines of a .pub file, such as "ssh-ed25519 AAAA… comment"',
    });
  }
  for (const [index, key] of keys.entries()) {
    const check = checkSshPublicKey(key);
    const problem = check.ok ? check.weakness : check.reason;
    if (problem !== undefined)
      warn({
        severity: 'warning',
        message: `contains a key in line ${index + 1} that may not work: ${problem}`,
      });
  }
  return keys;
}

export function checkHostname(text: string): string {
  const problem = machineNameProblem(text);
  if (problem === undefined) return text;
  throw new FormatError(`is not a valid host name: ${problem}`, {
    hint: 'use a name such as worker-0.example.com',
  });
}

/** A single argument, which coreos-installer adds to the command line of the boot loader. */
export function checkKernelArgument(text: string): string {
  if (/^[!#-~]+(?: [!#-~]+)*$/.test(text)) return text;
  throw new FormatError('is not a kernel argument', {
    hint: 'use an argument such as ip=dhcp6; quotes are not supported',
  });
}

/** One or more servers, separated by commas. */
export function parseNtpServers(text: string): string[] {
  const hint = 'use names or addresses, such as pool.ntp.org or 192.0.2.1';
  const servers = checkTimeServerNames(splitList(text), hint);
  if (servers.length === 0)
    throw new FormatError('contains no server', { hint: 'remove the option to set no server' });
  return servers;
}

/** A single base URL without a path. The script appends the port; ironic-image of today sets a URL with it. */
export function parseScriptUrl(text: string, { flag, defaultPort }: UrlSource): readonly string[] {
  const url = parseIronicUrl(text);
  if ('message' in url) throw new UsageError(`${flag}: ${url.message}`, { hint: url.hint });
  if (url.path !== '') {
    throw new UsageError(
      `${flag}: the URL must not contain a path, because configure-coreos-ipa appends paths`,
      {
        hint: 'remove the path, or use the default profile',
      },
    );
  }
  return [formatIronicUrl({ ...url, port: url.port ?? defaultPort })];
}

/** The script writes the arguments to JSON and a unit without escaping. */
export function parseScriptFlags(text: string, context: ParseContext): readonly string[] {
  if (context.origin !== 'environment') return parsePullArgs(text, context);
  const end = 'which the script writes to the unit without escaping';
  const plain = refuseCharacter(text, /["'%$\\;\p{Cc}]/u, end, DEFAULT_HINT);
  return plain.split(' ').filter((word) => word !== '');
}

/** The value of the agent's option for VLANs: `all`, interfaces, or empty for none. */
export function parseScriptVlans(text: string): string {
  if (!/[\p{Cc}]/u.test(text.trim())) return text.trim();
  throw new FormatError('contains a control character', {
    hint: 'use all, or interfaces such as eno1,eno2.100',
  });
}

const INTERFACE_NAME = /^[^\s/:%"'\\$\p{Cc}][^\s/%"'\\$\p{Cc}]{0,30}$/u;

/**
 * The value of the agent's option `enable_vlan_interfaces` (VLANs announced by LLDP become interfaces of the ramdisk) for
 * a mode (`always`, `never`, `auto`, in any case) or a list of interfaces, with or without VLAN. With `auto`, a network
 * configuration of the host disables VLANs from LLDP.
 */
export function parseVlanInterfaces(text: string, { hasNetwork }: ParseContext): string {
  const word = text.trim().toLowerCase();
  if (word === 'always' || word === 'all') return 'all';
  if (word === 'never') return '';
  if (word === 'auto') return hasNetwork ? '' : 'all';
  const names = splitList(text);
  // The agent would use a mode as an interface.
  const invalid = names.find((name) => !INTERFACE_NAME.test(name) || /^(?:always|auto|never)$/i.test(name));
  const mode = nearestName(word, ['always', 'never', 'auto']);
  if (invalid === undefined && mode === undefined && names.length > 0) return names.join(',');
  throw new FormatError('is neither always, never or auto nor a list of interfaces', {
    hint: `use ${mode ?? 'interfaces such as eno1,eno2.100'}`,
  });
}
