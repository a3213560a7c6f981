/** Random Butane documents: generated along the newest version, so that older versions see keys that they do not have. */

import { butaneType } from '../../src/butane/schema.ts';
import { rulesOfVersion, butaneVersions } from '../../src/butane/versions.ts';
import {
  type Field,
  type ListField,
  type ScalarField,
  type StructType,
  structOf,
} from '../../src/ignition/schema.ts';

type Random = () => number;

const newest = butaneType(rulesOfVersion(butaneVersions.at(-1) ?? '')!);

/** A document of the version, with a few mistakes in some of them. */
export function randomButane(random: Random, version: string): string {
  const sections = newest.fields.filter(({ name }) => name !== 'variant' && name !== 'version');
  const parts = [
    `variant: ${chance(random, 0.01) ? pick(random, ['core', '""', '~', '[fcos]']) : 'fcos'}`,
    `version: ${version}`,
  ];
  for (const field of sections) {
    if (chance(random, field.name === 'storage' ? 0.8 : 0.4)) parts.push(...writeEntry(random, field, 0));
  }
  const text = `${parts.join('\n')}\n`;
  return chance(random, 0.3) ? mutate(random, text) : text;
}

/** Lines of `name: value`. */
function writeEntry(random: Random, field: Field, depth: number): string[] {
  const { name } = field;
  const indent = '  '.repeat(depth);
  if (chance(random, 0.004)) return [`${indent}${name}:`];
  if (chance(random, 0.006)) return [`${indent}${name}: ${pick(random, oddValues)}`];
  if (field.kind === 'list') {
    const count = pick(random, [0, 1, 1, 2, 2, 3]);
    if (count === 0) return [`${indent}${name}: []`];
    const items = Array.from({ length: count }, () => writeItem(random, field, depth));
    return [`${indent}${name}:`, ...items.flat()];
  }
  if (field.kind === 'struct') {
    const inner = writeStruct(random, field.struct, depth + 1);
    return inner.length === 0 ? [`${indent}${name}: {}`] : [`${indent}${name}:`, ...inner];
  }
  return [`${indent}${name}: ${valueOf(random, name, field.kind, depth)}`];
}

function writeItem(random: Random, field: ListField, depth: number): string[] {
  const struct = structOf(field);
  const indent = '  '.repeat(depth);
  if (chance(random, 0.01)) return [`${indent}- ${pick(random, oddValues)}`];
  if (struct === undefined) return [`${indent}- ${valueOf(random, field.name, 'string', depth)}`];
  const [first = '', ...rest] = writeStruct(random, struct, depth + 1);
  return first === '' ? [`${indent}- {}`] : [`${indent}- ${first.trimStart()}`, ...rest];
}

function writeStruct(random: Random, struct: StructType, depth: number): string[] {
  const wanted = likely[struct.name] ?? [];
  const share = struct.name === 'Storage' ? 0.3 : 0.2;
  const lines: string[] = [];
  for (const field of struct.fields) {
    if (!chance(random, wanted.includes(field.name) ? 0.92 : share)) continue;
    lines.push(...writeEntry(random, field, depth));
  }
  if (chance(random, 0.02))
    lines.push(`${'  '.repeat(depth)}${pick(random, ['unknown', 'Path', '<<', '7'])}: 1`);
  return lines;
}

/** Fields that most objects of a type have. */
const likely: Readonly<Record<string, readonly string[]>> = {
  Storage: ['files'],
  File: ['path'],
  Directory: ['path'],
  Link: ['path', 'target'],
  Disk: ['device', 'partitions'],
  Partition: ['label'],
  Filesystem: ['device', 'path', 'format', 'with_mount_unit'],
  Luks: ['name', 'device'],
  Raid: ['name', 'level', 'devices'],
  Tang: ['url', 'thumbprint'],
  Unit: ['name', 'contents'],
  Dropin: ['name', 'contents'],
  PasswdUser: ['name'],
  PasswdGroup: ['name'],
  Quadlet: ['name', 'contents'],
  GrubUser: ['name', 'password_hash'],
  BootDevice: ['layout', 'mirror'],
  BootDeviceMirror: ['devices'],
  Tree: ['local'],
};

/** Butane validates inlined configs that are merged. */
const validConfig = `'{"ignition": {"version": "3.0.0"}}'`;

