/**
 * Rules for images that boot the agent. Errors are damage, with which other programs refuse the image; warnings are about
 * images that do not boot the agent as intended.
 */

import { errorRule, warningRule } from '../../ignition/rule.ts';
import { UNFINISHED_EDIT, UNFINISHED_HINT } from '../rollback.ts';

/** In the order of the documentation. */
export const imageRules = {
  editUnfinished: errorRule('image-unfinished-edit', UNFINISHED_EDIT, UNFINISHED_HINT),
  endUnexpected: warningRule(
    'image-end',
    'the size of the image differs from the size in its headers',
    'use `iso reset --force` to remove data after the end of the volume, and embed the config again',
  ),
  embedAreaUnreadable: errorRule(
    'image-embed-area',
    'the reserved area cannot be read',
    'use `iso reset --force` to clear the reserved area, and embed the config again',
  ),
  kernelArgumentsUnreadable: errorRule(
    'image-kernel-arguments',
    'the kernel arguments cannot be read',
    'use `iso reset --force` to restore the default kernel arguments',
  ),
  featuresUnreadable: errorRule(
    'image-features',
    'the features of the live system cannot be read',
    'download the image again',
  ),
  appendixUnreadable: errorRule(
    'image-appendix',
    'the record of appended data is damaged',
    'download the original image again; it cannot be restored from this image',
  ),
  layoutUnreadable: errorRule(
    'image-files',
    'the files of the image cannot be listed',
    'copy or download the image again',
  ),
  configUnreadable: errorRule(
    'image-config',
    'the Ignition config cannot be read',
    'use `validate` to check the config',
  ),
  configMissing: warningRule(
    'image-config-missing',
    'no Ignition config is embedded, and no kernel argument sets ignition.config.url=: the agent does not start',
    'use `iso ignition embed` to embed a config, or set ignition.config.url=',
  ),
  initrdConfigMissing: warningRule(
    'image-config-url',
    'no Ignition config is embedded: the agent starts only if the kernel arguments set ignition.config.url=',
    'use `pxe ignition wrap` to append a config, or set ignition.config.url= in the kernel arguments',
  ),
  configUnread: warningRule(
    'image-config-unread',
    'the embedded Ignition config has no effect: the ramdisk is not CoreOS and does not support Ignition',
    'use kernel arguments (ipa-...) for the settings, or use the initramfs of a CoreOS live system',
  ),
  configTwice: warningRule(
    'image-config-twice',
    'an Ignition config is embedded, and ignition.config.url= refers to a second config',
    'remove one of them with `iso ignition remove` or `iso kargs modify -d`',
  ),
  firstBootMissing: warningRule(
    'image-first-boot',
    'kernel arguments that Ignition requires are missing',
    'add them with `iso kargs modify -a`, or use `iso kargs reset`',
  ),
  mediumNotFound: warningRule(
    'image-label',
    'the live system does not find its root filesystem: it searches for a medium with a different label',
    'use `iso kargs reset`, and do not change the label of the image',
  ),
  rootfsMissing: warningRule(
    'image-rootfs-missing',
    'the image contains no root filesystem, and coreos.live.rootfs_url= is not set: the boot fails',
    'use `iso kargs modify -a coreos.live.rootfs_url=URL`',
  ),
  networkNotSupported: warningRule(
    'image-network-support',
    'the live system does not support embedded network settings',
    'use a newer image, or configure the network in the Ignition config and with kernel arguments (ip=)',
  ),
  keyfileUnreadable: warningRule(
    'image-keyfile',
    'NetworkManager ignores an embedded keyfile',
    'fix the keyfile, and embed all keyfiles again with `iso network embed -f`',
  ),
  archiveMissing: warningRule(
    'image-archive-missing',
    'the config loads the agent archive from the medium, but the archive is missing: the agent does not start',
    'add the archive with `iso ignition embed --iso-file FILE:NAME`; use the NAME in the config',
  ),
  archiveOther: warningRule(
    'image-archive-other',
    'the checksum of the agent archive on the medium differs from the config: the agent does not start',
    'remove the archive with `iso reset`, and add the archive that the config was rendered with',
  ),
  archiveUnreadable: warningRule(
    'image-archive-unreadable',
    'the agent archive cannot be loaded',
    'create it again: podman save --format oci-archive -o FILE IMAGE',
  ),
};
