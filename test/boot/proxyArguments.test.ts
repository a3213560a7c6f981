/** Proxies as kernel arguments: what is said about them, and whether curl goes by them. */

import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { array, assert, property, string } from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseNoProxy, parseProxyUrl } from '../../src/agent/proxy.ts';
import { bootForms, checkBoot } from '../../src/boot/bootForms.ts';
import type { BootProxy, BootSettings } from '../../src/boot/bootSettings.ts';
import { proxyArguments } from '../../src/boot/kernelArguments.ts';
import { have, missingNote } from '../support/programs.ts';
import { urlQuery, webUrl } from '../support/arbitraryText.ts';

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

const scope = 'info proxy-scope';
const direct = 'warning proxy-ignition';

describe('checkProxy', () => {
  const https = 'http://p:3128';
  it.each<[string, BootProxy, string | undefined, string[]]>([
    ['an embedded config', { https, noProxy: [] }, undefined, [scope]],
    ['a config that is fetched', { https, noProxy: ['a.b'] }, 'https://h.b/c', [scope, direct]],
    ['a host that is reached directly', { https, noProxy: ['h.b'] }, 'https://h.b/c', [scope]],
    ['a domain', { https, noProxy: ['.b'] }, 'https://h.b:81/c', [scope]],
    ['a domain without its dot', { https, noProxy: ['b'] }, 'https://h.b/c', [scope]],
    ['an IPv6 address', { https, noProxy: ['2001:db8::1'] }, 'https://[2001:db8::1]/c', [scope]],
    [
      'a network, which is not looked into',
      { https, noProxy: ['192.0.2.0/24'] },
      'https://192.0.2.1/c',
      [scope],
    ],
    ['everything', { https, noProxy: ['*'] }, 'https://h.b/c', [scope]],
    ['the name of another host that ends alike', { https, noProxy: ['b'] }, 'https://ab/c', [scope, direct]],
    ['another scheme', { https, noProxy: [] }, 's3://bucket/c', [scope]],
    [
      'a password',
      { https: 'http://me:hunter2@p', noProxy: [] },
      undefined,
      ['warning boot-url-credentials', scope],
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
        const words = proxyArguments({ ...sound, proxy: { ...(http !== undefined && { http }), noProxy } });
        for (const { text } of words) expect(text).toMatch(/^systemd\.setenv=[a-z_]+=[!#-&(-~]+$/);
      }),
    );
  });
});

/** The environment that systemd makes of the arguments. */
function environmentOf(proxy: BootProxy): Record<string, string> {
  return Object.fromEntries(
    proxyArguments({ ...sound, proxy }).map(({ text }) => {
      const [, name = '', value = ''] = /^systemd\.setenv=([^=]*)=(.*)$/.exec(text) ?? [];
      return [name, value];
    }),
  );
}

describe.skipIf(!have('curl'))(`curl, which fetches the root filesystem${missingNote('curl')}`, () => {
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
