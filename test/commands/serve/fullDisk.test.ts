/** A reload for which the disk has no space: it is reported once, and repeated until there is space. */

import { chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { mountSmallDisk, type SmallDisk, smallDiskNote } from '../../support/smallDisk.ts';
import { place } from './support.ts';
import { eventually } from '../../support/eventually.ts';

const { path, serve, write } = place();
const note = smallDiskNote();

mkdirSync(path('programs'));
writeFileSync(path('programs/nmstatectl'), '#!/bin/sh\necho "NetworkManager: []"\n');
chmodSync(path('programs/nmstatectl'), 0o755);
const env = { PATH: `${path('programs')}:/usr/bin:/bin` };

const inventoryOf = (count: number, memo: string): string => {
  const hosts = Array.from(
    { length: count },
    (_, index) => `- {name: h${index}, overrides: {host.nmstate: net.yaml}}\n`,
  );
  const agent = `ironic.apiUrls: https://192.0.2.1, host.sshKeys: [], boot.kernelArguments: [${memo}]`;
  return `agent: {${agent}}\nhosts:\n${hosts.join('')}`;
};
write('net.yaml', 'interfaces: [{name: eno1, type: ethernet, state: up}]\n');

describe.skipIf(note !== '')(`serve with a full disk${note}`, () => {
  let disk: SmallDisk | undefined;
  beforeEach(() => {
    disk = mountSmallDisk(1024);
    vi.stubEnv('TMPDIR', disk?.path);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    disk?.remove();
  });

  it('reports it once, also as degraded, and loads the inventory when there is space', async () => {
    write('many.yaml', inventoryOf(20, 'a=1'));
    const running = await serve({ inventory: 'many.yaml' }, env);
    const said = (): string[] =>
      running
        .said()
        .split('\n')
        .filter((line) => line.includes('No space left'));
    const ready = async (): Promise<string> => (await fetch(`${running.origin}/readyz`)).text();
    writeFileSync(join(disk?.path ?? '', 'other'), Buffer.alloc(4096));
    disk?.leave(0);
    write('new.yaml', inventoryOf(20, 'a=2'));
    renameSync(path('new.yaml'), path('many.yaml'));
    const before = running.service.state.current();
    const reloaded = running.reload();
    await eventually(() => expect(said()).toHaveLength(1));
    expect(JSON.parse(said()[0] ?? '')).toMatchObject({
      event: 'reload',
      message: expect.stringMatching(
        / \d+ bytes required, 0 bytes free in \S.*; still serving the previous inventory$/,
      ),
      hint: expect.stringContaining('TMPDIR'),
    });
    expect(await ready()).toMatch(
      /^ready\ndegraded: the last reload failed \(No space left .* 0 bytes free in .*\)\n$/,
    );
    expect((await fetch(running.urls['h7']?.['ign'] ?? '')).status).toBe(200);
    disk?.leave(64);
    await reloaded;
    expect(running.service.state.current()).not.toBe(before);
    expect([await ready(), said().length]).toEqual(['ready\n', 1]);
  }, 60_000);
});
