/**
 * All values of a wrong type, where Ignition stops at the first: the compiled JSON Schema finds them. It reads the
 * document as JavaScript does, so of repeated keys it sees the last, and keys in another case not at all.
 */

import { importAsset } from '../assets.ts';
import { locatePaths, positionsOf } from '../formats/json/locate.ts';
import type { Finding, Path, Report } from '../core/finding.ts';
import type { TypeMismatch } from './decode.ts';
import { infoRule } from './rule.ts';
import { configType, goTypeAt } from './schema.ts';
import { typeHint } from './hints.ts';
import { jsonType, readConfig } from './validate.ts';
import type { SpecVersion } from './versions.ts';

export const furtherType = infoRule(
  'json-type-further',
  'this value is of a wrong type, too',
  'Ignition stops at the first value of a wrong type, so it will report this one next',
);

/** Adds the further values of a wrong type to a report that has one; other reports stay as they are. */
export async function explainMismatches(report: Report, bytes: Uint8Array): Promise<Report> {
  if (report.findings[0]?.rule !== jsonType.id || isTooMuch(bytes)) return report;
  const document = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const read = readConfig(document);
  if (read.status !== 'refused' || read.mismatch === undefined || read.version === undefined) return report;
  const further = await furtherMismatches(document, read.version, read.mismatch);
  return { valid: report.valid, findings: [...report.findings, ...further] };
}

/** Bytes; a document of this length is quickly read once more. */
const longestDocument = 1 << 24;

/** The compiled schemas copy all errors for each one, so their number has to be bounded: by that of the values. */
const mostCommas = 20_000;

function isTooMuch(bytes: Uint8Array): boolean {
  if (bytes.length > longestDocument) return true;
  let commas = 0;
  for (const byte of bytes) {
    if (byte === 0x2c) commas += 1;
  }
  return commas > mostCommas;
}

/** Enough to be going on with. */
const mostShown = 1000;

/** A module made by `schemas/compile.js`. */
interface CompiledSchema {
  readonly default: {
    (document: unknown): boolean;
    readonly errors?: readonly { readonly instancePath: string }[] | null;
  };
}

async function furtherMismatches(
  bytes: Buffer,
  version: SpecVersion,
  first: TypeMismatch,
): Promise<Finding[]> {
  const { default: check }: CompiledSchema = await importAsset(`schemas/compiled/ignition-${version}.js`);
  const document: unknown = JSON.parse(bytes.toString('utf8'));
  check(document);
  const firstPath = first.path.join('/');
  const paths = (check.errors ?? [])
    .map(({ instancePath }) => parsePointer(instancePath))
    .filter((path) => path.join('/') !== firstPath)
    .slice(0, mostShown);
  const positions = positionsOf(bytes, locatePaths(bytes, paths));
  return paths.map((path, index) => {
    const wanted = goTypeAt(configType(version), path);
    const hint = typeHint({ path, wanted, found: valueText(document, path) });
    const position = positions[index];
    const finding = {
      severity: furtherType.severity,
      rule: furtherType.id,
      path,
      message: furtherType.message,
      hint,
    };
    return position === undefined ? finding : { ...finding, position };
  });
}

/** The schemas have no field whose name is a number or has to be escaped. */
function parsePointer(pointer: string): Path {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}

/** The text of a scalar; for anything else its opening bracket. */
function valueText(document: unknown, path: Path): string {
  let value = document;
  for (const step of path) {
    value = typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined;
  }
  if (Array.isArray(value)) return '[';
  return typeof value === 'object' ? '{' : JSON.stringify(value);
}
