/** All values of an invalid type; the JSON Schemas and the decoder have to agree on them. */

import { Ajv, type AnySchemaObject } from 'ajv';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAsset } from '../../src/core/assets.ts';
import { readJsonTree } from '../../src/formats/json/tree.ts';
import { decodeJson } from '../../src/ignition/decodeJson.ts';
import { configType, type StructType } from '../../src/ignition/schema.ts';
import { examineConfig, furtherMismatches, validateConfig } from '../../src/ignition/validate.ts';
import { specVersions } from '../../src/ignition/versions.ts';
import { formatPath } from '../../src/core/finding.ts';

const explain = (text: string) => {
  const bytes = Buffer.from(text);
  const { report, read } = examineConfig(bytes);
  return { ...report, findings: [...report.findings, ...furtherMismatches(bytes, read)] };
};

describe('furtherMismatches', () => {
  it('adds every further value of a wrong type, with its place and what it has to be', () => {
    const { valid, findings } = explain(
      '{"ignition":{"version":"3.4.0"},"storage":{"files":[{"mode":"0644","contents":"x"},7],\n"disks":{}}}',
    );
    expect(valid).toBe(false);
    expect(
      findings.map(({ severity, path, position, hint }) => [
        severity,
        formatPath(path),
        position?.line,
        position?.column,
        hint,
      ]),
    ).toEqual([
      ['error', '$', 1, 67, 'set storage.files.0.mode to 420, without quotes: octal 644 in decimal'],
      [
        'info',
        '$.storage.files.0.contents',
        1,
        79,
        'set storage.files.0.contents to an object: {"source": "data:,…"} or another URL',
      ],
      ['info', '$.storage.files.1', 1, 84, 'set storage.files.1 to an object, not a number'],
      ['info', '$.storage.disks', 2, 10, 'set storage.disks to a list: put [ ] around the value'],
    ]);
  });

  it.each([
    ['a valid config', '{"ignition":{"version":"3.4.0"}}'],
    ['text that is not JSON', '{'],
    ['a version of a wrong type', '{"ignition":{"version":3},"storage":1}'],
    ['a single value of a wrong type', '{"ignition":{"version":"3.4.0"},"storage":1}'],
  ])('leaves %s alone', (_title, text) => {
    expect(explain(text)).toEqual(validateConfig(Buffer.from(text)));
  });
});

describe.each(specVersions)('JSON Schema of %s', (version) => {
  it('finds the same values of a wrong type as the decoder', () => {
    const schema: AnySchemaObject = JSON.parse(readAsset(`dist/schemas/ignition/${version}.json`));
    const ajv = new Ajv({ allowUnionTypes: true, allErrors: true });
    ajv.addVocabulary(['x-go', 'x-key', 'x-key-space', 'x-repeatable']);
    const accepts = ajv.compile(schema);
    const type = configType(version);
    fc.assert(
      fc.property(valuesNear(type), (document) => {
        const { mismatches } = decodeJson(readJsonTree(Buffer.from(JSON.stringify(document))).root, type);
        expect(accepts(document)).toBe(mismatches.length === 0);
        const decoded = mismatches.map(({ path }) => `/${path.join('/')}`);
        const found = (accepts.errors ?? []).map(({ instancePath }) => instancePath || '/');
        expect(found.toSorted()).toEqual(decoded.toSorted());
      }),
      { numRuns: 100 },
    );
  });
});

/** Objects with members of the type, mostly of the right kind. Integers are safe ones, so that JSON.parse is exact. */
function valuesNear(type: StructType): fc.Arbitrary<unknown> {
  const members = type.fields.map((field): [string, fc.Arbitrary<unknown>] => {
    if (field.kind === 'struct') return [field.name, mostly(valuesNear(field.struct))];
    if (field.kind === 'list') {
      const item =
        typeof field.element === 'string' ? fc.string({ maxLength: 3 }) : valuesNear(field.element);
      return [field.name, mostly(fc.array(mostly(item), { maxLength: 2 }))];
    }
    const scalars = {
      string: fc.string({ maxLength: 3 }),
      boolean: fc.boolean(),
      integer: fc.maxSafeInteger(),
    };
    return [field.name, mostly(scalars[field.kind])];
  });
  return fc.record(Object.fromEntries([...members, ['unknown', fc.jsonValue({ maxDepth: 2 })]]), {
    requiredKeys: [],
  });
}

function mostly(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 60, arbitrary: value },
    { weight: 1, arbitrary: fc.constantFrom(null, true, 'x', 1, 1.5, [], {}) },
  );
}
