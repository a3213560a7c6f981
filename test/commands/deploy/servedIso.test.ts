/** URLs of ISOs that `deploy` writes, answered by the `serve` that has the same key. */

import { setTimeout } from 'node:timers/promises';
import { statSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { place } from '../serve/support.ts';

const { path, run, serve, write } = place();

beforeAll(() => {
  write('serve.key', 'a key that is not short\n');
  write(
    'fleet.yaml',
    `agent: {ironic.apiUrls: https://192.0.2.1}
deploy:
  deployKernel: http://192.0.2.1/kernel
  deployRamdisk: http://192.0.2.1/initramfs
  kernelAppendParams: '%default%'
  rootDeviceHints: {deviceName: /dev/sda}
hosts:
- name: worker-0
  mac: 52:54:00:12:34:56
  deploy: {bmcAddress: redfish-virtualmedia://192.0.2.10/redfish/v1/Systems/1}
- name: worker-1
  mac: 52:54:00:12:34:57
  deploy: {bmcAddress: redfish-virtualmedia://192.0.2.11/redfish/v1/Systems/1}
`,
  );
});

/** The hosts of the inventory with URLs of this server. */
const deploy = (word: string, origin: string, ...args: string[]) =>
  run('deploy', word, '--inventory', 'fleet.yaml', '--serve-url', origin, '--key-file', 'serve.key', ...args);

/** The status of the answer to a request for these URLs, and the names of the files. */
const fetchAll = (urls: readonly string[]) =>
  Promise.all(
    urls.map(async (url) => {
      const { headers, status } = await fetch(url, { method: 'HEAD' });
      return [status, headers.get('content-disposition')];
    }),
  );

const isos = [
  [200, 'attachment; filename="worker-0.iso"'],
  [200, 'attachment; filename="worker-1.iso"'],
];

const byDocument = [
  { word: 'node', args: ['--format', 'yaml'], field: / deploy_iso: (\S+)\n/g },
  { word: 'baremetalhost', args: [], field: / image:\n +url: (\S+)\n +format: live-iso\n/g },
];

describe.each(byDocument)('deploy $word --serve-url', ({ args, field, word }) => {
  const urlsOf = (text: string): string[] => Array.from(text.matchAll(field), ([, url = '']) => url);

  it('writes URLs that serve answers, in place of the ramdisk of the inventory', async () => {
    const { origin } = await serve({ keyFile: 'serve.key' });
    const { code, stderr, stdout } = await deploy(word, `${origin}/`, ...args);
    expect(code).toBe(0);
    expect(stderr).toContain('info: the URLs of the ISOs are valid until the key of serve changes\n');
    expect(stdout).toMatch(/^# The URLs of the ISOs are valid until the key of serve changes\.\n/);
    expect(stdout).not.toContain('kernel');
    expect(await fetchAll(urlsOf(stdout))).toEqual(isos);
  });

  it('writes URLs that expire when it says', async () => {
    const { origin } = await serve({ keyFile: 'serve.key' });
    const { stderr, stdout } = await deploy(word, origin, '--expires', '2s', ...args);
    const [, time = ''] = /^# The URLs of the ISOs are valid until (\S+Z)\.\n/.exec(stdout) ?? [];
    expect(stderr).toContain(`info: the URLs of the ISOs are valid until ${time}\n`);
    const urls = urlsOf(stdout);
    expect(await fetchAll(urls)).toEqual(isos);
    await setTimeout(Date.parse(time) - Date.now());
    expect(await fetchAll(urls)).toEqual([
      [404, null],
      [404, null],
    ]);
  });

  it('writes files that only their owner can read', async () => {
    const { code } = await deploy(word, 'http://192.0.2.1:8084', '-o', word, ...args);
    expect(code).toBe(0);
    expect(statSync(path(`${word}/worker-0.yaml`)).mode & 0o777).toBe(0o600);
  });
});

describe('deploy --serve-url', () => {
  it('writes the URL of one host that options describe, and says in commands how long it is valid', async () => {
    const { origin, urls } = await serve({ keyFile: 'serve.key' });
    const flags = ['--name', 'worker-1', '--set', '--serve-url', origin, '--key-file', 'serve.key'];
    const { stdout } = await run('deploy', 'node', ...flags);
    expect(stdout).toBe(
      '# The URLs of the ISOs are valid until the key of serve changes.\nbaremetal node set worker-1 \\\n' +
        `  --driver-info deploy_iso=${urls['worker-1']?.['iso']}\n`,
    );
  });

  const served = ['--serve-url', 'http://192.0.2.1:8084'];
  const key = ['--key-file', 'serve.key'];
  const name = ['--name', 'worker-0', '--set'];
  it.each([
    ['no key', [...name, ...served], 2, '--deploy-iso http://192.0.2.1:8084/worker-0.iso'],
    ['a key that is missing', [...name, ...served, '--key-file', 'no.key'], 1, 'no.key'],
    ['a key without URL', [...name, ...key], 2, '--key-file requires --serve-url'],
    ['an expiry without URL', [...name, '--expires', '1h'], 2, '--expires requires --serve-url'],
    [
      'another ISO',
      [...name, ...served, ...key, '--deploy-iso', 'http://h/i.iso'],
      2,
      '--serve-url cannot be combined with --deploy-iso',
    ],
    [
      'a kernel',
      [...name, ...served, ...key, '--deploy-kernel', 'http://h/kernel'],
      2,
      '--serve-url cannot be combined with --deploy-kernel',
    ],
    [
      'a URL with a query',
      [...name, '--serve-url', 'http://h/?a', ...key],
      2,
      '--serve-url: file names cannot',
    ],
    [
      'a machine that boots from the network',
      ['--name', 'worker-0', '--bmc-address', 'ipmi://192.0.2.13', ...served, ...key],
      1,
      '--serve-url: the BMC address selects network boot, which does not support an ISO',
    ],
  ])('reports %s', async (_title, args, code, message) => {
    const result = await run('deploy', 'node', ...args);
    expect(result.code).toBe(code);
    expect(result.stderr).toContain(message);
    expect(result.stdout).toBe('');
  });
});
