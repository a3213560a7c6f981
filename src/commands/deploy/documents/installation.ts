/**
 * The inputs of `install_coreos` from Ironic: deploy step, config drive with meta data, Ignition config of the installed
 * host, and optionally another CoreOS image. Pre-rendered config drives (a gzipped ISO in base64) are not supported:
 * `install_coreos` rejects them. Neither is network_data: CoreOS does not read it.
 */

import type { Finding } from '../../../core/finding.ts';
import { errorRule, type Rule, warningRule } from '../../../core/rule.ts';
import { type KernelArgument, parseArgument } from '../../../kargs/argument.ts';
import { checkConsole } from '../../../kargs/console.ts';
import { readIp } from '../../../kargs/ip.ts';
import { checkArgumentNetwork } from '../../../kargs/networkChecks.ts';
import { isPlainText, parseBootUrl } from '../../../kargs/urlArgument.ts';
import { findAgentUnits } from '../../../hosts/input/installedConfig.ts';
import type { StepName } from '../../../core/installSteps.ts';
import type { DeployInterface } from '../../../core/nodeInterfaces.ts';
import type { Config } from '../../../ignition/config.ts';
import type { Mapping } from '../../../formats/mapping.ts';
import type { DeployOptions } from '../options.ts';

/**
 * The step has the priority that Metal3 gives it, between starting the ramdisk and booting the instance. Other deploy interfaces
 * than `custom-agent` would also write the image of the node: with the priority 0, that step is left out.
 */
export function renderDeploySteps(step: StepName, deployInterface: DeployInterface): readonly Mapping[] {
  const install = { interface: 'deploy', step, priority: 80, args: {} };
  if (deployInterface === 'custom-agent') return [install];
  return [install, { interface: 'deploy', step: 'write_image', priority: 0, args: {} }];
}

/** Field names of Ironic. May be empty. */
export function renderConfigDrive(config: Mapping | undefined, options: DeployOptions): Mapping {
  const metaData = renderMetaData(options);
  return {
    ...(config !== undefined && { user_data: config }),
    ...(metaData !== undefined && { meta_data: metaData }),
  };
}

const installKarg = errorRule(
  'install-karg',
  'invalid kernel argument: it requires a name, and must contain only printable ASCII without spaces and double quotes',
  'use NAME or NAME=VALUE, and pass each argument separately',
);

/** Paths begin with the name of the option. */
export function checkInstall({ appendKarg = [] }: DeployOptions): readonly Finding[] {
  const list = appendKarg.map((text, index) => parseArgument(text, ['appendKarg', index]));
  const issues = list.flatMap((argument) =>
    checkArgument(argument).map((issue) => ({ ...issue, path: argument.path })),
  );
  return [...issues, ...checkArgumentNetwork(list)];
}

function checkArgument({ name, text, value = '' }: KernelArgument): readonly Rule[] {
  if (name === '' || !isPlainText(text)) return [installKarg];
  if (name === 'console') return checkConsole(value);
  return name === 'ip' ? readIp(value).issues : [];
}

/** The meta data for the agent, with its field names; undefined if it is empty. Without `copyNetwork`, the agent decides. */
export function renderMetaData({ appendKarg = [], copyNetwork }: DeployOptions) {
  if (appendKarg.length === 0 && copyNetwork === undefined) return undefined;
  return {
    ...(appendKarg.length > 0 && { coreos_append_karg: [appendKarg.join(' ')] }),
    ...(copyNetwork !== undefined && { coreos_copy_network: copyNetwork }),
  };
}

const hostNameTwice = errorRule(
  'install-hostname-twice',
  'install_coreos adds /etc/hostname itself, and Ignition rejects a config with duplicate files',
  'remove the file; the installed host keeps the host name of the ramdisk',
);

/** Checks a config that is valid by Ignition's rules. Paths are relative to the config. */
export function checkInstalledConfig(config: Config): readonly Finding[] {
  const { storage = {} } = config;
  const hostNames = (['files', 'directories', 'links'] as const).flatMap((kind) =>
    (storage[kind] ?? []).flatMap((node, index) =>
      node.path === '/etc/hostname' ? [{ ...hostNameTwice, path: ['storage', kind, index, 'path'] }] : [],
    ),
  );
  return [...hostNames, ...findAgentUnits(config)];
}

const imageUrl = errorRule(
  'image-url',
  'invalid image URL for coreos-installer',
  'use the http or https URL of a metal image of CoreOS, …-metal.x86_64.raw.xz',
);
const imageUnverified = warningRule(
  'image-unverified',
  'install_coreos does not verify the image: coreos-installer accepts it without a signature',
  'serve the image over https from a trusted host, or remove it to install the CoreOS of the ramdisk',
);
const imageFormat = errorRule(
  'image-format',
  'unsupported image format',
  'use raw, or qcow2 with the deploy interface direct: coreos-installer only writes raw images, optionally compressed',
);
const isoIsNotInstalled = {
  message: 'a live ISO is not an image to install',
  hint: 'remove {imageFormat}, and pass the URL with {bootIso} instead of {imageSource}',
};
const imageChecksum = errorRule(
  'image-checksum',
  'missing or invalid image checksum: Ironic verifies what it writes, and the operator of Metal3 requires it',
  'pass the SHA-256 or SHA-512 of the image, or the URL of a checksum file, with {imageChecksum}',
);

export function checkImageSource(url: string): Finding {
  const isFetchable = /^[!-~]+$/.test(url) && /^https?:/.test(url) && parseBootUrl(url) !== undefined;
  const isOther = /\.(?:iso|ova|qcow2|vhd|vmdk)(?:\.(?:gz|xz|zst))?(?:\?|$)/.test(url);
  return { ...(isFetchable ? (isOther ? imageFormat : imageUnverified) : imageUrl), path: ['imageSource'] };
}

/** Checks the format, also without an image. @param writer what writes the image: coreos-installer only writes raw images */
export function checkImageFormat(
  format: string | undefined,
  writer: 'coreos-installer' | 'ironic',
): readonly Finding[] {
  if (format === undefined || format === 'raw' || (writer === 'ironic' && format === 'qcow2')) return [];
  return [{ ...imageFormat, ...(format === 'live-iso' && isoIsNotInstalled), path: ['imageFormat'] }];
}

/** @param isRequired whether an image without a checksum is refused, too */
export function checkImageChecksum(checksum: string | undefined, isRequired: boolean): readonly Finding[] {
  const isValid = checksum === undefined ? !isRequired : isChecksum(checksum);
  return isValid ? [] : [{ ...imageChecksum, path: ['imageChecksum'] }];
}

/** SHA-256, SHA-512, or the URL of a file with one. */
function isChecksum(text: string): boolean {
  const isDigest = /^(?:[0-9a-fA-F]{64}|[0-9a-fA-F]{128})$/.test(text);
  return isDigest || (/^https?:\/\/[!-~]+$/.test(text) && parseBootUrl(text) !== undefined);
}
