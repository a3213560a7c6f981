/** Reads the options that several `deploy` commands share: host, ramdisk, image and installed host. */

import { type Finding, hasErrors } from '../../core/finding.ts';
import { quoteText } from '../../core/foreignText.ts';
import type { DeployHost } from './documents/host.ts';
import { parseBmcAddress } from '../../redfish/bmcAddress.ts';
import { parseMacAddress } from '../../core/macAddress.ts';
import { readRootDevice, splitHint } from '../../ipa/rootDeviceHints.ts';
import { CliError, UsageError } from '../../core/errors.ts';
import { errorRule, found, issueWith } from '../../core/rule.ts';
import { asMapping, type Mapping } from '../../formats/mapping.ts';
import { checkInstalledConfig } from './documents/installation.ts';
import { configOfRamdisk } from '../../hosts/input/installedConfig.ts';
import type { Io } from '../../io/io.ts';
import { requireContents } from '../../hosts/input/imageContents.ts';
import { CONFIG_NAME } from '../../image/embeddedIgnition.ts';
import { buildOfImageUrl } from '../../image/ignitionSpec.ts';
import { resolveConfig } from '../../ignition/effectiveConfig.ts';
import { formatIgnition } from '../../ignition/ignitionText.ts';
import type { DeployOptions } from './options.ts';
import { readConfigFiles, reportFindings, type ValidConfig } from '../../hosts/input/configFiles.ts';

/** The name of an option in messages: its flag, or its key in the inventory. */
export type NameOption = (option: string) => string;

const macAddress = errorRule('mac-address', 'invalid MAC address', 'use the form 52:54:00:12:34:56');
const bmcAddress = errorRule(
  'bmc-address',
  'invalid BMC address',
  'use SCHEME://HOST[:PORT][/SYSTEM], e.g. redfish-virtualmedia://192.0.2.10/redfish/v1/Systems/1',
);

/** Reads the host, without the invalid parts, which are issues. */
export function readHostOptions(options: DeployOptions) {
  const { name, bootMac = '', bmcAddress: bmcText = '', bmcInsecure: insecure = false } = options;
  if (name === undefined) {
    throw new UsageError('--name is missing', {
      hint: 'pass --name NAME, or --inventory FILE for all its hosts',
    });
  }
  const mac = parseMacAddress(bootMac);
  const address = parseBmcAddress(bmcText);
  const { rootDevice, issues } = readRootDevice((options.rootDevice ?? []).map(splitHint));
  const host: DeployHost = {
    name,
    rootDevice,
    bootMac: 'mac' in mac ? mac.mac : undefined,
    architecture: options.arch,
    bmc: 'scheme' in address ? { address, insecure } : undefined,
  };
  return {
    host,
    issues: found(
      options.bootMac !== undefined &&
        'problem' in mac && {
          ...macAddress,
          path: ['bootMac'],
          message: `invalid MAC address ${quoteText(bootMac)}: ${mac.problem}`,
        },
      options.bmcAddress !== undefined &&
        'problem' in address && {
          ...issueWith(bmcAddress, ['bmcAddress'], address.problem),
          hint: address.hint ?? bmcAddress.hint,
        },
      issues,
    ),
  };
}

export function requireImage({ imageChecksum, imageSource }: DeployOptions, nameOf: NameOption): void {
  if (imageSource !== undefined || imageChecksum === undefined) return;
  const source = nameOf('imageSource');
  throw new UsageError(`${nameOf('imageChecksum')} requires ${source}`, { hint: `pass ${source} URL, too` });
}

/** Whether there are settings that deploy steps cannot contain. */
export function needsConfigDrive({ ignition, appendKarg = [], copyNetwork }: DeployOptions): boolean {
  return ignition !== undefined || appendKarg.length > 0 || copyNetwork !== undefined;
}

export function emptyConfigDrive(nameOf: NameOption): UsageError {
  return new UsageError('the config drive is empty', {
    hint: `pass ${nameOf('ignition')}, ${nameOf('appendKarg')} or ${nameOf('copyNetwork')}`,
  });
}

/**
 * Reads the config for the installed host, and reports the findings of Ignition's rules and the rules of
 * `install_coreos`. Returns undefined if no config is given.
 */
export async function readInstalledConfig(
  { ignition: file, imageSource = '', filesDir }: DeployOptions,
  io: Io,
): Promise<Mapping | undefined> {
  if (file === undefined) return undefined;
  const [document] = await readConfigFiles([file], io, { filesDir, lint: 'auto', machine: 'installed' });
  if (document === undefined) return undefined;
  const issues = [...checkInstalledConfig(document.config), ...checkInlined(document)];
  reportFindings(issues, document, io);
  if (hasErrors(issues)) {
    throw new CliError('install_coreos does not support this config', {
      code: 'ERR_CONFIG_INVALID',
      hint: 'fix the errors above',
    });
  }
  const files = new Map([[CONFIG_NAME, document.json]]);
  requireContents({ files, build: buildOfImageUrl(imageSource) }, { io, options: {} });
  // As Ignition reads it: the agent adds members, which it cannot do in a null.
  return asMapping(JSON.parse(formatIgnition(document.config)));
}

/** Finds inlined configs that run the agent. The issue is at the reference to the inlined config. */
function checkInlined({ config, version }: ValidConfig): readonly Finding[] {
  const effective = resolveConfig({ config, version });
  return checkInstalledConfig(effective.config).flatMap((issue) => {
    const { place } = effective.locate(issue.path);
    const [reference] = place;
    const isOfRamdisk = issue.rule === configOfRamdisk.rule;
    return isOfRamdisk && reference !== undefined ? [{ ...issue, path: reference }] : [];
  });
}
