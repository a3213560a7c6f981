/** `serve`: what is behind the URLs, who gets it, and what a reload changes. */

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, renameSync, statSync } from 'node:fs';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Config } from '../../../src/ignition/config.ts';
import { preparedFile } from '../../support/preparedFile.ts';
import { ociArchive } from '../../support/containerImages.ts';
import { rootfs } from '../../support/minimalIso.ts';
import { have, oracleNote } from '../../support/programs.ts';
import { initrd, kernel } from '../../support/newIso.ts';
import { inventory } from '../../support/twoHosts.ts';
import { place, token, type GivenServe } from './support.ts';

const { path, run, serve, write } = place();

const bytesOf = async (url = ''): Promise<Buffer> => Buffer.from(await (await fetch(url)).arrayBuffer());
const textOf = async (url = ''): Promise<string> => (await fetch(url)).text();
const statusOf = async (url = '', headers = {}): Promise<number> => {
  const response = await fetch(url, { headers });
  await response.arrayBuffer();
  return response.status;
};
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** An Ignition config for which the area of the ISO is too small: noise does not compress. */
function largeConfig(): string {
  const source = createHash('shake256', { outputLength: 360_000 }).update('large').digest('base64');
  const file = { path: '/etc/large', contents: { source: `data:;base64,${source}` } };
  return JSON.stringify({ ignition: { version: '3.2.0' }, storage: { files: [file] } });
}

