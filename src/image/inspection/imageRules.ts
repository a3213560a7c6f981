/**
 * What may be wrong with an image that is meant to boot the agent. Errors are damage, which every program that reads the
 * image refuses; warnings are about a boot that would not do what was meant.
 */

import type { Rule } from '../../ignition/rule.ts';
import { UNFINISHED_EDIT, UNFINISHED_HINT } from '../rollback.ts';

export const editUnfinished: Rule = {
  id: 'image-unfinished-edit',
  severity: 'error',
  message: UNFINISHED_EDIT,
  hint: UNFINISHED_HINT,
};
export const endUnexpected: Rule = {
  id: 'image-end',
  severity: 'warning',
  message: 'the image does not end where it says',
  hint: 'remove what is behind its end with `iso reset --force`, and embed the config again',
};
export const embedAreaUnreadable: Rule = {
  id: 'image-embed-area',
  severity: 'error',
  message: 'the embed area holds what cannot be read',
  hint: 'empty it with `iso reset --force`, and embed the config again',
};
export const kernelArgumentsUnreadable: Rule = {
  id: 'image-kernel-arguments',
  severity: 'error',
  message: 'the kernel arguments cannot be read',
  hint: 'put the default ones back with `iso reset --force`',
};
export const featuresUnreadable: Rule = {
  id: 'image-features',
  severity: 'error',
  message: 'what the live system supports cannot be read',
  hint: 'download the image again',
};
export const appendixUnreadable: Rule = {
  id: 'image-appendix',
  severity: 'error',
  message: 'the record of what was appended to the image is damaged',
  hint: 'the original image cannot be restored from this one; download it again',
};
export const layoutUnreadable: Rule = {
  id: 'image-files',
  severity: 'error',
  message: 'the files of the image cannot be listed',
  hint: 'copy or download the image again',
};
export const configUnreadable: Rule = {
  id: 'image-config',
  severity: 'error',
  message: 'the embedded config is no Ignition config that can be read',
  hint: 'check it with `validate`',
};
export const configMissing: Rule = {
  id: 'image-config-missing',
  severity: 'warning',
  message: 'no Ignition config is embedded, and no kernel argument names one: nothing starts the agent',
  hint: 'embed one with `iso ignition embed`, or name one with ignition.config.url=',
};
export const initrdConfigMissing: Rule = {
  id: 'image-config-url',
  severity: 'warning',
  message: 'no Ignition config is embedded: the agent starts only if ignition.config.url= names one',
  hint: 'append one with `pxe ignition wrap`, or name one among the kernel arguments',
};
export const configUnread: Rule = {
  id: 'image-config-unread',
  severity: 'warning',
  message:
    'an Ignition config is embedded, and the system of the image, which is not CoreOS, has no Ignition',
  hint: 'give the settings by kernel arguments (ipa-...), or take the initramfs of a CoreOS live system',
};
export const configTwice: Rule = {
  id: 'image-config-twice',
  severity: 'warning',
  message: 'an Ignition config is embedded, and ignition.config.url= names another one',
  hint: 'take one of them out with `iso ignition remove` or `iso kargs modify -d`',
};
export const firstBootMissing: Rule = {
  id: 'image-first-boot',
  severity: 'warning',
  message: 'the kernel arguments lack what makes Ignition run',
  hint: 'append it with `iso kargs modify -a`, or go back with `iso kargs reset`',
};
export const mediumNotFound: Rule = {
  id: 'image-label',
  severity: 'warning',
  message: 'the live system looks for a medium with another label and does not find its root filesystem',
  hint: 'go back with `iso kargs reset`, and leave the label of the image as it was',
};
export const rootfsMissing: Rule = {
  id: 'image-rootfs-missing',
  severity: 'warning',
  message: 'the image has no root filesystem, and no kernel argument names one: the boot fails',
  hint: 'append coreos.live.rootfs_url=URL with `iso kargs modify -a`',
};
export const networkNotSupported: Rule = {
  id: 'image-network-support',
  severity: 'warning',
  message: 'the live system does not look at the embedded network settings',
  hint: 'use a newer image, or give the network in the Ignition config and by kernel arguments (ip=)',
};
export const keyfileUnreadable: Rule = {
  id: 'image-keyfile',
  severity: 'warning',
  message: 'NetworkManager will pass over an embedded keyfile',
  hint: 'mend it, and embed all of them again with `iso network embed -f`',
};

export const archiveMissing: Rule = {
  id: 'image-archive-missing',
  severity: 'warning',
  message:
    "the config loads the agent's image from the medium, which does not have it: the agent does not start",
  hint: 'add it: `iso ignition embed --iso-file FILE:NAME`, with the NAME that the config has',
};
export const archiveOther: Rule = {
  id: 'image-archive-other',
  severity: 'warning',
  message: 'the archive on the medium is another one than the config loads: the agent does not start',
  hint: 'take it out with `iso reset`, and add the one that the config was rendered with',
};
export const archiveUnreadable: Rule = {
  id: 'image-archive-unreadable',
  severity: 'warning',
  message: "the archive of the agent's image cannot be loaded",
  hint: 'make it again: podman save --format oci-archive -o FILE IMAGE',
};

/** In the order in which they are documented. */
export const imageRules: readonly Rule[] = [
  editUnfinished,
  endUnexpected,
  embedAreaUnreadable,
  kernelArgumentsUnreadable,
  featuresUnreadable,
  appendixUnreadable,
  layoutUnreadable,
  configUnreadable,
  configMissing,
  initrdConfigMissing,
  configUnread,
  configTwice,
  firstBootMissing,
  mediumNotFound,
  rootfsMissing,
  networkNotSupported,
  keyfileUnreadable,
  archiveMissing,
  archiveOther,
  archiveUnreadable,
];
