/** A prepared folder, served under the URLs that are in it. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ManifestFolder,
  readFolderUrl,
  startFolderService,
} from '../../../src/trial/emulation/preparedFolderService.ts';
import type { FetchEvent } from '../../../src/trial/timeline/events.ts';
import { parseManifest } from '../../../src/hosts/artifacts/manifest.ts';
import { isoPair } from '../../support/minimalIso.ts';
import { runCli } from '../../support/runCli.ts';
import { inventory } from '../../support/twoHosts.ts';
import { freePort } from '../../support/listening.ts';

const folder = mkdtempSync(join(tmpdir(), 'try folder '));
const path = (name: string): string => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let port = 0;
let place: ManifestFolder;

beforeAll(async () => {
  writeFileSync(path('inv.yaml'), inventory);
  writeFileSync(path('auth.json'), '{"auths":{"registry.example.com":{"auth":"aHVudGVyMjp4"}}}');
  writeFileSync(path('live.iso'), isoPair().full);
  port = await freePort();
  const url = ['--base-url', `http://192.0.2.1:${port}/boot`, '--artifacts', 'archive,ign,ipxe'];
  const { code, stderr } = await runCli(
    ['prepare', '--inventory', 'inv.yaml', '--iso', 'live.iso', '-o', 'www', ...url],
    { cwd: folder },
  );
  if (code !== 0) throw new Error(stderr);
  place = { path: path('www'), manifest: parseManifest(readFileSync(path('www/manifest.json'), 'utf8')) };
});

const log = { request: () => undefined, note: () => undefined };

describe('a prepared folder', () => {
  it('is served as it is, and what is fetched is told', async () => {
    const events: FetchEvent[] = [];
    const service = await startFolderService(place, log, (event) => void events.push(event));
    try {
      expect(service.scriptUrl).toBe(`http://192.0.2.1:${port}/boot/boot.ipxe`);
      const origin = `http://127.0.0.1:${port}/boot`;
      for (const { path: name, size } of place.manifest.files) {
        const response = await fetch(`${origin}/${name}`);
        const bytes = Buffer.from(await response.arrayBuffer());
        expect([name, response.status, bytes.length]).toEqual([name, 200, size]);
        expect(bytes).toEqual(readFileSync(path(`www/${name}`)));
      }
      for (const wrong of ['manifest.json', '../inv.yaml', '.ironic-coreos/stamps.json', '']) {
        expect((await fetch(`${origin}/${wrong}`)).status).toBe(404);
      }
      expect((await fetch(`http://127.0.0.1:${port}/boot.ipxe`)).status).toBe(404);
    } finally {
      await service.stop();
    }
    const fetched = events.filter(({ outcome }) => outcome === 'complete');
    const kinds = new Map(fetched.map(({ path: name, artifact, host }) => [name, [artifact, host]]));
    expect(kinds.get('boot/boot.ipxe')).toEqual(['script', undefined]);
    const ofHosts = [...kinds].filter(([name]) => name.startsWith('boot/hosts/'));
    expect(ofHosts.map(([, kind]) => kind)).toEqual([
      ['archive', 'worker-0'],
      ['ign', 'worker-0'],
      ['archive', 'worker-1'],
      ['ign', 'worker-1'],
    ]);
    expect(new Set(fetched.map(({ artifact }) => artifact))).toEqual(
      new Set(['script', 'ign', 'archive', 'kernel', 'initramfs', 'rootfs']),
    );
  });

  it('says where its port is set', async () => {
    const other = createServer().listen(port, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    await expect(startFolderService(place, log, () => undefined)).rejects.toMatchObject({
      hint: 'make this port available, or run `prepare` with another port in --base-url',
    });
    await new Promise((resolve) => other.close(resolve));
  });

  it.each([
    ['no URL', { baseUrl: null }, 'its base URL is missing'],
    ['https', { baseUrl: 'https://192.0.2.1/' }, 'firmware requires http'],
    ['a name', { baseUrl: 'http://boot.example.com' }, 'not an IPv4 address'],
    ['another layout', { layout: 'metal3' as const }, 'no boot.ipxe'],
    ['no script', { files: [] }, 'no boot.ipxe'],
  ])('with %s cannot be booted from', (_title, changes, message) => {
    expect(() => readFolderUrl({ ...place, manifest: { ...place.manifest, ...changes } })).toThrow(message);
  });

  it.each([
    ['http://192.0.2.1', 80, ''],
    ['http://192.0.2.1:8080/', 8080, ''],
    ['http://192.0.2.1:8080/a/b', 8080, 'a/b/'],
  ])('of %s', (baseUrl, wanted, prefix) => {
    const found = readFolderUrl({ ...place, manifest: { ...place.manifest, baseUrl } });
    expect(found).toMatchObject({ host: '192.0.2.1', port: wanted, prefix });
  });
});