describe('images', () => {
  beforeAll(() => write('large.ign', largeConfig()));

  it('are those that prepare makes', async () => {
    const { urls, origin } = await serve();
    const artifacts = {
      ign: 'config.ign',
      archive: 'config.img',
      initramfs: 'initramfs.img',
      iso: 'live.iso',
    };
    const images = [
      '--iso',
      'live.iso',
      '--artifacts',
      Object.keys(artifacts).join(','),
      '--base-url',
      origin,
    ];
    await run('prepare', '--inventory', 'inv.yaml', '-o', 'boot', ...images);
    for (const host of ['worker-0', 'worker-1']) {
      for (const [artifact, file] of Object.entries(artifacts)) {
        const expected = sha256(readFileSync(preparedFile(path('boot'), host, file)));
        expect([host, artifact, sha256(await bytesOf(urls[host]?.[artifact]))]).toEqual([
          host,
          artifact,
          expected,
        ]);
      }
    }
  });

  it('are minimal ones that fetch their root filesystem here, under a URL of the host', async () => {
    const { urls } = await serve();
    write('served.iso', await bytesOf(urls['worker-1']?.['minimal-iso']));
    const { stdout } = await run('iso', 'kargs', 'show', 'served.iso');
    expect(stdout).toContain(' console=ttyS0,115200n8');
    const [, url] = /coreos\.live\.rootfs_url=(\S+)/.exec(stdout) ?? [];
    expect(url).toContain('/h.worker-1.');
    expect(sha256(await bytesOf(url))).toBe(sha256(rootfs));
    const config = await run('iso', 'ignition', 'show', 'served.iso');
    expect(config.stdout).toBe(await textOf(urls['worker-1']?.['ign']));
  });

  it('keep their entity tag as long as they are the same, also on another server, and their date on each', async () => {
    write('key', 'a key of more than sixteen characters');
    const first = await serve({ keyFile: 'key', publicUrl: 'http://192.0.2.1' });
    const second = await serve({ keyFile: 'key', publicUrl: 'http://192.0.2.1' });
    const told = async (origin: string): Promise<unknown[]> => {
      const url = (first.urls['worker-0']?.['iso'] ?? '').replace('http://192.0.2.1', origin);
      const { headers, status } = await fetch(url, { method: 'HEAD' });
      return [status, headers.get('etag'), headers.get('content-length'), headers.get('last-modified')];
    };
    const before = await told(first.origin);
    expect(before).toEqual([
      200,
      expect.stringMatching(/^"/),
      String(statSync(path('live.iso')).size),
      expect.any(String),
    ]);
    expect((await told(second.origin)).slice(0, 3)).toEqual(before.slice(0, 3));
    await first.reload();
    expect(await told(first.origin)).toEqual(before);
  });

  it('grow where that is allowed, and are refused with the reason in the log where not', async () => {
    write('large.yaml', `${inventory}- {name: large, overrides: {ignition.merge: [large.ign]}}\n`);
    const small = await serve({ inventory: 'large.yaml' });
    expect(await statusOf(small.urls['large']?.['iso'])).toBe(503);
    expect(small.said()).toContain('"event":"cannot serve"');
    expect(small.said()).toContain('Compressed initramfs is too large');
    expect(await statusOf(small.urls['worker-0']?.['iso'])).toBe(200);
    expect(small.said()).not.toContain('no host gets');
    const grown = await serve({ inventory: 'large.yaml', grow: true });
    write('grown.iso', await bytesOf(grown.urls['large']?.['iso']));
    const { stdout } = await run('iso', 'ignition', 'show', 'grown.iso');
    expect(stdout).toBe(await textOf(grown.urls['large']?.['ign']));
  });

  it('are an error at the start if no host gets one, and a warning if another requested image is served', async () => {
    const all = inventory.replace('agent:\n', 'agent:\n  ignition.merge: [large.ign]\n');
    write('all.yaml', all);
    const error = /^no host gets its file iso: .*Compressed initramfs is too large/;
    for (const options of [{}, { artifacts: 'iso' }, { artifacts: 'iso,minimal-iso' }]) {
      await expect(serve({ inventory: 'all.yaml', ...options })).rejects.toThrow(error);
    }
    const { said, urls } = await serve({ inventory: 'all.yaml', artifacts: 'iso,initramfs' });
    expect(said()).toContain('no host gets its file iso: ');
    expect(said()).toContain('use --grow to enlarge the image');
    expect(await statusOf(urls['worker-0']?.['initramfs'])).toBe(200);
    expect((await serve({ inventory: 'all.yaml', artifacts: 'iso', grow: true })).said()).not.toContain(
      'no host',
    );
  });

  it('are no error if a host with a large config gets one, because it can be compressed', async () => {
    const source = `data:;base64,${'AAAA'.repeat(200_000)}`;
    const file = { path: '/etc/zeros', contents: { source } };
    write('zeros.ign', JSON.stringify({ ignition: { version: '3.2.0' }, storage: { files: [file] } }));
    const agent = inventory.slice(0, inventory.indexOf('hosts:'));
    const hosts = ['large', 'zeros'].map(
      (name) => `- {name: ${name}, overrides: {ignition.merge: [${name}.ign]}}\n`,
    );
    write('some.yaml', `${agent}hosts:\n${hosts.join('')}`);
    const { said, urls } = await serve({ inventory: 'some.yaml' });
    expect(said()).not.toContain('no host gets');
    expect([await statusOf(urls['large']?.['iso']), await statusOf(urls['zeros']?.['iso'])]).toEqual([
      503, 200,
    ]);
  });

  it('are an error also if only machines that are not listed get one', async () => {
    const agent = inventory.slice(0, inventory.indexOf('hosts:'));
    write('unknown.yaml', agent.replace('agent:\n', 'agent:\n  ignition.merge: [large.ign]\n'));
    await expect(serve({ inventory: 'unknown.yaml', discovery: true })).rejects.toThrow(
      /^no host gets its file iso: /,
    );
  });
});

describe("an archive of the agent's image", () => {
  it('is on full ISOs, and is fetched from here otherwise', async () => {
    const archive = await ociArchive({ names: ['registry.example.com/ironic-agent:1'] });
    write('agent.tar', archive);
    const { urls } = await serve({ agentArchive: ['agent.tar'] });
    const fetched: Config = JSON.parse(await textOf(urls['worker-0']?.['ign']));
    const [url = ''] = (fetched.storage?.files ?? []).flatMap(({ contents }) =>
      contents?.source?.startsWith('http') === true ? contents.source : [],
    );
    expect(url).toContain('/h.worker-0.');
    expect(sha256(await bytesOf(url))).toBe(sha256(archive));
    write('served.iso', await bytesOf(urls['worker-0']?.['iso']));
    const { stdout } = await run('inspect', 'served.iso');
    expect(stdout).toContain('coreos/agent.tar');
    expect((await run('iso', 'ignition', 'show', 'served.iso')).stdout).not.toContain(url);
  });
});

describe('boot scripts', () => {
  it('lead from the URL for DHCP servers to what the host boots', async () => {
    const { boot } = await serve();
    const script = await textOf(boot['ipxe']);
    expect(script).toContain('chain ipxe/mac-${net${nic}/mac:hexhyp}.ipxe');
    const own = await textOf(new URL('ipxe/mac-52-54-00-12-34-57.ipxe', boot['ipxe']).href);
    const urls = own.match(/http:\/\/\S+/g) ?? [];
    expect(urls.map((url) => url.replace(/.*\//, '')).toSorted()).toEqual([
      'ironic-python-agent.initramfs',
      'ironic-python-agent.kernel',
      'ironic-python-agent.rootfs',
      'worker-1.img',
    ]);
    for (const url of urls) expect([url, await statusOf(url)]).toEqual([url, 200]);
    expect(await textOf(boot['dnsmasq'])).toContain(boot['ipxe']);
  });

  it.skipIf(!have('dnsmasq')).each<readonly [title: string, options: object, line: string]>([
    ['the network of the public URL', {}, 'dhcp-range=127.0.0.1,proxy'],
    ['a range', { dhcpRange: '192.0.2.100,192.0.2.200' }, 'dhcp-range=192.0.2.100,192.0.2.200,1h'],
    [
      'ISOs',
      { artifacts: 'iso,ipxe', dhcpRange: '192.0.2.100,192.0.2.200' },
      'dhcp-mac=set:iso,52:54:00:12:34:57',
    ],
  ])(`configure dnsmasq with %s${oracleNote('dnsmasq')}`, async (_title, options, line) => {
    const { boot } = await serve(options);
    const text = await textOf(boot['dnsmasq']);
    expect(text.split('\n')).toContain(line);
    expect(text).not.toContain('/snponly-x86_64.efi\ndhcp-boot');
    const { status, stderr } = spawnSync('dnsmasq', ['--test', '-C', '-'], { input: text, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, 'dnsmasq: syntax check OK.\n']);
  });

  it('start the inspection of machines that are not listed, where that is asked for', async () => {
    const without = await serve();
    expect(await statusOf(new URL('inspector.ipxe', without.boot['ipxe']).href)).toBe(404);
    const { boot } = await serve({ discovery: true });
    const script = await textOf(new URL('inspector.ipxe', boot['ipxe']).href);
    expect(script).toContain('ipa-inspection-callback-url=https://192.0.2.1:6385/v1/continue_inspection');
    const [archive = ''] = script.match(/http:\/\/\S+discovery\.img/) ?? [];
    expect(await statusOf(archive)).toBe(200);
  });

  it('are there without a list of hosts, too', async () => {
    write('all.yaml', 'agent: {ironic.apiUrls: https://192.0.2.1}\n');
    const { boot } = await serve({ inventory: 'all.yaml' });
    expect(await statusOf(new URL('discovery.ign', boot['ipxe']).href)).toBe(200);
    expect(await textOf(boot['ipxe'])).toContain('inspector.ipxe');
  });

  it.each<[string, GivenServe, string]>([
    ['the ISO', { inventory: 'all.yaml', artifacts: 'iso' }, 'discovery.iso'],
    ['an ISO that expires', { inventory: 'all.yaml', artifacts: 'iso', expires: '1h' }, 'discovery.iso'],
    ['the config', { inventory: 'all.yaml', artifacts: 'ign' }, 'discovery.ign'],
    ['the config beside those of hosts', { discovery: true, artifacts: 'ign' }, 'discovery.ign'],
    ['the ISO without tokens', { inventory: 'all.yaml', artifacts: 'iso', open: true }, 'discovery.iso'],
  ])('have URLs, also without boot scripts: %s', async (_title, options, file) => {
    write('all.yaml', 'agent: {ironic.apiUrls: https://192.0.2.1}\n');
    const { printed } = await serve(options);
    const url = /^# discovery: (http:\S+)$/m.exec(printed)?.[1] ?? '';
    expect(url).toMatch(new RegExp(`/${file.replace('.', '[.]')}$`));
    expect(await statusOf(url)).toBe(200);
  });

  it('serves only the hosts of --host', async () => {
    expect(Object.keys((await serve({ host: ['worker-0'] })).urls)).toEqual(['worker-0']);
    await expect(serve({ host: ['worker-9'] })).rejects.toThrow('inv.yaml has no host "worker-9"');
  });

  it('have no URLs where the list of hosts is complete', async () => {
    expect((await serve()).printed).not.toContain('discovery');
  });
});

describe('access', () => {
  it('is granted by the URL of the host to what is its own, and by that of the boot network to scripts', async () => {
    const { origin, urls, boot } = await serve();
    const own = (urls['worker-0']?.['iso'] ?? '').slice(origin.length).split('/')[1];
    const network = (boot['ipxe'] ?? '').slice(origin.length).split('/')[1];
    const statuses = async (paths: readonly string[]): Promise<number[]> =>
      Promise.all(paths.map(async (name) => statusOf(`${origin}/${name}`)));
    expect(await statuses([`${own}/worker-0.iso`, `${own}/worker-1.iso`, `${own}/boot.ipxe`])).toEqual([
      200, 404, 404,
    ]);
    expect(await statuses([`${network}/worker-0.iso`, `${network}/ipxe/worker-1.ipxe`])).toEqual([404, 200]);
    expect(await statuses(['worker-0.iso', 'nobody.iso', '', 'metrics'])).toEqual([401, 401, 401, 401]);
    expect(await statuses(['healthz', 'readyz'])).toEqual([200, 200]);
  });

  it('is granted by a token to everything', async () => {
    const { asOperator, origin } = await serve();
    for (const name of ['/', '/metrics', '/worker-0.iso', '/boot.ipxe']) {
      expect([name, (await asOperator(name)).status]).toEqual([name, 200]);
    }
    const basic = Buffer.from(`anybody:${token}`).toString('base64');
    expect(await statusOf(`${origin}/`, { Authorization: `Basic ${basic}` })).toBe(200);
    expect(await statusOf(`${origin}/`, { Authorization: 'Bearer a-wrong-token-0123456789' })).toBe(401);
  });

  it('is asked for by nobody with --open', async () => {
    const { origin, urls } = await serve({ open: true });
    expect(urls['worker-0']?.['iso']).toBe(`${origin}/worker-0.iso`);
    expect(await statusOf(`${origin}/worker-0.iso`)).toBe(200);
    expect(await statusOf(`${origin}/`)).toBe(200);
  });

  it('never ends up in the log', async () => {
    const { asOperator, boot, origin, said, urls } = await serve();
    await statusOf(urls['worker-1']?.['ign']);
    await statusOf(boot['ipxe']);
    await statusOf(`${urls['worker-1']?.['ign']}x`);
    await statusOf(`${origin}/${token}`);
    await (await asOperator('/?q=worker&format=json')).text();
    const tokens = [urls['worker-1']?.['ign'], boot['ipxe']].map((url = '') => url.split('/')[3] ?? '');
    for (const secret of [...tokens, token, 'aHVudGVyMjp4']) expect(said()).not.toContain(secret);
    expect(said()).toContain('"path":"worker-1.ign"');
  });

  it('is named on the row of the host where it is missing, until the host fetches a file', async () => {
    const { asOperator, origin, urls } = await serve();
    const rowOf = async (): Promise<unknown> => {
      const document: { hosts: unknown[] } = JSON.parse(
        await (await asOperator('/?format=json&q=worker-0')).text(),
      );
      return document.hosts[0];
    };
    expect(await statusOf(`${origin}/worker-0.iso`)).toBe(401);
    expect(await rowOf()).toMatchObject({
      state: 'stuck',
      stage: 'media',
      messages: expect.arrayContaining([
        expect.objectContaining({
          message: '127.0.0.1 requested worker-0.iso without a key in the URL (status 401)',
          hint: expect.stringMatching(/^use the URL of the host as serve prints it/),
        }),
      ]),
    });
    const own = urls['worker-0']?.['iso'] ?? '';
    expect(await statusOf(own.replace(/.(?=\/[^/]+$)/, (last) => (last === 'A' ? 'B' : 'A')))).toBe(404);
    expect(JSON.stringify(await rowOf())).toContain('with a key that is not valid (status 404)');
    expect(await statusOf(own.replace('worker-0.iso', 'worker-0.initramfs.x'))).toBe(404);
    expect(await statusOf(own)).toBe(200);
    expect(await rowOf()).toMatchObject({ messages: [] });
  });
});

describe('tokens in the wrong place', () => {
  it('are hidden in the log, on the status page and in the metrics', async () => {
    const { asOperator, origin, said, urls } = await serve();
    const url = urls['worker-1']?.['ign'] ?? '';
    const [, , , signed = ''] = url.split('/');
    const agents = [token, `Bearer ${token}`];
    for (const agent of agents) {
      await statusOf(url, { 'User-Agent': agent });
      await statusOf(`${origin}/worker-1.ign`, { 'User-Agent': agent }); // as a stranger
    }
    const paths = [token, signed, `${signed}/${token}`, `a/${signed}`, `x-${signed}.iso`, `${signed}.iso`];
    for (const one of paths) {
      await statusOf(`${origin}/${one}`);
      await (await asOperator(`/${one}`)).text();
      await (await asOperator(`/${encodeURIComponent(one)}`)).text();
      await statusOf(`${origin}/${signed}/${one}`);
    }
    const json = await (await asOperator('/?format=json')).text();
    const figures = await (await asOperator('/metrics')).text();
    const { transfers }: { transfers: { userAgent: string }[] } = JSON.parse(json);
    const programs = transfers.map(({ userAgent }) => userAgent).toSorted();
    expect(programs).toEqual(['(token)', 'Bearer (token)']);
    for (const text of [said(), JSON.stringify(transfers), figures]) {
      expect(text).not.toContain(token);
      expect(text).not.toContain(signed.slice(-22));
    }
    expect(said()).toContain('"userAgent":"Bearer (token)"');
  });
});

describe('a reload', () => {
  // Not earlier: the service would load it again.
  afterEach(() => write('inv.yaml', inventory));

  it('serves other hosts from then on, and running downloads go on', async () => {
    const { asOperator, reload, urls } = await serve();
    const started = await fetch(urls['worker-0']?.['iso'] ?? ''); // without it, its body would be canceled
    const before = started.headers.get('etag');
    write('inv.yaml', `${inventory}- name: worker-2\n`.replace('https://192.0.2.1', 'https://192.0.2.9'));
    await reload();
    expect((await asOperator('/worker-2.ign')).status).toBe(200);
    expect((await fetch(urls['worker-0']?.['iso'] ?? '', { method: 'HEAD' })).headers.get('etag')).not.toBe(
      before,
    );
    write('started.iso', Buffer.from(await started.arrayBuffer()));
    expect((await run('iso', 'ignition', 'show', 'started.iso')).stdout).not.toContain('192.0.2.9');
  });

  it('that fails keeps what was served', async () => {
    const { asOperator, reload, said, urls } = await serve();
    write('inv.yaml', 'hosts: 5\n');
    await reload();
    expect(await statusOf(urls['worker-0']?.['iso'])).toBe(200);
    expect(said()).toContain('still serving the inventory of ');
    expect(JSON.parse(await (await asOperator('/?format=json')).text())).toMatchObject({
      service: { loadError: { file: 'inv.yaml', line: 1, column: 8 } },
    });
    const metrics = await (await asOperator('/metrics')).text();
    expect(metrics).toContain('ironic_coreos_catalog_reload_failures_total 1');
  });

  it('takes an image that was renamed over the old one; one that was changed in place is not served', async () => {
    write('base.iso', readFileSync(path('live.iso')));
    const { reload, said, urls } = await serve({ iso: ['base.iso'] });
    const url = urls['worker-0']?.['iso'];
    const before = sha256(await bytesOf(url));
    const other = readFileSync(path('live.iso'));
    other.write('another', 0);
    write('new.iso', other);
    renameSync(path('new.iso'), path('base.iso'));
    expect(sha256(await bytesOf(url))).toBe(before);
    await reload();
    expect(sha256(await bytesOf(url))).not.toBe(before);
    write('base.iso', readFileSync(path('live.iso')));
    expect(await statusOf(url)).toBe(503);
    expect(said()).toContain('base.iso changed while it was being served');
    await reload();
    expect(sha256(await bytesOf(url))).toBe(before);
  });
});

describe('an image that was changed in place', () => {
  it.each<[title: string, init: RequestInit]>([
    ['GET', {}],
    ['HEAD', { method: 'HEAD' }],
    ['a range', { headers: { Range: 'bytes=0-9' } }],
    ['a range behind the end', { headers: { Range: 'bytes=999999999999-' } }],
    ['HEAD of a range', { method: 'HEAD', headers: { Range: 'bytes=0-9' } }],
    ['a condition that held', { headers: { 'If-None-Match': '*' } }],
  ])('is told of for %s, until it is read anew', async (_title, init) => {
    await serve(); // makes live.iso
    write('base.iso', readFileSync(path('live.iso')));
    const { reload, said, urls } = await serve({ iso: ['base.iso'] });
    const url = urls['worker-0']?.['iso'] ?? '';
    const before = await fetch(url, init);
    await before.arrayBuffer();
    expect(before.status).not.toBe(503);
    const other = readFileSync(path('live.iso'));
    other.write('another', other.length - 7);
    write('base.iso', other);
    expect((await fetch(url, init)).status).toBe(503);
    expect(said()).toContain('base.iso changed while it was being served');
    await reload();
    const after = await fetch(url, init);
    await after.arrayBuffer();
    expect(after.status).toBe(before.status);
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
  });
});

describe('hosts', () => {
  it('that are wrong are told and stay out, and the others are served', async () => {
    write('wrong.yaml', `${inventory}- {name: odd, overrides: {host.sshKeys: [missing.pub]}}\n`);
    const { asOperator, said, urls } = await serve({ inventory: 'wrong.yaml' });
    expect(Object.keys(urls)).toEqual(['worker-0', 'worker-1']);
    const lines: unknown[] = said()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toContainEqual(
      expect.objectContaining({
        level: 'error',
        host: 'odd',
        file: 'wrong.yaml',
        line: 10,
        message: expect.stringMatching(/^(?!.*wrong\.yaml:).*missing\.pub/),
      }),
    );
    expect((await asOperator('/odd.iso')).status).toBe(404);
    expect(await (await asOperator('/?format=json')).text()).toContain('missing.pub');
    await expect(serve({ inventory: 'wrong.yaml', failFast: true })).rejects.toThrow('a host is invalid');
  });

  it('may be called like the minimal ISO of another', async () => {
    write(
      'alike.yaml',
      'agent: {ironic.apiUrls: https://192.0.2.1}\nhosts: [{name: a}, {name: a-minimal}]\n',
    );
    const { asOperator, urls } = await serve({ inventory: 'alike.yaml' });
    write('served.iso', await bytesOf(urls['a-minimal']?.['iso']));
    expect((await run('iso', 'ignition', 'show', 'served.iso')).stdout).toBe(
      await (await asOperator('/a-minimal.ign')).text(),
    );
  });
});

describe('what can be served', () => {
  it.each([
    ['configs alone', {}, [], ['ign']],
    ['an initramfs', { initramfs: ['initrd'] }, [], ['archive', 'ign', 'initramfs']],
    [
      'a kernel too',
      { initramfs: ['initrd'], kernel: ['kernel'] },
      ['dnsmasq', 'ipxe'],
      ['archive', 'ign', 'initramfs'],
    ],
    [
      'an ISO',
      { iso: ['live.iso'] },
      ['dnsmasq', 'ipxe'],
      ['archive', 'ign', 'initramfs', 'iso', 'minimal-iso'],
    ],
    ['what is asked for', { iso: ['live.iso'], artifacts: 'iso' }, [], ['iso']],
  ])('%s', async (_title, images, scripts, artifacts) => {
    write('kernel', kernel);
    write('initrd', initrd);
    const { boot, urls } = await serve({ iso: [], ...images });
    expect(Object.keys(boot).toSorted()).toEqual(scripts);
    expect(Object.keys(urls['worker-0'] ?? {}).toSorted()).toEqual(artifacts);
  });

  it.each([
    ['no image to make it from', { iso: [], artifacts: 'iso' }, 'no base image contains what iso requires'],
    ['scripts without a kernel', { iso: [], artifacts: 'ign,ipxe' }, 'boot scripts require a kernel'],
    ['an invalid range', { dhcpRange: '192.0.2.1' }, '--dhcp-range "192.0.2.1": invalid range'],
    ['a name that is not known', { artifacts: 'floppy' }, 'invalid value "floppy" for --artifacts'],
    [
      'two lists of hosts',
      { nmstateDir: 'x', inventory: 'inv.yaml' },
      'cannot be combined: each contains the list of hosts',
    ],
    ['open with a key', { open: true, keyFile: 'k' }, '--open cannot be combined with --key-file'],
    [
      'a lifetime of URLs without a signature',
      { open: true, expires: '1h' },
      '--open cannot be combined with --expires',
    ],
    ['a certificate without its key', { tlsCert: 'c' }, 'HTTPS requires a certificate and its key'],
    ['no address', { listen: 'here' }, 'Cannot listen on "here"'],
    [
      'no number of connections',
      { maxConnections: '0' },
      'invalid value "0" for --max-connections: not a whole number from 1 to 1000000',
    ],
    ['no length of time', { expires: 'soon' }, 'invalid duration "soon" for --expires'],
    ['URLs that expire at once', { expires: '0' }, 'invalid value "0" for --expires'],
    ['URLs that expire in no day', { expires: '0d' }, 'invalid value "0d" for --expires'],
    ['no time for clients', { idleTimeout: '0s' }, 'invalid value "0s" for --idle-timeout'],
    ['a URL that files cannot be added to', { publicUrl: 'http://a/?b' }, '--public-url'],
  ])('is refused: %s', async (_title, options, message) => {
    await expect(serve(options)).rejects.toThrow(message);
  });
});
