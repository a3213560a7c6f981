/** Hosts that become invalid while the service runs: they keep their last valid image, and readiness, page, metrics and log say so. */

import { createHash } from 'node:crypto';
import { readFileSync, renameSync, unlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ociArchive } from '../../support/containerImages.ts';
import { inventory } from '../../support/twoHosts.ts';
import { place, type Running } from './support.ts';

const { path, serve, write } = place();

const artifacts = ['iso', 'minimal-iso', 'initramfs', 'archive', 'ign'] as const;

/** Digests of all files of a host, and of those that its boot script and its config name. */
async function digestsOf({ boot, urls }: Pick<Running, 'boot' | 'urls'>, host: string): Promise<string[]> {
  const script = new URL(`ipxe/${host}.ipxe`, boot['ipxe']).href;
  const text = await (await fetch(script)).text();
  const named = (text.match(/http:\/\/\S+/g) ?? []).map((url) => url.replace(/\?.*/, ''));
  const own = artifacts.map((artifact) => urls[host]?.[artifact] ?? '');
  const digests: string[] = [];
  for (const url of [...own, script, ...named]) {
    const response = await fetch(url);
    const bytes = Buffer.from(await response.arrayBuffer());
    digests.push(`${response.status} ${createHash('sha256').update(bytes).digest('hex')}`);
  }
  return digests;
}

const readyText = async (origin: string): Promise<string> => {
  const response = await fetch(`${origin}/readyz`);
  return `${response.status} ${await response.text()}`;
};

