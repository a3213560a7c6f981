/**
 * Public keys in the format of `authorized_keys`, one per line (sshd(8)): `[options] type base64 [comment]`. The base64 text
 * is an SSH wire format (RFC 4253, RFC 5656, RFC 8709, OpenSSH's PROTOCOL files) that repeats the type, so damaged keys are
 * detected. Not checked: what the fields contain, the fields of certificates, and the values of options.
 */

import { trimOf } from '../core/trimming.ts';

/**
 * `reason` says why a line is no key, and `weakness` why a key is of little use although it is well formed. Both are clauses, such
 * as `the key is truncated`, and never quote the line.
 */
export type SshKeyCheck =
  | { readonly ok: true; readonly weakness: string | undefined }
  | { readonly ok: false; readonly reason: string };

const MAX_LINE_LENGTH = 32 * 1024;
const MIN_RSA_BITS = 2048;
const CERTIFICATE_SUFFIX = '-cert-v01@openssh.com';

/** The reason why a line is invalid; thrown in this file only. */
class KeyProblem extends Error {}

/** Checks one line. Line breaks and other control characters are refused, as each would start another line or key. */
export function checkSshPublicKey(line: string): SshKeyCheck {
  try {
    return { ok: true, weakness: weaknessOfLine(line) };
  } catch (error) {
    if (error instanceof KeyProblem) return { ok: false, reason: error.message };
    throw error;
  }
}

/** The key lines of a file, trimmed: without blank lines and comments. */
export function splitAuthorizedKeys(text: string): string[] {
  const lines = text.split(/\r\n|\n|\r/).map((line) => line.trim());
  return lines.filter((line) => line !== '' && !line.startsWith('#'));
}

function weaknessOfLine(line: string): string | undefined {
  if (line.trim() === '') throw new KeyProblem('it is empty');
  if (line.includes('PRIVATE KEY')) throw new KeyProblem('it is a private key; use the public key (id.pub)');
  if (line.startsWith('---- BEGIN SSH2')) {
    throw new KeyProblem('it is in the format of RFC 4716; convert it with "ssh-keygen -i -f FILE"');
  }
  if (/[\r\n]/.test(line)) throw new KeyProblem('it contains several lines; use one line per key');
  if (/(?!\t)\p{Cc}/u.test(line)) throw new KeyProblem('it contains a control character');
  if (line.length > MAX_LINE_LENGTH) throw new KeyProblem(`it is longer than ${MAX_LINE_LENGTH} characters`);
  if (line.trimStart().startsWith('#')) throw new KeyProblem('it is a comment');
  const key = withoutOptions(trimOf(line, ' \t'));
  const [, type = '', base64 = ''] = /^([^ \t]+)(?:[ \t]+([^ \t]+))?/.exec(key) ?? [];
  const isKnown = isType(type);
  if (!isKnown && !repeatsType(Buffer.from(base64, 'base64'), type)) throw new KeyProblem(unknownType(type));
  if (base64 === '') throw new KeyProblem('the key is missing after the type');
  if (isKnown && isType(base64)) throw new KeyProblem('it contains the key type twice; remove one of them');
  return isKnown
    ? findWeakness(type, base64)
    : 'the type of the key is unknown, so the host may not support it';
}

// Inside quotes, a backslash escapes quotes only.
const QUOTED = '"(?:[^"\\\\]|\\\\"|\\\\(?!"))*"';
const optionsPattern = new RegExp(`^(?:[^ \\t"]|${QUOTED})+(?=[ \\t])`);
const optionPattern = new RegExp(`(?:[^,"]|${QUOTED})+`, 'g');

/** As sshd does: what does not start with a type has to be options, up to the first blank outside quotes. */
function withoutOptions(text: string): string {
  if (isType(/^[^ \t]*/.exec(text)?.[0] ?? '')) return text;
  const options = optionsPattern.exec(text)?.[0] ?? '';
  const rest = text.slice(options.length).replace(/^[ \t]+/, '');
  const type = /^[^ \t]*/.exec(rest)?.[0] ?? '';
  // A message about the first word helps more than a message about invalid options.
  if (options === '' || !isType(type)) return text;
  // sshd ignores a key with an option that it does not know.
  for (const option of options.match(optionPattern) ?? []) {
    const [, name = '', value] = /^([^=]*)(=".*")?$/s.exec(option) ?? [];
    const known = value === undefined ? FLAG_OPTION : VALUE_OPTION;
    if (!known.test(name)) throw new KeyProblem('an option before the key is unknown or has no value');
  }
  if (/^,|,,|,$/.test(options.replaceAll(new RegExp(QUOTED, 'g'), ''))) {
    throw new KeyProblem('an option before the key is empty');
  }
  return rest;
}

