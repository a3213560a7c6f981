/**
 * Problems of images that boot the agent. Errors are damage, which makes every program that reads the image fail; warnings
 * are images that would not boot the agent as intended.
 */

import { errorRule, lintError, lintWarning } from '../../core/rule.ts';
import { COPY_AGAIN, DOWNLOAD_AGAIN } from '../imageHints.ts';
import { UNFINISHED_EDIT, UNFINISHED_HINT } from '../rollback.ts';

/** In the order of the documentation. */
export const imageRules = {
  editUnfinished: errorRule('image-unfinished-edit', UNFINISHED_EDIT, UNFINISHED_HINT),
  unreadable: errorRule('image-unreadable', 'a part of the image cannot be read', DOWNLOAD_AGAIN),
  configUnreadable: errorRule(
    'image-config',
    'the embedded config is not a readable Ignition config',
    'run `ironic-coreos validate FILE` to list its errors',
  ),
  configMissing: lintWarning(
    'image-config-missing',
    'no embedded Ignition config, and no kernel argument with its URL: the agent does not start',
    'embed a config with `iso ignition embed`, or add ignition.config.url=URL with `iso kargs modify -a`',
  ),
  initrdConfigMissing: lintWarning(
    'image-config-url',
    'no embedded Ignition config: the agent starts only if ignition.config.url= is set',
    'append a config with `pxe ignition wrap`, or set ignition.config.url= in the kernel arguments',
  ),
  configUnread: lintWarning(
    'image-config-unread',
    'the image contains an Ignition config, but its system is not CoreOS and does not run Ignition',
    'pass the settings as kernel arguments (ipa-...), or use the initramfs of a CoreOS live system',
  ),
  configTwice: lintWarning(
    'image-config-twice',
    'the image contains an Ignition config, and ignition.config.url= refers to another one',
    'remove one of them with `iso ignition remove` or `iso kargs modify -d`',
  ),
  specUnsupported: lintError(
    'image-spec-version',
    'the Ignition of the image does not support the spec version of its config, so the boot stops',
    'use a newer image, or translate the config with `ironic-coreos ignition translate`',
  ),
  firstBootMissing: lintError(
    'image-first-boot',
    'the kernel arguments that run Ignition are missing',
    'append them with `iso kargs modify -a`, or restore the default with `iso kargs reset`',
  ),
  mediumNotFound: lintError(
    'image-label',
    'the kernel arguments name another volume label, so the live system does not find its root filesystem',
    'give the image its label again, or replace the argument with `iso kargs modify -d coreos.liveiso=OLD -a coreos.liveiso=LABEL`',
  ),
  rootfsMissing: lintError(
    'image-rootfs-missing',
    'the image contains no root filesystem, and no kernel argument has its URL: the boot fails',
    'append coreos.live.rootfs_url=URL with `iso kargs modify -a`',
  ),
  networkNotSupported: lintWarning(
    'image-network-support',
    'the live system ignores the embedded network configuration',
    'use a newer image, or set the network in the Ignition config and with kernel arguments (ip=)',
  ),
  networkTwice: lintWarning(
    'image-network-twice',
    'the live system ignores the network of the kernel arguments, because the image contains keyfiles',
    'remove the network arguments, or the keyfiles (nmstate, network data) of the image',
  ),
  initramfsNetworkMissing: lintWarning(
    'image-initramfs-network',
    'the static network is only in the config, so the initramfs cannot fetch the root filesystem',
    'embed the keyfiles with `iso network embed -k FILE`, or add the arguments of `pxe kargs --static` with `iso kargs modify -a`',
  ),
  keyfileUnreadable: lintWarning(
    'image-keyfile',
    'NetworkManager ignores an embedded keyfile',
    'fix the keyfile, and embed all of them again with `iso network embed -f`',
  ),
  archive: lintError(
    'image-archive',
    'the agent archive on the medium is missing, another one, or unreadable',
    'add the archive that the config was rendered with: `iso ignition embed --iso-file FILE:NAME`',
  ),
};

const { archive, unreadable } = imageRules;

export const unreadableParts = {
  embedArea: {
    ...unreadable,
    message: 'the reserved area contains unreadable data',
    hint: 'clear it with `iso reset --force`, and embed the config again',
  },
  kernelArguments: {
    ...unreadable,
    message: 'the kernel arguments cannot be read',
    hint: 'restore the default kernel arguments with `iso reset --force`',
  },
  features: { ...unreadable, message: 'the list of features of the live system cannot be read' },
  appendix: {
    ...unreadable,
    message: 'the record of the data that was appended to the image is damaged',
  },
  files: { ...unreadable, message: 'the files of the image cannot be listed', hint: COPY_AGAIN },
};

/** Why the agent's image cannot be loaded from the medium. */
export const archiveProblems = {
  missing: {
    ...archive,
    message: 'the agent archive that the config loads is missing on the medium: the agent does not start',
    hint: 'add it with `iso ignition embed --iso-file FILE:NAME`, with the NAME from the config',
  },
  other: {
    ...archive,
    message:
      'the agent archive on the medium differs from the one that the config loads: the agent does not start',
    hint: 'remove it with `iso reset`, and add the archive that the config was rendered with',
  },
  unreadable: {
    ...archive,
    message: 'the agent archive cannot be loaded',
    hint: 'create it again with podman save --format oci-archive -o FILE IMAGE',
  },
};
