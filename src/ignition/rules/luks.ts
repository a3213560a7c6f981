/** Encrypted volumes. */

import type { Clevis, Luks } from '../config.ts';
import { found, issue, errorRule } from '../../core/rule.ts';
import { type Check, isNonZero } from '../check.ts';
import { isSince } from '../versions.ts';
import { diskRules } from './disk.ts';
import { devicePathIssue } from './path.ts';
import { urlIssue } from './url.ts';

export const luksRules = {
  nameSlash: errorRule(
    'luks-name-slash',
    'device names cannot contain slashes',
    'use a name without slashes: the device will be /dev/mapper/NAME',
  ),
  labelTooLong: errorRule(
    'luks-label-too-long',
    'luks device labels cannot be longer than 47 characters',
    'shorten the label to 47 bytes of UTF-8',
  ),
  customWithOthers: errorRule(
    'clevis-custom-with-others',
    'cannot use custom clevis config with tpm2, tang, or threshold',
    'use either custom, or tpm2, tang and threshold; the pin "sss" combines several pins in custom.config',
  ),
  keyFile: errorRule('luks-key-file', 'invalid key-file source', 'fix keyFile.source'),
  cexWithClevis: errorRule('cex-with-clevis', 'cannot use cex with clevis', 'use either cex or clevis'),
  cexWithKeyFile: errorRule('cex-with-key-file', 'cannot use key file with cex', 'use either cex or keyFile'),
};

export const checkLuks: Check<Luks> = ({ cex, clevis = {}, device, keyFile, label = '', name }, version) => {
  const { custom } = clevis;
  // In 3.2.0 an empty `custom` counts, in later versions only one with a pin.
  const hasCustom = isSince(version, '3.3.0') ? Boolean(custom?.pin) : custom !== undefined;
  const hasCex = isSince(version, '3.5.0') && cex?.enabled === true;
  const hasClevis = Boolean(custom?.pin) || hasOwnPins(clevis);
  return found(
    name?.includes('/') && issue(luksRules.nameSlash, ['name']),
    Buffer.byteLength(label) > 47 && issue(luksRules.labelTooLong, ['label']),
    device ? devicePathIssue(device, ['device']) : issue(diskRules.deviceRequired, ['device']),
    hasCustom && hasOwnPins(clevis) && issue(luksRules.customWithOthers, ['clevis']),
    // Reported in addition to the error of the URL itself, at a field that does not exist, as in Ignition.
    keyFile?.source && urlIssue(keyFile.source, version, []) && issue(luksRules.keyFile, ['keys']),
    hasCex && hasClevis && issue(luksRules.cexWithClevis, ['cex']),
    hasCex && keyFile?.source && issue(luksRules.cexWithKeyFile, ['cex']),
  );
};

function hasOwnPins({ tang = [], threshold, tpm2 }: Clevis): boolean {
  return tang.length > 0 || tpm2 === true || isNonZero(threshold);
}
