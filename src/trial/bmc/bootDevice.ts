/** Sets the boot device for one boot, and restores it. */

import { CliError } from '../../core/errors.ts';
import type { BmcChange } from '../../redfish/redfishClient.ts';
import { RedfishError } from '../../redfish/redfishError.ts';
import { readSystem, type System } from '../../redfish/resources.ts';
import { bootTarget } from './checks.ts';
import { type MachineBoot, readNow, readUntil } from './machineBoot.ts';
import type { Survey } from './survey.ts';
import type { BootMethod } from './targets.ts';

const ACTION = 'setting the boot device';

export async function setBootDevice(boot: MachineBoot): Promise<void> {
  const { changes, client, imageUrl, method, survey } = boot;
  changes.push({
    text: 'its boot device is not restored',
    request: formerBootRequest(survey, method),
    undo: restoreBootDevice,
  });
  if (isImported(survey, method)) {
    await client.change(dellBootRequest(survey, { BootOnce: 'Enabled', FirstBootDevice: 'VCD-DVD' }), ACTION);
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
  await client.change({ method: 'PATCH', path: survey.system.bootPath, body: { Boot: change } }, ACTION);
  if (!(await readUntil(boot, () => isOverridden(boot)))) {
    if (boot.signal.aborted) return;
    throw new CliError(`the boot device is not set after the BMC accepted "${target}"`, {
      code: 'ERR_BMC',
      hint: `set the boot device in ${consoleOf(survey)}, or use ${method === 'uefi-http' ? '--method virtual-media' : '--method uefi-http'}`,
    });
  }
  boot.say('boot device', `boots once from ${target}`);
}

/** Whether the boot device is set by an import of iDRAC settings, which cannot be read back. */
function isImported({ vendor }: Survey, method: BootMethod): boolean {
  return method === 'virtual-media' && vendor.bootRequest === 'dell';
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

function consoleOf({ vendor }: Survey): string {
  return vendor.console ?? 'the remote console of the BMC';
}

async function restoreBootDevice(boot: MachineBoot): Promise<boolean> {
  const { method, survey } = boot;
  const before = survey.system.boot;
  const { boot: now } = await readNow(boot);
  const isReadable = !isImported(survey, method);
  const isUnchanged = (['enabled', 'httpUri', 'mode', 'target'] as const).every(
    (key) => now[key] === before[key],
  );
  if (isReadable && isUnchanged) return true;
  await boot.client.change(formerBootRequest(survey, method, now), ACTION);
  const isRestored = async (): Promise<boolean> => {
    if (!isReadable) return true;
    const { boot: last } = await readNow(boot);
    // BMCs keep the target of an override that is disabled.
    return last.enabled === before.enabled || last.target !== now.target;
  };
  if (!(await readUntil(boot, isRestored))) {
    throw new RedfishError(
      `the boot device stays ${now.target ?? 'as it is'} after the BMC accepted its change`,
      { hint: `set the boot device in ${consoleOf(survey)}` },
    );
  }
  boot.say('restored', 'restored the boot device');
  return true;
}

/** The import fails with whitespace between the elements (OpenStack sushy, oem/dell/resources/manager/manager.py). */
function dellBootRequest(
  { manager }: Survey,
  attributes: Readonly<Record<'BootOnce' | 'FirstBootDevice', string>>,
): BmcChange {
  const id = manager?.path.split('/').at(-1) ?? '';
  const settings = Object.entries(attributes)
    .map(([name, value]) => `<Attribute Name="ServerBoot.1#${name}">${value}</Attribute>`)
    .join('');
  const buffer = `<SystemConfiguration><Component FQDD="${id}">${settings}</Component></SystemConfiguration>`;
  const body = { ShareParameters: { Target: ['ALL'] }, ImportBuffer: buffer };
  return { method: 'POST', path: manager?.importSettings ?? '', body };
}

/** @param now the boot override that is set now; undefined if it is not known */
function formerBootRequest(survey: Survey, method: BootMethod, now?: System['boot']): BmcChange {
  const { system, vendor } = survey;
  if (isImported(survey, method))
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
