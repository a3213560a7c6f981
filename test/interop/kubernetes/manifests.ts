/** The manifests of deploy/kubernetes, as values. */

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseYaml } from '../../../src/formats/yaml.ts';

export const manifestFolder = resolve(import.meta.dirname, '../../../deploy/kubernetes');

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly [field: string]: unknown };
  readonly rules?: readonly Rule[];
  readonly [field: string]: unknown;
}

export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** All documents of a file: `base/service.yaml`. */
export function readManifests(name: string): Manifest[] {
  const text = readFileSync(join(manifestFolder, name), 'utf8');
  const documents = text.split(/^---$/m).map((document) => parseYaml(document).value);
  return JSON.parse(JSON.stringify(documents)); // as it is: tests say what is missing
}

/** What rules allow, a line each: `metal3.io preprovisioningimages/status patch`. */
export function allowedBy(manifests: readonly Manifest[]): string[] {
  const lines = manifests.flatMap(({ rules = [] }) =>
    rules.flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) => verbs.map((verb) => `${group} ${resource} ${verb}`)),
      ),
    ),
  );
  return [...new Set(lines)].toSorted();
}
