/**
 * Boots one machine by its BMC, and restores it. The order of the requests is that of OpenStack Ironic: power off, eject and
 * insert media, set the boot device, power on (`ironic/drivers/modules/redfish/boot.py`, `prepare_ramdisk`).
 */

import { CliError } from '../../core/errors.ts';
import type { Mapping } from '../../formats/mapping.ts';
import { type Clock, pause } from '../../io/clock.ts';
import type { RedfishClient, RedfishTiming } from '../../redfish/redfishClient.ts';
import { RedfishError } from '../../redfish/redfishError.ts';
import { formatDuration } from '../serve/status/figures.ts';
import { isLicenseRefusal } from '../../redfish/messages.ts';
import {
  type MediaSlot,
  protocolOf,
  readMediaSlot,
  readSystem,
  type System,
} from '../../redfish/resources.ts';
import { knownError } from '../../io/report/report.ts';
import type { BmcEvent } from '../try/timeline/events.ts';
import { bootTarget } from './checks.ts';
import type { Survey } from './survey.ts';
import type { BootMethod } from './targets.ts';

export interface MachineBoot {
  readonly client: RedfishClient;
  /** The state before the boot. */
  readonly survey: Survey;
  readonly method: BootMethod;
  /** Whether the machine may be on. */
  readonly mayPowerOff: boolean;
  readonly imageUrl: string;
  /** `shutdown` is the time before the machine is forced off. */
  readonly timing: BootTimes & { readonly shutdown: number };
  readonly progress: BootProgress;
  readonly say: (step: BmcEvent['step'], text: string) => void;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** What `boot` has changed, or may have changed, and has not restored. Mutable. */
export interface BootProgress {
  isPoweredOff: boolean;
  isPoweredOn: boolean;
  isDeviceSet: boolean;
  /** Whether the BMC was asked to power the machine on again. */
  isPoweredOnAgain: boolean;
  /** Paths of the slots with the image. */
  readonly slots: Set<string>;
  /** Paths of the slots whose insertion was not answered, or does not show. */
  readonly unconfirmed: Set<string>;
}

export function createProgress(): BootProgress {
  return {
    isPoweredOff: false,
    isPoweredOn: false,
    isDeviceSet: false,
    isPoweredOnAgain: false,
    slots: new Set(),
    unconfirmed: new Set(),
  };
}

/** Milliseconds. */
export interface BootTimes extends RedfishTiming {
  /** For the insertion of an image, with its task: sushy-tools and some BMCs fetch the whole image before they answer. */
  readonly insert: number;
  /** For changes of the power state, except for a graceful shutdown. */
  readonly power: number;
  /** For all requests that check a machine. */
  readonly check: number;
  /** For all requests that restore a machine, in addition to the time for a graceful shutdown. */
  readonly restore: number;
  /** For further attempts to restore a machine, after the first has failed. */
  readonly retry: number;
}

/** Throws CliError, on the signal that of the request which it interrupts. Stops silently between two steps on the signal. */
export async function bootMachine(boot: MachineBoot): Promise<void> {
  const steps = [
    powerOff,
    ...(boot.method === 'virtual-media' ? [ejectAll, insertImage] : []),
    setBootDevice,
    powerOn,
  ];
  for (const step of steps) {
    if (boot.signal.aborted) return;
    await step(boot);
  }
}

/**
 * Returns the machine to the state of the survey. Continues after a failed step, and can be repeated: `progress` contains what
 * is left.
 * @returns the failures
 */
export async function restoreMachine(boot: MachineBoot): Promise<readonly CliError[]> {
  const failures: CliError[] = [];
  // libvirt, which sushy-tools uses, accepts the boot device Cd only while a medium is inserted.
  const steps = [stopRamdisk, restoreBootDevice, removeImage, restorePower];
  for (const step of steps) {
    await step(boot).catch((error: unknown) => void failures.push(knownError(error)));
  }
  return failures;
}

async function readNow({ client, survey: { system } }: MachineBoot): Promise<System> {
  return readSystem(await client.get(system.path, 'reading the power state'));
}

async function powerOff(boot: MachineBoot): Promise<void> {
  const { power } = await readNow(boot);
  if (power === 'Off') return;
  if (!boot.mayPowerOff) {
    throw new CliError('the machine was powered on after it was checked', {
      code: 'ERR_BMC',
      hint: 'run the command again, with --yes to power the machine off',
    });
  }
  boot.progress.isPoweredOff = true;
  await shutDown(boot);
  if (!boot.signal.aborted) boot.say('power off', 'powered off');
}

/** Gracefully, then by force. */
async function shutDown(boot: MachineBoot): Promise<void> {
  const { say, survey, timing } = boot;
  const { resetTypes } = survey.system;
  if (resetTypes.length === 0 || resetTypes.includes('GracefulShutdown')) {
    const isGone = await resetTo(boot, 'GracefulShutdown', 'shutting the machine down').then(
      () => {
        say('power off', `shuts down; forced off after ${formatDuration(timing.shutdown / 1000)}`);
        return waitForPower(boot, 'Off', timing.shutdown);
      },
      (error: unknown) => {
        if (error instanceof RedfishError && error.status !== undefined) return false;
        throw error;
      },
    );
    if (isGone || boot.signal.aborted) return;
    say('power off', 'does not shut down; forcing it off');
  }
  await resetTo(boot, 'ForceOff', 'forcing the machine off');
  if (await waitForPower(boot, 'Off', timing.power)) return;
  throw powerError(boot, 'the machine stays on after the BMC accepted "ForceOff"');
}

async function powerOn(boot: MachineBoot): Promise<void> {
  boot.progress.isPoweredOn = true;
  await resetTo(boot, 'On', 'powering the machine on');
  if (!(await waitForPower(boot, 'On', boot.timing.power))) {
    if (boot.signal.aborted) return;
    throw powerError(boot, 'the machine stays off after the BMC accepted "On"');
  }
  boot.say('power on', 'powered on');
}

function powerError({ survey }: MachineBoot, message: string): CliError {
  return new CliError(message, {
    code: 'ERR_BMC',
    hint: `read ${eventLogOf(survey)}, and check the power supplies of the machine`,
  });
}

async function resetTo(boot: MachineBoot, type: string, action: string): Promise<void> {
  const { client, survey } = boot;
  if (survey.system.reset === undefined) throw powerError(boot, 'the BMC cannot change the power state');
  await send(client, resetRequest(survey, type), action);
}

/** Whether the machine reached the state in time. */
async function waitForPower(boot: MachineBoot, state: 'On' | 'Off', time: number): Promise<boolean> {
  const { clock, signal, timing } = boot;
  const end = clock.now() + time;
  for (;;) {
    if ((await readNow(boot)).power === state) return true;
    if (signal.aborted || clock.now() >= end) return false;
    await pause(clock, timing.interval, signal);
  }
}

/** Firmware boots from the first virtual CD, so media in other slots is ejected, too. */
async function ejectAll(boot: MachineBoot): Promise<void> {
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

/**
 * Number of reads until a change shows: the status code of a BMC is no proof, and Dell iDRACs report ejected media as inserted
 * for some seconds.
 */
const MAX_READS = 10;

/** Whether `isDone` became true. Reads only once after the signal. */
async function readUntil(boot: MachineBoot, isDone: () => Promise<boolean>): Promise<boolean> {
  const { clock, signal, timing } = boot;
  for (let count = 1; ; count++) {
    if (await isDone()) return true;
    if (count === MAX_READS || signal.aborted) return false;
    await pause(clock, timing.interval, signal);
  }
}

/** Whether the slot is empty now. */
async function eject(boot: MachineBoot, slot: MediaSlot): Promise<boolean> {
  await send(boot.client, ejectRequest(slot), `ejecting media from slot ${slot.id}`);
  return readUntil(boot, async () => !(await readSlot(boot, slot.path)).isInserted);
}

/** Tries the slots in their order: BMCs do not show which of them are reserved for a virtual console. */
async function insertImage(boot: MachineBoot): Promise<void> {
  let refusal: RedfishError | undefined;
  const empty: string[] = [];
  for (const slot of boot.survey.slots) {
    boot.progress.slots.add(slot.path);
    try {
      boot.progress.unconfirmed.add(slot.path);
      await insertInto(boot, slot);
      if (await readUntil(boot, async () => (await readSlot(boot, slot.path)).isInserted)) {
        boot.progress.unconfirmed.delete(slot.path);
        boot.say('media', `inserted the ISO into slot ${slot.id}`);
        return;
      }
      if (boot.signal.aborted) return;
      empty.push(slot.id);
      boot.say('media', `slot ${slot.id} stays empty after the BMC accepted the ISO`);
    } catch (error) {
      if (error instanceof RedfishError && error.status !== undefined)
        boot.progress.unconfirmed.delete(slot.path);
      if (!isOfSlot(error)) throw error;
      refusal = error;
    }
  }
  throw refusal ?? emptyError(boot, empty);
}

/** The BMC accepted the image, and did not insert it. */
export class EmptySlotError extends CliError {}

/** @param slots ids of the slots that stay empty; none if no slot takes a CD */
function emptyError({ client, imageUrl, survey }: MachineBoot, slots: readonly string[]): CliError {
  if (slots.length === 0) return new CliError('no virtual media slot takes a CD', { code: 'ERR_BMC' });
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
  const { clock, signal, timing } = boot;
  const optional = optionalParameters(boot, slot);
  let extra: Mapping = requiredParameters(boot, slot, optional);
  for (let attempt = 1; ; attempt++) {
    try {
      return await sendImage(boot, slot, extra);
    } catch (error) {
      if (!(error instanceof RedfishError)) throw error;
      const refusal = error.messages.map((message) => [message.text, ...message.related].join(' ')).join(' ');
      const demanded = optional.filter(([name]) => refusal.includes(name) && !(name in extra));
      const isBusy = (error.status ?? 0) >= 500 && attempt < INSERT_ATTEMPTS;
      if (demanded.length === 0 && !isBusy) throw error;
      extra = { ...extra, ...Object.fromEntries(demanded) };
      if (isBusy) await pause(clock, timing.interval, signal);
    }
  }
}

async function sendImage(
  { client, imageUrl: Image, timing }: MachineBoot,
  slot: MediaSlot,
  extra: Mapping,
): Promise<void> {
  const action = `inserting the image into slot ${slot.id}`;
  if (slot.insert === undefined) {
    const body = { Image, Inserted: true, WriteProtected: true, ...extra };
    await client.patch(slot.path, body, action, timing.insert);
  } else await client.post(slot.insert, { Image, ...extra }, action, timing.insert);
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

async function setBootDevice(boot: MachineBoot): Promise<void> {
  const { imageUrl, method, progress, survey } = boot;
  progress.isDeviceSet = true;
  if (method === 'virtual-media' && survey.vendor.bootRequest === 'dell') {
    const request = dellBootRequest(survey, { BootOnce: 'Enabled', FirstBootDevice: 'VCD-DVD' });
    await send(boot.client, request, SETTING_DEVICE);
    return boot.say('boot device', 'boots once from the virtual CD');
  }
  const target = bootTarget(survey, method);
  const isUefi = method === 'uefi-http' || survey.vendor.bootRequest === 'full';
  const change = {
    BootSourceOverrideTarget: target,
    BootSourceOverrideEnabled: 'Once',
    ...(isUefi && {
      BootSourceOverrideMode: method === 'uefi-http' ? 'UEFI' : (survey.system.boot.mode ?? 'UEFI'),
    }),
    ...(method === 'uefi-http' && { HttpBootUri: imageUrl }),
  };
  await boot.client.patch(survey.system.bootPath, { Boot: change }, SETTING_DEVICE);
  if (!(await readUntil(boot, () => isOverridden(boot)))) {
    if (boot.signal.aborted) return;
    throw new CliError(`the boot device is not set after the BMC accepted "${target}"`, {
      code: 'ERR_BMC',
      hint: `set the boot device in ${vendorConsole(survey)}, or use ${method === 'uefi-http' ? '--method virtual-media' : '--method uefi-http'}`,
    });
  }
  boot.say('boot device', `boots once from ${target}`);
}

/**
 * Whether a boot override is set. Its target is not compared: BMCs name it differently from what they accept (`Cd` for `UsbCd`),
 * and the override of the settings resource becomes that of the system only when the machine starts.
 */
async function isOverridden({ client, survey: { system } }: MachineBoot): Promise<boolean> {
  for (const path of new Set([system.bootPath, system.path])) {
    const { boot } = readSystem(await client.get(path, 'reading the boot device'));
    const isNone = boot.enabled === 'Disabled' || boot.target === 'None';
    const isUnknown = boot.enabled === undefined && boot.target === undefined;
    if (isUnknown || !isNone) return true;
  }
  return false;
}

function eventLogOf({ vendor }: Survey): string {
  return vendor.eventLog ?? 'the event log of the BMC';
}

function vendorConsole({ vendor }: Survey): string {
  return vendor.console ?? 'the remote console of the BMC';
}

const SETTING_DEVICE = 'setting the boot device';

// The requests that restore a machine.

interface BmcRequest {
  readonly method: 'PATCH' | 'POST';
  readonly path: string;
  readonly body: Mapping;
}

async function send(
  client: RedfishClient,
  { body, method, path }: BmcRequest,
  action: string,
): Promise<void> {
  if (method === 'POST') await client.post(path, body, action);
  else await client.patch(path, body, action);
}

function resetRequest({ system: { reset = '' } }: Survey, type: string): BmcRequest {
  return { method: 'POST', path: reset, body: { ResetType: type } };
}

/** iLO requires a body. */
function ejectRequest({ eject: path, path: slot }: MediaSlot): BmcRequest {
  if (path === undefined) return { method: 'PATCH', path: slot, body: { Image: null, Inserted: false } };
  return { method: 'POST', path, body: {} };
}

/** The import fails with whitespace between the elements (OpenStack sushy, oem/dell/resources/manager/manager.py). */
function dellBootRequest(
  { manager }: Survey,
  attributes: Readonly<Record<'BootOnce' | 'FirstBootDevice', string>>,
): BmcRequest {
  const id = manager?.path.split('/').at(-1) ?? '';
  const settings = Object.entries(attributes)
    .map(([name, value]) => `<Attribute Name="ServerBoot.1#${name}">${value}</Attribute>`)
    .join('');
  const buffer = `<SystemConfiguration><Component FQDD="${id}">${settings}</Component></SystemConfiguration>`;
  const body = { ShareParameters: { Target: ['ALL'] }, ImportBuffer: buffer };
  return { method: 'POST', path: manager?.importSettings ?? '', body };
}

/** @param now the boot override that is set now; undefined if it is not known */
function formerBootRequest(survey: Survey, method: BootMethod, now?: System['boot']): BmcRequest {
  const { system, vendor } = survey;
  if (method === 'virtual-media' && vendor.bootRequest === 'dell')
    return dellBootRequest(survey, { BootOnce: 'Disabled', FirstBootDevice: 'Normal' });
  const { boot: before } = system;
  const isChanged = (name: 'httpUri' | 'mode'): boolean =>
    now === undefined ? method === 'uefi-http' : now[name] !== before[name];
  const isModeSet = vendor.bootRequest === 'full' || isChanged('mode');
  const boot = {
    BootSourceOverrideEnabled: before.enabled ?? 'Disabled',
    ...(before.target !== undefined && { BootSourceOverrideTarget: before.target }),
    ...(isModeSet && before.mode !== undefined && { BootSourceOverrideMode: before.mode }),
    ...(isChanged('httpUri') && { HttpBootUri: before.httpUri ?? null }),
  };
  return { method: 'PATCH', path: system.bootPath, body: { Boot: boot } };
}

/** What is not restored, and the request that restores it. */
export interface Remainder {
  /** A clause. */
  readonly text: string;
  readonly request: BmcRequest;
}

/** In the order in which it is to be restored. */
export function listRemainders(
  survey: Survey,
  method: BootMethod,
  progress: BootProgress,
): readonly Remainder[] {
  const remainders: Remainder[] = [];
  if (progress.isPoweredOn) {
    remainders.push({ text: 'it may still run the ISO', request: resetRequest(survey, 'ForceOff') });
  }
  if (progress.isDeviceSet) {
    remainders.push({ text: 'its boot device is not restored', request: formerBootRequest(survey, method) });
  }
  for (const slot of survey.slots.filter(({ path }) => progress.slots.has(path))) {
    remainders.push({ text: `slot ${slot.id} may contain the ISO`, request: ejectRequest(slot) });
  }
  if (progress.isPoweredOff) {
    remainders.push({ text: 'it was on, and may be off', request: resetRequest(survey, 'On') });
  }
  return remainders;
}

/** The image is in use as long as the ramdisk runs. A machine that `boot` has not powered on is left alone. */
async function stopRamdisk(boot: MachineBoot): Promise<void> {
  if (!boot.progress.isPoweredOn) return;
  if ((await readNow(boot)).power !== 'Off') {
    await shutDown(boot);
    if (boot.signal.aborted) return;
    boot.say('restored', 'powered off');
  }
  boot.progress.isPoweredOn = false;
}

async function removeImage(boot: MachineBoot): Promise<void> {
  const { progress, say } = boot;
  for (const path of progress.slots) {
    const slot = await readSlot(boot, path);
    if (slot.isInserted) {
      if (!(await eject(boot, slot)))
        throw new RedfishError(`slot ${slot.id} still contains media after its ejection`, {});
      say('restored', `ejected the ISO from slot ${slot.id}`);
    } else if (progress.unconfirmed.has(path)) {
      say(
        'restored',
        `slot ${slot.id} is empty; the BMC did not confirm the insertion, and may still insert the ISO`,
      );
    }
    progress.slots.delete(path);
  }
}

async function restoreBootDevice(boot: MachineBoot): Promise<void> {
  const { client, method, progress, survey } = boot;
  if (!progress.isDeviceSet) return;
  const before = survey.system.boot;
  const { boot: now } = await readNow(boot);
  const isReadable = method !== 'virtual-media' || survey.vendor.bootRequest !== 'dell';
  const isUnchanged =
    now.target === before.target && now.enabled === before.enabled && now.mode === before.mode;
  if (!isReadable || !isUnchanged || now.httpUri !== before.httpUri) {
    await send(client, formerBootRequest(survey, method, now), SETTING_DEVICE);
    const isRestored = async (): Promise<boolean> => {
      if (!isReadable) return true;
      const { boot: last } = await readNow(boot);
      // BMCs keep the target of an override that is disabled.
      return last.enabled === before.enabled || last.target !== now.target;
    };
    if (!(await readUntil(boot, isRestored))) {
      throw new RedfishError(
        `the boot device stays ${now.target ?? 'as it is'} after the BMC accepted its change`,
        {
          hint: `set the boot device in ${vendorConsole(survey)}`,
        },
      );
    }
    boot.say('restored', 'restored the boot device');
  }
  progress.isDeviceSet = false;
}

async function restorePower(boot: MachineBoot): Promise<void> {
  const { progress, signal, timing } = boot;
  // A machine that still runs the ISO is not as it was.
  if (!progress.isPoweredOff || progress.isPoweredOn) return;
  // After a cancellation it may still be shutting down.
  const isOff = progress.isPoweredOnAgain
    ? (await readNow(boot)).power === 'Off'
    : await waitForPower(boot, 'Off', timing.shutdown);
  if (isOff) {
    progress.isPoweredOnAgain = true;
    await resetTo(boot, 'On', 'powering the machine on');
    if (await waitForPower(boot, 'On', timing.power)) boot.say('restored', 'powered on again');
    else if (!signal.aborted) throw powerError(boot, 'the machine stays off after the BMC accepted "On"');
  }
  if (!signal.aborted) progress.isPoweredOff = false;
}
