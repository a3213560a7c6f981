/**
 * What is deployed to a host, and the deploy interface that does it: an image that Ironic writes to the disk (`direct`), one that
 * a deploy step of the agent writes (`custom-agent`), a bootable container (`bootc`), or a live ISO that is booted instead
 * (`ramdisk`). Sources: Ironic 39, `ironic/drivers/modules/agent.py`, `autodetect.py` and `ramdisk.py`.
 */

import { refuseFile } from '../../../core/conductorFiles.ts';
import type { Finding, Path } from '../../../core/finding.ts';
import { quoteText } from '../../../core/foreignText.ts';
import { checkBootFiles } from '../../../kargs/bootFileNames.ts';
import { parseBootUrl } from '../../../kargs/urlArgument.ts';
import { errorRule, found, infoRule, issue, issueWith } from '../../../core/rule.ts';
import { isUuid } from '../../../core/objectName.ts';
import type { Mapping } from '../../../formats/mapping.ts';
import type { DeployOptions } from '../options.ts';
import { checkImageChecksum, checkImageFormat, checkImageSource } from './installation.ts';
import type { StepName } from '../../../core/installSteps.ts';
import type { DeployInterface } from '../../../core/nodeInterfaces.ts';

/**
 * The deploy interface for the request: as given, otherwise the one that it needs. Undefined leaves it to the conductor, whose
 * default writes images.
 */
export function interfaceFor(options: DeployOptions): DeployInterface | undefined {
  const { bootIso, deployInterface, imageChecksum, imageSource } = options;
  if (deployInterface !== undefined) return deployInterface;
  if (bootIso !== undefined) return 'ramdisk';
  const isUnverified = imageSource !== undefined && imageChecksum === undefined;
  return isUnverified && needsChecksum(imageSource) ? 'custom-agent' : undefined;
}

/** Ironic computes the checksum of files itself, and that of images in Glance and containers is known. */
function needsChecksum(url: string): boolean {
  return /^https?:/.test(url);
}

const imageAndIso = errorRule(
  'image-and-boot-iso',
  'a host either installs an image or boots a live ISO',
  'remove {imageSource} or {bootIso}',
);
const notDeployed = errorRule(
  'deploy-interface',
  'the deploy interface does not deploy this',
  'use the deploy interface ramdisk, or {imageSource} instead of {bootIso}',
);
const imageReference = errorRule(
  'image-reference',
  'unsupported image reference for Ironic',
  'use an http, https or file URL, or the UUID of an image in Glance; of a container oci://REGISTRY/NAME:TAG to install, and with @sha256:DIGEST to boot',
);

/** Checks for a node, or with `custom-agent` for a BareMetalHost, too. Paths are the names of options. */
export function checkDeployment(options: DeployOptions): readonly Finding[] {
  const { bootIso, imageChecksum, imageFormat, imageSource: url } = options;
  const used = interfaceFor(options);
  if (url !== undefined && bootIso !== undefined) return [issue(imageAndIso, ['bootIso'])];
  if (url !== undefined && used === 'ramdisk') {
    const hint = 'use the deploy interface direct, or {bootIso} instead of {imageSource}';
    return [issue(notDeployed, ['imageSource'], hint)];
  }
  const format = checkImageFormat(imageFormat, used === 'custom-agent' ? 'coreos-installer' : 'ironic');
  if (bootIso !== undefined) {
    const isBooted = used === 'ramdisk' || used === 'autodetect';
    return found(
      !isBooted && issue(notDeployed, ['bootIso']),
      checkReference(['bootIso'], bootIso, 'iso'),
      checkBootFiles([{ use: 'live ISO', url: bootIso, path: ['bootIso'] }]),
      format,
    );
  }
  if (url === undefined) return format;
  return found(
    used === 'custom-agent'
      ? checkImageSource(url)
      : [
          ...checkReference(['imageSource'], url, 'image'),
          ...checkImageChecksum(imageChecksum, needsChecksum(url)),
        ],
    format,
    checkBootFiles([{ use: 'disk image', url, path: ['imageSource'] }]),
  );
}

/** As Ironic's image services: of a container that is booted, it does not look up the image behind a tag. */
const references = {
  image: /^(?:https?:|file:\/\/\/.|oci:\/\/[^/]+\/.)/,
  iso: /^(?:https?:|file:\/\/\/.)/,
  ramdisk: /^(?:https?:|file:\/\/\/.|oci:\/\/[^/@]+\/[^@]+@sha(?:256:[0-9a-f]{64}|512:[0-9a-f]{128})$)/,
} as const;

