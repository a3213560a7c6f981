/**
 * What is deployed to a host, and the deploy interface that does it: an image that Ironic writes to the disk (`direct`), one that
 * a deploy step of the agent writes (`custom-agent`), a bootable container (`bootc`), or a live ISO that is booted instead
 * (`ramdisk`). Sources: Ironic 39, `ironic/drivers/modules/agent.py`, `autodetect.py` and `ramdisk.py`.
 */

import type { Finding, Path } from '../../../core/finding.ts';
import { quoteText } from '../../../core/foreignText.ts';
import { checkBootFiles } from '../../../kargs/bootFileNames.ts';
import { parseBootUrl } from '../../../kargs/urlArgument.ts';
import { errorRule, found, infoRule, issue, issueWith } from '../../../core/rule.ts';
import { isUuid } from '../../../core/objectName.ts';
import type { Mapping } from '../../../formats/mapping.ts';
import { checkImageChecksum, checkImageFormat, checkImageSource, type InstallImage } from './installation.ts';
import type { DeployInterface } from './interfaces.ts';
import type { StepName } from '../../../core/installSteps.ts';

export interface Deployment {
  /** As given; undefined if the request does not name one. */
  readonly deployInterface?: DeployInterface | undefined;
  readonly image?: InstallImage | undefined;
  /** URL of a live ISO that the host boots each time, instead of an installation. */
  readonly bootIso?: string | undefined;
}

/**
 * The deploy interface for the request: as given, otherwise the one that it needs. Undefined leaves it to the conductor, whose
 * default writes images.
 */
export function interfaceFor({ deployInterface, image, bootIso }: Deployment): DeployInterface | undefined {
  if (deployInterface !== undefined) return deployInterface;
  if (bootIso !== undefined) return 'ramdisk';
  return image !== undefined && needsChecksum(image.url) && image.checksum === undefined
    ? 'custom-agent'
    : undefined;
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
export function checkDeployment(deployment: Deployment): readonly Finding[] {
  const { image, bootIso } = deployment;
  const used = interfaceFor(deployment);
  if (image !== undefined && bootIso !== undefined) return [issue(imageAndIso, ['bootIso'])];
  if (bootIso !== undefined) {
    const isBooted = used === 'ramdisk' || used === 'autodetect';
    return found(
      !isBooted && issue(notDeployed, ['bootIso']),
      checkReference(['bootIso'], bootIso, 'iso'),
      checkBootFiles([{ use: 'live ISO', url: bootIso, path: ['bootIso'] }]),
    );
  }
  if (image === undefined) return [];
  const name = checkBootFiles([{ use: 'disk image', url: image.url, path: ['imageSource'] }]);
  if (used === 'custom-agent') return [...checkImageSource(image), ...name];
  if (used === 'ramdisk') {
    const hint = 'use the deploy interface direct, or {bootIso} instead of {imageSource}';
    return [issue(notDeployed, ['imageSource'], hint)];
  }
  return [
    ...checkReference(['imageSource'], image.url, 'image'),
    ...checkImageChecksum(image, needsChecksum(image.url)),
    ...checkImageFormat(image.format, 'ironic'),
    ...name,
  ];
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
export function instanceInfo(deployment: Deployment): Mapping {
  const { image, bootIso } = deployment;
  if (bootIso !== undefined) {
    // Without it, autodetect does not take the ISO for what is deployed.
    const isDetected = interfaceFor(deployment) === 'autodetect';
    return { boot_iso: bootIso, ...(isDetected && { ironic_ramdisk_deploy: true }) };
  }
  if (image === undefined) return {};
  const { url, checksum, format } = image;
  return {
    image_source: url,
    ...(checksum !== undefined && checksumInfo(checksum)),
    ...(format !== undefined && { image_disk_format: format }),
  };
}

function checksumInfo(checksum: string): Mapping {
  if (checksum.includes(':')) return { image_checksum: checksum };
  return {
    image_os_hash_algo: checksum.length === 64 ? 'sha256' : 'sha512',
    image_os_hash_value: checksum.toLowerCase(),
  };
}

/** What deploy steps of the agent need on their node. */
export interface StepsDeployment extends Deployment {
  readonly deployInterface: DeployInterface;
}

/**
 * The deploy interface for a step: as given, otherwise `direct` if the request has what that needs, because every Ironic enables it.
 * `custom-agent` needs nothing, but is off by default.
 */
export function stepsDeployment(deployment: Deployment, step: StepName): StepsDeployment {
  const { image, bootIso } = deployment;
  const isDirect = step === 'install_coreos' && image?.checksum !== undefined;
  const byDefault = bootIso !== undefined ? 'ramdisk' : isDirect ? 'direct' : 'custom-agent';
  return { ...deployment, deployInterface: deployment.deployInterface ?? byDefault };
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
  { deployInterface, image }: StepsDeployment,
  step: StepName,
): readonly Finding[] {
  const isDirect = deployInterface === 'direct' || deployInterface === 'autodetect';
  const isRun = deployInterface === 'custom-agent' || (isDirect && step === 'install_coreos');
  return found(
    !isRun && issueWith(stepNotRun, ['deployInterface'], deployInterface),
    isRun && isDirect && image?.checksum === undefined && issue(stepNeedsImage, ['deployInterface']),
    image === undefined ? [] : [...checkImageSource(image), ...checkImageChecksum(image, false)],
  );
}

const setOnNode = infoRule(
  'steps-node',
  'deploy steps cannot contain what they need on the node',
  'use --format command, which sets it',
);

/** Says how to set on the node what the steps cannot contain. */
export function noteNode(deployment: StepsDeployment): readonly Finding[] {
  const info = Object.entries(instanceInfo(deployment)).map(
    ([name, value]) => ` --instance-info ${name}=${String(value)}`,
  );
  const words = `--deploy-interface ${deployment.deployInterface}${info.join('')}`;
  return [
    {
      ...setOnNode,
      path: [],
      hint: `run baremetal node set NODE ${words}, or use --format command, which sets it`,
    },
  ];
}
