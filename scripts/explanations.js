// @ts-check
/**
 * Makes `dist/compiled/explanations.json` of the pages of docs that explain ids: the rules and the codes of errors, whose
 * sections have a fixed structure, and the causes and reasons, which are rows of tables. `causes.json` beside it has the words of
 * the causes that `try` and `boot` report. Whatever departs from the structure of a section is a defect:
 *
 *     ## GROUP                           `Lint: …`: rules of this program about what Ignition accepts
 *     ### ID
 *     - severity: SEVERITY
 *     - versions: TEXT
 *     - message: TEXT
 *     - evidence: what shows that the rule is needed; test/evidence.test.ts knows the kinds
 *     paragraphs
 *     Invalid: or Valid:, each optional, and a fenced block
 */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @typedef {import('../src/io/report/explanations.ts').Explanation} Explanation
 * @typedef {import('../src/io/report/explanations.ts').Example} Example
 */

const root = join(import.meta.dirname, '..');
const compiled = join(root, 'dist/compiled');

/** @param {string} name */
const read = (name) => readFileSync(join(root, 'docs', name), 'utf8');

const troubleshooting = read('troubleshooting.md');

/** @param {string} cell */
const withoutMarks = (cell) => cell.replaceAll('`', '');

mkdirSync(compiled, { recursive: true });
writeFileSync(
  join(compiled, 'causes.json'),
  JSON.stringify(
    readTables(troubleshooting).map(({ cells: { cause, meaning, check, fix } }) => ({
      id: cause.slice(1, -1),
      text: withoutMarks(meaning),
      check: withoutMarks(check),
      fix: withoutMarks(fix),
    })),
  ),
);
writeFileSync(
  join(compiled, 'explanations.json'),
  JSON.stringify([
    ...parseSections('rules.md', read('rules.md')),
    ...parseSections('errors.md', read('errors.md')),
    ...parseTables('troubleshooting.md', troubleshooting, 'Causes: '),
    ...parseTables('reasons.md', read('reasons.md')),
  ]),
);

/**
 * @param {string} page
 * @param {string} text
 * @returns {Explanation[]}
 */
function parseSections(page, text) {
  const [, ...groups] = splitAtHeadings(text, '## ');
  return groups.flatMap(({ heading: group, body }) => {
    const [, ...sections] = splitAtHeadings(body, '### ');
    return sections.map(({ heading: id, body: section }) => {
      const [list = '', ...blocks] = splitBlocks(section);
      const properties = /^- severity: (.+)\n- versions: (.+)\n- message: (.+)(?:\n- evidence: .+)?$/.exec(
        list,
      );
      if (properties === null) throw new Error(`docs/${page}: the list of ${id} is not as it should be`);
      const [, severity = '', versions = '', message = ''] = properties;
      const isLint = group.startsWith('Lint: ');
      const place = `docs/${page}#${anchorOf(id)}`;
      return { id, severity, versions, message, group, isLint, ...parseProse(blocks, id), section: place };
    });
  });
}

/**
 * The first one is the text above all headings; code blocks never contain a line that looks like a heading.
 * @param {string} text
 * @param {string} prefix
 */
function splitAtHeadings(text, prefix) {
  return `\n${text}`.split(`\n${prefix}`).map((part) => {
    const end = part.indexOf('\n');
    return { heading: part.slice(0, end).trim(), body: part.slice(end + 1) };
  });
}

/** What empty lines separate; a fenced block stays whole. @param {string} body */
function splitBlocks(body) {
  const blocks = body.match(/^```[^]*?\n```$|(?:^.+\n?)+/gm) ?? [];
  return blocks.map((block) => block.trim());
}

/**
 * @param {readonly string[]} blocks
 * @param {string} id
 */
function parseProse(blocks, id) {
  /** @type {string[]} */
  const meaning = [];
  /** @type {{ invalid?: Example, valid?: Example }} */
  const examples = {};
  for (let index = 0; index < blocks.length; index += 1) {
    const block = blocks[index] ?? '';
    if (!/^(?:Invalid|Valid):$/.test(block)) {
      meaning.push(block.replaceAll('\n', ' '));
      continue;
    }
    index += 1;
    const [, language, text = ''] = /^```(\w+)\n(?:(.*)\n)?```$/s.exec(blocks[index] ?? '') ?? [];
    if (language === undefined) throw new Error(`docs: ${id} has an example without a block`);
    examples[block === 'Invalid:' ? 'invalid' : 'valid'] = { language, text };
  }
  if (meaning.length === 0) throw new Error(`docs: ${id} is not explained`);
  return { meaning, ...examples };
}

/**
 * The rows of the tables of a page that begin with a name and its meaning, by the headings of their columns.
 * @param {string} text
 */
function readTables(text) {
  const table = /^\| (\w+ \| meaning \| .+) \|\n\|[-|]+\|\n((?:\| `.+ \|\n?)+)/gm;
  const [, ...sections] = splitAtHeadings(text, '## ');
  return sections.flatMap(({ heading, body }) =>
    [...body.matchAll(table)].flatMap(([, head = '', rows = '']) => {
      const columns = head.split(' | ');
      return rows
        .trimEnd()
        .split('\n')
        .map((row) => {
          const cells = row.slice(2, -2).split(' | ');
          const entries = columns.map((column, index) => [
            column,
            (cells[index] ?? '').replaceAll('\\|', '|'),
          ]);
          return { heading, kind: columns[0] ?? '', cells: Object.fromEntries(entries) };
        });
    }),
  );
}

/**
 * The name of the first column says what the names are; the columns after the meaning are advice.
 * @param {string} page
 * @param {string} text
 * @returns {Explanation[]}
 */
function parseTables(page, text, prefix = '') {
  return readTables(text).map(({ cells, heading, kind }) => {
    const { [kind]: id = '', meaning: message, ...advice } = cells;
    return {
      id: id.slice(1, -1),
      severity: kind,
      versions: 'all',
      message,
      group: `${prefix}${heading}`,
      isLint: false,
      meaning: Object.entries(advice).map(
        ([label, cell]) => `${label[0]?.toUpperCase()}${label.slice(1)}: ${cell}.`,
      ),
      section: `docs/${page}#${anchorOf(heading)}`,
    };
  });
}

/** What GitHub makes of a heading. @param {string} heading */
function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}
