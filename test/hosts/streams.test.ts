/** Hosts of one inventory with base images of two streams: what `prepare` and `serve` give to each. */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isoPair } from '../support/minimalIso.ts';
import { have, oracleNote } from '../support/programs.ts';
import { sharedData, sharedDataNote } from '../support/sharedData.ts';
import { place } from '../commands/serve/support.ts';
import type { Manifest } from '../../src/hosts/artifacts/manifest.ts';

const { path, run, serve, write } = place();

/** Two groups: an anchor is the settings of a group. */
const inventory = `agent:
  ironic.apiUrls: https://192.0.2.1
hosts:
- {name: usual, mac: '52:54:00:00:00:01'}
- {name: el10-a, mac: '52:54:00:00:00:02', overrides: &el10 {image.stream: rhel-10}}
- {name: el10-b, mac: '52:54:00:00:00:03', architecture: x86_64, overrides: *el10}
`;
write('streams.yaml', inventory);

/** The part of the status that tests look at. */
interface StatusDocument {
  readonly baseImages: readonly unknown[];
  readonly hosts: readonly unknown[];
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const bytesOf = async (url = ''): Promise<Buffer> => Buffer.from(await (await fetch(url)).arrayBuffer());

const isoFolder = join(sharedData ?? '', 'iso');
const unpack = (release: string): Uint8Array =>
  execFileSync('xz', ['-dc', join(isoFolder, `embed-areas-2026-07.rhcos-${release}.x86_64.iso.xz`)], {
    maxBuffer: 2 ** 28,
  });
const sampleIsos = (): readonly Uint8Array[] => {
  const el10 = isoPair((files) => {
    files.set('images/pxeboot/rootfs.img', Buffer.alloc(2_000_000, 'rhel-10'));
  });
  return [isoPair().full, el10.full];
};
const samples: readonly (readonly [title: string, canRun: boolean, make: () => readonly Uint8Array[]])[] = [
  ['samples', true, sampleIsos],
  [
    `RHEL CoreOS 9.8 and 10.2${sharedDataNote}${oracleNote('xz')}`,
    existsSync(join(isoFolder, 'embed-areas-2026-07.rhcos-10.2.x86_64.iso.xz')) && have('xz'),
    () => [unpack('9.8'), unpack('10.2')],
  ],
];

const isos = ['el9.iso', 'rhel-10/x86_64=el10.iso'];

/** `prepare` into a folder, with what is always the same. */
function prepare(given: string, ...images: readonly string[]): ReturnType<typeof run> {
  const args = `prepare ${given} --base-url http://192.0.2.1/boot --grow --prune`.split(' ');
  return run(...args, ...images.flatMap((iso) => ['--iso', iso]));
}
const hostsIn = (folder: string): string =>
  `--inventory streams.yaml -o ${folder} --artifacts iso,initramfs,ipxe`;

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(path(join(folder, 'manifest.json')), 'utf8'));
}

/** The root filesystem of an ISO as `iso extract pxe` writes it, to a new folder. */
async function rootfsOf(iso: string, folder: string): Promise<Buffer> {
  const { code, stderr } = await run('iso', 'extract', 'pxe', '-o', folder, iso);
  expect([code, stderr]).toEqual([0, '']);
  return readFileSync(path(join(folder, `${iso.replace('.iso', '')}-rootfs.img`)));
}

function writeIsos([usual, el10]: readonly Uint8Array[]): void {
  write('el9.iso', usual ?? '');
  write('el10.iso', el10 ?? '');
}

