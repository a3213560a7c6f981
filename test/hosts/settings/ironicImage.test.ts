/** What is derived from the environment of ironic-image, compared with its scripts where IRONIC_IMAGE names a checkout. */

import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import os, { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { deriveHttpUrl } from '../../../src/hosts/settings/ironicImage.ts';
import { readIronic } from '../../../src/hosts/settings/ironicUrls.ts';
import { readInputs } from '../../../src/hosts/settings/settings.ts';
import { createIo } from '../../support/createIo.ts';
import { oracleFile, have, oracleNote } from '../../support/programs.ts';

function addressOf(address: string, mac: string): os.NetworkInterfaceInfo {
  const internal = address === '127.0.0.1';
  return address.includes(':')
    ? { address, mac, internal, family: 'IPv6', scopeid: 0, netmask: 'ffff:ffff:ffff:ffff::', cidr: null }
    : { address, mac, internal, family: 'IPv4', netmask: '255.255.255.0', cidr: null };
}

/** The interfaces of the machine, in place of its own. */
const interfaces = {
  lo: [addressOf('127.0.0.1', '00:00:00:00:00:00')],
  eth0: ['169.254.7.7', '198.51.100.7', 'fd00::7'].map((address) => addressOf(address, '52:54:00:00:00:07')),
  eth1: ['fe80::8', 'fd00::8'].map((address) => addressOf(address, '52:54:00:00:00:08')),
};

type Environment = Readonly<Record<string, string>>;

let folder: string;
let ca: string;
beforeAll(async () => {
  vi.spyOn(os, 'networkInterfaces').mockReturnValue(interfaces);
  syncBuiltinESMExports();
  folder = await mkdtemp(join(tmpdir(), 'ironic image '));
  ca = join(folder, 'ca.crt');
  await writeFile(ca, 'any file');
});
afterAll(async () => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  await rm(folder, { recursive: true });
});

