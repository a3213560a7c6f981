/**
 * `inspect` beside what coreos-installer says of the same images: of real releases (reduced), and of all synthetic
 * layouts. What one embeds, the other counts.
 */

import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { layouts, liveIso } from '../support/liveIso.ts';
import { have, oracleNote } from '../support/programs.ts';
import { runCli } from '../support/runCli.ts';
import { sharedData, sharedDataNote } from '../support/sharedData.ts';

const isoFolder = join(sharedData ?? '', 'iso');
const canUnpack = sharedData !== undefined && have('xz');
const realNames = canUnpack ? readdirSync(isoFolder).filter((name) => name.endsWith('.xz')) : [];
const unpack = (name: string): Uint8Array =>
  execFileSync('xz', ['-dc', join(isoFolder, name)], { maxBuffer: 2 ** 28 });
const images: [string, () => Uint8Array][] = [
  ...layouts.map((layout): [string, () => Uint8Array] => [`layout ${layout}`, () => liveIso(layout)]),
  ...realNames.map((name): [string, () => Uint8Array] => [name, () => unpack(name)]),
];

let cwd: string;
beforeEach(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), 'inspect interop ')));
  await writeFile(join(cwd, 'config.ign'), '{"ignition":{"version":"3.4.0"}}\n');
  await writeFile(join(cwd, 'eth0.nmconnection'), '[connection]\nid=eth0\ntype=ethernet\n');
});
afterEach(async () => rm(cwd, { recursive: true, force: true }));

const inspect = async (name: string): Promise<Record<string, unknown>> => {
  const { stdout } = await runCli(['inspect', '--format', 'json', name], { cwd });
  return JSON.parse(stdout);
};
const theirs = (...args: string[]): string =>
  execFileSync('coreos-installer', args, { cwd, encoding: 'utf8' });

/** Of kernel arguments, as either program describes them. */
const sizesOf = (kargs: unknown): unknown =>
  kargs === null ? null : { default: Object(kargs).default, length: Object(kargs).length };

describe(`inspect of real releases${sharedDataNote}${oracleNote('xz')}`, () => {
  it.skipIf(canUnpack)('is not compared', () => {
    expect(realNames).toEqual([]);
  });

  it.each(realNames)('%s is pristine, and for the machine that it is named after', async (name) => {
    await writeFile(join(cwd, 'coreos.iso'), unpack(name));
    expect(await inspect('coreos.iso')).toMatchObject({
      kind: 'live-iso',
      pristine: true,
      architecture: /aarch64|ppc64le|s390x/.exec(name)?.[0] ?? 'x86_64',
      embedArea: { length: 262_144, used: 0 },
      hasMinimalIso: !name.includes('2021-01'),
      findings: [{ rule: 'image-config-missing' }],
    });
  });
});

describe.skipIf(!have('coreos-installer'))(
  `inspect beside coreos-installer${oracleNote('coreos-installer')}`,
  () => {
    it.each(images)('%s: the same areas', async (_name, image) => {
      await writeFile(join(cwd, 'coreos.iso'), image());
      const { embedArea, kernelArguments } = await inspect('coreos.iso');
      const area: unknown = JSON.parse(theirs('dev', 'show', 'iso', '--ignition', 'coreos.iso'));
      expect(embedArea).toMatchObject(area === null ? {} : Object(area));
      const kargs: unknown = JSON.parse(theirs('dev', 'show', 'iso', '--kargs', 'coreos.iso'));
      expect(sizesOf(kernelArguments)).toEqual(sizesOf(kargs));
    });

    it.each(images)('%s: what it embeds is found', async (_name, image) => {
      await writeFile(join(cwd, 'coreos.iso'), image());
      theirs('iso', 'ignition', 'embed', '-i', 'config.ign', 'coreos.iso');
      const { features, kernelArguments } = await inspect('coreos.iso');
      const network: string[] = [];
      if (Object(features).liveInitrdNetwork === true) {
        theirs('iso', 'network', 'embed', '-k', 'eth0.nmconnection', 'coreos.iso');
        network.push('etc/coreos-firstboot-network/eth0.nmconnection');
      }
      if (kernelArguments !== null) theirs('iso', 'kargs', 'modify', '-a', 'a=1', 'coreos.iso');
      const after = await inspect('coreos.iso');
      expect(after).toMatchObject({ network, ignition: { version: '3.4.0' }, pristine: false });
      const added = kernelArguments === null ? undefined : ['a=1'];
      expect(Object(after['kernelArguments']).added).toEqual(added);
    });
  },
);
