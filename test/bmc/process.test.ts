/** `boot` as a process: a signal restores the machine, and no argument or output contains a password. */

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { bmcModels, bmcUser, startFakeBmc } from '../support/fakeBmc.ts';
import { writeAgentIso } from '../support/agentIso.ts';
import { until } from '../support/serveFixtures.ts';

const program = join(import.meta.dirname, '../../bin/ironic-coreos.js');
const folder = mkdtempSync(join(tmpdir(), 'boot process '));
await writeAgentIso(folder, 'live.iso', 'http://192.0.2.1:6385');
writeFileSync(join(folder, 'bmc.json'), JSON.stringify(bmcUser), { mode: 0o600 });
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a signal', () => {
  it.each<['On' | 'Off', NodeJS.Signals]>([
    ['On', 'SIGINT'],
    ['Off', 'SIGTERM'],
  ])(
    'a machine that was %s is as before after %s',
    async (power, signal) => {
      const bmc = await startFakeBmc({ model: bmcModels.ilo6, power });
      const servers = ['--listen', '127.0.0.1:0', '--serve-listen', '127.0.0.1:0'];
      const machine = ['--bmc', bmc.origin, '--credentials', 'bmc.json', '--iso', 'live.iso'];
      const child = spawn(process.execPath, [program, '--verbose', 'boot', '--yes', ...machine, ...servers], {
        cwd: folder,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let said = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (part: Buffer) => (said += part.toString()));
      const ended = new Promise<number | null>((resolve) => void child.on('exit', resolve));
      await until(() => said.includes('powered on') || child.exitCode !== null);
      expect([bmc.state.power, bmc.state.images.size]).toEqual(['On', 1]);
      child.kill(signal);
      expect(await ended).toBe(1);
      expect([bmc.state.power, bmc.state.images.size]).toEqual([power, 0]);
      expect(said).toContain('restoring 1 machine');
      expect(said).not.toContain(bmcUser.password);
      await bmc.close();
    },
    60_000,
  );
});
