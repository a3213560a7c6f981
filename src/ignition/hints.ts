/** Hints for text that is not JSON, and for unsupported spec versions. */

import { detectCompression } from '../formats/compressionFormat.ts';
import { quoteText } from '../core/foreignText.ts';
import { type SpecVersion, specVersions } from './versions.ts';

/**
 * A hint for the error of a JSON text; undefined if the hint of the rule is sufficient.
 * @param offset number of bytes read, the offending one included
 */
export function syntaxHint(message: string, offset: number, bytes: Uint8Array): string | undefined {
  if (message.startsWith('unexpected end')) {
    return 'close all quotes and brackets: the document ends too early, or the file is incomplete';
  }
  const at = offset - 1;
  const start = bytes.findIndex((byte) => !(byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)));
  const beginning = beginningHint(bytes, start);
  if (beginning !== undefined || at === start) return beginning;
  const byte = bytes[at];
  if (message.endsWith('object key string') && byte === 0x7d) return 'remove the comma before the "}"';
  if (message.endsWith('beginning of value') && byte === 0x5d) return 'remove the comma before the "]"';
  if (message.endsWith('after top-level value')) {
    return byte === 0x7b
      ? 'write one document per file; "ironic-coreos ignition merge" merges several configs'
      : 'remove the text after the end of the document';
  }
  if (message.endsWith('in string literal')) {
    if (byte === 0x0a || byte === 0x0d)
      return 'close the string on the line where it starts, and write a line feed as \\n';
    return byte === 0x09
      ? 'write a tab inside a string as \\t'
      : 'write control characters as \\u and four digits';
  }
  if (message.endsWith('in string escape code')) return 'write a backslash as \\\\';
  if (/^invalid character '"' after (array element|object key:value pair)$/.test(message)) {
    return 'add the missing comma before this, or write a quote inside a string as \\"';
  }
  if (message.includes('looking for')) {
    if (byte === 0x27) return 'use double quotes';
    return byte === 0x2f || byte === 0x23 ? 'remove the comment: JSON does not support comments' : undefined;
  }
  return undefined;
}

/** If the document is not JSON at all, the error may be later than the cause: `---` starts like a number. */
function beginningHint(bytes: Uint8Array, start: number): string | undefined {
  const first = bytes[start];
  if (first === 0xef) return 'save the document as UTF-8 without a byte order mark';
  if (first === 0xff || first === 0xfe) return 'save the document as UTF-8; it seems to be UTF-16';
  const format = detectCompression(bytes.subarray(start));
  if (format !== 'none') return `decompress the document first: it is compressed with ${format}`;
  const text = Buffer.from(bytes.subarray(start, start + 40)).toString('latin1');
  if (text.startsWith('<')) {
    return 'download the config again: this is HTML or XML, for example the error page of a web server';
  }
  // `{"`, `{ ` or `{` and a line break, encoded.
  if (/^(eyJ|eyA|ew[o0])[\w+/]{5}/.test(text)) return 'decode the document first: it is encoded as base64';
  if (text.startsWith('variant:'))
    return 'translate the Butane config first, with `ironic-coreos ignition from-butane`';
  return /^(---|#(?!!)|[a-z_]+:(\s|$))/i.test(text)
    ? 'add "variant: fcos" and "version: 1.6.0" if this is a Butane config; name an Ignition config that is written in YAML *.yaml'
    : undefined;
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

/** The version without pre-release and metadata. */
function release(version: string): string {
  return /^[\d.]*/.exec(version.trim())?.[0] ?? '';
}
