import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { array, assert, property, string } from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseNoProxy, parseProxyUrl } from '../../src/agent/proxy.ts';
import { bootForms } from '../../src/kargs/bootForms.ts';
import type { BootProxy, BootSettings } from '../../src/kargs/bootSettings.ts';
import { checkBoot } from '../../src/kargs/checkBoot.ts';
import {
  bootArguments,
  kernelArguments,
  proxyArguments,
  withParameters,
} from '../../src/kargs/kernelArguments.ts';
import { urlQuery, webUrl } from '../support/arbitraryText.ts';
import { have, oracleNote } from '../support/programs.ts';
import { sharedData, sharedDataNote } from '../support/sharedData.ts';

const readExisting = (name: string): string =>
  readFileSync(join(sharedData ?? '', 'agent-golden', name), 'utf8');

const bare: BootSettings = { embedded: false, ip: [], consoles: [], ipaParameters: [], extraArguments: [] };

describe('kernelArguments', () => {
  it.each<[string, Partial<BootSettings>, string]>([
    ['nothing', {}, 'ignition.firstboot ignition.platform.id=metal'],
    [
      'root filesystem and config',
      { ignitionUrl: 'https://h/c.ign', rootfsUrl: 'http://h/r' },
      'coreos.live.rootfs_url=http://h/r ignition.config.url=https://h/c.ign ignition.firstboot ignition.platform.id=metal',
    ],
    [
      'an embedded config',
      { embedded: true, rootfsUrl: 'http://h/r' },
      'coreos.live.rootfs_url=http://h/r ignition.firstboot ignition.platform.id=metal',
    ],
    ['a network', { ip: ['dhcp'] }, 'ignition.firstboot ignition.platform.id=metal ip=dhcp rd.neednet=1'],
    [
      'consoles in their order',
      { consoles: ['tty0', 'ttyS0,115200n8'] },
      'ignition.firstboot ignition.platform.id=metal console=tty0 console=ttyS0,115200n8',
    ],
    [
      'the order of everything else',
      {
        extraArguments: ['quiet'],
        ipaParameters: ['insecure=1'],
        consoles: ['tty0'],
        ip: ['eth0:dhcp', 'eth1:off'],
      },
      'ignition.firstboot ignition.platform.id=metal ip=eth0:dhcp ip=eth1:off rd.neednet=1 console=tty0 ipa-insecure=1 quiet',
    ],
    [
      'proxies, behind the network and without single quotes',
      {
        ip: ['dhcp'],
        consoles: ['tty0'],
        proxy: { http: "http://u:it's@p:3128", https: 'http://p', noProxy: ['a', '::1'] },
      },
      'ignition.firstboot ignition.platform.id=metal ip=dhcp rd.neednet=1 systemd.setenv=http_proxy=http://u:it%27s@p:3128 systemd.setenv=https_proxy=http://p systemd.setenv=no_proxy=a,::1 console=tty0',
    ],
    [
      'a proxy without direct hosts',
      { proxy: { https: 'http://p', noProxy: [] } },
      'ignition.firstboot ignition.platform.id=metal systemd.setenv=https_proxy=http://p',
    ],
    [
      'an added argument that is there already',
      { extraArguments: ['ignition.firstboot', 'a', 'rd.neednet=1'], ip: ['dhcp'] },
      'ignition.firstboot ignition.platform.id=metal ip=dhcp rd.neednet=1 a',
    ],
    [
      'an added console, which moves to the end',
      { extraArguments: ['console=tty0'], consoles: ['tty0', 'ttyS0'] },
      'ignition.firstboot ignition.platform.id=metal console=tty0 console=ttyS0 console=tty0',
    ],
  ])('%s', (_title, settings, expected) => {
    expect(kernelArguments({ ...bare, ...settings }).join(' ')).toBe(expected);
  });

  it('knows the setting of each argument', () => {
    const placed = bootArguments({ ...bare, rootfsUrl: 'http://h/r', extraArguments: ['a', 'b'] });
    expect(placed.map(({ path }) => path.join('.'))).toEqual([
      'rootfsUrl',
      '',
      '',
      'extraArguments.0',
      'extraArguments.1',
    ]);
  });
});

