/**
 * Keyfiles with NetworkManager's own library as the judge: of random keyfiles, and of all that the conversions write.
 * KEYFILES_COUNT is the number of random keyfiles besides those that have each key once (default: 1200).
 */

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseYaml } from '../../src/formats/yaml.ts';
import { convertNmstate, type KeyfileConversion } from '../../src/network/convertNmstate.ts';
import { checkKeyfile, type KeyfileProblem } from '../../src/network/keyfile/checkKeyfile.ts';
import { convertNetworkData } from '../../src/network/networkData/convertNetworkData.ts';
import { networkDataDocuments } from '../support/networkDataDocuments.ts';
import { randomNetwork, seededRandom, spoil } from '../support/randomNetworks.ts';
import { sharedData } from '../support/sharedData.ts';
import { listKeys, randomKeyfile, settingTable } from './keyfiles/generator.ts';
import { have, oracleNote } from '../support/programs.ts';

interface Answer {
  readonly version: string;
  readonly properties: Readonly<Record<string, readonly string[]>>;
  readonly verdicts: readonly (readonly [rejected: string | null, ignored: readonly string[]])[];
}

function askLibnm(texts: readonly string[]): Answer | undefined {
  const { status, stdout } = spawnSync(
    '/usr/bin/python3',
    [resolve(import.meta.dirname, 'keyfiles/libnm.py')],
    {
      input: JSON.stringify(texts),
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    },
  );
  return status === 0 ? JSON.parse(stdout.trim().split('\n').at(-1) ?? '') : undefined;
}

const empty = have('libnm') ? askLibnm([]) : undefined;
const properties = empty?.properties ?? {};

/** Lists of properties have keys with numbers; the options of bonds and the data of users are any. */
function isOfLibnm({ key, setting }: KeyfileProblem): boolean {
  if (setting === undefined || key === undefined) return true;
  if (/^(?:address(?:es)?|routes?)\d*$/.test(key) || setting === 'bond' || setting === 'user') return true;
  return properties[setting]?.includes(key) === true;
}

/** Sections and keys of a keyfile. */
function keysIn(text: string): readonly (readonly [setting: string, key: string])[] {
  let setting = '';
  return text.split('\n').flatMap((line) => {
    const section = /^\[(.*)\]/.exec(line)?.[1];
    if (section !== undefined) setting = settingTable.aliases[section] ?? section;
    const [key = ''] = line.split('=');
    return section === undefined ? [[setting, key.trim()] as const] : [];
  });
}

/** Why the verdict for a keyfile may differ. */
const differences: readonly (readonly [
  reason: string,
  applies: (text: string, rejected: string | null) => boolean,
])[] = [
  [
    'newer releases of libnm than this have the key',
    (text) =>
      keysIn(text).some(
        ([setting, key]) =>
          (settingTable.settings[setting]?.properties[key] !== undefined &&
            properties[setting]?.includes(key) === false) ||
          (setting === 'bond' && /^(?:arp_missed_max|lacp_active|ns_ip6_target)$/.test(key)),
      ),
  ],
  [
    'newer releases accept routes without addresses',
    (_text, rejected) => rejected?.includes("cannot be empty for 'method=manual'") === true,
  ],
  [
    'files without [connection] are refused, as they are probably of another kind',
    (text) => !/^\[connection\]/m.test(text),
  ],
  [
    'libnm 1.42 rejects a token beside addr-gen-mode=0, which nmstate writes',
    (text, rejected) =>
      rejected?.startsWith('ipv6.token: only makes sense') === true && /^addr-gen-mode=0$/m.test(text),
  ],
  [
    'libnm does not say that it ignores a type with an invalid escape sequence',
    (text) => /^type=.*\\(?![sntr\\])/m.test(text),
  ],
  ['newer releases accept the value 4 (fallback)', (text) => /^link-local=4$/m.test(text)],
  ['newer releases ignore or reject these separators', (text) => /^dns-search=.*[, ]/m.test(text)],
];

/** A bridge with a group address. */
const withAddress = (address: string): string =>
  `[connection]\nid=br0\nuuid=5c1ee6b6-3b0a-4a4c-8d5a-0d4fb0b1b5a1\ntype=bridge\ninterface-name=br0\n[bridge]\ngroup-address=${address}\n`;

