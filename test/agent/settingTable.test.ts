/** The table of settings: no name twice, and nothing that docs/settings.md does not tell. */

import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
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

  it('names flags as commander does', () =>
    expect(flagKey('--install-ip-options <arg>')).toBe('installIpOptions'));
});

/** Names of flags and variables. */
const spellings = ({ flag, environment = [] }: Setting): readonly string[] => [
  ...(flag === undefined ? [] : [flagName(flag)]),
  ...environment.map(({ name }) => name),
];

/** The places besides the table that each setting needs, by what a setting without them lacks. */
const places: Readonly<Record<string, (setting: Setting) => boolean>> = {
  'options of the conf or a reader in src/hosts': ({ name, options = {} }) =>
    Object.values(options).some((format) => format !== undefined) ||
    readers.some((text) => text.includes(`'${name}'`)),
  'a place in docs/settings.md': (setting) =>
    [setting.name, ...spellings(setting)].every((name) => page.includes(name)),
  'its flag and its variables in the help': (setting) =>
    spellings(setting).every((name) => new RegExp(String.raw`(?<![\w-])${name}(?![\w-])`).test(help)),
};

const readers = ['src/hosts/settings', 'src/hosts/plan'].flatMap((folder) =>
  readdirSync(join(root, folder)).map((file) => readFileSync(join(root, folder, file), 'utf8')),
);
let help: string;
beforeAll(async () => {
  const runs = [['render'], ['pxe', 'kargs']].map((words) => runCli([...words, '--help-all']));
  help = (await Promise.all(runs)).map(({ stdout }) => stdout).join('');
});

const lackedBy = (setting: Setting): string[] =>
  Object.keys(places).filter((place) => places[place]?.(setting) !== true);

describe('the places of a setting', () => {
  it.each(settings.map((setting) => [setting.name, setting] as const))(
    '%s has all of them',
    (_name, setting) => expect(lackedBy(setting)).toEqual([]),
  );

  it.each<readonly [title: string, more: Partial<Setting>]>([
    ['with a flag', { flag: '--made-up <value>' }],
    ['with a variable', { environment: [{ name: 'IRONIC_MADE_UP' }] }],
  ])('a made-up setting %s has none', (_title, more) => {
    const setting = { name: 'agent.madeUp', kind: 'text', help: 'a value', profiles: ['default'] } as const;
    expect(lackedBy({ ...setting, ...more })).toEqual(Object.keys(places));
  });
});
