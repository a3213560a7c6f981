/** The init container of docs/metal3.md, run with its own arguments and environment in a folder instead of the pod. */

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { afterAll, describe, expect, it } from 'vitest';
import { fileOfPage } from './support/docs/markdown.ts';
import { liveIso } from './support/liveIso.ts';
import { runCli } from './support/runCli.ts';

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

describe('the init container of docs/metal3.md', () => {
  it('writes the files of the agent images and the config', async () => {
    const ironic: Ironic = JSON.parse(JSON.stringify(load(fileOfPage('docs/metal3.md', 'ironic.yaml'))));
    const { agentImages, initContainers } = ironic.spec.overrides;
    const file = initContainers[0]?.args[2]?.split('/').at(-1) ?? '';
    await mkdir(join(root, 'shared/ironic-coreos'), { recursive: true });
    writeFileSync(join(root, 'shared/ironic-coreos', file), liveIso('2023-07'));

    const inRoot = (initContainers.at(-1)?.args ?? []).map((word) => word.replace(/^\//, `${root}/`));
    const env = {
      IRONIC_BASE_URL: 'https://192.0.2.1:6385',
      IRONIC_AGENT_IMAGE: 'registry.example.com/agent:1',
    };
    const { code, stderr } = await runCli(inRoot, { env });
    expect([code, stderr]).toEqual([0, expect.stringMatching(/: \d+ files written/)]);
    const paths = agentImages.flatMap(({ kernel, initramfs }) =>
      [kernel, initramfs].map((url) => new URL(url).pathname),
    );
    expect(paths).toHaveLength(2);
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    expect(readFileSync(join(root, 'shared/html/ironic-python-agent.ign'), 'utf8')).toContain(
      'registry.example.com/agent:1',
    );
  });
});
