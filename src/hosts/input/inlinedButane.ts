/**
 * Butane documents that an Ignition config merges or is replaced with, inlined as data URLs: they are replaced with their
 * translation, because only Ignition 2.27 and newer reads them.
 */

import { createHash } from 'node:crypto';
import { deepestNode, type DocumentNode } from '../../formats/documentTree.ts';
import { encodeGzip } from '../../formats/gzip.ts';
import { base64DataUrl } from '../../ignition/dataFile.ts';
import { fetchInlined, listReferences, type Reference } from '../../ignition/inlinedConfig.ts';
import { isString } from '../../ignition/decodeJson.ts';
import { readConfig } from '../../ignition/validate.ts';
import { type FileFinding, REFERENCE_SEPARATOR } from '../../io/report/reporter.ts';
import type { LocalFiles } from '../../butane/localFiles.ts';
import { mayBeButane } from '../../butane/mayBeButane.ts';
import { readButaneConfig } from './butaneConfig.ts';
import type { CheckedDocument } from './checkConfig.ts';
import { type FilesDir, openFilesDir } from './filesDir.ts';
import { maskYaml, placeInYaml, type YamlConfig } from './yamlConfig.ts';

export interface TranslatedInlined {
  readonly json: Buffer;
  /** The Butane documents by their references, as in findings. */
  readonly documents: ReadonlyMap<string, YamlConfig>;
}

/** Bytes of all inlined configs, and how deep they are nested. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_DEPTH = 16;

interface Translator {
  readonly documents: Map<string, YamlConfig>;
  /** The limits of local files apply to all documents together. */
  readonly openFiles: () => LocalFiles | undefined;
}

/**
 * @param filesDir undefined: local files are refused
 * @throws FormatError if a Butane document is not YAML
 */
export function translateInlined(json: Buffer, filesDir: FilesDir | undefined): TranslatedInlined {
  const documents = new Map<string, YamlConfig>();
  let files: LocalFiles | undefined;
  const openFiles = (): LocalFiles | undefined => filesDir && (files ??= openFilesDir(filesDir));
  return { json: translate(json, [], { documents, openFiles }), documents };
}

/** Recursion is bounded by `maxDepth`. */
function translate(json: Buffer, place: readonly string[], translator: Translator): Buffer {
  const read = readConfig(json);
  if (read.status === 'refused' || place.length >= MAX_DEPTH) return json;
  const edits: Edit[] = [];
  for (const reference of listReferences(read.config)) {
    const { document, issues } = fetchInlined(reference, MAX_BYTES);
    if (document === undefined || issues.length > 0) continue;
    const inner = [...place, reference.path.join('.')];
    const translated = translateOne(document, inner, translator);
    if (translated === document) continue;
    for (const edit of editsOf(read.root, reference, translated)) edits.push(edit);
  }
  return applyEdits(json, edits);
}

/** The same buffer if nothing is to be translated. */
function translateOne(document: Buffer, place: readonly string[], translator: Translator): Buffer {
  const yaml = mayBeButane('', document) ? readButaneConfig(document, translator.openFiles) : undefined;
  if (yaml === undefined) return translate(document, place, translator);
  translator.documents.set(place.join(REFERENCE_SEPARATOR), yaml);
  return yaml.isRefused === true ? document : translate(yaml.json, place, translator);
}

/** A string of the JSON, quotes included, and what replaces it. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The new source, and the new hash if there is one. */
function editsOf(root: DocumentNode, { path, resource }: Reference, contents: Buffer): readonly Edit[] {
  const isPacked = resource.compression === 'gzip';
  const values: (readonly [path: readonly (string | number)[], value: string])[] = [
    [[...path, 'source'], base64DataUrl(isPacked ? encodeGzip(contents) : contents)],
  ];
  const algorithm = /^(sha256|sha512)-/.exec(resource.verification?.hash ?? '')?.[1];
  if (algorithm !== undefined) {
    const sum = createHash(algorithm).update(contents).digest('hex');
    values.push([[...path, 'verification', 'hash'], `${algorithm}-${sum}`]);
  }
  return values.flatMap(([valuePath, value]) => {
    const node = deepestNode(root, valuePath);
    // A key in another case is not found.
    return isString(node) ? [{ start: node.start, end: node.end, text: JSON.stringify(value) }] : [];
  });
}

function applyEdits(json: Buffer, edits: readonly Edit[]): Buffer {
  if (edits.length === 0) return json;
  const parts: Buffer[] = [];
  let at = 0;
  for (const { start, end, text } of edits.toSorted((a, b) => a.start - b.start)) {
    parts.push(json.subarray(at, start), Buffer.from(text));
    at = end;
  }
  return Buffer.concat([...parts, json.subarray(at)]);
}

/** Adds the findings of the translations; findings in the translated configs get their places in the YAML. */
export function placeInlined(
  checked: CheckedDocument,
  documents: ReadonlyMap<string, YamlConfig>,
): CheckedDocument {
  const findings: FileFinding[] = [];
  const references = new Map(checked.references);
  for (const [reference, yaml] of documents) {
    references.set(reference, maskYaml(yaml));
    for (const finding of yaml.own ?? []) findings.push({ ...finding, reference });
  }
  for (const finding of checked.report.findings) {
    const { reference, ...inner }: FileFinding = finding;
    const yaml = documents.get(reference ?? '');
    if (yaml === undefined || reference === undefined) findings.push(finding);
    // Without a translation, the finding is only that the YAML is not JSON.
    else if (yaml.isRefused !== true)
      for (const placed of placeInYaml([inner], yaml)) findings.push({ ...placed, reference });
  }
  const isRefused = [...documents.values()].some((yaml) => yaml.isRefused === true);
  return { ...checked, references, report: { valid: checked.report.valid && !isRefused, findings } };
}
