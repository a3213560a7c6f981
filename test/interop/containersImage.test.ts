/**
 * The registries and the login that podman uses for an image, compared with its own library on generated files.
 */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { combineRegistries, planPull } from '../../src/agent/imagePull.ts';
import { findLogin, readCredentials } from '../../src/agent/pullSecret.ts';
import { readRegistriesConf } from '../../src/agent/registriesConf.ts';
import { parseImageReference } from '../../src/formats/imageReference.ts';
import { oracleFile, have, oracleNote } from '../support/programs.ts';
import { type Random, seededRandom } from '../support/randomNetworks.ts';

const count = Number(process.env['CONTAINERS_IMAGE_CASES'] ?? 1500);

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'containers-image-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Case {
  readonly conf: string;
  readonly dropIns: readonly string[];
  readonly auth: string;
  readonly image: string;
}

const hosts = [
  'quay.io',
  'quay.io:443',
  'docker.io',
  'index.docker.io',
  'a.example.com',
  'b.a.example.com',
  'example.com',
  'example.com:5000',
  'a.example.com.example.com',
  'localhost:5000',
  '[2001:db8::1]:5000',
  '192.0.2.1',
] as const;
const paths = [
  '',
  '/team',
  '/team/agent',
  '/agent',
  '/team/sub/agent',
  '/library',
  '/library/agent',
] as const;
const digest = `@sha256:${'0123456789abcdef'.repeat(4)}`;

const pick = <T>(random: Random, values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
const location = (random: Random): string => pick(random, hosts) + pick(random, paths);

function randomCase(random: Random): Case {
  const image = pick(random, hosts) + pick(random, paths.slice(1));
  const dropIns = Array.from({ length: pick(random, [0, 0, 1, 2]) }, () => randomConf(random, image));
  const conf = randomConf(random, image);
  const version = pick(random, ['', ':v1', ':latest', digest, `:v1${digest}`]);
  return { conf, dropIns, auth: randomAuth(random, image), image: `${image}${version}` };
}

/** Often about the image itself. */
function near(random: Random, image: string): string {
  const parts = image.split('/');
  return random() < 0.6
    ? parts.slice(0, 1 + Math.floor(random() * parts.length)).join('/')
    : location(random);
}

function randomConf(random: Random, image: string): string {
  return Array.from({ length: pick(random, [0, 1, 1, 2, 3]) }, () => randomEntry(random, image)).join('');
}

function randomEntry(random: Random, image: string): string {
  const sometimes = (share: number, line: string): string => (random() < share ? `${line}\n` : '');
  const prefix =
    random() < 0.3 ? pick(random, ['*.example.com', '*.io', '*.com', '*.']) : near(random, image);
  const place = pick(random, [
    near(random, image),
    location(random),
    'mirror.example.net',
    'bare',
    'Bad.io/A',
  ]);
  const mirrors = Array.from({ length: pick(random, [0, 0, 1, 2]) }, () =>
    [
      '[[registry.mirror]]\n',
      sometimes(0.97, `location = "${pick(random, [location(random), 'm.example.net/x/', 'm:5000'])}"`),
      sometimes(0.3, 'insecure = true'),
      sometimes(0.4, `pull-from-mirror = "${pick(random, ['all', 'digest-only', 'tag-only', '', 'none'])}"`),
    ].join(''),
  );
  return [
    '[[registry]]\n',
    sometimes(0.6, `prefix = "${prefix}"`),
    sometimes(0.9, `location = "${place}${pick(random, ['', '', '', '/', '//'])}"`),
    sometimes(0.2, 'blocked = true'),
    sometimes(0.2, 'insecure = true'),
    sometimes(0.15, 'mirror-by-digest-only = true'),
    sometimes(0.02, 'pull-from-mirror = "all"'),
    ...mirrors,
  ].join('');
}

/** Each entry has a user of its own, so that the user tells the entry. */
function randomAuth(random: Random, image: string): string {
  const auths: Record<string, unknown> = {};
  for (let number = 0; number < pick(random, [0, 1, 2, 3, 5]); number++) {
    const place = pick(random, [near(random, image), location(random), 'mirror.example.net']);
    const key =
      pick(random, ['', '', '', '', '', '', 'https://']) + place + pick(random, ['', '', '', '', '/']);
    auths[key] = { auth: randomLogin(random, key) };
  }
  const credHelpers = random() < 0.05 ? { [pick(random, hosts)]: 'none-of-this-name' } : undefined;
  return JSON.stringify({ auths, credHelpers });
}

const userOf = (key: string): string => `user of ${key.replaceAll(':', ' ')}`;

function randomLogin(random: Random, key: string): string | null {
  const usable = Buffer.from(`${userOf(key)}:password`).toString('base64');
  return pick(random, [
    ...Array.from({ length: 8 }, () => usable),
    `${usable}\n`,
    `${usable} `,
    ` ${usable}`,
    `${usable.slice(0, 4)}\r\n${usable.slice(4)}`,
    `${usable.slice(0, 4)} ${usable.slice(4)}`,
    Buffer.from('user').toString('base64'),
    usable.replace(/=*$/, '='),
    '',
    null,
  ]);
}

function ours({ auth, conf, dropIns, image }: Case): unknown {
  if (!parseImageReference(image).ok) return { refused: 'image', sources: null };
  const files = [conf, ...dropIns].map((text) => readRegistriesConf(text).registries);
  if (files.includes(undefined)) return { refused: 'conf', sources: null };
  const plan = planPull(image, combineRegistries(files.flatMap((file) => file ?? [])));
  if (plan === undefined) return { refused: 'image', sources: null };
  if (plan.malformed !== undefined) return { refused: 'rewrite', sources: null };
  const credentials = readCredentials(auth);
  const sources = plan.sources.map(({ blocked, insecure, name, reference }) => {
    const login = findLogin(name, credentials);
    const { key = '', state = 'empty' } = login !== undefined && 'key' in login ? login : {};
    const loginFailed = state === 'not base64' || (login !== undefined && 'helper' in login);
    return { reference, insecure, blocked, user: state === 'usable' ? userOf(key) : '', loginFailed };
  });
  return { refused: '', sources };
}

describe.skipIf(!have('containers/image'))(`podman's library${oracleNote('containers/image')}`, () => {
  it(`pulls ${count} images from the same sources with the same logins`, () => {
    const random = seededRandom(41);
    const cases = Array.from({ length: count }, () => randomCase(random)).filter(({ auth }) =>
      isDefinite(auth),
    );
    const input = cases.map((one) => `${JSON.stringify(one)}\n`).join('');
    const text = execFileSync(oracleFile('containers/image'), { cwd: folder, input, maxBuffer: 2 ** 30, env: { HOME: folder } }); // prettier-ignore
    const theirs: unknown[] = text.toString().trimEnd().split('\n').map((line) => JSON.parse(line)); // prettier-ignore
    const verdicts = theirs.map((answer) => JSON.stringify(answer).slice(0, 20));
    expect(new Set(verdicts).size).toBeGreaterThan(3);
    const different = cases.flatMap(
      (one, index) =>
        JSON.stringify(ours(one)) === JSON.stringify(theirs[index]) ? [] : [{ one, ours: ours(one), theirs: theirs[index] }], // prettier-ignore
    );
    expect(different.slice(0, 5)).toEqual([]);
    expect(cases.length).toBeGreaterThan(count / 2);
  }, 900_000);
});

/** The library takes one of several keys with a scheme for the same registry at random. */
function isDefinite(auth: string): boolean {
  return [...auth.matchAll(/"(?:https:\/\/|(?:registry-1\.|index\.)?docker\.io)/g)].length < 2;
}
