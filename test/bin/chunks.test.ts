import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'chunks '));
  const contents = '[Service]\nExecStart=/usr/bin/true\n[Install]\nWantedBy=multi-user.target\n';
  const systemd = { units: [{ name: 'a.service', enabled: true, contents }] };
  const storage = { files: [{ path: '/etc/hostname', mode: 420, contents: { source: 'data:,worker' } }] };
  writeFileSync(
    join(folder, 'small.ign'),
    JSON.stringify({ ignition: { version: '3.4.0' }, storage, systemd }),
  );
  writeFileSync(join(folder, 'small.bu'), 'variant: fcos\nversion: 1.5.0\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const program = resolve(import.meta.dirname, '../../bin/ironic-coreos.js');
const listModules =
  'import module from "node:module"; process.on("exit", () => console.error(Object.keys(module._cache).join("\\n")))';

/** The chunks of the built program that a run loads, without their hashes. */
function chunksOf(...args: readonly string[]): string[] {
  const { stderr } = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(listModules)}`, program, ...args],
    { cwd: folder, encoding: 'utf8' },
  );
  const paths = stderr.split('\n').filter((line) => line.includes('/dist/') || line.includes('\\dist\\'));
  return paths.map((path) => basename(path).replace(/(?:-[\w-]{8})?\.cjs$/, '')).toSorted();
}

describe('chunks', () => {
  it('are few for a small Ignition config, and none of them is for Butane, images, networks or the agent', () => {
    const always = ['cli', 'cli', 'command', 'rolldown-runtime', 'validate'];
    expect(chunksOf('validate', '--lint', 'none', 'small.ign')).toEqual(always);
    expect(chunksOf('validate', 'small.ign')).toEqual([...always, 'lint'].toSorted());
  });

  it('contain Butane for a Butane config', () => {
    expect(chunksOf('validate', 'small.bu')).toContain('butaneConfig');
  });
});
