/** Says what somebody should have written in place of a value of the wrong type. */

import { formatPath } from '../core/finding.ts';
import type { TypeMismatch } from './decode.ts';

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