describe.skipIf(empty === undefined)(`libnm${oracleNote('libnm')}`, () => {
  it('rejects the group address of a bridge as nmstate writes it', () => {
    const answer = askLibnm(['01:80:C2:00:00:04', '1;128;194;0;0;4'].map(withAddress));
    expect(answer?.verdicts.map(([rejected]) => rejected)).toEqual([
      null,
      expect.stringContaining('group-address'),
    ]);
  });

  it('gives the same verdict on random keyfiles', { timeout: 300_000 }, () => {
    const random = seededRandom(Number(process.env['KEYFILES_SEED'] ?? 1));
    const texts = [
      ...listKeys().flatMap((place) => Array.from({ length: 6 }, () => randomKeyfile(random, place))),
      ...Array.from({ length: Number(process.env['KEYFILES_COUNT'] ?? 1200) }, () => randomKeyfile(random)),
    ];
    const tally = { accepted: 0, rejected: 0, explained: 0 };
    const different = texts.flatMap((text, index) => {
      const [rejected = null, ignored = []] = answerOf(texts).verdicts[index] ?? [];
      const problems = checkKeyfile(text).filter(isOfLibnm);
      const errors = problems.filter(({ severity }) => severity === 'error');
      const theirs = rejected === null ? names(ignored.filter(isCompared)) : 'rejected';
      const ours = errors.length === 0 ? names(problems.filter(isIgnoredValue).map(nameOf)) : 'rejected';
      const reason = differences.find(([, applies]) => applies(text, rejected));
      if (ours === theirs) tally[rejected === null ? 'accepted' : 'rejected'] += 1;
      else if (reason !== undefined) tally.explained += 1;
      return ours === theirs || reason !== undefined ? [] : [{ text, ours, theirs, rejected, problems }];
    });
    expect(different).toEqual([]);
    expect(texts.length).toBeGreaterThan(3000);
    expect(Math.min(tally.accepted, tally.rejected)).toBeGreaterThan(texts.length / 4);
    expect(tally.explained).toBeLessThan(texts.length / 10);
  });

  it.each(conversions())('gives the same verdict on what is converted from $title', ({ converted }) => {
    const keyfiles = converted.flatMap(({ keyfiles: some }) => some);
    const { verdicts } = answerOf(keyfiles.map(({ text }) => text));
    const rejected = keyfiles.flatMap(({ text }, index) => {
      const [reason = null, ignored = []] = verdicts[index] ?? [];
      const problems = checkKeyfile(text).filter(isIgnoredValue);
      const isExplained = differences.some(([, applies]) => applies(text, reason));
      const isRefused = problems.some(({ severity }) => severity === 'error');
      const isSame = isRefused
        ? reason !== null
        : reason === null && names(ignored) === names(problems.map(nameOf));
      return isSame || isExplained ? [] : [{ text, reason, ignored, problems }];
    });
    expect(rejected).toEqual([]);
    expect(keyfiles.length).toBeGreaterThan(5);
  });
});

const answers = new Map<readonly string[], Answer>();

/** Asked once for a list. */
function answerOf(texts: readonly string[]): Answer {
  const known = answers.get(texts) ?? askLibnm(texts);
  if (known === undefined) throw new Error('libnm does not answer');
  answers.set(texts, known);
  return known;
}

function nameOf({ key, setting }: KeyfileProblem): string {
  return `${setting}.${key}`;
}

/** A key or value that libnm reports as ignored; it is silent about unknown keys and dropped options of bonds. */
function isIgnoredValue({ message, severity }: KeyfileProblem): boolean {
  return (
    severity === 'error' || !/^NetworkManager ignores the unknown|not supported in the mode/.test(message)
  );
}

/** Not compared: unknown sections, and keys of newer releases. */
function isCompared(name: string): boolean {
  const [, key] = /^ethtool\.(.*)$/.exec(name) ?? [];
  return name !== 'section' && (key === undefined || properties['ethtool']?.includes(key) === true);
}

function names(list: readonly string[]): string {
  return [...new Set(list)].toSorted().join(' ');
}

function conversions(): readonly {
  readonly title: string;
  readonly converted: readonly KeyfileConversion[];
}[] {
  const golden = resolve(import.meta.dirname, '../golden/network');
  const goldens = readdirSync(golden).filter((name) => !name.endsWith('.out.yaml'));
  const random = seededRandom(1);
  const documents = Array.from({ length: 300 }, () => randomNetwork(random));
  const lists = [
    { title: 'nmstate: goldens', documents: goldens.map((name) => readYaml(join(golden, name))) },
    { title: 'nmstate: random documents', documents },
    { title: 'nmstate: damaged documents', documents: documents.map((one) => spoil(random, one)) },
  ];
  const cases = join(sharedData ?? '', 'nmstate-cases.jsonl');
  if (sharedData !== undefined)
    lists.push({ title: 'nmstate: public documents', documents: readCases(cases) });
  return [
    ...lists.map(({ title, documents: some }) => ({ title, converted: some.map(convertNmstate) })),
    {
      title: 'network data',
      converted: networkDataDocuments.map(({ document }) => convertNetworkData(document)),
    },
  ];
}

function readYaml(path: string): unknown {
  return parseYaml(readFileSync(path, 'utf8')).value;
}

function readCases(path: string): unknown[] {
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  return lines.map((line) => parseYaml(JSON.parse(line).nmstate).value);
}
