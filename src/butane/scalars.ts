/**
 * Scalars with the type of their field, as yaml.v3 reads them: a mix of YAML 1.1 and 1.2, in which `0644` is octal and `yes`
 * is true where a boolean is expected. Source: its `resolve.go` and `decode.go`.
 */

import type { Integer } from '../ignition/config.ts';
import type { YamlScalar } from './document.ts';

type Resolved = { readonly tag: string; readonly value: null | boolean | Integer | string };

/** A value that yaml.v3 cannot read at all, such as `!!int x`. */
export class UnreadableScalar extends Error {}

export function isNull(node: YamlScalar): boolean {
  return resolve(node).value === null;
}

/** The tag that yaml.v3 names in messages, e.g. `!!str`. */
export function tagOf(node: YamlScalar): string {
  return resolve(node).tag;
}

/** The value; undefined if it has another type. */
export function readScalar(
  node: YamlScalar,
  kind: 'string' | 'integer' | 'boolean',
): string | Integer | boolean | undefined {
  const { tag, value } = resolve(node);
  if (kind === 'string') return tag === '!!binary' && typeof value === 'string' ? value : node.value;
  if (kind === 'integer') return integerOf(value);
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return undefined;
  if (/^(?:y|Y|yes|Yes|YES|on|On|ON)$/.test(value)) return true;
  return /^(?:n|N|no|No|NO|off|Off|OFF)$/.test(value) ? false : undefined;
}

/** Numbers with a fraction lose it. */
function integerOf(value: Resolved['value']): Integer | undefined {
  if (typeof value === 'bigint') return value > maxInteger ? undefined : value;
  if (typeof value !== 'number' || Number.isNaN(value) || value > 2 ** 63) return undefined;
  if (Number.isSafeInteger(Math.trunc(value))) return Math.trunc(value) + 0;
  // What the processor makes of a float out of range.
  return value >= 2 ** 63 || value < -(2 ** 63) ? minInteger : BigInt(Math.trunc(value));
}

const maxInteger = 2n ** 63n - 1n;
const minInteger = -(2n ** 63n);

function resolve({ value, isPlain, tag }: YamlScalar): Resolved {
  if (tag === '!!str' || (tag === '' && !isPlain)) return { tag: '!!str', value };
  if (tag === '!!binary') return { tag, value: Buffer.from(value, 'base64').toString('utf8') };
  if (tag !== '' && !resolvable.has(tag)) return { tag, value };
  const found = resolvePlain(value, tag);
  if (tag === '' || tag === found.tag) return found;
  if (tag === '!!float' && found.tag === '!!int') return { tag, value: found.value };
  throw new UnreadableScalar(`cannot decode ${found.tag} as a ${tag}`);
}

const resolvable = new Set(['!!bool', '!!int', '!!float', '!!null', '!!timestamp']);

function resolvePlain(text: string, tag: string): Resolved {
  if (/^(?:true|True|TRUE)$/.test(text)) return { tag: '!!bool', value: true };
  if (/^(?:false|False|FALSE)$/.test(text)) return { tag: '!!bool', value: false };
  if (/^(?:|~|null|Null|NULL)$/.test(text)) return { tag: '!!null', value: null };
  if (text === '<<') return { tag: '!!merge', value: text };
  const [, sign = '', name] = /^([-+]?)\.(nan|NaN|NAN|inf|Inf|INF)$/.exec(text) ?? [];
  if (name !== undefined && (sign === '' || /^i/i.test(name))) {
    const size = /^n/i.test(name) ? Number.NaN : Number.POSITIVE_INFINITY;
    return { tag: '!!float', value: sign === '-' ? -size : size };
  }
  if (/^\.[0-9]/.test(text)) {
    return /^\.\d+(?:[eE][-+]?\d+)?$/.test(text)
      ? { tag: '!!float', value: Number(text) }
      : { tag: '!!str', value: text };
  }
  if (!/^[-+0-9]/.test(text)) return { tag: '!!str', value: text };
  if ((tag === '' || tag === '!!timestamp') && isTimestamp(text)) return { tag: '!!timestamp', value: text };
  const integer = parseInteger(text.replaceAll('_', ''));
  if (integer !== undefined) return { tag: '!!int', value: integer };
  const plain = text.replaceAll('_', '');
  return /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/.test(plain) && Number.isFinite(Number(plain))
    ? { tag: '!!float', value: Number(plain) }
    : { tag: '!!str', value: text };
}

/** Go's ParseInt with base 0, then ParseUint: a leading 0 is octal. */
function parseInteger(text: string): Integer | undefined {
  const [, sign = '', digits = ''] =
    /^([-+]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|0[0-7]*|[1-9][0-9]*)$/.exec(text) ?? [];
  if (digits === '') return undefined;
  const size = BigInt(/^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits);
  const value = sign === '-' ? -size : size;
  if (value < minInteger || value >= 2n ** 64n || (sign === '+' && value > maxInteger)) return undefined;
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

function isTimestamp(text: string): boolean {
  const [, year, month = 0, day = 0, , hour = 0, minute = 0, second = 0] =
    /^(\d{4})-(\d\d?)-(\d\d?)(?:([Tt ])(\d\d?):(\d\d?):(\d\d?)(?:\.\d+)?(?:Z|[-+]\d\d:\d\d)?)?$/.exec(text) ??
    [];
  if (year === undefined) return false;
  const days = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  const isDate = Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= days;
  return isDate && Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60;
}