function isType(word: string): boolean {
  return Object.hasOwn(keyFields, plainType(word));
}

const FLAG_OPTION =
  /^(?:cert-authority|restrict|(?:no-)?(?:agent-forwarding|port-forwarding|pty|touch-required|user-rc|verify-required|x11-forwarding))$/i;
const VALUE_OPTION = /^(?:command|environment|expiry-time|from|permitlisten|permitopen|principals|tunnel)$/i;

function plainType(type: string): string {
  if (!type.endsWith(CERTIFICATE_SUFFIX)) return type;
  const name = type.slice(0, -CERTIFICATE_SUFFIX.length);
  return name.startsWith('sk-') ? `${name}@openssh.com` : name;
}

function unknownType(type: string): string {
  if (/^rsa-sha2-(256|512)$/.test(type))
    return 'this is a signature algorithm; the type of such keys is ssh-rsa';
  if (/^AAAA[A-Za-z0-9+/]{12}/.test(type)) return 'the key type is missing before the key';
  return 'it does not start with a supported key type such as ssh-ed25519 or ssh-rsa';
}

/** Canonical base64: one text for each key, with padding and nothing else in it. */
function decodeBase64(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text)
    throw new KeyProblem('the key is truncated or modified: it is not valid base64');
  return bytes;
}

function repeatsType(bytes: Buffer, type: string): boolean {
  const start = Buffer.from([0, 0, 0, type.length & 0xff, ...Buffer.from(type)]);
  return type !== '' && bytes.subarray(0, start.length).equals(start);
}

/** Supported types, each with the number of the fields behind the type. */
const keyFields: Readonly<Record<string, number>> = {
  'ssh-ed25519': 1,
  'ssh-rsa': 2,
  'ssh-dss': 4,
  'ecdsa-sha2-nistp256': 2,
  'ecdsa-sha2-nistp384': 2,
  'ecdsa-sha2-nistp521': 2,
  'sk-ssh-ed25519@openssh.com': 2,
  'sk-ecdsa-sha2-nistp256@openssh.com': 3,
};

/** The fields of a plain key behind its type, each with its length in front as a number of 32 bits (RFC 4251, section 5). */
function readFields(bytes: Buffer, type: string): readonly Buffer[] {
  const fields: Buffer[] = [];
  for (let end = 0; end < bytes.length;) {
    const start = end + 4;
    end = start > bytes.length ? start : start + bytes.readUInt32BE(end);
    if (end > bytes.length) throw new KeyProblem('the key is truncated');
    fields.push(bytes.subarray(start, end));
  }
  const expected = 1 + (keyFields[type] ?? 0);
  if (fields.length < expected) throw new KeyProblem('the key is truncated');
  if (fields.length > expected) throw new KeyProblem('the key has extra data at its end');
  return fields.slice(1);
}

function findWeakness(type: string, base64: string): string | undefined {
  const bytes = decodeBase64(base64);
  if (!repeatsType(bytes, type)) throw new KeyProblem('the key does not match the type before it');
  // A certificate has fields without a length.
  if (type.endsWith(CERTIFICATE_SUFFIX))
    return 'a certificate in authorized_keys allows no login; use the plain key';
  const [, modulus] = readFields(bytes, type);
  if (type === 'ssh-dss') return 'OpenSSH no longer supports ssh-dss keys';
  if (type !== 'ssh-rsa' || modulus === undefined) return undefined;
  const bits = BigInt(`0x0${modulus.toString('hex')}`)
    .toString(2)
    .replace(/^0/, '').length;
  if (bits < MIN_RSA_BITS) {
    return `the RSA key has only ${bits} bits; at least ${MIN_RSA_BITS} are secure`;
  }
  return undefined;
}
