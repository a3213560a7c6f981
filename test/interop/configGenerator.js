// @ts-check
/**
 * Random Ignition configs and mutations of their text, to compare verdicts with the real tool. Configs are walked out of
 * the schemas; values come from pools of what the rules look at, good and bad alike. Everything follows from the seed.
 */

import { readFileSync } from 'node:fs';

/** @typedef {() => number} Random numbers from 0 to below 1. */

/** A small generator of random numbers (mulberry32), so that a seed can be printed and used again.
 * @param {number} seed @returns {Random} */
export function randomNumbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** @param {Random} random @param {readonly any[]} list @returns {any} */
const pick = (random, list) => list[Math.floor(random() * list.length)];

const sha512 = `sha512-${'0123456789abcdef'.repeat(8)}`;
const sha256 = `sha256-${'0123456789abcdef'.repeat(4)}`;

const paths = [
  '/etc/a', '/etc/a', '/etc/b', '/etc/a/b', '/etc/a/b/c', '/l', '/l/x', '/', '', 'etc/a', '/etc//a', '/etc/./a', '/etc/../a',
  '/etc/a/', '/etc/systemd/system/a.service', '/etc/systemd/system/a.service.d/x.conf', '/ü', '/a b', '.', '..', '//',
]; // prettier-ignore

const urls = [
  'http://h/x', 'https://h/x', 'HTTP://h', 'tftp://h/x', 's3://b/k', 's3://b/k?versionId=', 's3://b/k?versionId=1', 'gs://b/k',
  'arn:aws:s3:us-east-1:123:accesspoint/n/object/k', 'arn:aws:s3:::b/k', 'arn:aws:s3:::b', 'arn:aws:iam::1:user/x', 'arn:/x',
  'arn:aws:s3:::b/k?versionId=', 'data:,', 'data:,x%20y', 'data:,x y', 'data:text/plain,%zz', 'data:;base64,aGk=', 'data:;base64,aGk',
  'data:;base64,a-_=', 'data:text/plain;charset=utf-8,x', 'data:text/plain;a="b\\"c",x', 'data:text/plain;charset=utf-8;base64,aGk=',
  'data:foo/bar,x', 'data:x-a/b,x', 'data:text,x', 'DATA:,x', 'data:;base64;a=b,x', 'data:;a=%4x,x', '', 'file:///x', 'ftp://h', '/rel', 'h:80/x',
  'http://[::1]:80/', 'http://[::1', 'http://h:8a/', 'http://u@h@i/', 'http://h/%zz', 'http://h/ x', 'http:///x', 'http:', ':x', 'oem:///x',
  'http://[fe80::1%25en0]/', 'http://1.2.3.4:80:90/', 'data:,#', 'data:,a#b', 'data:image/png;base64,AAAA', 'data:;base64,AA==AA==', 'http://h\u0001/',
]; // prettier-ignore

const units = [
  '[Unit]\nDescription=x\n[Install]\nWantedBy=multi-user.target\n', '[Service]\nExecStart=/bin/true\n', '', '[Unit', '[Unit]x\n', 'garbage',
  '[Unit]\nDescription\n', '[Unit]\nA=b\\\nc\n[Install]\nAlias=x\n', '# c\\\n[Install]\nA=b\n', '[Install]\n', '[Unit]\nA=b\\\r\nc\n', `[Unit]\nA=${'x'.repeat(2100)}\n`,
  `[Unit]\nA=${'x'.repeat(2046)}\n`, '; x\n\n[Install]\n=v\n', '[Unit]\nname', '[Unit]\n A = b \n', '[a\nb]\nx=1', '[Install] \u00a0\nA=1',
]; // prettier-ignore

