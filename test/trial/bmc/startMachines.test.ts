/** The steps at a BMC that `boot` cannot show with an ISO of its own: images over https, and a cancellation at each step. */

import { afterEach, describe, expect, it } from 'vitest';
import { bootMachine, restoreMachine } from '../../../src/trial/bmc/startMachines.ts';
import { type MachineBoot, defaultTimes } from '../../../src/trial/bmc/machineBoot.ts';
import { surveyMachine } from '../../../src/trial/bmc/survey.ts';
import { openRedfish } from '../../../src/redfish/redfishClient.ts';
import {
  bmcModels,
  type BmcModel,
  bmcUser,
  type FakeBmc,
  type FakeBmcOptions,
  startFakeBmc,
} from '../../support/fakeBmc.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

interface Prepared {
  readonly bmc: FakeBmc;
  readonly boot: MachineBoot;
  readonly said: readonly string[];
}

async function prepare(fake: FakeBmcOptions, signal = new AbortController().signal): Promise<Prepared> {
  const bmc = await startFakeBmc(fake);
  const timing = { connect: 5000, answer: 20_000, task: 20_000, logout: 5000, interval: 1 };
  const settings = { origin: bmc.origin, ca: undefined, isInsecure: false, credentials: bmcUser, timing };
  const client = await openRedfish(settings);
  ends.push(() => client.close(), bmc.close);
  const said: string[] = [];
  const boot: MachineBoot = {
    client,
    survey: await surveyMachine(client, ''),
    method: 'virtual-media',
    mayPowerOff: true,
    imageUrl: 'https://192.0.2.1/worker-0.iso',
    timing: { ...defaultTimes, shutdown: 1000, power: 1000, interval: 1 },
    changes: [],
    signal,
    say: (step, text) => void said.push(`${step}: ${text}`),
  };
  return { bmc, boot, said };
}

describe('an image over https', () => {
  it.each(Object.entries(bmcModels))('%s', async (_, model) => {
    const { bmc, boot, said } = await prepare({ model });
    await bootMachine(boot);
    expect(said.map((line) => line.split(':')[0])).toEqual(['media', 'boot device', 'power on']);
    expect([...bmc.state.images.values()]).toEqual([boot.imageUrl]);
    expect(await restoreMachine(boot)).toEqual([]);
    expect(bmc.state.images.size).toBe(0);
  });
});

describe('media that is inserted before the boot', () => {
  const old = 'http://192.0.2.9/old.iso';

  it.each<[title: string, inserted: Record<string, string>, slots: string[]]>([
    ['nothing is named if all slots are empty', {}, []],
    ['of two slots, only the one with media is named', { 2: old }, ['2']],
    ['media is ejected from all slots, and each is named', { 1: old, 2: old }, ['1', '2']],
  ])('%s', async (_title, inserted, slots) => {
    const { bmc, boot, said } = await prepare({ model: bmcModels.idrac9, inserted });
    await bootMachine(boot);
    expect(said.filter((line) => line.startsWith('media: '))).toEqual([
      ...slots.map((slot) => `media: ejected media from slot ${slot}`),
      'media: inserted the ISO into slot 1',
    ]);
    expect([...bmc.state.images]).toEqual([['1', boot.imageUrl]]);
  });
});

describe('a slot without the action InsertMedia', () => {
  it('gets the image as an inserted and write-protected one', async () => {
    const slots = [{ id: 'Slot_0', types: ['CD'], hasInsert: false }] as const;
    const { bmc, boot } = await prepare({ model: { ...bmcModels.idrac9, slots } });
    await bootMachine(boot);
    const settings = bmc.seen.filter(({ body }) => 'Image' in body).map(({ body }) => body);
    expect(settings).toEqual([{ Image: boot.imageUrl, Inserted: true, WriteProtected: true }]);
  });
});

const { idrac10 } = bmcModels;
const dellWith = (id: string): BmcModel => ({ ...idrac10, manager: { ...idrac10.manager, id } });

const dellSettings = (id: string, once: string, device: string): string =>
  `<SystemConfiguration><Component FQDD="${id}">` +
  `<Attribute Name="ServerBoot.1#BootOnce">${once}</Attribute>` +
  `<Attribute Name="ServerBoot.1#FirstBootDevice">${device}</Attribute>` +
  '</Component></SystemConfiguration>';

describe('the settings import of Dell', () => {
  it.each(['iDRAC.Embedded.1', 'iDRAC.Embedded.2'])('names the iDRAC of the machine: %s', async (id) => {
    const { bmc, boot } = await prepare({ model: dellWith(id) });
    await bootMachine(boot);
    expect(await restoreMachine(boot)).toEqual([]);
    const buffers = bmc.seen.flatMap(({ body }) => body['ImportBuffer'] ?? []);
    expect(buffers).toEqual([dellSettings(id, 'Enabled', 'VCD-DVD'), dellSettings(id, 'Disabled', 'Normal')]);
  });
});

describe('a defect of this program', () => {
  it('in one step leaves the others of the restoration to be done', async () => {
    const { bmc, boot } = await prepare({ model: bmcModels.ilo5, power: 'On' });
    await bootMachine(boot);
    const failures = await restoreMachine({
      ...boot,
      say: () => {
        throw new TypeError('hunter2');
      },
    });
    expect(failures.map(({ message }) => message)).toContain('internal error (TypeError)');
    expect(bmc.state.images.size).toBe(0);
  });
});

describe('a cancellation', () => {
  const models: readonly BmcModel[] = [
    bmcModels.ilo5,
    bmcModels.xcc,
    bmcModels.idrac10,
    bmcModels.supermicro,
  ];
  const cases = models.flatMap((model) =>
    [0, 1, 2, 3, 4].flatMap((steps) => (['On', 'Off'] as const).map((power) => ({ model, steps, power }))),
  );

  it.each(cases)(
    '$model.manager.fields.Model, $power, after $steps messages: as before',
    async ({ model, power, steps }) => {
      const controller = new AbortController();
      const { bmc, boot } = await prepare({ model, power }, controller.signal);
      let count = 0;
      const say = (): void => {
        count += 1;
        if (count === steps) controller.abort();
      };
      if (steps === 0) controller.abort();
      await bootMachine({ ...boot, say });
      const failures = await restoreMachine({ ...boot, signal: new AbortController().signal });
      expect(failures).toEqual([]);
      const { BootSourceOverrideEnabled: enabled, BootSourceOverrideMode: mode } = bmc.state.boot;
      expect([bmc.state.power, bmc.state.images.size, enabled, mode]).toEqual([power, 0, 'Disabled', 'UEFI']);
      expect(bmc.changes().length > 0).toBe(steps > 0);
    },
  );
});
