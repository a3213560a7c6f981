/** The check of the BMC of a host: its login, and how the machine can be booted. Nothing is changed. */

import type { InventoryRead } from '../../hosts/settings/inventory.ts';
import type { InventoryHost } from '../../hosts/settings/inventoryDocument.ts';
import { systemClock } from '../../io/clock.ts';
import type { Io } from '../../io/io.ts';
import { bmcKind, parseBmcAddress } from '../../redfish/bmcAddress.ts';
import { defaultTiming, openRedfish } from '../../redfish/redfishClient.ts';
import { askBmc } from '../../trial/bmc/checkTargets.ts';
import { bmcSettingsOf, namesByMac, readTarget } from '../../trial/bmc/targets.ts';
import type { PreflightOptions } from './options.ts';
import type { CheckOutcome, Probe } from './probe.ts';
import type { Limits } from './request.ts';

/** iLO needs up to 30 seconds for an answer, and a survey is about 20 requests. */
const TIMES_OF_BMC = 6;

/** What only a boot from virtual media or by HTTP requires. */
const ofMedia: ReadonlySet<string> = new Set(['media', 'boot-device', 'boot-mode', 'image-url']);

/**
 * None for a host without a BMC in the inventory.
 * @param imageUrl of the ISO that the BMC fetches; undefined if it is not known
 */
export function* bmcProbe(
  host: InventoryHost,
  read: InventoryRead,
  options: PreflightOptions,
  imageUrl: URL | undefined,
  io: Io,
): Generator<Probe> {
  const settings = bmcSettingsOf(host, read, options.inventory, options);
  if (settings.address === undefined) return;
  const address = parseBmcAddress(settings.address);
  const { bootInterface, driver } = 'problem' in address ? {} : bmcKind(address);
  const run = async ({ signal, time }: Limits): Promise<readonly CheckOutcome[]> => {
    if (driver === 'ipmi') return [{ status: 'skipped', text: 'IPMI is not checked' }];
    const target = await readTarget(host, settings, namesByMac(read.inventory.hosts), undefined, io);
    const answer = time * TIMES_OF_BMC;
    const timing = { ...defaultTiming, connect: time, answer };
    const deadline = systemClock.now() + answer;
    const client = await openRedfish({ ...target, timing, signal, deadline, note: io.note });
    try {
      const { checks } = await askBmc(client, { ...target, imageUrl, image: [] });
      const facts = checks.filter(({ id, status }) => status === 'ok' && ['bmc', 'media'].includes(id));
      const http = checks.find(({ id }) => id === 'uefi-http')?.text ?? 'unknown';
      const summary = [...facts.map(({ text }) => text), `UEFI HTTP boot: ${http}`].join('; ');
      const problems = checks.filter(
        ({ id, status }) => status !== 'ok' && !(bootInterface === 'ipxe' && ofMedia.has(id)),
      );
      const outcomes: readonly CheckOutcome[] = [{ status: 'ok', text: summary }, ...problems];
      return outcomes.map(({ hint, status, text }) => ({ status, text: `${target.origin}: ${text}`, hint }));
    } finally {
      await client.close();
    }
  };
  yield { check: 'bmc', key: host.name, subject: `the BMC of ${host.name}`, run };
}
