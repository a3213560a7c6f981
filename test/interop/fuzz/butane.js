// @ts-check
/** The reader of Butane documents: random ones with damage, and shapes that cost YAML readers time and memory. */

import { below, damage, pick } from './damage.js';

/**
 * @typedef {typeof import('./subjects.ts')} Subjects
 * @typedef {import('./damage.js').Random} Random
 * @typedef {import('./worker.js').Target} Target
 */

/** @param {Subjects} subjects @returns {Readonly<Record<string, Target>>} */
export function butaneTargets(subjects) {
  const { butaneVersions, randomButane } = subjects;
  return {
    butane: {
      make: (random) => {
        const text = randomButane(random, pick(random, butaneVersions));
        const document = Buffer.from(random() < 0.3 ? `${text}${costly(random)}` : text);
        return random() < 0.5 ? damage(random, document) : document;
      },
      run: (input) => check(subjects, input.toString('utf8')),
      share: 0.2,
    },
  };
}

/** Values that many levels refer to, merge, or nest, in a field that is read or in one that is not. @param {Random} random */
function costly(random) {
  const levels = 1 + below(random, 30);
  const width = 1 + below(random, 30);
  const field = pick(random, ['passwd', 'storage', 'systemd', 'unknown']);
  const of = (/** @type {(level: number) => string} */ item, /** @type {string} */ start) =>
    [start, ...Array.from({ length: levels }, (_, level) => item(level + 1))].join('\n');
  const items = (/** @type {number} */ level) =>
    Array.from({ length: width }, () => `*a${level - 1}`).join(', ');
  return pick(random, [
    () =>
      `${of((level) => `x${level}: &a${level} [${items(level)}]`, 'x0: &a0 [x, x]')}\n${field}: *a${levels}\n`,
    () =>
      `${of((level) => `x${level}: &a${level} {<<: [${items(level)}]}`, 'x0: &a0 {users: []}')}\n${field}: *a${levels}\n`,
    () =>
      `${of((level) => `x${level}: &a${level} {users: [${items(level)}]}`, 'x0: &a0 {name: a}')}\n${field}: *a${levels}\n`,
    () => `${field}: &a {users: [*a], <<: *a, files: [*a, *a]}\n`,
    () => `${field}: ${'['.repeat(levels * width * 20)}\n`,
    () => `${field}: ${'{a: '.repeat(levels * width * 5)}\n`,
    () =>
      `${field}:\n${Array.from({ length: levels * width }, (_, at) => `${' '.repeat(at)}a:`).join('\n')}\n`,
    () => `${Array.from({ length: levels * width * 5 }, (_, at) => `k${at % 997}: 1`).join('\n')}\n`,
    () => `${field}: ${'&a '.repeat(levels * width)}x\n${'!!str '.repeat(levels)}y: z\n`,
  ])();
}

/** A config is valid JSON for Ignition's reader, and each finding has a place in the text. @param {Subjects} subjects @param {string} text */
function check({ examineConfig, formatIgnition, translateButane }, text) {
  const { config, findings, pathOf, positionOf } = translateButane(text, undefined);
  const lines = text.split(/\r\n|[\n\r\u0085\u2028\u2029]/);
  const inside = (/** @type {{ line: number, column: number } | undefined} */ position) => {
    if (position === undefined || position.line < 1 || position.line > lines.length || position.column < 1)
      throw new Error(`no place in the text: ${JSON.stringify(position)}`);
  };
  for (const { position } of findings) inside(position);
  if (config === undefined) {
    if (findings.length === 0) throw new Error('neither a config nor a finding');
    return;
  }
  const { read, report } = examineConfig(Buffer.from(formatIgnition(config)));
  if (read.status === 'refused' && report.valid) throw new Error('the config cannot be read');
  for (const { path } of report.findings) inside(positionOf(pathOf(path)));
}