/** `CA` is the path of a file that exists. The URLs are those of ironic-image db962c9. */
const cases: readonly (readonly [title: string, env: Environment, baseUrl: string, httpUrl: string])[] = [
  ['IPv4', { IRONIC_IP: '192.0.2.1' }, 'http://192.0.2.1:6385', 'http://192.0.2.1:80'],
  ['a prefix length', { IRONIC_IP: '192.0.2.1/24' }, 'http://192.0.2.1:6385', 'http://192.0.2.1:80'],
  ['IPv6', { IRONIC_IP: 'fd00::1' }, 'http://[fd00::1]:6385', 'http://[fd00::1]:80'],
  ['long IPv6', { IRONIC_IP: 'FD00:0:0::0001/64' }, 'http://[fd00::1]:6385', 'http://[fd00::1]:80'],
  [
    'ports',
    { IRONIC_IP: '192.0.2.1', HTTP_PORT: '6180', IRONIC_ACCESS_PORT: '6386' },
    'http://192.0.2.1:6386',
    'http://192.0.2.1:6180',
  ],
  [
    'TLS',
    { IRONIC_IP: '192.0.2.1', IRONIC_CACERT_FILE: 'CA' },
    'https://192.0.2.1:6385',
    'http://192.0.2.1:80',
  ],
  ['a second name', { PROVISIONING_IP: '192.0.2.2' }, 'http://192.0.2.2:6385', 'http://192.0.2.2:80'],
  [
    'both names',
    { IRONIC_IP: '192.0.2.1', PROVISIONING_IP: '192.0.2.2' },
    'http://192.0.2.1:6385',
    'http://192.0.2.1:80',
  ],
  [
    'a URL of the web server',
    { IRONIC_IP: '192.0.2.1', IRONIC_HTTP_URL: 'http://www.example.com:8000' },
    'http://192.0.2.1:6385',
    'http://www.example.com:8000',
  ],
  [
    'an external address',
    { IRONIC_IP: '10.0.0.1', IRONIC_EXTERNAL_IP: '192.0.2.1', HTTP_PORT: '6180' },
    'http://192.0.2.1:6385',
    'http://192.0.2.1:6180',
  ],
  [
    'an external name, with TLS',
    { PROVISIONING_IP: '10.0.0.1', IRONIC_EXTERNAL_IP: 'ironic.example.com', IRONIC_CACERT_FILE: 'CA' },
    'https://ironic.example.com:6385',
    'http://ironic.example.com:80',
  ],
  [
    'external IPv6 beside the URL of the container',
    { IRONIC_IP: '10.0.0.1', IRONIC_BASE_URL: 'http://10.0.0.1:6385', IRONIC_EXTERNAL_IP: '[fd00::1]' },
    'http://[fd00::1]:6385',
    'http://[fd00::1]:80',
  ],
  [
    'external URLs',
    {
      IRONIC_IP: '10.0.0.1',
      IRONIC_EXTERNAL_IP: '192.0.2.1',
      IRONIC_EXTERNAL_CALLBACK_URL: 'https://ironic.example.com:443',
      IRONIC_EXTERNAL_HTTP_URL: 'http://www.example.com:8000',
    },
    'https://ironic.example.com:443',
    'http://www.example.com:8000',
  ],
  [
    'an external URL without a port, whose scheme has one',
    { IRONIC_IP: '10.0.0.1', IRONIC_EXTERNAL_CALLBACK_URL: 'https://ironic.example.com' },
    'https://ironic.example.com',
    'http://10.0.0.1:80',
  ],
  [
    'URLs of the web server for machines and for BMCs',
    {
      IRONIC_IP: '10.0.0.1',
      IRONIC_HTTP_URL: 'http://192.0.2.1:6180',
      IRONIC_EXTERNAL_HTTP_URL: 'http://www.example.com:8000',
    },
    'http://10.0.0.1:6385',
    'http://192.0.2.1:6180',
  ],
  [
    'an interface',
    { PROVISIONING_INTERFACE: 'eth0', HTTP_PORT: '6180' },
    'http://198.51.100.7:6385',
    'http://198.51.100.7:6180',
  ],
  [
    'an interface with IPv6 only',
    { PROVISIONING_INTERFACE: 'eth1' },
    'http://[fd00::8]:6385',
    'http://[fd00::8]:80',
  ],
  [
    'an interface beside an external URL',
    { PROVISIONING_INTERFACE: 'eth0', IRONIC_EXTERNAL_CALLBACK_URL: 'http://192.0.2.1:6385' },
    'http://192.0.2.1:6385',
    'http://198.51.100.7:80',
  ],
  [
    'an interface beside its address',
    { PROVISIONING_INTERFACE: 'eth0', PROVISIONING_IP: '192.0.2.2' },
    'http://192.0.2.2:6385',
    'http://192.0.2.2:80',
  ],
  [
    'MAC addresses',
    { PROVISIONING_MACS: '52:54:00:00:00:99, 52:54:00:00:00:08' },
    'http://[fd00::8]:6385',
    'http://[fd00::8]:80',
  ],
];

const withFile = (env: Environment): Environment =>
  Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value === 'CA' ? ca : value]));

function derived(given: Environment): readonly unknown[] {
  const env = withFile(given);
  const io = createIo({ env });
  const reading = { ...readInputs({ options: {}, io }), options: {}, io };
  const { apiUrls } = readIronic(reading);
  return [...apiUrls, deriveHttpUrl(env)];
}