interface Message {
  readonly message: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

/** With its place. */
const loadErrorIn = ({ service: { loadError } }: StatusDocument): string =>
  [loadError?.file, loadError?.line, loadError?.column, ` ${loadError?.message}`]
    .filter((one) => one !== undefined)
    .join(':')
    .trim();

interface StatusDocument {
  readonly service: { readonly loadError?: Message };
  readonly hosts: readonly {
    readonly name: string;
    readonly stage?: string;
    readonly staleSince?: string;
    readonly messages: readonly Message[];
    readonly images: readonly object[];
  }[];
}

async function statusOf({ asOperator }: Running): Promise<StatusDocument> {
  const document: StatusDocument = JSON.parse(await (await asOperator('/?format=json')).text());
  return document;
}

const hostGauges = async ({ asOperator }: Running): Promise<string[]> => {
  const text = await (await asOperator('/metrics')).text();
  return text.match(/^ironic_coreos_hosts\{.*$/gm) ?? [];
};

/** The second host of the inventory with another setting. */
const secondHost = (override: string): string =>
  inventory.replace('agent.pullSecret: auth.json', `agent.pullSecret: auth.json, ${override}`);

describe('a host that becomes invalid', () => {
  it('keeps its last valid image, with the reason and its place on the page, in the metrics and in the log', async () => {
    write('one.yaml', inventory);
    const running = await serve({ inventory: 'one.yaml' });
    expect(await readyText(running.origin)).toBe('200 ready\n');
    const before = await digestsOf(running, 'worker-1');
    expect(before.filter((line) => !line.startsWith('200 '))).toEqual([]);
    write('one.yaml', secondHost('host.sshKeys: [missing.pub]').replace('192.0.2.1', '192.0.2.9'));
    await running.reload();
    expect(await digestsOf(running, 'worker-1')).toEqual(before);
    expect(await readyText(running.origin)).toBe('200 ready\ndegraded: 1 host with an older image\n');
    const [first, second] = (await statusOf(running)).hosts;
    expect([first?.staleSince, second?.name, second?.images.length]).toEqual([undefined, 'worker-1', 5]);
    expect([first?.stage, second?.stage]).toEqual([undefined, 'with its last valid image']);
    expect(second?.staleSince).toMatch(/^\d{4}-/);
    expect(second?.messages).toEqual([
      expect.objectContaining({
        message: expect.stringContaining('missing.pub'),
        file: 'one.yaml',
        line: 9,
        column: expect.any(Number),
      }),
    ]);
    expect(await hostGauges(running)).toEqual([
      'ironic_coreos_hosts{state="valid"} 1',
      'ironic_coreos_hosts{state="stale"} 1',
      'ironic_coreos_hosts{state="invalid"} 0',
    ]);
    const lines = running.said().trim().split('\n');
    const events = lines.map((line): unknown => JSON.parse(line));
    expect(events).toContainEqual(
      expect.objectContaining({ level: 'error', host: 'worker-1', file: 'one.yaml', line: 9 }),
    );
    expect(events).toContainEqual(
      expect.objectContaining({
        level: 'warning',
        host: 'worker-1',
        message: 'stale: the last valid image is still served',
      }),
    );
    expect(events).toContainEqual(
      expect.objectContaining({ event: 'loaded', hosts: 1, stale: 1, invalid: 0 }),
    );
  });

  it('stays stale since the first reload, also after others and with another base image, until it is valid again', async () => {
    await serve(); // makes live.iso
    write('base.iso', readFileSync(path('live.iso')));
    write('two.yaml', inventory);
    const running = await serve({ inventory: 'two.yaml', iso: ['base.iso'] });
    const before = await digestsOf(running, 'worker-1');
    write('two.yaml', secondHost('host.sshKeys: [missing.pub]'));
    await running.reload();
    const since = (await statusOf(running)).hosts[1]?.staleSince;
    const other = readFileSync(path('live.iso'));
    other.write('another', 0);
    write('new.iso', other);
    renameSync(path('new.iso'), path('base.iso'));
    await running.reload();
    await running.reload();
    expect(await digestsOf(running, 'worker-1')).toEqual(before);
    expect((await statusOf(running)).hosts[1]?.staleSince).toBe(since);
    write('two.yaml', inventory);
    await running.reload();
    expect(await digestsOf(running, 'worker-1')).not.toEqual(before);
    expect(await readyText(running.origin)).toBe('200 ready\n');
  });

  it('keeps the agent archive that it loads', async () => {
    write('agent.tar', await ociArchive({ names: ['registry.example.com/ironic-agent:1'] }));
    const withArchive = inventory.replace('agent:\n', 'agent:\n  agent.archive: agent.tar\n');
    write('archive.yaml', withArchive);
    const running = await serve({ inventory: 'archive.yaml' });
    const before = await digestsOf(running, 'worker-1');
    unlinkSync(path('agent.tar'));
    const own = withArchive
      .replace('  agent.archive: agent.tar\n', '')
      .replace('overrides: {', 'overrides: {agent.archive: agent.tar, ');
    write('archive.yaml', own);
    await running.reload();
    expect(await readyText(running.origin)).toContain('1 host with an older image');
    expect(await digestsOf(running, 'worker-1')).toEqual(before);
  });

  it('leaves its MAC address to a valid host', async () => {
    write('mac.yaml', inventory);
    const running = await serve({ inventory: 'mac.yaml' });
    const twin = `${secondHost('host.sshKeys: [missing.pub]').replace("  mac: '52:54:00:12:34:57'\n", '')}- {name: worker-2, mac: '52:54:00:12:34:57'}\n`;
    write('mac.yaml', twin);
    await running.reload();
    const script = new URL('ipxe/mac-52-54-00-12-34-57.ipxe', running.boot['ipxe']).href;
    expect(await (await fetch(script)).text()).toContain('/worker-2.');
    expect((await fetch(running.urls['worker-1']?.['iso'] ?? '', { method: 'HEAD' })).status).toBe(200);
  });

  it('is gone when it is removed from the inventory', async () => {
    write('gone.yaml', inventory);
    const running = await serve({ inventory: 'gone.yaml' });
    write('gone.yaml', secondHost('host.sshKeys: [missing.pub]'));
    await running.reload();
    write('gone.yaml', inventory.slice(0, inventory.indexOf('- name: worker-1')));
    await running.reload();
    expect((await fetch(running.urls['worker-1']?.['iso'] ?? '')).status).toBe(404);
    expect(await readyText(running.origin)).toBe('200 ready\n');
  });
});

describe('a setting of all hosts that becomes invalid', () => {
  it.each<[title: string, text: string, reason: string]>([
    [
      'a file that is missing',
      inventory.replace('agent:\n', 'agent:\n  ironic.caFiles: [missing.crt]\n'),
      'All hosts are invalid, for example worker-0: all.yaml:2:20: ',
    ],
    ['an invalid value', inventory.replace('https://192.0.2.1', 'https://'), 'all.yaml:2:'],
    ['a document that is no inventory', 'hosts: 5\n', 'all.yaml:1:8: "hosts" must be a list'],
  ])('%s: the reload is refused, and all hosts are served as before', async (_title, text, reason) => {
    write('all.yaml', inventory);
    const running = await serve({ inventory: 'all.yaml' });
    const before = await digestsOf(running, 'worker-1');
    write('all.yaml', text);
    await running.reload();
    expect(await digestsOf(running, 'worker-1')).toEqual(before);
    expect(await readyText(running.origin)).toBe('200 ready\ndegraded: the last reload failed\n');
    expect(loadErrorIn(await statusOf(running))).toContain(reason);
    expect(running.said()).toContain('still serving the inventory of ');
    const metrics = await (await running.asOperator('/metrics')).text();
    expect(metrics).toContain('ironic_coreos_catalog_last_reload_successful 0');
    expect(await hostGauges(running)).toContain('ironic_coreos_hosts{state="valid"} 2');
    write('all.yaml', inventory);
    await running.reload();
    expect(await readyText(running.origin)).toBe('200 ready\n');
  });
});

describe('an ISO that can serve no host', () => {
  it('is refused at a reload, and all hosts are served as before', async () => {
    write('reload.yaml', inventory);
    const running = await serve({ inventory: 'reload.yaml' });
    const before = await digestsOf(running, 'worker-1');
    // Digests do not compress.
    const source = createHash('shake256', { outputLength: 360_000 }).update('large').digest('base64');
    const file = { path: '/etc/large', contents: { source: `data:;base64,${source}` } };
    write('large.ign', JSON.stringify({ ignition: { version: '3.2.0' }, storage: { files: [file] } }));
    write('reload.yaml', inventory.replace('agent:\n', 'agent:\n  ignition.merge: [large.ign]\n'));
    await running.reload();
    expect(loadErrorIn(await statusOf(running))).toMatch(/^no host gets its file iso: /);
    expect(await digestsOf(running, 'worker-1')).toEqual(before);
    expect(await readyText(running.origin)).toBe('200 ready\ndegraded: the last reload failed\n');
  });

  it('makes the service not ready if it was written over the one that is served, until a valid one replaces it', async () => {
    await serve(); // makes live.iso
    const image = readFileSync(path('live.iso'));
    write('place.iso', image);
    const running = await serve({ iso: ['place.iso'] });
    expect(await readyText(running.origin)).toBe('200 ready\n');
    write('place.iso', image.subarray(0, 100_000));
    await running.reload();
    expect((await fetch(running.urls['worker-0']?.['iso'] ?? '')).status).toBe(503);
    expect(await readyText(running.origin)).toBe(
      '503 503: the images have changed, and the last reload failed\n',
    );
    write('new.iso', image);
    renameSync(path('new.iso'), path('place.iso'));
    await running.reload();
    expect(await readyText(running.origin)).toBe('200 ready\n');
  });
});

describe('a service that starts with invalid hosts', () => {
  it('is not ready while none is valid', async () => {
    const missing = inventory.replace('agent:\n', 'agent:\n  ironic.caFiles: [missing.crt]\n');
    write('start.yaml', missing);
    const running = await serve({ inventory: 'start.yaml' });
    expect(await readyText(running.origin)).toBe('503 503: all hosts are invalid\n');
    write('start.yaml', inventory.replace('overrides: {', 'overrides: {ironic.caFiles: [missing.crt], '));
    await running.reload();
    expect(await readyText(running.origin)).toBe('200 ready\ndegraded: 1 host without an image\n');
  });
});