for (const [number, [title, canRun, make]] of samples.entries()) {
  describe.skipIf(!canRun)(`hosts with two streams: ${title}`, () => {
    it('are prepared from the images of their streams, which the folder has once', async () => {
      writeIsos(make());
      const { code, stderr } = await prepare(hostsIn('boot'), ...isos);
      expect([code, stderr]).toEqual([0, expect.stringContaining('3 hosts prepared')]);
      const { hosts, inputs, files } = manifestOf('boot');
      const [a, b, usual] = hosts;
      expect(hosts.map(({ name, stream }) => [name, stream])).toEqual([
        ['el10-a', 'rhel-10'],
        ['el10-b', 'rhel-10'],
        ['usual', undefined],
      ]);
      expect(a?.images).toBe(b?.images);
      expect(a?.images).not.toBe(usual?.images);
      expect(inputs.filter(({ role }) => role === 'iso').map(({ name, stream }) => [name, stream])).toEqual([
        ['el9.iso', undefined],
        ['el10.iso', 'rhel-10'],
      ]);
      const current = files.filter(({ superseded }) => superseded !== true);
      expect(current.filter((file) => file.path.endsWith('.rootfs'))).toHaveLength(2);
      for (const [host, iso] of [
        ['usual', 'el9.iso'],
        ['el10-a', 'el10.iso'],
      ] as const) {
        const id = hosts.find(({ name }) => name === host)?.images ?? '';
        const rootfs = await rootfsOf(iso, `parts-${number}-${host}`);
        expect(sha256(readFileSync(path(`boot/images/${id}/ironic-python-agent.rootfs`)))).toBe(
          sha256(rootfs),
        );
        const script = readFileSync(path(`boot/ipxe/${host}.ipxe`), 'utf8');
        expect(script).toContain(`http://192.0.2.1/boot/images/${id}/ironic-python-agent.kernel`);
        const own = readFileSync(path(`boot/hosts/${host}/live.iso`));
        const from = readFileSync(path(iso));
        // The volume descriptor with the label of the release.
        expect(own.subarray(32_768, 32_768 + 72)).toEqual(from.subarray(32_768, 32_768 + 72));
      }
    });

    it('are served the same images, and another stream is another image after a reload', async () => {
      const { asOperator, urls, reload } = await serve({ inventory: 'streams.yaml', iso: isos, grow: true });
      for (const host of ['usual', 'el10-a', 'el10-b']) {
        expect([host, sha256(await bytesOf(urls[host]?.['iso']))]).toEqual([
          host,
          sha256(readFileSync(path(`boot/hosts/${host}/live.iso`))),
        ]);
      }
      const { baseImages, hosts }: StatusDocument = JSON.parse(
        await (await asOperator('/?format=json')).text(),
      );
      expect(baseImages).toMatchObject([{ name: 'el9.iso' }, { name: 'el10.iso', stream: 'rhel-10' }]);
      expect(hosts).toMatchObject([{ name: 'usual' }, { stream: 'rhel-10' }, { stream: 'rhel-10' }]);
      const before = await fetch(urls['usual']?.['iso'] ?? '', { method: 'HEAD' });
      write('streams.yaml', inventory.replace('agent:', 'agent:\n  image.stream: rhel-10'));
      await reload();
      const after = await fetch(urls['usual']?.['iso'] ?? '', { method: 'HEAD' });
      write('streams.yaml', inventory);
      expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
      // All other inputs are the same: it is the image of the others, with its own name in the config.
      expect(Number(after.headers.get('content-length'))).toBe(
        statSync(path('boot/hosts/el10-a/live.iso')).size,
      );
    });

    it('are reported, with the place of the setting, if their stream has no image for them', async () => {
      write(
        'streams.yaml',
        inventory
          .replace('architecture: x86_64', 'architecture: aarch64')
          .replace('name: usual,', 'name: usual, overrides: {image.stream: rhel-9},'),
      );
      const { code, stderr } = await prepare(hostsIn('invalid'), ...isos);
      write('streams.yaml', inventory);
      expect(code).toBe(1);
      expect(stderr)
        .toContain(`error: usual is not written (streams.yaml:4): streams.yaml:4:43: image.stream: no images of the stream "rhel-9" for x86_64; available: x86_64, rhel-10/x86_64
hint: pass --iso rhel-9/x86_64=FILE, or use another stream
`);
      // The place of the anchor: there the group names the stream.
      expect(stderr)
        .toContain(`error: el10-b is not written (streams.yaml:6): streams.yaml:5:76: image.stream: no images of the stream "rhel-10" for aarch64; available: x86_64, rhel-10/x86_64
hint: pass --iso rhel-10/aarch64=FILE, or use another stream
`);
      expect(stderr).toContain('1 host prepared');
    });
  });
}

