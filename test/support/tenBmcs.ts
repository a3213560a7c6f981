/** `boot` of ten machines whose BMCs have seven different faults: two machines boot, and one of them calls home. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { ServerResponse } from 'node:http';
import { bootAndCallHome, type BootEnd, type RunningBoot, startBoot } from '../commands/boot/startBoot.ts';
import { writeAgentIso } from './agentIso.ts';
import { bmcModels, bmcUser, type FakeBmc, type Fault, refuseWith, startFakeBmc } from './fakeBmc.ts';

const at =
  (end: string, answer: (response: ServerResponse) => void): Fault =>
  ({ path }) =>
    path.endsWith(end) ? answer : undefined;
const noLicense = at(
  'InsertMedia',
  refuseWith({ status: 403, id: 'iLO.2.14.LicenseKeyRequired', text: 'A license is required.' }),
);

/** In the order of the machines. */
const faults: readonly (Fault | undefined)[] = [
  noLicense,
  noLicense,
  at(
    'InsertMedia',
    refuseWith({ status: 400, id: 'Base.1.8.GeneralError', text: 'The remote file is not reachable.' }),
  ),
  at('InsertMedia', refuseWith({ status: 404, id: 'x', text: 'no' })),
  at('InsertMedia', (response) => void response.writeHead(500).end()),
  at('ComputerSystem.Reset', (response) => void response.writeHead(204).end()),
  () => refuseWith({ status: 401, id: 'Base.1.8.NoValidSession', text: 'There is no valid session.' }),
  () => () => undefined, // silent
  undefined,
  undefined,
];

export interface TenMachines {
  readonly running: RunningBoot;
  /** The URL of the status page. */
  readonly page: () => string;
  /** The live rows as they are drawn now on a terminal of 80 × 60, without what differs from run to run. */
  readonly rows: () => string;
  /** Ends the run, as Ctrl-C does, and the BMCs. */
  readonly end: () => Promise<BootEnd>;
}

const macOf = (index: number): string => `52:54:00:00:00:0${index}`;

/** @param folder for the files; its content is overwritten */
export async function bootTenMachines(folder: string): Promise<TenMachines> {
  const place: { running?: RunningBoot } = {};
  await writeAgentIso(folder, 'live.iso', 'http://192.0.2.1:6385');
  writeFileSync(join(folder, 'bmc.json'), JSON.stringify(bmcUser), { mode: 0o600 });
  const bmcs: FakeBmc[] = [];
  for (const [index, fault] of faults.entries()) {
    const mac = macOf(index);
    const onBoot = (image: string): void => {
      if (index === 9) bootAndCallHome(image, mac, () => place.running!);
      else void fetch(image).then(async (response) => response.arrayBuffer());
    };
    bmcs.push(await startFakeBmc({ model: bmcModels.ilo6, mac, onBoot, ...(fault && { fault }) }));
  }
  const hosts = bmcs.map(
    ({ origin, systemPath }, index) =>
      `- {name: worker-${index}, mac: '${macOf(index)}', bmc: {address: 'redfish-virtualmedia+${origin}${systemPath}'}}`,
  );
  const shared =
    "agent: {ironic.apiUrls: 'http://192.0.2.1:6385', agent.image: registry.example.com/ironic-agent, host.sshKeys: []}";
  writeFileSync(
    join(folder, 'ten.yaml'),
    `${shared}\nbmc: {credentialsFile: bmc.json}\nhosts:\n${hosts.join('\n')}\n`,
  );
  const names = bmcs.map((_, index) => `worker-${index}`);
  const options = {
    inventory: 'ten.yaml',
    iso: ['live.iso'],
    grow: true,
    askBack: 'never',
    timeout: '1h',
    yes: true,
  };
  const running = startBoot(names, options, {
    cwd: folder,
    times: { answer: 15_000, connect: 15_000 },
    env: { CI: '' },
    screen: { columns: 80, rows: 60 },
  });
  place.running = running;
  return {
    running,
    page: () => /status page: (\S+)/.exec(running.said())?.[1] ?? '',
    rows: () =>
      stripVTControlCharacters(running.said().split('\u001b[J').at(-1) ?? '')
        .replace(/^[^]*^(status page: ).*/m, '$1http://192.0.2.1:6385/status/3q2-7w')
        .replaceAll(/127\.0\.0\.1:\d+/g, '192.0.2.10:8443')
        .replaceAll(/just now|\b\d+ (?:s|min) ago/g, '9 s ago'),
    end: async () => {
      const ended = await running.stop();
      for (const bmc of bmcs) await bmc.close();
      return ended;
    },
  };
}
