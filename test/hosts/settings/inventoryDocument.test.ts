/** The inventory: it takes the settings of the table, and no document makes the reader fail. */

import type { Position } from '../../../src/core/errors.ts';
import { array, assert, asyncProperty, constantFrom, dictionary, letrec, oneof, string } from 'fast-check';
import { Ajv } from 'ajv';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Path } from '../../../src/core/finding.ts';
import { type InventoryDocument, readInventory } from '../../../src/hosts/settings/inventoryDocument.ts';
import { sectionKeys, settingKeys, spellings } from '../../../src/agent/settingSpelling.ts';
import { type Setting, settingTable } from '../../../src/agent/settingTable.ts';

const settings: readonly Setting[] = settingTable;
/** The values that an inventory takes, by the kind of the setting; all others are refused. */
const taken: Readonly<Record<Setting['kind'], readonly unknown[]>> = {
  text: [null, 'x'],
  texts: [null, 'x', [], ['x', 'y']],
  port: [null, 1, 'x'],
  list: [null, 'x', [], ['x', 'y']],
  file: [null, 'x'],
  files: [null, 'x', [], ['x', 'y']],
  switch: [null, true, false],
};
const tries = [null, true, false, 1, 1.5, 'x', [], ['x', 'y'], [1], {}];

const documentOf = (value: unknown): InventoryDocument => ({
  name: 'r.yaml',
  folder: '.',
  value,
  root: undefined,
  locate: () => ({ line: 1, column: 1 }),
  locateInText: () => undefined,
});
const readValue = (value: unknown): ReturnType<typeof readInventory> => readInventory(documentOf(value));

const schemaPath = join(import.meta.dirname, '../../../dist/schemas/inventory.json');
const published = new Ajv({ allowUnionTypes: true }).compile(JSON.parse(readFileSync(schemaPath, 'utf8')));

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

  it('names the mistakes of hosts, with the host of each, before those of the shared part', async () => {
    const { problems } = await readValue({ extra: 1, hosts: [{ mac: 1 }, { name: 'a', mac: 1 }] });
    expect(problems.map(({ host, message }) => [host?.name, message])).toEqual([
      ['host 1', '"name" is missing'],
      ['host 1', '"mac" must be a text'],
      ['a', '"mac" must be a text'],
      [undefined, 'unknown key "extra"'],
    ]);
  });

  const name = 'ironic.apiUrls';
  it.each([
    ['dotted', { [name]: 'x' }, [name]],
    ['nested', { ironic: { apiUrls: 'x' } }, ['ironic', 'apiUrls']],
    ['named as the flag', { 'ironic-api-url': 'x' }, ['ironic-api-url']],
    ['nested and named as the flag', { ironic: { 'api-url': 'x' } }, ['ironic', 'api-url']],
    ['without its section', { api_urls: 'x' }, ['api_urls']],
    ['in another case', { 'IRONIC.ApiURLs': 'x' }, ['IRONIC.ApiURLs']],
    ['nested in another case', { Ironic: { api_urls: 'x' } }, ['Ironic', 'api_urls']],
  ])('takes a setting that is %s, as the published schema does', async (_title, agent, path) => {
    const located: unknown[] = [];
    const locate = (steps: Path): Position => {
      located.push(steps);
      return { line: 1, column: 1 };
    };
    const { agent: read, problems } = await readInventory({ ...documentOf({ agent }), locate });
    expect(problems).toEqual([]);
    expect(read.get(name)).toMatchObject([{ name, text: 'x' }]);
    expect(located).toContainEqual(['agent', ...path]);
    expect(published({ agent })).toBe(true);
  });

  it('takes an image below the section of the agent, and a section of images', async () => {
    const agent = { image: 'x', agent: { podman: { args: 'y' } }, Image: { stream: 'z' } };
    const { agent: read, problems } = await readValue({ agent });
    expect([problems, published({ agent })]).toEqual([[], true]);
    expect([...read].map(([setting, [value]]) => [setting, value?.text])).toEqual([
      ['agent.image', 'x'],
      ['agent.podman.args', 'y'],
      ['image.stream', 'z'],
    ]);
  });

  it('refuses a setting that two keys set, with both lines', async () => {
    const agent = { ironic: { apiUrls: 'x' }, 'host.hostname': 'a', 'api-url': 'y' };
    const { problems } = await readInventory({
      ...documentOf({ agent }),
      locate: (steps) => ({ line: steps.includes('api-url') ? 7 : 3, column: 1 }),
    });
    expect(problems).toMatchObject([
      {
        message: 'ironic.apiUrls is set twice: lines 3 and 7',
        at: { line: 7 },
        hint: 'remove api-url',
      },
    ]);
  });

  it.each([{ agent: { ironic: { apiUrl5: 'x' } } }, { agent: { ironic: 'x' } }, { agent: { apiUrls: 1 } }])(
    'refuses %j, as the published schema does',
    async (value) => {
      expect((await readValue(value)).problems).toHaveLength(1);
      expect(published(value)).toBe(false);
    },
  );

  it('has no spelling of two settings', () => {
    const keys = settings.flatMap((setting) => [...new Set(spellings(setting))]);
    expect(keys.toSorted()).toEqual([...settingKeys.keys()].toSorted());
    const sections = ['ironic', 'agent', 'agentpodman', 'host', 'proxy', 'ignition', 'image', 'boot'];
    expect([...sectionKeys]).toEqual(sections);
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
