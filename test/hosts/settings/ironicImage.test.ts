/** What is derived from the environment of ironic-image, compared with its scripts where IRONIC_IMAGE names a checkout. */

import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deriveHttpUrl, deriveIronicUrl } from '../../../src/hosts/settings/ironicImage.ts';
import { oracleFile, have, oracleNote } from '../../support/programs.ts';

type Environment = Readonly<Record<string, string>>;

let folder: string;
let ca: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ironic image '));
  ca = join(folder, 'ca.crt');
  await writeFile(ca, 'any file');
});
afterAll(() => rm(folder, { recursive: true }));

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
];

const withFile = (env: Environment): Environment =>
  Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value === 'CA' ? ca : value]));

function derived(given: Environment): readonly unknown[] {
  const env = withFile(given);
  const name = ['IRONIC_URL_HOST', 'IRONIC_IP', 'PROVISIONING_IP'].find((variable) => variable in env) ?? '';
  const port = Number(env['IRONIC_ACCESS_PORT'] ?? 6385);
  return [deriveIronicUrl({ name, text: env[name] ?? '' }, port, env), deriveHttpUrl(env)];
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

  it.skipIf(!have('ironic-image')).each(cases)(
    `the scripts derive the same: %s${oracleNote('ironic-image')}`,
    (_title, env, ...urls) => {
      const own = {
        CUSTOM_CONFIG_DIR: folder,
        CUSTOM_DATA_DIR: folder,
        PROVISIONING_INTERFACE: 'lo',
        IRONIC_IP_WAIT_INTERVAL: '0',
      };
      const run = spawnSync('bash', ['-c', scripts], {
        cwd: oracleFile('ironic-image'),
        env: { PATH: process.env['PATH'], ...own, ...withFile(env) },
      });
      if (run.status !== 0) throw new Error(run.stderr.toString());
      expect(run.stdout.toString().split('\n').slice(-3, -1)).toEqual(urls);
    },
  );
});

/** As in the entry points. Fedora's ipcalc and the search for interfaces are replaced by what they print. */
const scripts = `
ipcalc() { python3 -c 'import ipaddress, sys; print("Address:", ipaddress.ip_interface(sys.argv[1]).ip)' "$1"; }
. scripts/tls-common.sh
. scripts/ironic-common.sh
get_interface_of_ip() { echo lo; }
wait_for_interface_or_ip
printf '%s\\n' "$IRONIC_BASE_URL" "$IRONIC_HTTP_URL"
`;