describe('machines that are not listed', () => {
  const inFolder = '--inventory all.yaml -o all --artifacts ign,ipxe --force';
  const all = 'agent:\n  ironic.apiUrls: https://192.0.2.1\n';
  const el10 = `${all}  image.stream: rhel-10\n`;

  it.each<[string, string, readonly string[], 'el9' | 'el10']>([
    ['the default', all, ['el9.iso', 'rhel-10/x86_64=el10.iso'], 'el9'],
    ['the stream of all hosts', el10, ['el9.iso', 'rhel-10/x86_64=el10.iso'], 'el10'],
    ['the only stream', all, ['rhel-10/x86_64=el10.iso'], 'el10'],
  ])('boot the images of %s', async (_title, text, images, expected) => {
    write('all.yaml', text);
    writeIsos(sampleIsos());
    const { code, stderr } = await prepare(inFolder, ...images);
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    const script = readFileSync(path('all/inspector.ipxe'), 'utf8');
    const [, id = ''] = /images\/(x86_64-[0-9a-f]{12})\//.exec(script) ?? [];
    const size = statSync(path(`all/images/${id}/ironic-python-agent.rootfs`)).size;
    expect(size).toBe(expected === 'el9' ? 3_000_001 : 2_000_000);
  });

  it.each<[string, string, readonly string[], string]>([
    [
      'no stream is selected',
      all,
      ['rhel-9/x86_64=el9.iso', 'rhel-10/x86_64=el10.iso'],
      'error: machines that are not listed: the images for x86_64 are of several streams, and none is selected; available: rhel-9/x86_64, rhel-10/x86_64\nhint: set image.stream to one of them, or pass images without a stream: --iso x86_64=FILE\n',
    ],
    [
      'the selected stream has none',
      el10,
      ['el9.iso'],
      'error: all.yaml:3:17: machines that are not listed: no images of the stream "rhel-10" for x86_64; available: x86_64\nhint: pass --iso rhel-10/x86_64=FILE, or use another stream\n',
    ],
  ])('have none if %s', async (_title, text, images, message) => {
    write('all.yaml', text);
    const { code, stderr } = await prepare(inFolder, ...images);
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
  });
});

describe('image options with streams', () => {
  it.each<[string, readonly string[], string]>([
    [
      'two images of one stream',
      ['rhel-10/x86_64=el9.iso', 'rhel-10/x86_64=el10.iso'],
      'error: two iso files for rhel-10/x86_64: el9.iso and el10.iso\nhint: pass only one of these files, or add the architecture or stream of the other: --iso aarch64=FILE, --iso rhel-10/x86_64=FILE\n',
    ],
    [
      'an image of another architecture',
      ['rhel-10/aarch64=el10.iso'],
      'error: el10.iso is for x86_64, not for aarch64\nhint: pass an image for aarch64, or use x86_64=el10.iso\n',
    ],
    ['an unknown architecture', ['rhel-10/x86=el10.iso'], 'rhel-10/x86=el10.iso'],
  ])('%s', async (_title, images, message) => {
    const { code, stderr } = await prepare('--inventory streams.yaml -o x', ...images);
    expect([code === 0, stderr]).toEqual([false, expect.stringContaining(message)]);
  });

  it('are refused by layouts with one ramdisk for all machines', async () => {
    const { code, stderr } = await prepare('--layout bifrost --inventory all.yaml -o httpboot', ...isos);
    expect(code).toBe(2);
    expect(stderr).toContain(
      'error: --layout bifrost does not support streams, but rhel-10/x86_64 has one\nhint: pass the images without a stream, or remove --layout to write the files of each host\n',
    );
  });
});
