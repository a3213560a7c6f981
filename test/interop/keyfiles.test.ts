/**
 * Keyfiles with NetworkManager's own library as the judge: of random keyfiles, and of all that the conversions write.
 * KEYFILES_COUNT is the number of random keyfiles besides those that have each key once (default: 1200).
 */

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseYaml } from '../../src/formats/yaml.ts';
import type { KeyfileConversion } from '../../src/network/convertedKeyfile.ts';
import { convertNmstate } from '../../src/network/convertNmstate.ts';
import type { IpConfig } from '../../src/network/connection.ts';
import { type Family, formatAddress, type Subnet } from '../../src/network/ipAddress.ts';
import type { KeyfileProblem } from '../../src/network/keyfile/profile.ts';
import { convertNetworkData } from '../../src/network/networkData/convertNetworkData.ts';
import { keyfileProblems, parseConnection } from '../support/keyfiles.ts';
import { networkDataDocuments } from '../support/networkDataDocuments.ts';
import { below, pick, type Random, randomNetwork, seededRandom, spoil } from '../support/randomNetworks.ts';
import { sharedData } from '../support/sharedData.ts';
import { listKeys, randomKeyfile, settingTable } from './keyfiles/generator.ts';
import { have, oracleNote } from '../support/programs.ts';

interface Answer {
  readonly version: string;
  readonly properties: Readonly<Record<string, readonly string[]>>;
  readonly verdicts: readonly (readonly [
    rejected: string | null,
    ignored: readonly string[],
    networks: readonly [AnsweredNetwork | null, AnsweredNetwork | null] | null,
  ])[];
}

/** As libnm writes addresses. */
interface AnsweredNetwork {
  readonly addresses: readonly string[];
  readonly gateway: string | null;
  readonly routes: readonly string[];
  readonly dns: readonly string[];
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

/** Lists of properties have keys with numbers; the options of bonds are any. */
function isOfLibnm({ key, section }: KeyfileProblem): boolean {
  if (section === undefined || key === undefined) return true;
  if (/^(?:address(?:es)?|routes?)\d*$/.test(key) || section === 'bond') return true;
  return properties[settingTable.aliases[section] ?? section]?.includes(key) === true;
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
    'libnm does not say that it ignores a type with an invalid escape sequence',
    (text) => /^type=.*\\(?![sntr\\])/m.test(text),
  ],
  [
    'the values of these keys are not checked',
    (_text, rejected) => /^ipv6\.(?:dhcp-|token)/.test(rejected ?? ''),
  ],
  [
    'the numbers of virtual functions and two names of one option are not checked',
    (_text, rejected) => /^sriov\.vfs|num_unsol_na/.test(rejected ?? ''),
  ],
  ['newer releases ignore or reject these separators', (text) => /^dns-search=.*(?:[, ]|\\s)/m.test(text)],
];

/** A bridge with a group address. */
const withAddress = (address: string): string =>
  `[connection]\nid=br0\nuuid=5c1ee6b6-3b0a-4a4c-8d5a-0d4fb0b1b5a1\ntype=bridge\ninterface-name=br0\n[bridge]\ngroup-address=${address}\n`;

/** A static connection, with more entries of [connection]. */
const withStatic = (more: string): string =>
  `[connection]\nid=a\nuuid=5c1ee6b6-3b0a-4a4c-8d5a-0d4fb0b1b5a1\ntype=ethernet\n${more}[ipv4]\nmethod=manual\naddress1=192.0.2.5/24\n`;

