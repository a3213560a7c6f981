/** The table of settings: no name twice, and nothing that docs/settings.md does not tell. */

import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { flagKey, flagName } from '../../src/agent/settingInputs.ts';
import { profileNames } from '../../src/agent/settings.ts';
import { type Setting, settingTable } from '../../src/agent/settingTable.ts';
import { runCli } from '../support/runCli.ts';

const settings: readonly Setting[] = settingTable;
const flags = settings.flatMap(({ flag }) => (flag === undefined ? [] : [flagName(flag)]));
const variables = settings.flatMap(({ environment = [] }) => environment.map(({ name }) => name));
const root = resolve(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/settings.md'), 'utf8');

describe('settingTable', () => {
  it.each([
    ['settings', settings.map(({ name }) => name)],
    ['flags', flags],
    ['variables', variables],
  ])('has no %s twice', (_title, names) => expect(new Set(names).size).toBe(names.length));

  it.each([...flags, ...variables, ...profileNames])('%s is in docs/settings.md', (name) =>
    expect(page).toContain(name),
  );

  it('has no variable that the help leaves out', async () => {
    const helps = [['render'], ['pxe', 'kargs']].map((words) => runCli([...words, '--help-all']));
    const text = (await Promise.all(helps)).map(({ stdout }) => stdout).join('');
    expect(variables.length).toBeGreaterThan(20);
    expect(variables.filter((name) => !new RegExp(String.raw`\b${name}\b`).test(text))).toEqual([]);
  });

  it.each(settings.map((setting) => [setting.name, setting] as const))(
    '%s stands in a section and is taken',
    (name, setting) => {
      expect(name).toMatch(/^[a-z]+(?:\.[a-zA-Z]+)+$/);
      expect(setting.profiles.length).toBeGreaterThan(0);
      // Commands with base images have no flags for settings.
      const isOnlyInFiles = name.startsWith('image.');
      expect([setting.flag, ...(setting.environment ?? [])].filter(Boolean).length === 0).toBe(isOnlyInFiles);
    },
  );

  /** The files that read settings: the readers, and those of kernel arguments and images. */
  const readers = ['src/hosts/settings', 'src/hosts/plan', 'src/hosts/input'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((file) => readFileSync(join(root, folder, file), 'utf8')),
  );
  it.each(settings.map(({ name }) => name))('%s is read', (name) => {
    expect(readers.some((text) => text.includes(`'${name}'`))).toBe(true);
  });

  it('names flags as commander does', () =>
    expect(flagKey('--install-ip-options <arg>')).toBe('installIpOptions'));
});