/** Values of fields of this name, as they are written in YAML. */
const values: Readonly<Record<string, readonly string[]>> = {
  path: [
    '/etc/a',
    '/etc/a',
    '/etc/b',
    '/var/lib/x',
    'etc/x',
    '/boot/grub2/user.cfg',
    '/tmp/tree',
    '""',
    "'/var/x-y/.z'",
    '/a.txt',
    '/etc/containers/systemd/web.container',
  ],
  local: [
    'a.txt',
    'tree',
    'tree/sub',
    'missing.txt',
    '../secret',
    'big.txt',
    'random.bin',
    'empty',
    './a.txt',
    '/a.txt',
    '""',
  ],
  contents_local: ['a.txt', 'unit.service', 'missing', '../x', '""', 'tree'],
  ssh_authorized_keys_local: ['keys.pub', 'missing.pub', 'a.txt'],
  inline: [
    validConfig,
    validConfig,
    validConfig,
    'hello',
    '""',
    '|',
    '>-',
    '"a\\tb ü %"',
    "'it''s'",
    `"${'abc '.repeat(60)}"`,
  ],
  contents: [
    '"[Service]\\nExecStart=/bin/true\\n"',
    '|',
    '""',
    'x',
    '"[Install]\\nWantedBy=a.target\\n[Service]\\nType=x\\n"',
  ],
  source: ['https://example.com/a', 'data:,x', 'ftp://x', '""', 'data:;base64,eA==', 's3://b/k'],
  compression: ['gzip', '""', 'xz'],
  hash: ['sha512-x', `sha256-${'a'.repeat(64)}`, 'md5-0', '""'],
  mode: [
    '0644',
    '0755',
    '420',
    '644',
    '755',
    '0o600',
    '4755',
    '01777',
    '1777',
    '010000',
    '0',
    '-1',
    '0x1ff',
    '1_0',
    '1.5',
    '99999999999999999999',
  ],
  file_mode: ['0600', '420', '644'],
  dir_mode: ['0700', '448', '700'],
  device: [
    '/dev/sda',
    '/dev/disk/by-id/coreos-boot-disk',
    '/dev/mapper/root',
    '/dev/mapper/data',
    '/dev/disk/by-partlabel/root',
    '/dev/dasda',
    'sda',
    '/dev/md/md-root',
    '/dev/disk/by-label/boot',
    '""',
  ],
  devices: ['/dev/sda', '/dev/sdb', '/dev/sdc'],
  label: ['root', 'boot', 'var', 'EFI-SYSTEM', 'BIOS-BOOT', 'root-1', '""', 'a:b', 'boot-1'],
  number: ['0', '1', '2', '4', '9'],
  size_mib: ['0', '100', '8192', '9000'],
  start_mib: ['0', '1', '2048'],
  format: ['xfs', 'ext4', 'swap', 'btrfs', 'none', '""', 'virtiofs', 'vfat'],
  name: [
    'core',
    'root',
    'data',
    'a.service',
    'b.mount',
    'var-lib-x.mount',
    'web.container',
    'web@1.container',
    'web@.container',
    'x.conf',
    '""',
    'web.txt',
    'b.socket',
  ],
  layout: ['x86_64', 'x86_64', 'aarch64', 'ppc64le', 's390x-eckd', 's390x-zfcp', 's390x-virt', 'mips', '""'],
  level: ['raid1', 'raid0', 'raid99'],
  url: ['https://tang.example.com', 'http://x', '""', 'ftp://x'],
  thumbprint: ['abc', '""'],
  target: ['/etc/x', '""', 'a'],
  password_hash: ['$6$x', 'grub.pbkdf2.sha512.10000.874A', '""', '12'],
  uuid: ['12345678-1234-1234-1234-123456789012', '01234567', 'x'],
  guid: ['12345678-1234-1234-1234-123456789012', 'x'],
  type_guid: ['12345678-1234-1234-1234-123456789012', '""'],
  should_exist: ['true', 'false', 'quiet', 'a=b'],
  should_not_exist: ['quiet', 'c'],
  http_proxy: ['http://p', 'ftp://p'],
  https_proxy: ['https://p', 'http://p'],
  threshold: ['1', '0', '-1', '2'],
  pin: ['tpm2', 'custom'],
  config: ['x', '""'],
};

const oddValues = [
  '~',
  'null',
  '[]',
  '{}',
  'abc',
  '12',
  'true',
  '[1, 2]',
  '{a: b}',
  '""',
  '2001-01-01',
  '!!str 12',
  '!!int "7"',
  '.inf',
  '0.5',
  '[~]',
  '!custom x',
  'yes',
  '"yes"',
  '1e3',
];

function valueOf(random: Random, name: string, kind: ScalarField['kind'], depth: number): string {
  if (kind === 'boolean') return pick(random, ['true', 'true', 'false', 'yes', 'off', 'True', 'y', '"on"']);
  const pool =
    values[name] ?? (kind === 'integer' ? ['0', '1', '1000', '0x10'] : ['a', 'b', '"c d"', '12', 'true']);
  const value = pick(random, pool);
  if (value !== '|' && value !== '>-') return value;
  const indent = '  '.repeat(depth + 1);
  const lines =
    name === 'contents' ? ['[Unit]', 'Description=x', '', '[Service]'] : ['first', '', ' second', 'third #x'];
  return [value, ...lines.map((line) => (line === '' ? '' : `${indent}  ${line}`))].join('\n');
}

/** Changes of the text. */
function mutate(random: Random, text: string): string {
  const lines = text.split('\n');
  const at = Math.floor(random() * lines.length);
  const line = lines[at] ?? '';
  const edits: readonly (() => void)[] = [
    () => lines.splice(at, 1),
    () => lines.splice(at, 0, line),
    () => (lines[at] = line.replace(/: .*$/, `: ${pick(random, oddValues)}`)),
    () => (lines[at] = line.replace(/(\w+):/, (_all, key: string) => `${key.slice(0, -1)}:`)),
    () => (lines[at] = `${line}  # a comment: x`),
    () => lines.splice(at, 0, '# a comment', ''),
    () => (lines[at] = line.replace(/: (\S+)$/, ': &a $1')),
    () => (lines[at] = line.replace(/^(\s*)(- )?(\w+): (\S+)$/, '$1$2"$3": \'$4\'')),
    () => lines.splice(0, 0, '---'),
    () => lines.push('x-shared: &shared {name: core, path: /etc/shared}', 'other: *shared'),
    () => (lines[at] = line.replace(/^(\s*)- (\w+: .*)$/, '$1-\n$1  $2')),
  ];
  pick(random, edits)();
  return lines.join('\n');
}

function chance(random: Random, share: number): boolean {
  return random() < share;
}

function pick<T>(random: Random, items: readonly T[]): T {
  return items[Math.floor(random() * items.length)]!;
}
