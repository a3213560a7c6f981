/**
 * What may be wrong with an image that is meant to boot the agent. Errors are damage, which every program that reads the
 * image refuses; warnings are about a boot that would not do what was meant.
 */

import { errorRule, warningRule } from '../../ignition/rule.ts';
import { UNFINISHED_EDIT, UNFINISHED_HINT } from '../rollback.ts';

/** In the order in which they are documented. */
export const imageRules = {
  editUnfinished: errorRule('image-unfinished-edit', UNFINISHED_EDIT, UNFINISHED_HINT),
  endUnexpected: warningRule(
    'image-end',
    'the image does not end where it says',
    'remove what is behind its end with `iso reset --force`, and embed the config again',
  ),
  embedAreaUnreadable: errorRule(
    'image-embed-area',
    'the embed area holds what cannot be read',
    'empty it with `iso reset --force`, and embed the config again',
  ),
  kernelArgumentsUnreadable: errorRule(
    'image-kernel-arguments',
    'the kernel arguments cannot be read',
    'put the default ones back with `iso reset --force`',
  ),
  featuresUnreadable: errorRule(
    'image-features',
    'what the live system supports cannot be read',
    'download the image again',
  ),
  appendixUnreadable: errorRule(
    'image-appendix',
    'the record of what was appended to the image is damaged',
    'the original image cannot be restored from this one; download it again',
  ),
  layoutUnreadable: errorRule(
    'image-files',
    'the files of the image cannot be listed',
    'copy or download the image again',
  ),
  configUnreadable: errorRule(
    'image-config',
    'the embedded config is no Ignition config that can be read',
    'check it with `validate`',
  ),
  configMissing: warningRule(
    'image-config-missing',
    'no Ignition config is embedded, and no kernel argument names one: nothing starts the agent',
    'embed one with `iso ignition embed`, or name one with ignition.config.url=',
  ),
  initrdConfigMissing: warningRule(
    'image-config-url',
    'no Ignition config is embedded: the agent starts only if ignition.config.url= names one',
    'append one with `pxe ignition wrap`, or name one among the kernel arguments',
  ),
  configUnread: warningRule(
    'image-config-unread',
    'an Ignition config is embedded, and the system of the image, which is not CoreOS, has no Ignition',
    'give the settings by kernel arguments (ipa-...), or take the initramfs of a CoreOS live system',
  ),
  configTwice: warningRule(
    'image-config-twice',
    'an Ignition config is embedded, and ignition.config.url= names another one',
    'take one of them out with `iso ignition remove` or `iso kargs modify -d`',
  ),
  firstBootMissing: warningRule(
    'image-first-boot',
    'the kernel arguments lack what makes Ignition run',
    'append it with `iso kargs modify -a`, or go back with `iso kargs reset`',
  ),
  mediumNotFound: warningRule(
    'image-label',
    'the live system looks for a medium with another label and does not find its root filesystem',
    'go back with `iso kargs reset`, and leave the label of the image as it was',
  ),
  rootfsMissing: warningRule(
    'image-rootfs-missing',
    'the image has no root filesystem, and no kernel argument names one: the boot fails',
    'append coreos.live.rootfs_url=URL with `iso kargs modify -a`',
  ),
  networkNotSupported: warningRule(
    'image-network-support',
    'the live system does not look at the embedded network settings',
    'use a newer image, or give the network in the Ignition config and by kernel arguments (ip=)',
  ),
  keyfileUnreadable: warningRule(
    'image-keyfile',
    'NetworkManager will pass over an embedded keyfile',
    'mend it, and embed all of them again with `iso network embed -f`',
  ),
  archiveMissing: warningRule(
    'image-archive-missing',
    "the config loads the agent's image from the medium, which does not have it: the agent does not start",
    'add it: `iso ignition embed --iso-file FILE:NAME`, with the NAME that the config has',
  ),
  archiveOther: warningRule(
    'image-archive-other',
    'the archive on the medium is another one than the config loads: the agent does not start',
    'take it out with `iso reset`, and add the one that the config was rendered with',
  ),
  archiveUnreadable: warningRule(
    'image-archive-unreadable',
    "the archive of the agent's image cannot be loaded",
    'make it again: podman save --format oci-archive -o FILE IMAGE',
  ),
};