/** A reference with a user name may contain a password, so that it is not shown. */
export function checkReference(
  path: Path,
  reference: string,
  kind: keyof typeof references,
): readonly Finding[] {
  const refused = refuseFile(reference);
  if (refused?.isSystem === true) {
    const { hint, message } = refused;
    return [{ ...imageReference, path, message, hint }];
  }
  const isUrl = references[kind].test(reference) && !/[^!-~]/.test(reference);
  const isValid = isUrl && (!reference.startsWith('http') || parseBootUrl(reference) !== undefined);
  if (isValid || isUuid(reference.replace(/^glance:\/\//, ''))) return [];
  return [
    reference.includes('@')
      ? issue(imageReference, path)
      : issueWith(imageReference, path, quoteText(reference)),
  ];
}

/** Field names of Ironic. May be empty. */
export function instanceInfo(options: DeployOptions): Mapping {
  const { bootIso, imageChecksum, imageFormat, imageSource } = options;
  if (bootIso !== undefined) {
    // Without it, autodetect does not take the ISO for what is deployed.
    const isDetected = interfaceFor(options) === 'autodetect';
    return { boot_iso: bootIso, ...(isDetected && { ironic_ramdisk_deploy: true }) };
  }
  if (imageSource === undefined) return {};
  return {
    image_source: imageSource,
    ...(imageChecksum !== undefined && checksumInfo(imageChecksum)),
    ...(imageFormat !== undefined && { image_disk_format: imageFormat }),
  };
}

function checksumInfo(checksum: string): Mapping {
  if (checksum.includes(':')) return { image_checksum: checksum };
  return {
    image_os_hash_algo: checksum.length === 64 ? 'sha256' : 'sha512',
    image_os_hash_value: checksum.toLowerCase(),
  };
}

/**
 * The deploy interface for a step: as given, otherwise `direct` if the request has what that needs, because every Ironic enables it.
 * `custom-agent` needs nothing, but is off by default.
 */
export function stepsInterface(options: DeployOptions, step: StepName): DeployInterface {
  const { bootIso, deployInterface, imageChecksum } = options;
  const isDirect = step === 'install_coreos' && imageChecksum !== undefined;
  const byDefault = bootIso !== undefined ? 'ramdisk' : isDirect ? 'direct' : 'custom-agent';
  return deployInterface ?? byDefault;
}

const stepNotRun = errorRule(
  'step-interface',
  'the deploy interface does not run this deploy step',
  'use the deploy interface custom-agent; install_coreos also runs with direct',
);
const stepNeedsImage = errorRule(
  'step-image',
  'this deploy interface requires an image and its checksum, also if a deploy step installs it',
  'pass {imageSource} and {imageChecksum}, or use the deploy interface custom-agent',
);

/** Checks the image as coreos-installer reads it. Paths are the names of options. */
export function checkStepsDeployment(
  { imageChecksum, imageSource }: DeployOptions,
  step: StepName,
  deployInterface: DeployInterface,
): readonly Finding[] {
  const isDirect = deployInterface === 'direct' || deployInterface === 'autodetect';
  const isRun = deployInterface === 'custom-agent' || (isDirect && step === 'install_coreos');
  return found(
    !isRun && issueWith(stepNotRun, ['deployInterface'], deployInterface),
    isRun && isDirect && imageChecksum === undefined && issue(stepNeedsImage, ['deployInterface']),
    imageSource !== undefined && checkImageSource(imageSource),
    checkImageChecksum(imageChecksum, false),
  );
}

const setOnNode = infoRule(
  'steps-node',
  'deploy steps cannot contain what they need on the node',
  'use --format command, which sets it',
);

/** Says how to set on the node what the steps cannot contain. */
export function noteNode(options: DeployOptions, deployInterface: DeployInterface): Finding {
  const info = Object.entries(instanceInfo(options)).map(
    ([name, value]) => ` --instance-info ${name}=${String(value)}`,
  );
  const words = `--deploy-interface ${deployInterface}${info.join('')}`;
  const hint = `run baremetal node set NODE ${words}, or use --format command, which sets it`;
  return issue(setOnNode, [], hint);
}
