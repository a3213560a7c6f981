/**
 * Archives that podman and skopeo write, as this program reads them, and podman as it loads them; and the unit that loads the
 * agent's image on a host, with its own commands, in a real podman.
 */

import { createReadStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FormatError } from '../../src/core/errors.ts';
import { type ContainerArchive, readContainerArchive } from '../../src/formats/containerArchive.ts';
import type { Config } from '../../src/ignition/config.ts';
import { runCli } from '../support/runCli.ts';
import { archives, makeArchives } from './podman/archives.ts';
import { runOnHost } from './podman/podmanHost.ts';
import { have, oracleNote } from '../support/programs.ts';

const needed = ['podman', 'skopeo', 'busybox', 'unshare', 'gzip', 'zstd'];
const isAble = have(...needed) && process.getuid?.() === 0;
const note = have(...needed) && !isAble ? ' (skipped: only root can mount)' : oracleNote(...needed);

let folder = '';
beforeAll(() => {
  if (!isAble) return;
  folder = mkdtempSync(join(tmpdir(), 'podman-'));
  makeArchives(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function read(path: string): Promise<ContainerArchive> {
  const pieces = createReadStream(path)[Symbol.asyncIterator]();
  const next = async (): Promise<Uint8Array | undefined> => {
    const step = await pieces.next();
    return step.done === true ? undefined : step.value;
  };
  return readContainerArchive({ next });
}

/** What podman knows of the images that are loaded, one a line. */
const list = `podman images --all --quiet --no-trunc | sort -u | while read -r id; do
  podman image inspect --format '{{.Id}} {{.Architecture}} {{.Os}} {{.RepoTags}} {{.RootFS.Layers}}' "$id"
done
`;

/** Podman built with Go 1.19, as Debian 12 has it, fails to unpack a docker-archive of gzip (podman issue 15944). */
const load = (name: string): string =>
  name === 'docker.tar.gz' ? `gzip -dc ${name} | podman load --quiet` : `podman load --quiet --input ${name}`;

describe.skipIf(!isAble)(`an archive of podman or skopeo${note}`, () => {
  it.each(archives)('%s is read as podman loads it', async (name) => {
    const loaded = runOnHost(folder, `${load(name)} > /dev/null\n${list}`);
    expect(loaded).toMatchObject({ code: 0 });
    const { form, images } = await read(join(folder, name));
    expect(form).toBe(name.startsWith('oci') ? 'oci-archive' : 'docker-archive');
    const lines = images.map(({ architecture, id, layers, names, os }) => {
      const layerList = layers.map(({ diffId }) => `sha256:${diffId}`).join(' ');
      return `${id} ${architecture} ${os} [${names.join(' ')}] [${layerList}]\n`;
    });
    expect(lines.join('')).toBe(loaded.stdout);
    expect(images[0]?.layers).toHaveLength(3);
  });

  it.each(archives)('%s with a bit flipped is never taken for another image', async (name) => {
    const bytes = readFileSync(join(folder, name));
    const { images } = await read(join(folder, name));
    const verdicts: string[] = [];
    for (let step = 1; step < 8; step++) {
      const damaged = Buffer.from(bytes);
      const offset = Math.floor((bytes.length * step) / 8);
      damaged[offset] = (damaged[offset] ?? 0) ^ 1;
      writeFileSync(join(folder, 'damaged.tar'), damaged);
      const found = await read(join(folder, 'damaged.tar')).catch((error: unknown) => error);
      const isSame = !(found instanceof Error) && isDeepStrictEqual(Object(found).images, images);
      verdicts.push(
        found instanceof FormatError ? 'refused' : isSame ? 'the same' : `another: ${String(found)}`,
      );
    }
    // The same where the bit is in the padding.
    expect(verdicts.filter((verdict) => verdict !== 'the same' && verdict !== 'refused')).toEqual([]);
    expect(verdicts.filter((verdict) => verdict === 'refused').length).toBeGreaterThan(5);
  });
});

const started = 'own.example/ironic/agent:v2';
const commandsOf = (unit: string, key: string): string[] =>
  [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, command = '']) => command);

interface Rendered {
  /** Where the unit looks for the archive. */
  readonly archive: string;
  /** Commands that put the unit's own files there and run it as systemd would. */
  readonly script: string;
  /** The image that the unit of the agent starts. */
  readonly image: string;
}

/** Nothing in these commands is quoted for systemd, so that a shell runs them as they are. */
async function render(...args: readonly string[]): Promise<Rendered> {
  const command = ['render', '--api-url', 'https://192.0.2.1', '--no-ssh-key', '--agent-archive', ...args];
  const { code, stderr, stdout } = await runCli(command, { cwd: folder });
  if (code !== 0) throw new Error(stderr);
  const { storage, systemd }: Config = JSON.parse(stdout);
  const unit = (wanted: string): string =>
    systemd?.units?.find(({ name }) => name === wanted)?.contents ?? '';
  const loading = unit('ironic-agent-image.service');
  const checksums = storage?.files?.find(({ path }) => path === '/etc/ironic-agent-image.sha512');
  const text = Buffer.from(checksums?.contents?.source?.replace(/^.*,/, '') ?? '', 'base64').toString();
  const [, archive = ''] = / {2}(\/.*)\n$/.exec(text) ?? [];
  const [start = ''] = commandsOf(unit('ironic-agent.service'), 'ExecStart');
  const commands = [...commandsOf(loading, 'ExecStart'), ...commandsOf(loading, 'ExecStartPost')];
  expect(commands.join('\n')).toMatch(/^[\w ./:=-]+(?:\n[\w ./:=-]+){2,3}$/);
  return {
    archive,
    script: `echo '${text.trim()}' > /etc/ironic-agent-image.sha512\n${commands.join('\n')}\n`,
    image: start.split(' ').at(-1) ?? '',
  };
}

/** A container of the image, as far as it goes without a host that is booted; the name is looked up like that of the unit. */
const readContainer = (image: string): string => `container=$(podman create --pull=never ${image} true)
root=$(podman mount "$container")
cat "$root/etc/note" "$root/etc/other"
`;

describe.skipIf(!isAble)(`the unit that loads the agent's image${note}`, () => {
  const ways = [
    ['docker.tar', 'on the medium', []],
    ['oci.tar', 'on the medium', []],
    ['oci.tar.gz', 'fetched', ['--archive-url', 'http://192.0.2.1/oci.tar.gz']],
    ['docker.tar.zst', 'fetched', ['--archive-url', 'http://192.0.2.1/docker.tar.zst']],
    ['oci-zstd-layers.tar', 'under another name', ['--agent-image', started]],
    ['oci-nameless.tar', 'which has no name', []],
  ] as const;

  it.each(ways)('loads %s, %s, and the agent finds it', async (name, _way, options) => {
    const { archive, image, script } = await render(name, ...options);
    const put = `mkdir -p ${dirname(archive)}\ncp ${name} ${archive}\n`;
    const after = `podman image inspect --format '{{.Id}}' ${image}\n${readContainer(image)}ls ${dirname(archive)}\n`;
    const { images } = await read(join(folder, name));
    const { code, stderr, stdout } = runOnHost(folder, `${put}${script}${after}`);
    const left = options.some((option) => option === '--archive-url') ? '' : `${name}\n`;
    expect({ code, stdout, stderr }).toMatchObject({ code: 0 });
    expect(stdout.endsWith(`\n${images[0]?.id}\nnote\nother\n${left}`)).toBe(true);
  });

  it.each([
    ['with a bit flipped', (bytes: Buffer) => bytes.fill((bytes[5000] ?? 0) ^ 1, 5000, 5001)],
    ['cut off', (bytes: Buffer) => bytes.subarray(0, -1)],
    ['that somebody has replaced', () => readFileSync(join(folder, 'oci.tar'))],
  ])('loads no archive %s', async (_title, damage) => {
    const { archive, script } = await render('docker.tar');
    writeFileSync(join(folder, 'other.tar'), damage(readFileSync(join(folder, 'docker.tar'))));
    const put = `cp other.tar ${archive}\n`;
    const run = `if sh -e -c "$UNIT"; then echo loaded; else echo refused; fi\npodman images --quiet\n`;
    const { code, stderr, stdout } = runOnHost(folder, `UNIT=$(cat <<'END'\n${script}END\n)\n${put}${run}`);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: `${archive}: FAILED\nrefused\n`,
      stderr: expect.stringContaining('1 computed checksum did NOT match'),
    });
  });
});
