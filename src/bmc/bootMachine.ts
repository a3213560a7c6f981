/**
 * Boots one machine by its BMC, and restores it. The order of the requests is that of OpenStack Ironic: power off, eject and
 * insert media, set the boot device, power on (`ironic/drivers/modules/redfish/boot.py`, `prepare_ramdisk`).
 */

import { CliError, onCliError } from '../core/errors.ts';
import type { Mapping } from '../formats/mapping.ts';
import { type Clock, pause } from '../io/clock.ts';
import type { RedfishClient } from '../io/redfish/redfishClient.ts';
import { RedfishError } from '../io/redfish/redfishError.ts';
import { formatDuration } from '../serve/status/figures.ts';
import { isLicenseRefusal } from '../redfish/messages.ts';
import { type MediaSlot, readMediaSlot, readSystem, type System } from '../redfish/resources.ts';
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

/** What `boot` has changed, or may have changed. Mutable. */
export interface BootProgress {
  isPoweredOff: boolean;
  isPoweredOn: boolean;
  isDeviceSet: boolean;
  /** Paths of the slots with the image. */
  readonly slots: Set<string>;
}

export function createProgress(): BootProgress {
  return { isPoweredOff: false, isPoweredOn: false, isDeviceSet: false, slots: new Set() };
}

/** Milliseconds. */
export interface BootTimes {
  /** For changes of the power state, except for a graceful shutdown. */
  readonly power: number;
  /** Between two attempts, and two reads of a state. */
  readonly interval: number;
}

/** Throws CliError. Stops silently between two steps on the signal. */
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
 * Returns the machine to the state of the survey. Continues after a failed step.
 * @returns the failures
 */
