// @ts-check
/**
 * How long `prepare` takes, by the clock and of the processors, how much memory and how much room: `npm run build`, then
 * `node test/bench/prepare.js [HOSTS [ISOS [MEBIBYTES [ROUNDS]]]] [--json FILE]`. First configs and boot scripts of many hosts, then full
 * ISOs, in turns with as many runs of coreos-installer where it is installed. Folders are made in TMPDIR; root gets the ISOs on an
 * XFS, too, whose files share blocks.
 */

import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  statfsSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeSampleIso } from '../../dist/image.js';
import { askPeer, readArguments, writeFigures, writeMissing } from '../interop/figures.js';
import { program, rounded } from './measure.js';

const { json, given } = readArguments();
const [hosts = 1000, isos = 20, mebibytes = 1000, rounds = 3] = given.map(Number);
const hasTime = existsSync('/usr/bin/time');
const hasPeer = spawnSync('coreos-installer', ['--version']).status === 0;
const folder = mkdtempSync(join(tmpdir(), 'ironic-coreos bench '));
const xfs = join(folder, 'xfs');
try {
  writeFileSync(join(folder, 'auth.json'), '{"auths":{"registry.example.com":{"auth":"aHVudGVyMjp4"}}}');
  await makeIso();
  writeFileSync(join(folder, 'many.yaml'), inventory(hosts));
  writeFileSync(join(folder, 'few.yaml'), inventory(isos));
  const scripts = [
    '--inventory',
    'many.yaml',
    '--iso',
    'live.iso',
    '--base-url',
    'http://192.0.2.1',
    '-o',
    'boot',
  ];
  run(`${hosts} hosts, configs and scripts`, scripts);
  run(`${hosts} hosts, unchanged`, scripts);
  if (!hasPeer) console.log('coreos-installer is not installed, so there is nothing to compare with');
  const ratios = makeIsos(folder, 'where files are copied');
  if (makeXfs()) {
    for (const name of ['live.iso', 'few.yaml', 'auth.json'])
      copyFileSync(join(folder, name), join(xfs, name));
    ratios.push(...makeIsos(xfs, 'where files share blocks'));
  }
  if (hasPeer) {
    const peers = [askPeer('coreos-installer', ['coreos-installer', '--version'])];
    writeFigures(json, { peers, unit: 's', ratios });
  } else writeMissing(json, ['coreos-installer']);
} finally {
  spawnSync('umount', [xfs]);
  rmSync(folder, { recursive: true, force: true });
}

/** Full ISOs, in turns with as many runs of coreos-installer. @param {string} place @param {string} where */
function makeIsos(place, where) {
  const images = ['--inventory', 'few.yaml', '--iso', 'live.iso', '--artifacts', 'iso', '-o', 'isos'];
  /** @type {{ ours: number[], theirs: number[] }} */
  const seconds = { ours: [], theirs: [] };
  for (let round = 1; round <= rounds; round++) {
    seconds.ours.push(run(`${isos} ISOs of ${mebibytes} MiB, round ${round}`, images, place));
    if (round === rounds) run(`${isos} ISOs, unchanged`, images, place);
    rmSync(join(place, 'isos'), { recursive: true });
    if (hasPeer) seconds.theirs.push(runPeer(place));
  }
  const [ours = 0, theirs] = [seconds.ours, seconds.theirs].map(
    (times) => times.toSorted((a, b) => a - b)[times.length >> 1],
  );
  const name = `prepare ${isos} ISOs of ${mebibytes} MiB, ${where}`;
  return theirs === undefined ? [] : [rounded({ name, ours, theirs })];
}

/** Mounts a file with a file system whose files can share blocks; false if that is not possible. */
function makeXfs() {
  mkdirSync(xfs);
  const image = join(folder, 'xfs.img');
  writeFileSync(image, '');
  truncateSync(image, (isos + 4) * mebibytes * 1024 * 1024);
  const commands = [
    ['mkfs.xfs', '-q', '-m', 'reflink=1', image],
    ['mount', '-o', 'loop', image, xfs],
  ];
  return commands.every(([command = '', ...args]) => spawnSync(command, args).status === 0);
}

/** The sample of the program, and behind it so much noise that it is as long as a real one. */
async function makeIso() {
  const sample = await writeSampleIso({ label: 'fedora-coreos-44.20261101.3.0', date: new Date(0) });
  const file = openSync(join(folder, 'live.iso'), 'w');
  writeSync(file, sample);
  for (let written = 0; written < mebibytes; written++) writeSync(file, randomBytes(1024 * 1024));
  closeSync(file);
}

/** @param {string} title @param {readonly string[]} options @param {string} [place] */
function run(title, options, place = folder) {
  return measure(title, process.execPath, [program, 'prepare', ...options], place);
}

/** One file after the other, as a script would do it. @param {string} place */
function runPeer(place) {
  const config = join(place, 'config.ign');
  writeFileSync(config, JSON.stringify({ ignition: { version: '3.2.0' } }).padEnd(4000));
  const embed = `coreos-installer iso ignition embed -i config.ign -o peer-$i.iso live.iso`;
  const taken = measure(
    `${isos} runs of coreos-installer`,
    'sh',
    ['-c', `for i in $(seq ${isos}); do ${embed} || exit 1; done`],
    place,
  );
  for (let index = 1; index <= isos; index++) rmSync(join(place, `peer-${index}.iso`));
  return taken;
}

/** @param {string} title @param {string} command @param {readonly string[]} args @param {string} place @returns {number} seconds */
function measure(title, command, args, place) {
  const before = freeBytes(place);
  const start = performance.now();
  const timed = hasTime ? ['/usr/bin/time', '-f', '%M %U %S', command] : [command];
  const [first = '', ...others] = [...timed, ...args];
  const { status, stderr } = spawnSync(first, others, { cwd: place, encoding: 'utf8' });
  const seconds = (performance.now() - start) / 1000;
  if (status !== 0) throw new Error(`${title} ended with ${status}: ${stderr.slice(0, 2000)}`);
  const room = Math.round((before - freeBytes(place)) / 1024 / 1024);
  const [kib = 0, user = 0, system = 0] = hasTime
    ? (stderr.trimEnd().split('\n').at(-1) ?? '').split(' ').map(Number)
    : [];
  const cost = hasTime
    ? `, ${user.toFixed(1)} + ${system.toFixed(1)} s of the processors, ${Math.round(kib / 1024)} MiB`
    : '';
  console.log(`${title.padEnd(40)}${seconds.toFixed(1)} s${cost}, ${room} MiB on disk`);
  return seconds;
}

/** @param {string} place */
function freeBytes(place) {
  const { bavail, bsize } = statfsSync(place);
  return bavail * bsize;
}

/** @param {number} count */
function inventory(count) {
  const list = Array.from({ length: count }, (_, index) => {
    const octets = [index >> 8, index & 255].map((octet) => octet.toString(16).padStart(2, '0')).join(':');
    return `- {name: worker-${index}, mac: "52:54:00:12:${octets}", architecture: x86_64}\n`;
  });
  return `agent:
  ironic.apiUrls: https://192.0.2.1
  agent.image: registry.example.com/ironic-agent
  agent.pullSecret: auth.json
  boot.ip: [dhcp]
hosts:
${list.join('')}`;
}
