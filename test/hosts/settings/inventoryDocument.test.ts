/** The inventory: it takes the settings of the table, and no document makes the reader fail. */

import { array, assert, asyncProperty, constantFrom, dictionary, letrec, oneof, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readInventory } from '../../../src/hosts/settings/inventoryDocument.ts';
import { type Setting, settingTable } from '../../../src/agent/settingTable.ts';

const settings: readonly Setting[] = settingTable;
/** The values that an inventory takes, by the kind of the setting; all others are refused. */
const taken: Readonly<Record<Setting['kind'], readonly unknown[]>> = {
  text: [null, 'x'],
  texts: [null, [], ['x', 'y']],
  port: [null, 1, 'x'],
  list: [null, 'x', [], ['x', 'y']],
  file: [null, 'x'],
  files: [null, [], ['x', 'y']],
  switch: [null, true, false],
};
const tries = [null, true, false, 1, 1.5, 'x', [], ['x', 'y'], [1], {}];

const readValue = (value: unknown): ReturnType<typeof readInventory> =>
  readInventory({
    name: 'r.yaml',
    folder: '.',
    value,
    locate: () => ({ line: 1, column: 1 }),
    locateInText: () => undefined,
  });

describe('readInventory', () => {
  it.each(settings.map(({ name, kind, choices }) => [name, kind, choices] as const))(
    'takes %s as a %s, and nothing else',
    async (name, kind, choices) => {
      const tried = [...tries, ...(choices ?? [])];
      const read = await Promise.all(tried.map((value) => readValue({ agent: { [name]: value } })));
      const expected = choices === undefined ? taken[kind] : [null, ...choices];
      expect(tried.filter((_value, index) => read[index]?.problems.length === 0)).toEqual(expected);
    },
  );

  it('reads hosts', async () => {
    const value = {
      agent: { 'ironic.port': 6385, 'host.consoles': null },
      hosts: [{ name: 'a', mac: 'AA-00-00-00-00-01', overrides: { 'agent.debug': false } }],
    };
    const { agent, hosts } = await readValue(value);
    expect([...agent].map(([name, values]) => [name, values.map(({ text }) => text)])).toEqual([
      ['ironic.port', ['6385']],
      ['host.consoles', []],
    ]);
    expect(hosts?.[0]).toMatchObject({ name: 'a', mac: 'aa:00:00:00:00:01', problems: [] });
    expect(hosts?.[0]?.readInputs().get('agent.debug')?.[0]?.text).toBe('false');
  });

  it('never fails', async () => {
    const key = oneof(
      constantFrom('agent', 'hosts', 'name', 'mac', 'network', 'overrides', 'agent.debug', 'nmstate'),
      string(),
    );
    const { value } = letrec((tie) => ({
      value: oneof(
        { maxDepth: 5 },
        constantFrom(null, true, 1, '', 'a', '52:54:00:00:00:01'),
        array(tie('value'), { maxLength: 3 }),
        dictionary(key, tie('value'), { maxKeys: 5 }),
      ),
    }));
    const run = assert(
      asyncProperty(value, async (document) => {
        const { hosts = [] } = await readValue(document);
        for (const host of hosts) if (host.problems.length === 0) host.readInputs();
      }),
      { numRuns: 100 },
    );
    await expect(run).resolves.toBeUndefined();
  });
});
