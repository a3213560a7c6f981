/** Which environment variables of the settings count: the footnote of docs/settings.md says it of each shared one. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { collectInputs, type CollectedInputs } from '../../src/agent/settingInputs.ts';
import type { ProfileName } from '../../src/agent/settings.ts';
import { type EnvironmentVariable, type Setting, settingTable } from '../../src/agent/settingTable.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/settings.md'), 'utf8');
/** Other programs use them, too. */
const shared = new Set(Array.from(page.matchAll(/`([A-Z_]+)`¹/g), ([, name = '']) => name));

const settings: readonly Setting[] = settingTable;
const variables = settings.flatMap(({ environment = [], ...setting }) =>
  environment.map((variable: EnvironmentVariable) => ({
    name: variable.name,
    setting: setting.name,
    profiles: variable.profiles ?? setting.profiles,
  })),
);
const ofAll = variables.filter(({ profiles }) => profiles.includes('default'));
const ofPrograms = ofAll.filter(({ name }) => shared.has(name));

const collect = (env: Readonly<Record<string, string>>, profile: ProfileName = 'default'): CollectedInputs =>
  collectInputs({ flags: {}, env, profile });

/** The variables that give a setting its value, and those that are set without effect. */
const namesIn = ({ inputs, unread }: CollectedInputs): { read: string[]; unread: string[] } => ({
  read: [...inputs.values()].flat().map(({ name }) => name),
  unread: unread.map(({ name }) => name),
});

describe('a variable that is set alone', () => {
  it.each(ofAll.map(({ name }) => [name, shared.has(name) ? 'no effect' : 'an effect'] as const))(
    '%s has %s',
    (name, effect) => {
      const expected = effect === 'an effect' ? { read: [name], unread: [] } : { read: [], unread: [name] };
      expect(namesIn(collect({ [name]: 'x' }))).toEqual(expected);
    },
  );
});

describe('a variable that other programs use, too', () => {
  it.each(ofPrograms)('$name has an effect together with a variable for the agent', ({ name }) => {
    for (const agent of ['IRONIC_BASE_URL', 'IRONIC_AGENT_IMAGE']) {
      const { read, unread } = namesIn(collect({ [name]: 'x', [agent]: 'y' }));
      expect([read.toSorted(), unread]).toEqual([[name, agent].toSorted(), []]);
      expect(namesIn(collect({ [name]: 'x', [agent]: '' }))).toEqual({ read: [], unread: [name] });
    }
    expect(namesIn(collect({ [name]: 'x', IRONIC_ROOTFS_URL: 'y' })).unread).toEqual([name]);
  });

  it.each(ofPrograms)(
    '$name has an effect with the profile of a generator that reads it',
    ({ name, profiles }) => {
      const others = profiles.filter((profile) => profile !== 'default' && profile !== 'buildpy');
      expect(others).toContain('icc');
      for (const profile of others) {
        expect(namesIn(collect({ [name]: 'x' }, profile))).toEqual({ read: [name], unread: [] });
      }
    },
  );

  it.each(ofPrograms)('$name has no effect with the flags of build.py', ({ name }) => {
    const { inputs, unread } = collect({ [name]: 'x', IRONIC_BASE_URL: 'y' }, 'buildpy');
    expect([...inputs.keys()]).toEqual([]);
    expect(unread).toContainEqual({ name, reason: '--host disables environment variables' });
  });
});

describe('an agent without Ironic', () => {
  it.each(['apiUrl', 'inspectionCallbackUrl', 'inspectorUrl'])('refuses --standalone with %s', (flag) => {
    const flags = { standalone: true, [flag]: 'http://192.0.2.1' };
    expect(() => collectInputs({ flags, env: {}, profile: 'default' })).toThrow('cannot be combined with');
  });

  it('reads no URL of an inspector from the environment', () => {
    const env = { IRONIC_INSPECTOR_BASE_URL: 'http://192.0.2.1' };
    const { inputs } = collectInputs({ flags: { standalone: true }, env, profile: 'default' });
    expect([...inputs.keys()]).toEqual(['agent.standalone']);
  });
});