export async function restoreMachine(boot: MachineBoot): Promise<readonly CliError[]> {
  const failures: CliError[] = [];
  // libvirt, which sushy-tools uses, accepts the boot device Cd only while a medium is inserted.
  const steps = [stopRamdisk, restoreBootDevice, removeImage, restorePower];
  for (const step of steps) {
    await step(boot).catch(onCliError((error) => void failures.push(error)));
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
    const isGone = await reset(boot, 'GracefulShutdown', 'shutting the machine down').then(
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
  await reset(boot, 'ForceOff', 'forcing the machine off');
  if (await waitForPower(boot, 'Off', timing.power)) return;
  throw powerError('the machine stays on after the BMC accepted "ForceOff"');
}

async function powerOn(boot: MachineBoot): Promise<void> {
  boot.progress.isPoweredOn = true;
  await reset(boot, 'On', 'powering the machine on');
  if (!(await waitForPower(boot, 'On', boot.timing.power))) {
    if (boot.signal.aborted) return;
    throw powerError('the machine stays off after the BMC accepted "On"');
  }
  boot.say('power on', 'powered on');
}

function powerError(message: string): CliError {
  return new CliError(message, {
    code: 'ERR_BMC',
    hint: 'read the event log of the BMC, and check the power supplies of the machine',
  });
}

async function reset(
  { client, survey: { system } }: MachineBoot,
  type: string,
  action: string,
): Promise<void> {
  if (system.reset === undefined) throw powerError('the BMC cannot change the power state');
  await client.post(system.reset, { ResetType: type }, action);
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
  const paths = boot.survey.slots.map(({ path }) => path);
  await ejectFrom(paths, boot, ({ id }) => boot.say('media', `ejected media from slot ${id}`));
}

async function ejectFrom(
  paths: Iterable<string>,
  boot: MachineBoot,
  say: (slot: MediaSlot) => void,
): Promise<void> {
  for (const path of paths) {
    const slot = readMediaSlot(await boot.client.get(path, 'reading a virtual media slot'));
    if (!slot.isInserted) continue;
    await eject(boot, slot);
    say(slot);
  }
}

/** Number of reads until a slot is empty: Dell iDRACs report ejected media as inserted for some seconds. */
const EJECT_READS = 10;

async function eject({ client, clock, signal, timing }: MachineBoot, slot: MediaSlot): Promise<void> {
  const action = `ejecting media from slot ${slot.id}`;
  // iLO requires a body.
  if (slot.eject === undefined) await client.patch(slot.path, { Image: null, Inserted: false }, action);
  else await client.post(slot.eject, {}, action);
  for (let count = 0; count < EJECT_READS; count++) {
    if (!readMediaSlot(await client.get(slot.path, action)).isInserted) return;
    await pause(clock, timing.interval, signal);
  }
}

/** Tries the slots in their order: BMCs do not show which of them are reserved for a virtual console. */
async function insertImage(boot: MachineBoot): Promise<void> {
  let refusal: unknown = new CliError('no virtual media slot takes a CD', { code: 'ERR_BMC' });
  for (const slot of boot.survey.slots) {
    boot.progress.slots.add(slot.path);
    try {
      await insertInto(boot, slot);
      boot.say('media', `inserted the ISO into slot ${slot.id}`);
      return;
    } catch (error) {
      if (!isOfSlot(error)) throw error;
      refusal = error;
    }
  }
  throw refusal;
}

/** Whether another slot may accept the image. */
function isOfSlot(error: unknown): error is RedfishError {
  if (!(error instanceof RedfishError) || isLicenseRefusal(error.messages)) return false;
  return error.status === 400 || error.status === 404 || error.status === 405;
}

/** Attempts while a BMC ejects the previous media (https://storyboard.openstack.org/#!/story/2008504). */
const INSERT_ATTEMPTS = 3;

async function insertInto(boot: MachineBoot, slot: MediaSlot): Promise<void> {
  const { clock, imageUrl, signal, survey, timing } = boot;
  const protocol = imageUrl.startsWith('https:') ? 'HTTPS' : 'HTTP';
  let extra: Mapping = survey.vendor.needsTransferProtocol === true ? { TransferProtocolType: protocol } : {};
  for (let attempt = 1; ; attempt++) {
    try {
      return await sendImage(boot, slot, extra);
    } catch (error) {
      if (!(error instanceof RedfishError)) throw error;
      const demanded = demandedFields(error, protocol).filter(([name]) => !(name in extra));
      const isBusy = (error.status ?? 0) >= 500 && attempt < INSERT_ATTEMPTS;
      if (demanded.length === 0 && !isBusy) throw error;
      extra = { ...extra, ...Object.fromEntries(demanded) };
      if (isBusy) await pause(clock, timing.interval, signal);
    }
  }
}

async function sendImage(
  { client, imageUrl: Image }: MachineBoot,
  slot: MediaSlot,
  extra: Mapping,
): Promise<void> {
  const action = `inserting the image into slot ${slot.id}`;
  if (slot.insert === undefined) {
    await client.patch(slot.path, { Image, Inserted: true, WriteProtected: true, ...extra }, action);
  } else await client.post(slot.insert, { Image, ...extra }, action);
}

/** Optional fields that some BMCs require, with their values (OpenStack sushy, virtual_media.py). */
function demandedFields(
  { messages }: RedfishError,
  protocol: string,
): readonly (readonly [string, string])[] {
  const text = messages.map((message) => [message.text, ...message.related].join(' ')).join(' ');
  return Object.entries({ TransferProtocolType: protocol, TransferMethod: 'Stream' }).filter(([name]) =>
    text.includes(name),
  );
}

async function setBootDevice(boot: MachineBoot): Promise<void> {
  const { imageUrl, method, progress, survey } = boot;
  progress.isDeviceSet = true;
  if (method === 'virtual-media' && survey.vendor.bootRequest === 'dell') {
    await importDellBoot(boot, { BootOnce: 'Enabled', FirstBootDevice: 'VCD-DVD' });
    return boot.say('boot device', 'boots once from the virtual CD');
  }
  const target = bootTarget(survey, method);
  const isUefi = method === 'uefi-http' || survey.vendor.bootRequest === 'full';
  await changeBoot(boot, {
    BootSourceOverrideTarget: target,
    BootSourceOverrideEnabled: 'Once',
    ...(isUefi && {
      BootSourceOverrideMode: method === 'uefi-http' ? 'UEFI' : (survey.system.boot.mode ?? 'UEFI'),
    }),
    ...(method === 'uefi-http' && { HttpBootUri: imageUrl }),
  });
  boot.say('boot device', `boots once from ${target}`);
}

async function changeBoot({ client, survey: { system } }: MachineBoot, change: Mapping): Promise<void> {
  await client.patch(system.bootPath, { Boot: change }, 'setting the boot device');
}

/** The import fails with whitespace between the elements (OpenStack sushy, oem/dell/resources/manager/manager.py). */
async function importDellBoot(
  { client, survey: { manager } }: MachineBoot,
  attributes: Readonly<Record<'BootOnce' | 'FirstBootDevice', string>>,
): Promise<void> {
  const id = manager?.path.split('/').at(-1) ?? '';
  const settings = Object.entries(attributes)
    .map(([name, value]) => `<Attribute Name="ServerBoot.1#${name}">${value}</Attribute>`)
    .join('');
  const buffer = `<SystemConfiguration><Component FQDD="${id}">${settings}</Component></SystemConfiguration>`;
  const body = { ShareParameters: { Target: ['ALL'] }, ImportBuffer: buffer };
  await client.post(manager?.importSettings ?? '', body, 'setting the boot device');
}

/** The image is in use as long as the ramdisk runs. A machine that `boot` has not powered on is left alone. */
async function stopRamdisk(boot: MachineBoot): Promise<void> {
  if (!boot.progress.isPoweredOn) return;
  const { power } = await readNow(boot);
  if (power === 'Off') return;
  await shutDown(boot);
  boot.say('restored', 'powered off');
}

async function removeImage(boot: MachineBoot): Promise<void> {
  await ejectFrom(boot.progress.slots, boot, ({ id }) =>
    boot.say('restored', `ejected the ISO from slot ${id}`),
  );
}

async function restoreBootDevice(boot: MachineBoot): Promise<void> {
  const { method, progress, survey } = boot;
  if (!progress.isDeviceSet) return;
  if (method === 'virtual-media' && survey.vendor.bootRequest === 'dell') {
    await importDellBoot(boot, { BootOnce: 'Disabled', FirstBootDevice: 'Normal' });
    return boot.say('restored', 'restored the boot device');
  }
  const before = survey.system.boot;
  const { boot: now } = await readNow(boot);
  const isUnchanged =
    now.target === before.target && now.enabled === before.enabled && now.mode === before.mode;
  if (isUnchanged && now.httpUri === before.httpUri) return;
  await changeBoot(boot, {
    BootSourceOverrideEnabled: before.enabled ?? 'Disabled',
    ...(before.target !== undefined && { BootSourceOverrideTarget: before.target }),
    ...((now.mode !== before.mode || survey.vendor.bootRequest === 'full') && {
      BootSourceOverrideMode: before.mode,
    }),
    ...(now.httpUri !== before.httpUri && { HttpBootUri: before.httpUri ?? null }),
  });
  boot.say('restored', 'restored the boot device');
}

async function restorePower(boot: MachineBoot): Promise<void> {
  if (!boot.progress.isPoweredOff) return;
  // After a cancellation it may still be shutting down.
  if (!(await waitForPower(boot, 'Off', boot.timing.shutdown))) return;
  await reset(boot, 'On', 'powering the machine on');
  boot.say('restored', 'powered on again');
}
