/** Hints for text that is not JSON, and for unsupported spec versions. */

import { detectCompression } from '../formats/compressionFormat.ts';
import { quoteText } from '../core/foreignText.ts';
import { type SpecVersion, specVersions } from './versions.ts';

/** Hints by the error of Go, which ends before the first text that does not fit. */
const syntaxHints: readonly (readonly [message: RegExp, hint: string])[] = [
  [
    /^unexpected end/,
    'close all quotes and brackets: the document ends too early, or the file is incomplete',
  ],
  [/'}' looking for beginning of object key string$/, 'remove the comma before the "}"'],
  [/']' looking for beginning of value$/, 'remove the comma before the "]"'],
  [
    /'{' after top-level value$/,
    'write one document per file; "ironic-coreos ignition merge" merges several configs',
  ],
  [/after top-level value$/, 'remove the text after the end of the document'],
  [
    /'\\[nr]' in string literal$/,
    'close the string on the line where it starts, and write a line feed as \\n',
  ],
  [/'\\t' in string literal$/, 'write a tab inside a string as \\t'],
  [/in string literal$/, 'write control characters as \\u and four digits'],
  [/in string escape code$/, 'write a backslash as \\\\'],
  [
    /'"' after (?:array element|object key:value pair)$/,
    'add the missing comma before this, or write a quote inside a string as \\"',
  ],
  [/'\\'' looking for/, 'use double quotes'],
  [/'[/#]' looking for/, 'remove the comment: JSON does not support comments'],
];

/** Hints by the beginning of a document that is no JSON: the error may be later than the cause, as `---` starts like a number. */
const beginningHints: readonly (readonly [beginning: RegExp, hint: string])[] = [
  [/^\xef/, 'save the document as UTF-8 without a byte order mark'],
  [/^[\xfe\xff]/, 'save the document as UTF-8; it seems to be UTF-16'],
  [/^</, 'download the config again: this is HTML or XML, for example the error page of a web server'],
  // `{"`, `{ ` or `{` and a line break, encoded.
  [/^(?:eyJ|eyA|ew[o0])[\w+/]{5}/, 'decode the document first: it is encoded as base64'],
  [/^variant:/, 'translate the Butane config first, with `ironic-coreos ignition from-butane`'],
  [
    /^(?:---|#(?!!)|[a-z_]+:(?:\s|$))/i,
    'add "variant: fcos" and "version: 1.6.0" if this is a Butane config; name an Ignition config that is written in YAML *.yaml',
  ],
];

/**
 * A hint for the error of a JSON text; undefined if the hint of the rule is sufficient.
 * @param offset number of bytes read, the offending one included
 */
export function syntaxHint(message: string, offset: number, bytes: Uint8Array): string | undefined {
  const start = bytes.findIndex((byte) => !(byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)));
  const format = detectCompression(bytes.subarray(start));
  if (format !== 'none') return `decompress the document first: it is compressed with ${format}`;
  const beginning = Buffer.from(bytes.subarray(start, start + 40)).toString('latin1');
  const [, hint] =
    beginningHints.find(([pattern]) => pattern.test(beginning)) ??
    (offset - 1 === start ? [] : syntaxHints.find(([pattern]) => pattern.test(message))) ??
    [];
  return hint;
}

/** `text` is the version in the config; undefined if the hint of the rule is sufficient. */
export function versionHint(text: string): string | undefined {
  if (/^v\d/.test(text)) return `remove the "v": ${quoteText(text.slice(1, 40))}`;
  if (/^[12]\./.test(text)) {
    return 'convert this config of the Container Linux era to spec 3, e.g. with ign-converter';
  }
  const known = intendedVersion(text);
  if (known !== undefined) return `use "${known}"`;
  if (/^3\.\d+\.[1-9]\d*$/.test(text))
    return 'use 0 as the last number, as in 3.4.0: all spec versions end in 0';
  return undefined;
}

/** For a version with a part missing, such as `3.4`. */
export function intendedVersion(text: string): SpecVersion | undefined {
  return specVersions.find(
    (version) => release(version) === release(text) || release(version).startsWith(`${release(text)}.`),
  );
}

function release(version: string): string {
  return /^[\d.]*/.exec(version.trim())?.[0] ?? '';
}
