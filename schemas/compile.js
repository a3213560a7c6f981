// @ts-check
/**
 * Compiles the schemas to validators, as part of the build: one module without imports for each version, so that the
 * program needs no schema compiler. Writes `schemas/compiled/ignition-VERSION.js`.
 */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';

const source = join(import.meta.dirname, 'ignition');
const target = join(import.meta.dirname, 'compiled');

mkdirSync(target, { recursive: true });
for (const name of readdirSync(source)) {
  const schema = JSON.parse(readFileSync(join(source, name), 'utf8'));
  const ajv = new Ajv({
    allErrors: true,
    allowUnionTypes: true,
    code: { source: true, esm: true, lines: true },
  });
  ajv.addVocabulary(['x-go', 'x-key', 'x-key-space', 'x-repeatable']);
  const code = standalone.default(ajv, ajv.compile(schema));
  writeFileSync(join(target, `ignition-${name.replace(/json$/, 'js')}`), code);
}
