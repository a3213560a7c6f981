/** What the agent's image is built from. The image itself is built and booted by test/interop/chain. */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasIpa, ipaNote, ipaPython } from '../../support/ipaOracle.ts';

const recipe = resolve(import.meta.dirname, '../../../deploy/agent-image');
const read = (name: string): string => readFileSync(join(recipe, name), 'utf8');

/** Lines without comments. */
const entries = (name: string): string[] =>
  read(name)
    .split('\n')
    .filter((line) => !/^(?:#|$)/.test(line));

describe("the agent's image", () => {
  it('each system package has a reason', () => {
    const form = /^[a-z0-9.+-]+ +(?:[a-z0-9]+(?:,[a-z0-9]+)* +)?# \S.{5,}$/;
    expect(entries('packages.txt').filter((line) => !form.test(line))).toEqual([]);
    expect(entries('packages.txt').length).toBeGreaterThan(20);
  });

  it.skipIf(process.platform === 'win32').each([
    ['amd64', true],
    ['arm64', true],
    ['s390x', false],
  ])('the Containerfile selects the packages of %s', (architecture, hasFirmware) => {
    const [, program = ''] = /awk -v own="\$own" '([^']+)'/.exec(read('Containerfile')) ?? [];
    const { stdout } = spawnSync(
      'awk',
      ['-v', `own=${architecture}`, program, join(recipe, 'packages.txt')],
      { encoding: 'utf8' },
    );
    const selected = stdout.trim().split('\n');
    const all = entries('packages.txt').map((line) => line.replace(/ .*/, ''));
    const ofFirmware = new Set(['dmidecode', 'efibootmgr']);
    expect(selected).toEqual(hasFirmware ? all : all.filter((name) => !ofFirmware.has(name)));
  });

  it('each Python package has one version', () => {
    const pins = [...entries('requirements.txt'), ...entries('constraints.txt')];
    expect(pins.filter((line) => !/^[\w.-]+==[\w.]+$/.test(line))).toEqual([]);
  });

  it.skipIf(!hasIpa)(`the tests of its hardware manager pass${ipaNote}`, () => {
    const { status, stderr } = spawnSync(
      ipaPython,
      ['-B', join(import.meta.dirname, 'test_ironic_coreos_install.py')],
      {
        encoding: 'utf8',
        env: { ...process.env, PYTHONPATH: join(recipe, 'hardware-managers/ironic-coreos-install') },
      },
    );
    expect(stderr).toMatch(/^Ran 16 tests/m);
    expect({ status, stderr: stderr.split('\n').slice(-40) }).toMatchObject({ status: 0 });
  });
});