/** Values by member name; a name that is not here takes plain words. */
const strings = /** @type {Record<string, readonly string[]>} */ ({
  path: paths,
  target: [...paths, '../x', 'b', 'a/../b'],
  device: [
    '/dev/sda',
    '/dev/sda',
    '/dev/sdb',
    '',
    'sda',
    '/dev//sda',
    '/dev/disk/by-id/x',
    'tag',
    'x'.repeat(37),
  ],
  source: urls,
  url: urls,
  httpProxy: urls,
  httpsProxy: urls,
  hash: [sha512, sha256, sha512.slice(0, -1), 'sha1-x', 'x', '', 'sha512', 'SHA512-x', `${sha512}0`],
  compression: ['gzip', '', 'xz', 'GZIP'],
  name: [
    'a',
    'a',
    'b',
    '',
    'a.service',
    'b.service',
    'a@.service',
    'a@x.service',
    'x.conf',
    'x.mount',
    'a/b.socket',
    'a.b',
    'Name',
    'a.Service',
  ],
  contents: units,
  format: ['ext4', 'btrfs', 'xfs', 'vfat', 'swap', 'none', 'virtiofs', '', 'ext3'],
  label: [
    'l',
    'l',
    '',
    'x'.repeat(12),
    'x'.repeat(13),
    'x'.repeat(37),
    'x'.repeat(48),
    'a:b',
    'ü'.repeat(8),
    'x'.repeat(257),
  ],
  level: ['raid0', 'linear', '0', 'stripe', 'raid1', '1', 'mirror', 'raid10', 'raid5', '6', '', 'raid7'],
  guid: ['01234567-89AB-CDEF-EDCB-A98765432101', '', 'x', '01234567-89ab-cdef-edcb-a9876543210g'],
  typeGuid: ['01234567-89AB-CDEF-EDCB-A98765432101', '', '01234567-89AB-CDEF-EDCB-A98765432101x'],
  pin: ['tpm2', 'tang', 'sss', 'other', ''],
  config: ['{}', '', 'x'],
  thumbprint: ['t', ''],
  advertisement: ['{}', '', '{', '1e999', '"x"', '{"a":[1,2]}'],
  value: ['v', ''],
  devices: ['/dev/sda', '/dev/sdb', 'sda', '', '/dev/sda/'],
});

const words = ['a', 'b', 'a', '', 'x y', 'ü', 'true', '100%'];
const integers = [
  0, 1, 1, 2, 3, -1, 420, 493, 644, 755, 4095, 4096, 2048, 1024, 512, 99999, 2147483648, 9007199254740991,
];

/** A config as an object, shaped by the schema of its version.
 * @param {Random} random @param {string} version @returns {any} */
export function randomConfig(random, version) {
  const schema = loadSchema(version);
  const config = randomValue(random, { schema, node: { $ref: '#/definitions/Config' }, name: '', depth: 0 });
  config.ignition = { ...config.ignition, version };
  return config;
}

/** @type {Map<string, any>} */
const schemas = new Map();

/** @param {string} version */
function loadSchema(version) {
  const known = schemas.get(version);
  if (known) return known;
  const schema = JSON.parse(
    readFileSync(new URL(`../../dist/schemas/ignition/${version}.json`, import.meta.url), 'utf8'),
  );
  schemas.set(version, schema);
  return schema;
}

/** @param {Random} random @param {{schema: any, node: any, name: string, depth: number}} at @returns {any} */
function randomValue(random, { schema, node, name, depth }) {
  const resolved = resolve(schema, node);
  const type = [resolved.type].flat().find((/** @type {string} */ kind) => kind !== 'null');
  if (type === 'object') {
    const chosen = Object.entries(resolved.properties ?? {}).filter(
      () => random() < (depth === 0 ? 0.5 : 0.42),
    );
    return Object.fromEntries(
      chosen.map(([key, child]) => [
        key,
        randomValue(random, { schema, node: child, name: key, depth: depth + 1 }),
      ]),
    );
  }
  if (type === 'array') {
    const length = Math.floor(random() * random() * 5);
    return Array.from({ length }, () =>
      randomValue(random, { schema, node: resolved.items, name, depth: depth + 1 }),
    );
  }
  if (type === 'integer') return pick(random, integers);
  if (type === 'boolean') return random() < 0.6;
  return pick(random, strings[name] ?? words);
}