describe.skipIf(empty === undefined)(`libnm${oracleNote('libnm')}`, () => {
  it('reads the same addresses, gateways, routes and DNS servers from random keyfiles', () => {
    const random = seededRandom(Number(process.env['KEYFILES_SEED'] ?? 2));
    const texts = Array.from({ length: 3000 }, () => randomAddresses(random));
    const compared = texts.flatMap((text, index) => {
      const [rejected, , networks] = answerOf(texts).verdicts[index] ?? [];
      if (rejected !== null || networks === undefined || networks === null) return [];
      const { ip } = parseConnection('a.nmconnection', text);
      return ([4, 6] as const).map((family, at) => ({
        text,
        ours: ourNetwork(ip[family]),
        theirs: theirNetwork(networks[at] ?? null),
      }));
    });
    expect(compared.map(({ ours, text }) => ({ text, ...ours }))).toEqual(
      compared.map(({ text, theirs }) => ({ text, ...theirs })),
    );
    expect(compared.filter(({ theirs }) => theirs.routes.length > 0).length).toBeGreaterThan(300);
  });

  it('rejects the group address of a bridge as nmstate writes it', () => {
    const answer = askLibnm(['01:80:C2:00:00:04', '1;128;194;0;0;4'].map(withAddress));
    expect(answer?.verdicts.map(([rejected]) => rejected)).toEqual([
      null,
      expect.stringContaining('group-address'),
    ]);
  });

  it('drops the addresses of ports', () => {
    const answer = askLibnm(['', 'master=br0\nslave-type=bridge\n'].map(withStatic));
    expect(answer?.verdicts.map(([, , networks]) => networks?.[0]?.addresses)).toEqual([
      ['192.0.2.5/24'],
      undefined,
    ]);
  });

  it('gives the same verdict on random keyfiles', () => {
    const random = seededRandom(Number(process.env['KEYFILES_SEED'] ?? 1));
    const texts = [
      ...listKeys().flatMap((place) => Array.from({ length: 6 }, () => randomKeyfile(random, place))),
      ...Array.from({ length: Number(process.env['KEYFILES_COUNT'] ?? 1200) }, () => randomKeyfile(random)),
    ];
    const tally = { accepted: 0, rejected: 0, explained: 0 };
    const different = texts.flatMap((text, index) => {
      const [rejected = null, ignored = []] = answerOf(texts).verdicts[index] ?? [];
      const problems = keyfileProblems(text).filter(isOfLibnm);
      const errors = problems.filter(({ severity }) => severity === 'error');
      const theirs = rejected === null ? names(ignored.filter(isCompared)) : 'rejected';
      const ours = errors.length === 0 ? names(problems.filter(isIgnoredValue).map(nameOf)) : 'rejected';
      const reason = differences.find(([, applies]) => applies(text, rejected));
      if (ours === theirs) tally[rejected === null ? 'accepted' : 'rejected'] += 1;
      else if (reason !== undefined) tally.explained += 1;
      return ours === theirs || reason !== undefined ? [] : [{ text, ours, theirs, rejected, problems }];
    });
    expect(different).toEqual([]);
    expect(texts.length).toBeGreaterThan(2000);
    expect(Math.min(tally.accepted, tally.rejected)).toBeGreaterThan(texts.length / 4);
    expect(tally.explained).toBeLessThan(texts.length / 10);
  });

  it.each(conversions())('gives the same verdict on what is converted from $title', ({ converted }) => {
    const keyfiles = converted.flatMap(({ keyfiles: some }) => some);
    const { verdicts } = answerOf(keyfiles.map(({ text }) => text));
    const rejected = keyfiles.flatMap(({ text }, index) => {
      const [reason = null, ignored = []] = verdicts[index] ?? [];
      const problems = keyfileProblems(text).filter(isIgnoredValue);
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

/** Addresses, routes and servers in all forms that libnm reads, and some that it does not. */
function randomAddresses(random: Random): string {
  const section = (family: Family): string => {
    const ips =
      family === 4
        ? ['192.0.2.10', '192.0.2.1', '0.0.0.0', '10.0.0.300']
        : ['2001:db8::5', '2001:DB8:0::1', '::', 'x'];
    const ip = (): string => pick(random, ips);
    const subnet = (): string => `${ip()}${pick(random, ['', '/', '/24', '/64', '/0', '/99', '/200'])}`;
    const lines = Array.from({ length: 1 + below(random, 5) }, () => {
      const number = pick(random, ['', '0', '1', '2', '10', '01']);
      return pick(random, [
        `address${number}=${subnet()}${pick(random, ['', ',', `,${ip()}`, `;${ip()}`])}`,
        `route${number}=${subnet()}${pick(random, ['', `,${ip()}`, `,${ip()},7`, ',,7', ',7'])}`,
        `dns=${ip()}${pick(random, ['', '#dns.example.com', ' '])};${ip()}${pick(random, ['', ';'])}`,
        `gateway=${ip()}`,
      ]);
    });
    return `[ipv${family}]\nmethod=${pick(random, ['manual', 'auto'])}\n${lines.join('\n')}\n`;
  };
  const uuid = '5c1ee6b6-3b0a-4a4c-8d5a-0d4fb0b1b5a1';
  return `[connection]\nid=a\nuuid=${uuid}\ntype=ethernet\n${section(4)}${section(6)}`;
}

function subnetText({ address, prefixLength }: Subnet): string {
  return `${formatAddress(address)}/${prefixLength}`;
}

/** The gateway is a default route here. */
function ourNetwork({ addresses, dns, gateway, routes }: IpConfig) {
  return {
    addresses: addresses.map(subnetText),
    dns: sortedSet(dns.map(formatAddress)),
    routes: sortedSet([
      ...routes.map(
        (route) => `${subnetText(route.destination)} ${route.gateway ? formatAddress(route.gateway) : ''}`,
      ),
      ...(gateway === undefined ? [] : [`/0 ${formatAddress(gateway)}`]),
    ]),
  };
}

function theirNetwork(network: AnsweredNetwork | null) {
  const { addresses = [], dns = [], gateway = null, routes = [] } = network ?? {};
  return {
    addresses,
    dns: sortedSet(dns.map((server) => server.replace(/#.*/, ''))),
    routes: sortedSet([...routes, ...(gateway === null ? [] : [`/0 ${gateway}`])]),
  };
}

/** Default routes are the same with any destination. */
function sortedSet(texts: readonly string[]): readonly string[] {
  return [...new Set(texts.map((text) => text.replace(/^.*(?=\/0 )/, '')))].toSorted();
}

const answers = new Map<readonly string[], Answer>();

/** Asked once for a list. */
function answerOf(texts: readonly string[]): Answer {
  const known = answers.get(texts) ?? askLibnm(texts);
  if (known === undefined) throw new Error('libnm does not answer');
  answers.set(texts, known);
  return known;
}

function nameOf({ key, section = '' }: KeyfileProblem): string {
  return `${settingTable.aliases[section] ?? section}.${key}`;
}

/** A key or value that libnm reports as ignored; it is silent about unknown keys and dropped options of bonds. */
function isIgnoredValue({ message, severity }: KeyfileProblem): boolean {
  return (
    severity === 'error' || !/^NetworkManager ignores the unknown|not supported in the mode/.test(message)
  );
}

/** Not compared: unknown sections and options. */
function isCompared(name: string): boolean {
  return name !== 'section' && !/^bond\.(?:nonsense|\W)/.test(name);
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