describe.skipIf(sharedData === undefined)(`existing boot scripts${sharedDataNote}`, () => {
  const rootfsUrl = 'http://172.22.0.3:6180/images/ironic-python-agent.rootfs';
  it.each(['ocp-inspector.ipxe', 'ocp-inspector-multiarch.ipxe', 'ocp-ironic-kernel_append_params.txt'])(
    'the arguments of CoreOS are those of %s, in its order',
    (name) => {
      expect(readExisting(name)).toContain(kernelArguments({ ...bare, rootfsUrl, embedded: true }).join(' '));
    },
  );

  it.each([
    'ironic-node.pxelinux',
    'ocp-inspector.ipxe',
    'metal3-inspector.ipxe',
    'ocp-ironic-kernel_append_params.txt',
  ])('the arguments in %s pass the checks', (name) => {
    const words =
      readExisting(name).match(
        /(?<= )(?:ipa-|ip=|rd\.|console=|coreos\.|ignition\.|systemd\.)[^\s"]+(?=\s|$)/g,
      ) ?? [];
    const extraArguments = [...new Set(words)];
    expect(extraArguments.length).toBeGreaterThan(3);
    expect(checkBoot({ ...bare, rootfsUrl, embedded: true, extraArguments }, bootForms.plain)).toEqual([]);
  });
});

// Proxies as kernel arguments: what is said about them, and whether curl goes by them.

const sound: BootSettings = {
  rootfsUrl: 'http://h/rootfs',
  embedded: true,
  ip: [],
  consoles: [],
  ipaParameters: [],
  extraArguments: [],
};

function rulesOf(proxy: BootProxy, ignitionUrl?: string): string[] {
  const settings = {
    ...sound,
    proxy,
    ...(ignitionUrl !== undefined && { ignitionUrl, embedded: false }),
  };
  return checkBoot(settings, bootForms.plain).map(({ severity, rule }) => `${severity} ${rule}`);
}

const direct = 'warning proxy-ignition';

describe('checkProxy', () => {
  const https = 'http://p:3128';
  it.each<[string, BootProxy, string | undefined, string[]]>([
    ['an embedded config', { https, noProxy: [] }, undefined, []],
    ['a config that is fetched', { https, noProxy: ['a.b'] }, 'https://h.b/c', [direct]],
    ['a host that is reached directly', { https, noProxy: ['h.b'] }, 'https://h.b/c', []],
    ['a domain', { https, noProxy: ['.b'] }, 'https://h.b:81/c', []],
    ['a domain without its dot', { https, noProxy: ['b'] }, 'https://h.b/c', []],
    ['an IPv6 address', { https, noProxy: ['2001:db8::1'] }, 'https://[2001:db8::1]/c', []],
    ['a network, which is not looked into', { https, noProxy: ['192.0.2.0/24'] }, 'https://192.0.2.1/c', []],
    ['everything', { https, noProxy: ['*'] }, 'https://h.b/c', []],
    ['the name of another host that ends alike', { https, noProxy: ['b'] }, 'https://h.ab/c', [direct]],
    ['another scheme', { https, noProxy: [] }, 's3://bucket/c', []],
    [
      'a password',
      { https: 'http://me:hunter2@p', noProxy: [] },
      undefined,
      ['warning boot-url-credentials'],
    ],
  ])('%s', (_title, proxy, ignitionUrl, expected) => {
    expect(rulesOf(proxy, ignitionUrl)).toEqual(expected);
  });

  it('has nothing to say without a proxy', () => expect(checkBoot(sound, bootForms.plain)).toEqual([]));
});

function accepted<T>(parse: (text: string) => T, text: string): T | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

describe('proxyArguments', () => {
  it('write what the parsers of the settings take as words of the kernel', () => {
    assert(
      property(webUrl({ query: urlQuery }), array(string()), (url, hosts) => {
        const http = accepted(parseProxyUrl, url);
        const noProxy = accepted(parseNoProxy, hosts.join(',')) ?? [];
        const words = proxyArguments({ ...(http !== undefined && { http }), noProxy });
        for (const { text } of words) expect(text).toMatch(/^systemd\.setenv=[a-z_]+=[!#-&(-~]+$/);
      }),
    );
  });
});

/** The environment that systemd makes of the arguments. */
function environmentOf(proxy: BootProxy): Record<string, string> {
  return Object.fromEntries(
    proxyArguments(proxy).map(({ text }) => {
      const [, name = '', value = ''] = /^systemd\.setenv=([^=]*)=(.*)$/.exec(text) ?? [];
      return [name, value];
    }),
  );
}

describe.skipIf(!have('curl'))(`curl, which fetches the root filesystem${oracleNote('curl')}`, () => {
  let server: Server;
  let requests: string[] = [];
  beforeAll(async () => {
    server = createServer((request, response) => {
      requests.push(String(request.url));
      response.end();
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  });
  afterAll(() => server.close());

  it.each([
    ['goes by the proxy', [], '/rootfs', (port: number) => `http://127.0.0.1:${port}/rootfs`],
    ['reaches a direct host itself', ['127.0.0.1'], '/rootfs', () => '/rootfs'],
  ])('%s', async (_title, noProxy, path, expected) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of a server that listens on a port
    const { port } = server.address() as AddressInfo;
    const origin = `http://127.0.0.1:${port}`;
    requests = [];
    const env = { PATH: process.env['PATH'], ...environmentOf({ http: origin, noProxy }) };
    await promisify(execFile)('curl', ['--silent', '--head', `${origin}${path}`], { env });
    expect(requests).toEqual([expected(port)]);
  });
});

describe('withParameters', () => {
  const callback = 'ipa-inspection-callback-url=https://h/v1/continue_inspection';
  it.each<[string, Partial<BootSettings>, readonly string[]]>([
    ['adds parameters', {}, [callback, 'ipa-insecure=1']],
    [
      'keeps what the operator says, by whatever name',
      { ipaParameters: ['inspection_callback_url=http://own/'], extraArguments: ['ipa-insecure=0'] },
      ['inspection_callback_url=http://own/'],
    ],
  ])('%s', (_title, changes, ipaParameters) => {
    const settings = { ...bare, ...changes };
    expect(withParameters(settings, [callback, 'ipa-insecure=1'])).toEqual({ ...settings, ipaParameters });
  });
});
