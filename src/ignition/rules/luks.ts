/** Encrypted volumes. */

import type { Clevis, Luks } from '../config.ts';
import { errorRules, found, issue } from '../../core/rule.ts';
import { type Check, isNonZero } from '../check.ts';
import { isSince } from '../versions.ts';
import { diskRules } from './disk.ts';
import { devicePathIssue } from './path.ts';
import { urlIssue } from './url.ts';

export const luksRules = errorRules({
  'luks-name-slash': [
    'device names cannot contain slashes',
    'use a name without slashes: the device will be /dev/mapper/NAME',
  ],
  'luks-label-too-long': [
    'luks device labels cannot be longer than 47 characters',
    'shorten the label to 47 bytes of UTF-8',
  ],
  'clevis-custom-with-others': [
    'cannot use custom clevis config with tpm2, tang, or threshold',
    'use either custom, or tpm2, tang and threshold; the pin "sss" combines several pins in custom.config',
  ],
  'luks-key-file': ['invalid key-file source', 'fix keyFile.source'],
  'cex-with-clevis': ['cannot use cex with clevis', 'use either cex or clevis'],
  'cex-with-key-file': ['cannot use key file with cex', 'use either cex or keyFile'],
});

export const checkLuks: Check<Luks> = ({ cex, clevis = {}, device, keyFile, label = '', name }, version) => {
  const { custom } = clevis;
  // In 3.2.0 an empty `custom` counts, in later versions only one with a pin.
  const hasCustom = isSince(version, '3.3.0') ? Boolean(custom?.pin) : custom !== undefined;
  const hasCex = isSince(version, '3.5.0') && cex?.enabled === true;
  const hasClevis = Boolean(custom?.pin) || hasOwnPins(clevis);
  return found(
    name?.includes('/') && issue(luksRules['luks-name-slash'], ['name']),
    Buffer.byteLength(label) > 47 && issue(luksRules['luks-label-too-long'], ['label']),
    device ? devicePathIssue(device, ['device']) : issue(diskRules['disk-device-required'], ['device']),
    hasCustom && hasOwnPins(clevis) && issue(luksRules['clevis-custom-with-others'], ['clevis']),
    // Reported in addition to the error of the URL itself, at a field that does not exist, as in Ignition.
    keyFile?.source && urlIssue(keyFile.source, version, []) && issue(luksRules['luks-key-file'], ['keys']),
    hasCex && hasClevis && issue(luksRules['cex-with-clevis'], ['cex']),
    hasCex && keyFile?.source && issue(luksRules['cex-with-key-file'], ['cex']),
  );
};

function hasOwnPins({ tang = [], threshold, tpm2 }: Clevis): boolean {
  return tang.length > 0 || tpm2 === true || isNonZero(threshold);
}
