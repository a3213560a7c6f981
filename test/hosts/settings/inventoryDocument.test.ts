/** The inventory: its schema is that of the table of settings, and no document makes the reader fail. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { array, assert, asyncProperty, constantFrom, dictionary, letrec, oneof, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readInventory } from '../../../src/hosts/settings/inventoryDocument.ts';
import { type Setting, settingTable } from '../../../src/agent/settingTable.ts';

interface InventorySchema {
  readonly definitions: {
    readonly settings: {
      readonly properties: Readonly<Record<string, { readonly type?: readonly string[] }>>;
    };
  };
}

const schema: InventorySchema = JSON.parse(
  readFileSync(resolve(import.meta.dirname, '../../../schemas/inventory.json'), 'utf8'),
);
const { properties } = schema.definitions.settings;
const settings: readonly Setting[] = settingTable;
const typesOf = {
  text: ['string'],
  texts: ['array'],
  list: ['string', 'array'],
  file: ['string'],
  files: ['array'],
  switch: ['boolean'],
} as const;

const readValue = (value: unknown): ReturnType<typeof readInventory> =>
  readInventory({
    name: 'r.yaml',
    folder: '.',
    value,
    locate: () => ({ line: 1, column: 1 }),
    locateInText: () => undefined,
  });

describe('schemas/inventory.json', () => {
  it('has every setting and no other', () =>
    expect(Object.keys(properties)).toEqual(settings.map(({ name }) => name)));

  it.each(settings.map(({ name, kind }) => [name, kind] as const))('%s is a %s', (name, kind) => {
    // Without a type there is a list of what is possible.
    expect(properties[name]?.type ?? ['string']).toEqual(expect.arrayContaining([...typesOf[kind]]));
  });
});

describe('readInventory', () => {
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
