/** Hints for values of an invalid type: the values that were probably intended. */

import { formatPath } from '../core/finding.ts';
import type { DocumentNode } from '../formats/documentTree.ts';
import { isString, type TypeMismatch } from './decodeJson.ts';
import { intendedVersion } from './hints.ts';

/** One sentence with the path and, if it can be guessed, the intended value. */
export function typeHint(mismatch: TypeMismatch): string {
  const { path, expected, found } = mismatch;
  const place = path.length === 0 ? 'the document' : formatPath(path).slice('$.'.length);
  return (
    specificHint(mismatch, place) ??
    `set ${place} to ${kindNames[expected.kind]}, not ${describeValue(found)}`
  );
}

function specificHint({ path, expected, found }: TypeMismatch, place: string): string | undefined {
  const { kind, goType: wanted } = expected;
  const text = isString(found) ? found.text : undefined;
  const word = found.kind === 'scalar' && text === undefined ? found.text : undefined;
  const isMode = path.at(-1) === 'mode';
  if (place === 'ignition.version')
    return `set ${place} to "${(word && intendedVersion(word)) ?? '3.4.0'}", with quotes`;
  if (kind === 'integer' && text !== undefined)
    return isMode
      ? modeHint(text, place)
      : /^-?\d{1,18}$/.test(text)
        ? `set ${place} to ${BigInt(text)}, without quotes`
        : undefined;
  if (kind === 'integer' && word !== undefined && /^-?\d/.test(word))
    return `set ${place} to an integer of at most 64 bits, with digits only`;
  if (kind === 'boolean' && (text === 'true' || text === 'false'))
    return `set ${place} to ${text}, without quotes`;
  if (wanted === 'string' && word !== undefined && word.length <= 40)
    return `set ${place} to a string: put quotes around ${word}`;
  if (wanted.startsWith('[]')) return `set ${place} to a list: put [ ] around the value`;
  if (/^types\.(?:Resource|FileContents|ConfigReference|CaReference)$/.test(wanted) && text !== undefined)
    return `set ${place} to an object: {"source": "data:,…"} or another URL`;
  return undefined;
}

/** JSON has no octal numbers, so users put them in quotes. */
function modeHint(text: string, place: string): string {
  const octal = /^(?:0o?)?([0-7]{1,5})$/.exec(text)?.[1];
  return octal === undefined
    ? `set ${place} to a decimal number: octal 0644 is 420`
    : `set ${place} to ${Number.parseInt(octal, 8)}, without quotes: octal ${octal} in decimal`;
}

export const kindNames: Readonly<Record<TypeMismatch['expected']['kind'], string>> = {
  string: 'a string',
  boolean: 'true or false',
  integer: 'an integer',
  struct: 'an object',
  list: 'a list',
};

function describeValue(found: DocumentNode): string {
  if (found.kind !== 'scalar') return found.kind === 'mapping' ? 'an object' : 'a list';
  if (isString(found)) return 'a string';
  return /^[tf]/.test(found.text) ? 'true or false' : 'a number';
}
