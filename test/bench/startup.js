// @ts-check
/**
 * How long short commands and imports of the library take, beside a Node program that does nothing, and beside the programs that
 * do the same where they are installed: ignition-validate and coreos-installer. `npm run bench`, or
 * `node test/bench/startup.js [--json FILE]`.
 */

import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeSampleIso } from '../../dist/image.js';
import {
  askPeer,
  ignitionValidatePeer,
  readArguments,
  writeFigures,
  writeMissing,
} from '../interop/figures.js';
import { findFile } from '../oracles/find.js';
import { smallConfig } from './configs.js';
import { bareNode, format, ours, rounded, takeTurns } from './measure.js';

const ROUNDS = 25;

/** Milliseconds that embedding a config in place may take beyond validating it. */
const EMBED_BAR = 20;

/** Start-up with an import, in times of that without: at most 100 ms more where Node starts in 65 ms. */
const IMPORT_BAR = 2.5;

/** Marks the runs of other programs. */
const THEIRS = ' (theirs)';

/**
 * @typedef {object} Compared
 * @property {string} name
 * @property {readonly string[]} args ours
 * @property {readonly string[]} [theirs] of the program that does the same
 * @property {import('./measure.js').Run['command'] | undefined} [peer]
 */

const { json } = readArguments();
measureImports();
const folder = mkdtempSync(join(tmpdir(), 'ironic-coreos bench '));
try {
  const small = join(folder, 'small.ign');
  writeFileSync(small, smallConfig(0));
  const agent = join(folder, 'agent.ign');
  const render = [
    'render',
    '--api-url',
    'https://192.0.2.1',
    '--agent-image',
    'registry.example.com/ironic-agent',
    '--no-ssh-key',
    '-o',
    agent,
  ];
  takeTurns([ours('render', render)], 1);
  measure([
    { name: '--version', args: ['--version'] },
    { name: '--help', args: ['--help'] },
    { name: 'render', args: render },
    { name: 'ignition translate', args: ['ignition', 'translate', '--to', '3.5.0', small] },
    { name: 'pxe kargs', args: ['pxe', 'kargs', '--base-url', 'http://192.0.2.1/images', '--embedded'] },
    ...validations({ small, agent }),
    ...(await imageEdits({ small, agent })),
  ]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Beside an empty module. */
function measureImports() {
  const root = new URL('../../', import.meta.url);
  /** @type {{ exports: Record<string, string | { default: string }> }} */
  const { exports } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
  const runs = Object.entries(exports).flatMap(([path, target]) =>
    typeof target === 'string'
      ? []
      : [moduleRun(`ironic-coreos${path.slice(1)}`, `import '${new URL(target.default, root).href}'`)],
  );
  const [bare, ...times] = takeTurns([moduleRun('an empty module', ''), ...runs], ROUNDS);
  if (bare === undefined) return;
  console.log(`imports on Node ${process.version}, ${ROUNDS} runs each, in turns; ms`);
  console.log(`${' '.repeat(26)} median     min  beyond an empty module: median, min; ratio of the medians`);
  console.log(`  ${bare.name.padEnd(24)}${format(bare.median)} ${format(bare.min)}`);
  for (const { name, median, min } of times) {
    const beyond = median - bare.median;
    const ratio = median / bare.median;
    const verdict = ratio > IMPORT_BAR ? ' TOO SLOW' : '';
    console.log(
      `  ${name.padEnd(24)}${format(median)} ${format(min)} ${format(beyond)} ${format(min - bare.min)} ${ratio.toFixed(2)}${verdict}`,
    );
  }
}

/** @param {string} name @param {string} code @returns {import('./measure.js').Run} */
function moduleRun(name, code) {
  return { name, command: process.execPath, args: ['--input-type=module', '--eval', code] };
}

/** @param {Record<string, string>} configs @returns {Compared[]} */
function validations(configs) {
  const peer = findFile('ignition-validate');
  return Object.entries(configs).map(([name, path]) => {
    return { name: `validate ${name}`, args: ['validate', path], theirs: [path], peer };
  });
}

/** In place, each program in an image of its own. @param {Record<string, string>} configs @returns {Promise<Compared[]>} */
async function imageEdits(configs) {
  const peer = findFile('coreos-installer');
  const original = join(folder, 'original.iso');
  writeFileSync(
    original,
    await writeSampleIso({ label: 'fedora-coreos-44.20261101.3.0', date: new Date(0) }),
  );
  /** @param {string} name @param {readonly string[]} args @returns {Compared} */
  const edit = (name, args) => {
    const images = ['ours.iso', 'theirs.iso'].map((image) => join(folder, `${args[0]} ${image}`));
    for (const image of images) copyFileSync(original, image);
    const [mine, theirs] = images.map((image) => ['iso', ...args, image]);
    return { name, args: mine ?? [], ...(theirs !== undefined && { theirs }), peer };
  };
  const embedded = Object.entries(configs).map(([name, path]) =>
    edit(`embed ${name}`, ['ignition', 'embed', '-f', '-i', path]),
  );
  return [
    edit('kargs modify', ['kargs', 'modify', '-a', 'x=1']),
    edit('kargs show', ['kargs', 'show']),
    ...embedded,
    ...embedded.slice(0, 1).map(showEmbedded),
  ];
}

/** What has been embedded, in the same images. @param {Compared} embedded @returns {Compared} */
function showEmbedded({ args, theirs = [], peer }) {
  const [mine, other] = [args, theirs].map((given) => ['iso', 'ignition', 'show', ...given.slice(-1)]);
  return { name: 'ignition show', args: mine ?? [], ...(other !== undefined && { theirs: other }), peer };
}

/** @param {readonly Compared[]} commands */
function measure(commands) {
  const runs = commands.flatMap(({ name, args, theirs, peer }) => {
    const mine = ours(name, args);
    return peer === undefined || theirs === undefined
      ? [mine]
      : [mine, { name: theirName(name), command: peer, args: theirs }];
  });
  takeTurns(runs, 1); // what Node compiles is kept from then on
  const times = new Map(takeTurns([bareNode, ...runs], ROUNDS).map((taken) => [taken.name, taken]));
  const bare = times.get(bareNode.name);
  console.log(`start-up on Node ${process.version}, ${ROUNDS} runs each, in turns; ms`);
  console.log(
    `${' '.repeat(26)} median     min  beyond bare Node: median, min; theirs: median, ours / theirs`,
  );
  for (const [name, { median, min }] of times) {
    if (name.endsWith(THEIRS) || bare === undefined) continue;
    const beyond =
      name === bare.name ? '' : ` ${format(median - bare.median)} ${format(min - bare.min)}        `;
    const theirs = times.get(theirName(name));
    const beside =
      theirs === undefined ? '' : ` ${format(theirs.median)} ${(median / theirs.median).toFixed(2)}`;
    console.log(`  ${name.padEnd(24)}${format(median)} ${format(min)}${beyond}${beside}`);
  }
  for (const name of ['small', 'agent']) {
    const [embed, validate] = ['embed', 'validate'].map((task) => times.get(`${task} ${name}`));
    const beyond = (embed?.median ?? 0) - (validate?.median ?? 0);
    console.log(`  embed ${name}: +${format(beyond)} over validate${beyond > EMBED_BAR ? ' TOO SLOW' : ''}`);
  }
  const missing = commands.filter(({ theirs, peer }) => theirs !== undefined && peer === undefined);
  if (missing.length > 0) console.log(`  NOT COMPARED: ${missing.map(({ name }) => name).join(', ')}`);
  writeRatios(commands, times);
}

/** @param {readonly Compared[]} commands @param {ReadonlyMap<string, import('./measure.js').Times>} times */
function writeRatios(commands, times) {
  const [validator, installer] = [findFile('ignition-validate'), findFile('coreos-installer')];
  if (validator === undefined || installer === undefined) {
    const absent = { 'ignition-validate': validator, 'coreos-installer': installer };
    writeMissing(
      json,
      Object.entries(absent).flatMap(([name, path]) => (path === undefined ? [name] : [])),
    );
    return;
  }
  const ratios = commands.flatMap(({ name }) => {
    const [mine, theirs] = [name, theirName(name)].map((run) => times.get(run)?.median);
    return mine === undefined || theirs === undefined ? [] : [rounded({ name, ours: mine, theirs })];
  });
  const peers = [askPeer('coreos-installer', [installer, '--version']), ignitionValidatePeer(validator)];
  writeFigures(json, { peers, unit: 'ms', ratios });
}

/** @param {string} name */
function theirName(name) {
  return name + THEIRS;
}
