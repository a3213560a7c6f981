/** Kubernetes objects in a YAML or JSON text: one object, several documents, or the list of `kubectl get -o yaml`. */

import { FormatError } from '../../core/errors.ts';
import type { Path } from '../../core/finding.ts';
import { isMapping, type Mapping, valueAt } from '../../formats/mapping.ts';
import type { ParsedYaml } from '../../formats/yaml.ts';
import type { InnerPlace } from '../../formats/yaml/innerPlaces.ts';

export interface PastedObject {
  readonly kind: string;
  /** `metadata.name`; empty if it is missing. */
  readonly name: string;
  readonly value: Mapping;
  /** Positions in the whole text. */
  readonly locate: ParsedYaml['locate'];
  readonly locateInText: ParsedYaml['locateInText'];
}

/** Each document is parsed by itself. */
const MAX_DOCUMENTS = 200;

/**
 * Returns the objects in their order; undefined if the text contains anything else.
 * @throws FormatError if it is not valid YAML
 */
export async function readKubernetesObjects(text: string): Promise<readonly PastedObject[] | undefined> {
  if (!mayContainObjects(text)) return undefined;
  const { parseYaml } = await import('../../formats/yaml.ts');
  const objects: PastedObject[] = [];
  for (const source of splitDocuments(text)) {
    const { value, locate, locateInText } = parseYaml(source);
    if (value === null) continue; // only comments
    const found = objectsIn(value, []).map(({ path, ...object }) => ({
      ...object,
      locate: (steps: Path) => locate([...path, ...steps]),
      locateInText: (steps: Path, place: InnerPlace) => locateInText([...path, ...steps], place),
    }));
    if (found.length === 0) return undefined;
    for (const object of found) objects.push(object);
  }
  return objects;
}

/** Most inputs are not objects; they are parsed only once, by their own readers. */
function mayContainObjects(text: string): boolean {
  return /(?:^|[\s{,])["']?apiVersion["']?\s*:/.test(text) && /(?:^|[\s{,])["']?kind["']?\s*:/.test(text);
}

/** Line breaks are in place of the documents before each document, so that positions are those of the whole text. */
function splitDocuments(text: string): readonly string[] {
  const marks = Array.from(text.matchAll(/^---(?=\s|$)/gm), ({ index }) => index);
  if (marks.length > MAX_DOCUMENTS) {
    throw new FormatError(`it contains more than ${MAX_DOCUMENTS} documents`, {
      hint: 'pass a file with one document',
    });
  }
  const starts = [0, ...marks];
  return starts.map((start, index) => {
    const before = text.slice(0, start).replace(/[^\n]+/g, '');
    return before + text.slice(start, starts[index + 1]);
  });
}

function objectsIn(
  value: unknown,
  path: Path,
): (Omit<PastedObject, 'locate' | 'locateInText'> & { readonly path: Path })[] {
  if (!isMapping(value)) return [];
  const { apiVersion, kind, items } = value;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return [];
  if (kind.endsWith('List') && Array.isArray(items)) {
    return items.flatMap((item, index) => objectsIn(item, [...path, 'items', index]));
  }
  const name = valueAt(value, ['metadata', 'name']);
  return [{ kind, name: typeof name === 'string' ? name : '', value, path }];
}
