/** The init container that `deploy ironic` describes, run with its own arguments and environment in a folder instead of the pod. */

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { liveIso, liveIsoWith } from '../../support/liveIso.ts';
import { runCli } from '../../support/runCli.ts';

interface Ironic {
  readonly spec: {
    readonly overrides: {
      readonly agentImages: readonly { readonly kernel: string; readonly initramfs: string }[];
      readonly initContainers: readonly { readonly args: readonly string[] }[];
    };
  };
}

const root = mkdtempSync(join(tmpdir(), 'pod of ironic '));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const live = 'coreos.live.rootfs_url=http://h/r ignition.firstboot ignition.platform.id=metal';

/** Its kernel has the header of an aarch64 kernel. */
function armIso(): Uint8Array {
  const kernel = Buffer.alloc(1024);
  kernel.write('MZ');
  kernel.writeUInt32LE(64, 60);
  kernel.write('PE\0\0', 64);
  kernel.writeUInt16LE(0xaa64, 68);
  return liveIsoWith((files) => files.set('images/pxeboot/vmlinuz', kernel));
}

describe('the init container', () => {
  it('writes the files of the agent images and the config', async () => {
    const args = [
      'deploy',
      'ironic',
      '--format',
      'json',
      '--kernel-append-params',
      live,
      '--live-iso',
      '/coreos.iso',
    ].concat(
      [
        '--live-iso',
        'aarch64=http://h/arm.iso',
        '--prepare-image',
        'registry.example.com/ironic-coreos:0.1.0',
      ],
      ['--settings', 'secret/ramdisk-settings'],
    );
    const { stdout } = await runCli(args.map((word) => word.replace(/^\/coreos/, 'x86_64=/coreos')));
    const parsed: Ironic = JSON.parse(stdout);
    const { agentImages, initContainers } = parsed.spec.overrides;
    await mkdir(join(root, 'shared/ironic-coreos'), { recursive: true });
    writeFileSync(join(root, 'coreos.iso'), liveIso('2023-07'));
    writeFileSync(join(root, 'shared/ironic-coreos/arm.iso'), armIso());

    const inRoot = (initContainers.at(-1)?.args ?? []).map((word) =>
      word.replace(/(^|=)\//, (_start, before: string) => `${before}${root}/`),
    );
    const env = {
      IRONIC_BASE_URL: 'https://192.0.2.1:6385',
      IRONIC_AGENT_IMAGE: 'registry.example.com/agent:1',
    };
    const { code, stderr } = await runCli(inRoot, { env });
    expect([code, stderr]).toEqual([0, expect.stringMatching(/: \d+ files written/)]);
    const paths = agentImages.flatMap(({ kernel, initramfs }) =>
      [kernel, initramfs].map((url) => new URL(url).pathname),
    );
    expect(paths).toHaveLength(6);
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    expect(readFileSync(join(root, 'shared/html/ironic-python-agent.ign'), 'utf8')).toContain(
      'registry.example.com/agent:1',
    );
  });
});
