// @ts-check
/**
 * Makes `dist/compiled/console-lines.json` of `src/trial/timeline/console-lines.yaml`, which says what its fields mean: a
 * list of lines, each with the fields of its program. A field, stage, cause or group that does not exist, an invalid pattern and an
 * id that is used twice are errors.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { load } from 'js-yaml';
import { importSource } from './bundle/importSource.js';

/**
 * @typedef {import('../src/trial/timeline/consoleSigns.ts').SignRow} SignRow
 * @typedef {Partial<SignRow> & { printer: string, lines: Record<string, Partial<SignRow> & { line: string, source: string }> }} Program
 */

const root = join(import.meta.dirname, '..');
const compiled = join(root, 'dist/compiled');
/** What explanations.js has made. @type {{ id: string }[]} */
const causes = JSON.parse(readFileSync(join(compiled, 'causes.json'), 'utf8'));
/** @type {any} */
const document = load(readFileSync(join(root, 'src/trial/timeline/console-lines.yaml'), 'utf8'));
/** @type {{ groups: Record<string, string[]>, programs: Program[] }} */
const table = document;
/** @type {typeof import('../src/trial/timeline/stage.ts')} */
const { stages } = await importSource('src/trial/timeline/stage.ts');

const cause = { enum: causes.map(({ id }) => id) };
const ids = table.programs.flatMap(({ lines }) => Object.keys(lines));
/** @param {object} items */
const listOf = (items) => ({ type: 'array', items });
const common = {
  stage: { enum: stages },
  until: listOf({ enum: stages }),
  excludes: listOf({ enum: [...cause.enum, ...Object.keys(table.groups)] }),
};
const line = {
  ...common,
  line: { type: 'string' },
  proves: cause,
  suggests: listOf(cause),
  settles: { const: true },
  times: { type: 'integer' },
  resultOf: listOf({ enum: ids }),
  source: { type: 'string', pattern: ', ' },
};
/** @param {object} properties @param {string[]} required */
const objectOf = (properties, required) => ({
  type: 'object',
  additionalProperties: false,
  properties,
  required,
});
const lines = { type: 'object', additionalProperties: objectOf(line, ['line', 'source']) };
const program = { ...common, printer: { type: 'string' }, lines };
const schema = objectOf(
  {
    groups: { type: 'object', additionalProperties: listOf(cause) },
    programs: listOf(objectOf(program, ['printer', 'until', 'lines'])),
  },
  ['groups', 'programs'],
);
const ajv = new Ajv();
if (!ajv.validate(schema, table)) throw new Error(`console-lines.yaml: ${ajv.errorsText()}`);
const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
if (repeated !== undefined) throw new Error(`console-lines.yaml: ${repeated} is there twice`);

writeFileSync(join(compiled, 'console-lines.json'), JSON.stringify(table.programs.flatMap(rowsOf)));

/** @param {Program} program @returns {SignRow[]} */
function rowsOf({ lines: own, ...shared }) {
  return Object.entries(own).map(([id, { line: text, source: _source, ...fields }]) => {
    const { excludes = [], suggests = [], until = [], resultOf = [], ...row } = { ...shared, ...fields };
    const all = [...new Set([...(shared.excludes ?? []), ...excludes])];
    return {
      id,
      ...row,
      pattern: patternOf(text),
      suggests,
      resultOf,
      excludes: all.flatMap((name) => table.groups[name] ?? name),
      until: [...until.slice(0, -1), ...stages.slice(stages.indexOf(until.at(-1) ?? 'steps'))],
    };
  });
}

/** The text and the flags of a pattern, which may begin with `(?i)`. @param {string} text @returns {[string, string]} */
function patternOf(text) {
  const { source, flags } = text.startsWith('(?i)') ? new RegExp(text.slice(4), 'i') : new RegExp(text);
  return [source, flags];
}