describe('the environment of ironic-image', () => {
  it.each(cases)('%s', (_title, env, ...urls) => {
    expect(derived(env)).toEqual(urls);
  });

  it.each<[string, Environment, string]>([
    [
      'a name as IRONIC_URL_HOST',
      { IRONIC_URL_HOST: 'ironic.example.com' },
      'http://ironic.example.com:6385',
    ],
    ['brackets', { IRONIC_URL_HOST: '[fd00::1]', IRONIC_IP: '192.0.2.1' }, 'http://[fd00::1]:6385'],
    ['a scheme', { IRONIC_IP: '192.0.2.1', IRONIC_SCHEME: 'https' }, 'https://192.0.2.1:6385'],
    [
      'a scheme beside a certificate',
      { IRONIC_IP: '192.0.2.1', IRONIC_SCHEME: 'http', IRONIC_CACERT_FILE: 'CA' },
      'http://192.0.2.1:6385',
    ],
  ])('derived names have precedence: %s', (_title, env, url) => {
    expect(derived(env)[0]).toBe(url);
  });

  it('no address', () => {
    expect(deriveHttpUrl({ IRONIC_IP: ' ' })).toBeUndefined();
  });

  it.each<[string, Environment, string]>([
    ['a name', { IRONIC_IP: 'ironic.example.com' }, 'IRONIC_IP: "ironic.example.com" is not an IP address'],
    ['a host with a port', { IRONIC_URL_HOST: '192.0.2.1:80' }, 'IRONIC_URL_HOST'],
    ['a port', { IRONIC_IP: '192.0.2.1', HTTP_PORT: '0' }, 'HTTP_PORT is not a valid port'],
  ])('refuses %s', (_title, env, message) => {
    expect(() => deriveHttpUrl(env)).toThrow(message);
  });

  it.each(['eth9', 'lo', 'constructor'])('an interface without an address that others reach: %s', (name) => {
    const env = { PROVISIONING_INTERFACE: name };
    expect(() => derived(env)).toThrow(`PROVISIONING_INTERFACE: this machine has no address on "${name}"`);
    expect(deriveHttpUrl(env)).toBeUndefined();
  });

  it.skipIf(!have('ironic-image')).each(cases)(
    `the scripts derive the same: %s${oracleNote('ironic-image')}`,
    (_title, env, ...urls) => {
      const own = {
        CUSTOM_CONFIG_DIR: folder,
        CUSTOM_DATA_DIR: folder,
        PROVISIONING_INTERFACE: env['PROVISIONING_MACS'] === undefined ? 'lo' : '',
        IRONIC_IP_WAIT_INTERVAL: '0',
      };
      const run = spawnSync('bash', ['-c', scripts], {
        cwd: oracleFile('ironic-image'),
        env: { PATH: process.env['PATH'], ...own, ...withFile(env) },
      });
      if (run.status !== 0) throw new Error(run.stderr.toString());
      expect(run.stdout.toString().split('\n').slice(-3, -1)).toEqual(urls);
      expect(derived(env)).toEqual(urls);
    },
  );
});

/**
 * As in the entry points. Fedora's ipcalc, ip and the search for interfaces are replaced by what they print. Agents get the
 * external URL if there is one.
 */
const scripts = `
ipcalc() { python3 -c 'import ipaddress, sys; print("Address:", ipaddress.ip_interface(sys.argv[1]).ip)' "$1"; }
ip() { case "$*" in *eth0) echo eth0 UP 198.51.100.7/24 fd00::7/64;; *eth1) echo eth1 UP fd00::8/64;; esac; }
python3.12() { echo eth1; }
given="$\{IRONIC_HTTP_URL:-}"
. scripts/tls-common.sh
. scripts/ironic-common.sh
get_interface_of_ip() { echo lo; }
wait_for_interface_or_ip
eval "$(sed -n '/^IRONIC_EXTERNAL_IP=/p; /^if .* -n "$IRONIC_EXTERNAL_IP"/,/^fi/p' scripts/configure-ironic.sh)"
printf '%s\\n' "$\{IRONIC_EXTERNAL_CALLBACK_URL:-$IRONIC_BASE_URL}" "$\{given:-$\{IRONIC_EXTERNAL_HTTP_URL:-$IRONIC_HTTP_URL}}"
`;
