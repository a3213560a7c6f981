/** Kubernetes objects in a YAML or JSON text: one object, several documents, or the list of `kubectl get -o yaml`. */

import { ifWellFormed } from '../../core/errors.ts';
import { isGoBase64 } from '../../formats/goText.ts';
import { asMapping, isMapping, type Mapping } from '../../formats/mapping.ts';
import { parseYaml } from '../../formats/yaml.ts';
import { asText } from './imported.ts';

export function readDocuments(text: string): readonly unknown[] {
  const marks = Array.from(text.matchAll(/^---(?=\s|$)/gm), ({ index }) => index);
  const starts = [0, ...marks];
  return starts
    .map((start, index) => {
      const document = text.slice(start, starts[index + 1]);
      const parsed = ifWellFormed(() => parseYaml(document));
      if (parsed !== undefined) return parsed.value;
      // With the line breaks before it, its error has the number of the line in the file.
      return parseYaml(text.slice(0, start).replaceAll(/[^\n]+/g, '') + document).value;
    })
    .filter((value) => value !== null)
    .flatMap(itemsIn);
}

function itemsIn(value: unknown): readonly unknown[] {
  const { kind, items } = asMapping(value);
  const isList = typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items);
  return isList ? items.flatMap(itemsIn) : [value];
}

/** What is missing is empty. */
export function nameOf(object: Mapping) {
  const { name, namespace } = asMapping(object['metadata']);
  return { kind: asText(object['kind']), name: asText(name), namespace: asText(namespace) };
}

/** The texts in a Secret or ConfigMap by their keys. */
export function textsIn({ kind, data, stringData }: Mapping): ReadonlyMap<string, string> {
  const encoded = Object.entries(asMapping(data)).map(
    ([key, value]) => [key, kind === 'Secret' ? decodeBase64(asText(value)) : asText(value)] as const,
  );
  const plain = Object.entries(asMapping(stringData)).map(([key, value]) => [key, asText(value)] as const);
  return new Map([...encoded, ...plain]);
}

/** Text that is not base64 is as written: examples often contain it. */
function decodeBase64(text: string): string {
  const base64 = text.replaceAll(/\s+/g, '');
  return isGoBase64(base64) ? Buffer.from(base64, 'base64').toString('utf8') : text;
}

/** The mapping in a YAML or JSON text; undefined for anything else. */
export function mappingIn(text: string): Mapping | undefined {
  const value = ifWellFormed(() => parseYaml(text))?.value;
  return isMapping(value) ? value : undefined;
}
