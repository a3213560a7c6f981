import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { liveIso } from '../support/liveIso.ts';
import { runCli, UNCHECKED } from '../support/runCli.ts';

let cwd = '';
const run = (...args: string[]) => runCli(args, { cwd });

/** A config that runs the agent, with a file that does not compress. */
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'grown-'));
  const { stdout } = await run('render', '--api-url', 'https://192.0.2.1', '--no-ssh-key');
  const config: { storage: { files: unknown[] } } = JSON.parse(stdout);
  const source = `data:;base64,${randomBytes(340_000).toString('base64')}`;
  config.storage.files.push({ path: '/var/noise', mode: 420, contents: { source } });
  await writeFile(join(cwd, 'large.ign'), JSON.stringify(config));
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

describe('a config that only a longer image can hold', () => {
  it('is warned about where it stands alone', async () => {
    const { code, stdout } = await run('validate', 'large.ign');
    expect(code).toBe(0);
    expect(stdout).toContain('(agent-size)\n');
    expect(stdout).toContain('hint: embed it with --grow');
  });

  it.each([
    ['iso ignition embed', ['iso', 'ignition', 'embed', '--grow', '-i', 'large.ign', 'live.iso']],
    ['iso customize', ['iso', 'customize', '--grow', '--live-ignition', 'large.ign', 'live.iso']],
  ])('goes into an image with %s --grow without a warning', async (_title, args) => {
    await writeFile(join(cwd, 'live.iso'), liveIso('2023-07'));
    const embedded = await run(...args);
    expect(embedded.code).toBe(0);
    expect(embedded.stderr).not.toContain('too large');
    const verdict = await run('validate', '--strict', 'live.iso');
    expect(verdict).toMatchObject({ code: 0, stdout: '', stderr: `${UNCHECKED}live.iso: valid\n` });
  });

  it('is an error without --grow, said once', async () => {
    await writeFile(join(cwd, 'live.iso'), liveIso('2023-07'));
    const { code, stderr } = await run('iso', 'ignition', 'embed', '-i', 'large.ign', 'live.iso');
    expect(code).toBe(1);
    expect(stderr.match(/^(?:error|warning): /gm)).toEqual(['error: ']);
  });

  it('goes into an initramfs, which has no such limit, without a warning', async () => {
    const { code, stderr } = await run('pxe', 'ignition', 'wrap', '-i', 'large.ign', '-o', 'large.img');
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.not.stringContaining('warning') });
    expect(await run('validate', 'large.img')).toMatchObject({
      code: 0,
      stdout: expect.not.stringContaining('agent-size'),
    });
  });
});
