/** Hints about common mistakes: text that is not JSON, unknown versions of the spec, and values of a wrong type. */

import { formatPath } from '../core/finding.ts';
import type { SyntaxProblem } from '../formats/json/syntax.ts';
import type { TypeMismatch } from './decode.ts';
import { specVersions } from './versions.ts';

/** One sentence on a problem in `bytes`; undefined if nothing better than the rule's own hint is known. */
export function syntaxHint({ message, offset }: SyntaxProblem, bytes: Uint8Array): string | undefined {
  if (message.startsWith('unexpected end')) {
    return 'the document ends too early: a quote or a bracket is not closed, or the file is cut off';
  }
  const at = offset - 1;
  const start = bytes.findIndex((byte) => !isBlank(byte));
  const beginning = beginningHint(bytes, start);
  if (beginning !== undefined || at === start) return beginning;
  const byte = bytes[at];
  if (message.endsWith('object key string') && byte === 0x7d) return 'remove the comma before the "}"';
  if (message.endsWith('beginning of value') && byte === 0x5d) return 'remove the comma before the "]"';
  if (message.endsWith('in string literal')) return controlHint(byte);
  if (message.endsWith('in string escape code')) return 'write a backslash as \\\\';
  if (/^invalid character '"' after (array element|object key:value pair)$/.test(message)) {
    return 'a comma is missing before this, or a quote inside a string is not written as \\"';
  }
  if (message.includes('looking for')) return tokenHint(byte);
  return undefined;
}

/** Of a document that never was JSON, the error may come later: `---` begins like a number. */
function beginningHint(bytes: Uint8Array, start: number): string | undefined {
  const [first, second] = bytes.subarray(start);
  if (first === 0xef) return 'the document starts with a byte order mark: save it as UTF-8 without one';
  if (first === 0xff || first === 0xfe) return 'the document seems to be UTF-16: save it as UTF-8';
  if (first === 0x1f && second === 0x8b) return 'the document is compressed with gzip: decompress it first';
  const text = Buffer.from(bytes.subarray(start, start + 40)).toString('latin1');
  return /^(---|#|[a-z_]+:)/i.test(text)
    ? 'this looks like YAML: Ignition reads only JSON; translate a Butane config with butane first'
    : undefined;
}

function controlHint(byte: number | undefined): string {
  if (byte === 0x0a || byte === 0x0d)
    return 'a string ends on the line where it starts: write a line feed as \\n';
  return byte === 0x09
    ? 'write a tab inside a string as \\t'
    : 'write control characters as \\u and four digits';
}

function tokenHint(byte: number | undefined): string | undefined {
  if (byte === 0x27) return 'JSON knows only double quotes';
  return byte === 0x2f || byte === 0x23 ? 'JSON knows no comments: remove it' : undefined;
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

/** `text` is what the config names; undefined if nothing better than the rule's own hint is known. */
export function versionHint(text: string): string | undefined {
  if (text.length > longestVersion) return undefined;
  if (/^v\d/.test(text)) return `leave out the "v": ${JSON.stringify(text.slice(1, 40))}`;
  if (/^[12]\./.test(text)) {
    return 'this is a config of the Container Linux era: convert it to spec 3, e.g. with ign-converter';
  }
  const known = specVersions.find(
    (version) => release(version) === release(text) || release(version).startsWith(`${release(text)}.`),
  );
  if (known !== undefined) return `the spec has ${known}: write "${known}"`;
  if (/^3\.\d+\.[1-9]\d*$/.test(text)) return 'the last number of a spec version is always 0, as in 3.4.0';
  return undefined;
}

const longestVersion = 100;

/** The version without pre-release and metadata. */
function release(version: string): string {
  return /^[\d.]*/.exec(version.trim())?.[0] ?? '';
}

// Says what somebody should have written in place of a value of the wrong type.

type MismatchKind = Pick<TypeMismatch, 'path' | 'wanted' | 'found'>;

/** One sentence that names the place and, where it can be guessed, the right value. */
export function typeHint(mismatch: MismatchKind): string {
  const { path, wanted, found } = mismatch;
  const place = path.length === 0 ? 'the document' : formatPath(path).slice('$.'.length);
  return `${place} ${specificHint(mismatch) ?? `has to be ${describeType(wanted)}, not ${describeValue(found)}`}`;
}

function specificHint({ path, wanted, found }: MismatchKind): string | undefined {
  const text = found.startsWith('"') ? found.slice(1, -1) : undefined;
  const isMode = path.at(-1) === 'mode';
  if (wanted === 'int' && text !== undefined) return isMode ? modeHint(text) : numberHint(text);
  if (wanted === 'int' && /^-?\d/.test(found))
    return 'has to be an integer of at most 64 bits, in digits only';
  if (wanted === 'bool' && (text === 'true' || text === 'false')) return `has to be ${text}, without quotes`;
  if (wanted === 'string' && isShortScalar(found)) return `has to be a string: put quotes around ${found}`;
  if (wanted.startsWith('[]') && found !== '[') return 'has to be a list: put [ ] around it';
  if (isResource(wanted) && text !== undefined)
    return 'has to be an object: {"source": "data:,…"} or another URL';
  return undefined;
}

/** JSON has no octal numbers, so people put them in quotes. */
function modeHint(text: string): string {
  const octal = /^(?:0o?)?([0-7]{1,5})$/.exec(text)?.[1];
  return octal === undefined
    ? 'has to be a decimal number: 0644 is written 420'
    : `has to be a decimal number without quotes: octal ${octal} is written ${Number.parseInt(octal, 8)}`;
}

function numberHint(text: string): string | undefined {
  return /^-?\d{1,18}$/.test(text) ? `has to be a number: write ${BigInt(text)}, without quotes` : undefined;
}

function isShortScalar(found: string): boolean {
  return /^[-\dtf]/.test(found) && found.length <= 40;
}

function isResource(wanted: string): boolean {
  return ['types.Resource', 'types.FileContents', 'types.ConfigReference', 'types.CaReference'].includes(
    wanted,
  );
}

function describeType(wanted: string): string {
  if (wanted === 'int') return 'an integer';
  if (wanted === 'bool') return 'true or false';
  if (wanted.startsWith('[]') || wanted === 'types.HTTPHeaders') return 'a list';
  return wanted === 'string' || stringTypes.has(wanted) ? 'a string' : 'an object';
}

/** Go's names for the strings in lists. */
const stringTypes = new Set(
  [
    'Device',
    'FilesystemOption',
    'Group',
    'KernelArgument',
    'LuksOption',
    'MountOption',
    'NoProxyItem',
    'OpenOption',
    'RaidOption',
    'SSHAuthorizedKey',
  ].map((name) => `types.${name}`),
);

function describeValue(found: string): string {
  if (found === '{') return 'an object';
  if (found === '[') return 'a list';
  if (found.startsWith('"')) return 'a string';
  return /^[tf]/.test(found) ? 'true or false' : 'a number';
}
