/** Inserts the image into a virtual media slot, and ejects it. */

import { CliError } from '../../core/errors.ts';
import type { Mapping } from '../../formats/mapping.ts';
import { repeat } from '../../http/client/retries.ts';
import { isLicenseRefusal } from '../../redfish/messages.ts';
import type { BmcChange } from '../../redfish/redfishClient.ts';
import { RedfishError } from '../../redfish/redfishError.ts';
import { type MediaSlot, protocolOf, readMediaSlot } from '../../redfish/resources.ts';
import { eventLogOf, type MachineBoot, readUntil } from './machineBoot.ts';

/** Firmware boots from the first virtual CD, so media in other slots is ejected, too. */
export async function ejectAll(boot: MachineBoot): Promise<void> {
  for (const { path } of boot.survey.slots) {
    const slot = await readSlot(boot, path);
    if (!slot.isInserted) continue;
    await eject(boot, slot); // a slot that is not empty yet refuses the image
    boot.say('media', `ejected media from slot ${slot.id}`);
  }
}

async function readSlot({ client }: MachineBoot, path: string): Promise<MediaSlot> {
  return readMediaSlot(await client.get(path, 'reading a virtual media slot'));
}

async function eject(boot: MachineBoot, slot: MediaSlot): Promise<boolean> {
  await boot.client.change(ejectRequest(slot), `ejecting media from slot ${slot.id}`);
  return readUntil(boot, async () => !(await readSlot(boot, slot.path)).isInserted);
}

/** iLO requires a body. */
function ejectRequest({ eject: path, path: slot }: MediaSlot): BmcChange {
  if (path === undefined) return { method: 'PATCH', path: slot, body: { Image: null, Inserted: false } };
  return { method: 'POST', path, body: {} };
}

/** Tries the slots in their order: BMCs do not show which of them are reserved for a virtual console. */
export async function insertImage(boot: MachineBoot): Promise<void> {
  const { changes, say, signal, survey } = boot;
  let refusal: RedfishError | undefined;
  const empty: string[] = [];
  for (const slot of survey.slots) {
    let isConfirmed = false;
    changes.push({
      text: `slot ${slot.id} may contain the ISO`,
      request: ejectRequest(slot),
      undo: (later) => removeImage(later, slot.path, isConfirmed),
    });
    try {
      await insertInto(boot, slot);
      isConfirmed = await readUntil(boot, async () => (await readSlot(boot, slot.path)).isInserted);
      if (isConfirmed) return say('media', `inserted the ISO into slot ${slot.id}`);
      if (signal.aborted) return;
      empty.push(slot.id);
      say('media', `slot ${slot.id} stays empty after the BMC accepted the ISO`);
    } catch (error) {
      isConfirmed = error instanceof RedfishError && error.status !== undefined;
      if (!isOfSlot(error)) throw error;
      refusal = error;
    }
  }
  throw refusal ?? emptyError(boot, empty);
}

/** @param isConfirmed whether the BMC said what became of the insertion */
async function removeImage(boot: MachineBoot, path: string, isConfirmed: boolean): Promise<boolean> {
  const slot = await readSlot(boot, path);
  if (slot.isInserted) {
    if (!(await eject(boot, slot)))
      throw new RedfishError(`slot ${slot.id} still contains media after its ejection`, {});
    boot.say('restored', `ejected the ISO from slot ${slot.id}`);
  } else if (!isConfirmed) {
    boot.say(
      'restored',
      `slot ${slot.id} is empty; the BMC did not confirm the insertion, and may still insert the ISO`,
    );
  }
  return true;
}

/** The BMC accepted the image, and did not insert it. */
export class EmptySlotError extends CliError {}

/** @param slots ids of the slots that stay empty */
function emptyError({ client, imageUrl, survey }: MachineBoot, slots: readonly string[]): CliError {
  const stay = slots.length === 1 ? `slot ${slots[0]} stays` : `the slots ${slots.join(', ')} stay`;
  return new EmptySlotError(`${client.origin}: ${stay} empty after the BMC accepted the ISO`, {
    code: 'ERR_BMC',
    hint: `make ${new URL(imageUrl).origin} reachable for the BMC, or set another address with --public-url; read ${eventLogOf(survey)}`,
  });
}

/** Whether another slot may accept the image. */
function isOfSlot(error: unknown): error is RedfishError {
  if (!(error instanceof RedfishError) || isLicenseRefusal(error.messages)) return false;
  return error.status === 400 || error.status === 404 || error.status === 405;
}

/** Attempts while a BMC ejects the previous media (https://storyboard.openstack.org/#!/story/2008504). */
const INSERT_ATTEMPTS = 3;

async function insertInto(boot: MachineBoot, slot: MediaSlot): Promise<void> {
  const { client, imageUrl: Image, signal, timing } = boot;
  const optional = optionalParameters(boot, slot);
  let extra: Mapping = requiredParameters(boot, slot, optional);
  const pauseAfter = (error: unknown, failures: number): number | undefined => {
    if (!(error instanceof RedfishError)) return undefined;
    const refusal = error.messages.map((message) => [message.text, ...message.related].join(' ')).join(' ');
    const demanded = optional.filter(([name]) => refusal.includes(name) && !(name in extra));
    extra = { ...extra, ...Object.fromEntries(demanded) };
    if ((error.status ?? 0) >= 500 && failures < INSERT_ATTEMPTS) return timing.interval;
    return demanded.length > 0 ? 0 : undefined;
  };
  const action = `inserting the image into slot ${slot.id}`;
  await repeat({ pauseAfter, signal }, () =>
    client.change(insertRequest(Image, slot, extra), action, timing.insert),
  );
}

function insertRequest(Image: string, { insert, path }: MediaSlot, extra: Mapping): BmcChange {
  return insert === undefined
    ? { method: 'PATCH', path, body: { Image, Inserted: true, WriteProtected: true, ...extra } }
    : { method: 'POST', path: insert, body: { Image, ...extra } };
}

type InsertParameter = readonly [name: string, value: string];

/**
 * Optional parameters that some BMCs require, with values that the slot allows (OpenStack sushy, virtual_media.py; it also has
 * the credentials, which NVIDIA DGX require for images without any).
 */
function optionalParameters({ imageUrl }: MachineBoot, slot: MediaSlot): readonly InsertParameter[] {
  const protocol = protocolOf(imageUrl, slot);
  const { methods } = slot.parameters;
  const method = methods.find((one) => one === 'Stream') ?? methods[0] ?? 'Stream';
  return [
    ...(protocol === undefined ? [] : [['TransferProtocolType', protocol] as const]),
    ['TransferMethod', method],
    ['UserName', 'none'],
    ['Password', 'none'],
  ];
}

/** Those that the BMC or its vendor requires, and the transfer method if the BMC does not stream. */
function requiredParameters(
  { survey: { vendor } }: MachineBoot,
  { parameters: { methods, required } }: MediaSlot,
  optional: readonly InsertParameter[],
): Mapping {
  const names = new Set([
    ...required,
    ...(vendor.needsTransferProtocol === true ? ['TransferProtocolType'] : []),
    ...(methods.length > 0 && !methods.includes('Stream') ? ['TransferMethod'] : []),
  ]);
  return Object.fromEntries(optional.filter(([name]) => names.has(name)));
}
