/** Files and runs that the tests of the `deploy` commands share. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { runCli, type RunOptions, type RunResult } from '../../support/runCli.ts';

const secret = 'hunter2-hunter2';

export const files = {
  'host.ign': JSON.stringify({
    ignition: { version: '3.4.0' },
    storage: { files: [{ path: '/etc/token', contents: { source: `data:,${secret}` }, mode: 384 }] },
  }),
  'invalid.ign': '{"ignition":{"version":"3.4.0"},"storage":{"files":[{"path":"a"}]}}',
  'hostname.ign': '{"ignition":{"version":"3.4.0"},"storage":{"files":[{"path":"/etc/hostname"}]}}',
  'agent.ign':
    '{"ignition":{"version":"3.4.0"},"systemd":{"units":[{"name":"ironic-agent.service","enabled":true}]}}',
  'nmstate.yaml': 'interfaces:\n- name: eno1\n  type: ethernet\n  state: up\n',
  'list.yaml': '- a\n',
  'unknown.yaml': 'a: 1\n',
  'broken.yaml': 'a: [\n',
  'links.yaml': 'links: []\nnetworks: []\n',
};

/** A folder with the files, for as long as the tests of a file run. */
export function deployFolder(): { readonly path: (name: string) => string; readonly run: Run } {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'deploy test '));
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return {
    path: (name) => join(folder, name),
    run: (args, options) => runCli(['deploy', ...args], { cwd: folder, ...options }),
  };
}

type Run = (args: readonly string[], options?: RunOptions) => Promise<RunResult>;

/** What must never be shown. */
export { secret };
