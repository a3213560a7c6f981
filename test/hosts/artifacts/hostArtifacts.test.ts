/** Artifacts of one host, of which some contain the same. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type BaseSet, openBaseSet } from '../../../src/hosts/artifacts/baseImages.ts';
import { makeArtifact } from '../../../src/hosts/artifacts/hostArtifacts.ts';
import { liveIso } from '../../support/liveIso.ts';

let folder: string;
let base: BaseSet;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'host artifacts '));
  const path = join(folder, 'live.iso');
  const bytes = liveIso('2023-07');
  await writeFile(path, bytes);
  const input = {
    role: 'iso',
    name: 'live.iso',
    path,
    size: bytes.length,
    sha256: '',
    label: undefined,
  } as const;
  base = await openBaseSet(new Map([['iso', { ...input, architecture: 'x86_64', stream: undefined }]]));
});
afterAll(async () => {
  await base.close();
  await rm(folder, { recursive: true });
});

/** What is appended to the initramfs for a host with this config. */
async function archiveFor(config: Uint8Array): Promise<unknown> {
  const { changes } = await makeArtifact('initramfs', {
    name: 'worker-0',
    macs: [],
    architecture: 'x86_64',
    stream: undefined,
    artifacts: ['initramfs'],
    config: () => config,
    isoConfig: () => config,
    secrets: [],
    archive: undefined,
    archiveOnIso: undefined,
    base,
    rootfsUrl: '',
    kargs: [],
    growth: 'usual',
    takesNetwork: true,
    start: undefined,
  });
  return changes[0]?.stages.flat()[0]?.data;
}

it('the config of a host is compressed once for all of its artifacts', async () => {
  const [config, other] = [Buffer.from('{"a":1}'), Buffer.from('{"b":1}')];
  const archive = await archiveFor(config);
  expect(archive).toBeInstanceOf(Uint8Array);
  expect(await archiveFor(config)).toBe(archive);
  expect(await archiveFor(other)).not.toEqual(archive);
});