/** @param {any} schema @param {any} node @returns {any} */
function resolve(schema, node) {
  let current = node;
  for (;;) {
    const reference = current.$ref ?? current.allOf?.[0].$ref;
    if (!reference) return current;
    current = schema.definitions[String(reference).split('/').at(-1) ?? ''];
  }
}

const snippets = [
  'null', '{}', '[]', '""', '0', '-0', '1e3', '420.0', '1e999', '-', '01', '9223372036854775807', '9223372036854775808', '9007199254740993', 'true', 'false', 'tru',
  '"\\ud800"', '"\\u12"', '"\\x"', '"\u017f"', '"\u212a"', ',', ':', '{', '}', '[', ']', '"', '\\', '\n', '\r', '\t', ' ', '\u0000', '\ufeff', 'ü', '[[[[', '{"a":1}', '"ignition":{},',
  '"path":"/x",', '"name":"a",', '"Path":"/x",', '"storage":{"files":[{"path":"/q"}]},', '"systemd":null,', '"mode":"0644",', '"x%":1,', '"a.b":1,',
]; // prettier-ignore

/** Some edits of a document's bytes: tokens removed, doubled, swapped, replaced; letter case changed; bytes flipped.
 * @param {Random} random @param {Buffer} document @returns {Buffer} */
export function mutate(random, document) {
  let bytes = document;
  const edits = 1 + Math.floor(random() * random() * 6);
  for (let edit = 0; edit < edits; edit++) bytes = mutateOnce(random, bytes);
  return bytes;
}

/** @param {Random} random @param {Buffer} bytes @returns {Buffer} */
function mutateOnce(random, bytes) {
  const at = Math.floor(random() * (bytes.length + 1));
  const end = Math.min(bytes.length, at + 1 + Math.floor(random() * random() * 40));
  const cut = () => Buffer.concat([bytes.subarray(0, at), bytes.subarray(end)]);
  const insert = (/** @type {Uint8Array} */ piece) =>
    Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)]);
  const kind = random();
  if (kind < 0.08) return cut();
  if (kind < 0.16) return insert(bytes.subarray(at, end));
  if (kind < 0.24) return insert(Buffer.from(pick(random, snippets)));
  if (kind < 0.28) return bytes.subarray(0, at);
  if (kind < 0.34 && at < bytes.length) {
    const copy = Buffer.from(bytes);
    copy[at] = Math.floor(random() * 256);
    return copy;
  }
  return Buffer.from(mutateToken(random, bytes.toString('latin1')), 'latin1');
}

/** @param {Random} random @param {string} text @returns {string} */
function mutateToken(random, text) {
  const tokens = [...text.matchAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|[{}[\],:]/g)];
  const token = tokens[Math.floor(random() * tokens.length)];
  if (token === undefined) return text;
  const word = token[0];
  const kind = random();
  const replacement =
    kind < 0.25 ? pick(random, snippets)
    : kind < 0.45 ? changeCase(random, word)
    : kind < 0.6 ? (tokens[Math.floor(random() * tokens.length)]?.[0] ?? '')
    : kind < 0.75 ? JSON.stringify(pick(random, Object.values(strings).flat()))
    : kind < 0.85 ? String(pick(random, integers))
    : kind < 0.93 ? `${word},${word}`
    : ''; // prettier-ignore
  return (
    text.slice(0, token.index) +
    Buffer.from(replacement).toString('latin1') +
    text.slice(token.index + word.length)
  );
}

/** @param {Random} random @param {string} word @returns {string} */
function changeCase(random, word) {
  const kind = random();
  if (kind < 0.3) return word.toUpperCase();
  if (kind < 0.6) return word.replace(/[a-z]/, (letter) => letter.toUpperCase());
  if (kind < 0.8) return word.replace('s', '\u017f').replace('k', '\u212a');
  return word.replace(/[a-z]/g, (letter) => (random() < 0.2 ? letter.toUpperCase() : letter));
}
