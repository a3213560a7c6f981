/** Says what is usually behind text that is not JSON, and behind a version that Ignition does not know. */

import type { SyntaxProblem } from '../formats/json/syntax.ts';
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
