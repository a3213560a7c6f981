/** Folders with hardware managers: what the agent would find in them, by its own Python where that is installed. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkHardwareManager, hardwareManagerFlags, renderHardwareManager } from '../../src/agent/files.ts';
import type { HardwareManager } from '../../src/agent/settings.ts';
import { FormatError } from '../../src/core/errors.ts';
import { decodeDataUrl } from '../../src/formats/dataUrl.ts';
import { have, oracleNote } from '../support/programs.ts';

const group = '[ironic_python_agent.hardware_managers]';

function folder(files: Readonly<Record<string, string>>, name = 'own'): HardwareManager {
  const entries = Object.entries(files);
  return { name, files: entries.map(([path, text]) => ({ path, mode: 0o644, content: Buffer.from(text) })) };
}

const announced = folder({
  'burnin.py': '',
  'burnin.dist-info/entry_points.txt': `${group}\nburnin = burnin:Manager\n`,
});

describe('checkHardwareManager', () => {
  it('takes a module with its announcement', () => {
    expect(() => checkHardwareManager(announced)).not.toThrow();
  });

  it.each<[string, HardwareManager, string]>([
    ['no announcement', folder({ 'a.py': '' }), 'does not contain NAME.dist-info'],
    [
      'an announcement too deep',
      folder({ 'a/b.dist-info/entry_points.txt': group }),
      'does not contain NAME.dist-info',
    ],
    ['a colon in the name', { ...announced, name: 'a:b' }, 'has a name'],
  ])('refuses %s', (_title, manager, message) => {
    expect(() => checkHardwareManager(manager)).toThrow(FormatError);
    expect(() => checkHardwareManager(manager)).toThrow(message);
  });
});

const list =
  'import importlib.metadata as m; print([e.value for e in m.entry_points(group="ironic_python_agent.hardware_managers")])';

it.skipIf(!have('python3'))(`Python finds a hardware manager by PYTHONPATH${oracleNote('python3')}`, () => {
  const root = mkdtempSync(join(tmpdir(), 'managers '));
  const [, mount = '', , variable = ''] = hardwareManagerFlags([announced]);
  const [, source = '', target = ''] = /src=([^,]*),dst=([^,]*),/.exec(mount) ?? [];
  for (const { path = '', contents } of renderHardwareManager(announced)) {
    const place = join(root, path.replace(source, target));
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, decodeDataUrl(contents?.source ?? ''));
  }
  const PYTHONPATH = variable.replace('PYTHONPATH=', '').replaceAll(target, `${root}${target}`);
  const { stdout } = spawnSync('python3', ['-c', list], { env: { PATH: process.env['PATH'], PYTHONPATH } });
  rmSync(root, { recursive: true });
  expect(stdout.toString()).toContain("'burnin:Manager'");
});
