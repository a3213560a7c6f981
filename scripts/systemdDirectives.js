// @ts-check
/**
 * Writes `src/agent/lint/systemd-directives.json`: the sections of each type of systemd unit, and the keys of each
 * section, from a checkout of systemd's sources. Run it after a new release of systemd:
 *
 *     node scripts/systemdDirectives.js FOLDER
 *
 * The keys are those of the table that systemd itself looks them up in (`src/core/load-fragment-gperf.gperf.in`), the
 * sections those of `src/core/TYPE.c`, and the release that brought a key is named by its manual page, where it has one.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [checkout] = process.argv.slice(2);
if (checkout === undefined) throw new Error('usage: node scripts/systemdDirectives.js FOLDER');

const unitTypes = [
  'service',
  'socket',
  'timer',
  'mount',
  'automount',
  'swap',
  'path',
  'slice',
  'scope',
  'target',
  'device',
];

/** The keys that several sections share, by the macro that lists them: a name for the group, and its manual page. */
const groups = new Map([
  ['EXEC', { name: 'exec', page: 'systemd.exec' }],
  ['KILL', { name: 'kill', page: 'systemd.kill' }],
  ['CGROUP', { name: 'cgroup', page: 'systemd.resource-control' }],
]);

/** What the manual pages do not say, or say wrongly, by when the keys came to the table. */
const corrections = new Map([
  ['UpheldBy', 254],
  ...['Low', 'High', 'Max', 'SwapMax'].map((what) => /** @type {const} */ ([`StartupMemory${what}`, 254])),
]);

/** Releases before this one are older than any CoreOS with Ignition 2, so they are not named. */
const oldestNamed = 240;

/** @param {string} path @returns {string} */
function read(path) {
  return readFileSync(join(checkout ?? '', path), 'utf8');
}

/**
 * The release that brought each key, as the manual page says it: the smallest of an entry, as values have notes as well.
 * @param {string} page @returns {Map<string, number>}
 */
function readSince(page) {
  const since = new Map();
  for (const [entry] of read(`man/${page}.xml`).matchAll(/<varlistentry[^]*?<\/varlistentry>/g)) {
    const releases = [...entry.matchAll(/xpointer="v(\d+)"/g)].map(([, release]) => Number(release));
    for (const [, key] of entry.matchAll(/<term><varname>(\w+)=/g)) {
      if (releases.length > 0) since.set(key, Math.min(...releases, since.get(key) ?? Infinity));
    }
  }
  for (const [key, release] of corrections) since.set(key, release);
  // The pages describe each pair once.
  for (const [key, release] of since) since.set(key.replace(/^Condition/, 'Assert'), release);
  return since;
}

/**
 * The keys that have an effect, each with the release that brought it, 0 where that is old or not documented; and those
 * whose names systemd still knows, but ignores.
 * @param {readonly RegExpMatchArray[]} lines @param {Map<string, number>} since
 */
function describe(lines, since) {
  const namesOf = (/** @type {boolean} */ isRemoved) => [
    ...new Set(
      lines.filter(([line]) => line.includes('DISABLED_LEGACY') === isRemoved).map(([, key = '']) => key),
    ),
  ];
  const named = (/** @type {string} */ key) => {
    const release = since.get(key) ?? 0;
    return release < oldestNamed ? 0 : release;
  };
  return {
    keys: Object.fromEntries(namesOf(false).map((key) => [key, named(key)])),
    removed: namesOf(true),
  };
}

/** @param {string} text @param {string} prefix what stands before the keys, as a regular expression */
function linesOf(text, prefix) {
  return [...text.matchAll(new RegExp(String.raw`^${prefix}\.(\w+),.*$`, 'gm'))];
}

const table = read('src/core/load-fragment-gperf.gperf.in');

const shared = Object.fromEntries(
  [...groups].map(([macro, { name, page }]) => {
    const start = table.indexOf(`macro ${macro}_CONTEXT_CONFIG_ITEMS`);
    const body = table.slice(start, table.indexOf('endmacro', start));
    return [name, describe(linesOf(body, String.raw`\{\{type\}\}`), readSince(page))];
  }),
);

const pageOf = new Map([
  ['Unit', 'systemd.unit'],
  ['Install', 'systemd.unit'],
]);

/** @param {string} section */
function describeSection(section) {
  const page = pageOf.get(section) ?? `systemd.${section.toLowerCase()}`;
  const included = [...groups].flatMap(([macro, { name }]) =>
    table.includes(`{{ ${macro}_CONTEXT_CONFIG_ITEMS('${section}') }}`) ? [name] : [],
  );
  return { groups: included, ...describe(linesOf(table, section), readSince(page)) };
}

const types = Object.fromEntries(
  unitTypes.map((type) => {
    const [, list = ''] = /\.sections =\s*((?:"\w+\\0"\s*)+)/.exec(read(`src/core/${type}.c`)) ?? [];
    return [type, [...list.matchAll(/"(\w+)/g)].map(([, section = '']) => section)];
  }),
);

const sections = Object.fromEntries(
  [...new Set(Object.values(types).flat())].map((section) => [section, describeSection(section)]),
);

const knowledge = { systemdVersion: read('meson.version').trim(), types, groups: shared, sections };
const target = join(import.meta.dirname, '../src/agent/lint/systemd-directives.json');
writeFileSync(target, `${JSON.stringify(knowledge, undefined, 2)}\n`);
