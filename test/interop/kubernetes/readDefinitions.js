// @ts-check
/**
 * Reads the resource definitions of an operator, for tests that create objects in a real API server:
 *
 *   node test/interop/kubernetes/readDefinitions.js FOLDER NAME…
 *
 * FOLDER has the operator's definitions as YAML, e.g. `config/base/crds/bases` of baremetal-operator, and NAME is the plural and the
 * group of a kind, e.g. `baremetalhosts.metal3.io`. Writes `definitions/NAME.json`: the definition with the whole schema, without its
 * descriptions, columns and status.
 */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';

const [folder = '', ...names] = process.argv.slice(2);
const target = join(import.meta.dirname, 'definitions');
mkdirSync(target, { recursive: true });
/** @type {any[]} */
const definitions = readdirSync(folder)
  .filter((file) => file.endsWith('.yaml'))
  .flatMap((file) => loadAll(readFileSync(join(folder, file), 'utf8')));
for (const name of names) {
  const definition = definitions.find(
    (one) => one?.kind === 'CustomResourceDefinition' && one.metadata?.name === name,
  );
  if (definition === undefined) throw new Error(`${folder} has no definition of ${name}`);
  const { apiVersion, kind, spec } = definition;
  const versions = spec.versions.map(
    (
      /** @type {any} */ {
        additionalPrinterColumns: _columns,
        schema: { openAPIV3Schema: schema },
        ...version
      },
    ) => ({
      ...version,
      schema: {
        openAPIV3Schema: withoutDescriptions({ ...schema, properties: specOnly(schema.properties) }),
      },
    }),
  );
  const read = { apiVersion, kind, metadata: { name }, spec: { ...spec, versions } };
  writeFileSync(join(target, `${name}.json`), `${JSON.stringify(read, undefined, 1)}\n`);
}

/** @param {any} properties */
function specOnly({ apiVersion, kind, metadata, spec }) {
  return {
    apiVersion,
    kind,
    metadata,
    spec,
    status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  };
}

/** A description is a text; a property with that name has a schema. @param {any} value @returns {any} */
function withoutDescriptions(value) {
  if (Array.isArray(value)) return value.map(withoutDescriptions);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(
    ([key, inner]) => key !== 'description' || typeof inner !== 'string',
  );
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutDescriptions(inner)]));
}
