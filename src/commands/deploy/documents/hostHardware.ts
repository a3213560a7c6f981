/**
 * RAID volumes and firmware settings of a BareMetalHost. The structure of both is checked by the schema of the inventory; here are the
 * rules of the operator's webhook (`baremetalhost_validation.go`), of its resource definition, and of software RAID in the agent.
 */

import type { Finding } from '../../../core/finding.ts';
import { errorRule, found, issueWith } from '../../../core/rule.ts';
import { isMapping, type Mapping } from '../../../formats/mapping.ts';
import { bmcKind } from '../../../redfish/bmcAddress.ts';
import type { DeployHost } from './host.ts';
import { readRootDevice, toMetal3Hints } from './rootDeviceHints.ts';

const raidInvalid = errorRule(
  'raid-invalid',
  'Metal3 refuses these RAID volumes',
  'correct the volumes; the resource definition of BareMetalHost describes them',
);
const firmwareSetting = errorRule(
  'firmware-setting',
  'Metal3 refuses this firmware setting',
  'remove the setting: passwords of the firmware cannot be set',
);

type Volume = Mapping;

/** The volumes of a kind; undefined if the inventory does not have the list, which may be empty to delete all volumes. */
function volumesOf(raid: Mapping, key: 'hardwareRAIDVolumes' | 'softwareRAIDVolumes'): readonly Volume[] {
  const list = raid[key];
  return Array.isArray(list) ? list.filter((one): one is Mapping => isMapping(one)) : [];
}

/** Paths are the name of the setting. */
export function checkHostRaid(raid: Mapping, { bmc, rootDevice }: DeployHost): readonly Finding[] {
  const hardware = volumesOf(raid, 'hardwareRAIDVolumes');
  const software = volumesOf(raid, 'softwareRAIDVolumes');
  const roots = software.filter(({ rootVolume }) => rootVolume === true);
  const withoutRaid = bmc !== undefined && bmcKind(bmc.address).driver === 'ipmi';
  const problems = [
    hardware.length > 0 && software.length > 0 && 'a host has either hardware or software volumes',
    hardware.length > 0 && withoutRaid && 'the BMC driver ipmi does not support hardware volumes',
    ...hardware.flatMap((volume, index) => hardwareProblems(volume, index + 1)),
    software.length > 2 && 'there are at most two software volumes',
    software.length > 0 &&
      software[0]?.['level'] !== '1' &&
      'the level of the first software volume must be "1"',
    ...software.flatMap((volume, index) => softwareProblems(volume, index + 1)),
    roots.length > 1 && 'only one software volume is the root volume',
    roots.length > 0 &&
      Object.keys(rootDevice).length > 0 &&
      'rootVolume cannot be combined with root device hints',
  ];
  return found(
    problems.map((problem) => problem !== false && issueWith(raidInvalid, ['raid'], problem)),
    software.flatMap((volume) => volumeDisks(volume).flatMap(({ issues }) => issues)),
  );
}

/** @param number of the volume in its list, from 1 */
function hardwareProblems(volume: Volume, number: number): readonly (string | false)[] {
  const { name = '', sizeGibibytes = 0, numberOfPhysicalDisks: count, physicalDisks, controller } = volume;
  const disks = Array.isArray(physicalDisks) ? physicalDisks.length : 0;
  const of = `hardware volume ${number}`;
  return [
    Number(sizeGibibytes) < 0 && `the size of ${of} is negative`,
    String(name).length > 64 && `the name of ${of} is longer than 64 characters`,
    count !== undefined && Number(count) < 1 && `${of} has no disks`,
    disks > 0 && controller === undefined && `physicalDisks of ${of} require its controller`,
    disks > 0 &&
      count !== undefined &&
      Number(count) !== disks &&
      `numberOfPhysicalDisks and physicalDisks of ${of} differ`,
  ];
}

function softwareProblems(volume: Volume, number: number): readonly (string | false)[] {
  const { sizeGibibytes = 0, physicalDisks, rootVolume, level } = volume;
  const of = `software volume ${number}`;
  return [
    Number(sizeGibibytes) < 0 && `the size of ${of} is negative`,
    Array.isArray(physicalDisks) && physicalDisks.length < 2 && `${of} has fewer than two physicalDisks`,
    rootVolume === true && level !== '1' && `the level of the root volume must be "1"`,
  ];
}

/** The disks of a software volume as hints of Metal3, which are read as root device hints are. */
function volumeDisks({ physicalDisks }: Volume) {
  const disks: readonly unknown[] = Array.isArray(physicalDisks) ? physicalDisks : [];
  return disks.map((disk) => {
    const read = readRootDevice(Object.entries(isMapping(disk) ? disk : {}));
    const { hints, issues } = toMetal3Hints(read.rootDevice);
    const all = read.issues.length > 0 ? read.issues : issues;
    return { hints, issues: all.map((issue) => ({ ...issue, path: ['raid'] })) };
  });
}

/** The RAID of the specification. An empty list deletes the volumes of its kind; null leaves them. */
export function renderHostRaid(raid: Mapping): Mapping {
  const { softwareRAIDVolumes: software } = raid;
  if (!Array.isArray(software)) return raid;
  const volumes = volumesOf(raid, 'softwareRAIDVolumes').map((volume) =>
    volume['physicalDisks'] === undefined
      ? volume
      : { ...volume, physicalDisks: volumeDisks(volume).map(({ hints }) => hints) },
  );
  return { ...raid, softwareRAIDVolumes: volumes };
}

/** Whether there are volumes, one of which is the root device without hints. */
export function hasVolumes(raid: Mapping | undefined): boolean {
  if (raid === undefined) return false;
  return (
    volumesOf(raid, 'hardwareRAIDVolumes').length > 0 || volumesOf(raid, 'softwareRAIDVolumes').length > 0
  );
}

/** The operator refuses names that contain `Password`, and does not show such values. */
export function checkFirmwareSettings(settings: Mapping): readonly Finding[] {
  const names = Object.keys(settings).filter((name) => name.includes('Password'));
  return names.map((name) => issueWith(firmwareSetting, ['firmwareSettings'], name));
}
