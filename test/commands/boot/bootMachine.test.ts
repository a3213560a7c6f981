/** The steps at a BMC that `boot` cannot show with an ISO of its own: images over https, and a cancellation at each step. */

import { afterEach, describe, expect, it } from 'vitest';
import { defaultTimes } from '../../../src/commands/boot/boot.ts';
import {
  bootMachine,
  createProgress,
  type MachineBoot,
  restoreMachine,
} from '../../../src/commands/boot/bootMachine.ts';
import { surveyMachine } from '../../../src/commands/boot/survey.ts';
import { systemClock } from '../../../src/io/clock.ts';
import { openRedfish } from '../../../src/redfish/redfishClient.ts';
import { bmcModels, type BmcModel, bmcUser, type FakeBmc, startFakeBmc } from '../../support/fakeBmc.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

interface Prepared {
  readonly bmc: FakeBmc;
  readonly boot: MachineBoot;
  readonly said: readonly string[];
}

async function prepare(
  model: BmcModel,
  power: 'On' | 'Off',
  signal = new AbortController().signal,
): Promise<Prepared> {
  const bmc = await startFakeBmc({ model, power });
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
    progress: createProgress(),
    clock: systemClock,
    signal,
    say: (step, text) => void said.push(`${step}: ${text}`),
  };
  return { bmc, boot, said };
}

describe('an image over https', () => {
  it.each(Object.entries(bmcModels))('%s', async (_, model) => {
    const { bmc, boot, said } = await prepare(model, 'Off');
    await bootMachine(boot);
    expect(said.map((line) => line.split(':')[0])).toEqual(['media', 'boot device', 'power on']);
    expect([...bmc.state.images.values()]).toEqual([boot.imageUrl]);
    expect(await restoreMachine(boot)).toEqual([]);
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
      const { bmc, boot } = await prepare(model, power, controller.signal);
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
