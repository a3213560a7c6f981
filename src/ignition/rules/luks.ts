/** Encrypted volumes. What unlocks them by Clevis is in `clevis.ts`. */

import type { Clevis, Luks } from '../config.ts';
import type { Check, Issue } from '../rule.ts';
import { isSince } from '../versions.ts';
import type { SpecVersion } from '../versions.ts';
import { found, issue, refusal } from './declare.ts';
import { diskRules } from './disk.ts';
import { isNonZero } from './integers.ts';
import { devicePathIssue } from './path.ts';
import { sourceIssue } from './url.ts';

export const luksRules = {
  nameSlash: refusal(
    'luks-name-slash',
    'device names cannot contain slashes',
    'give a plain name: the device will be /dev/mapper/NAME',
  ),
  labelTooLong: refusal(
    'luks-label-too-long',
    'luks device labels cannot be longer than 47 characters',
    'shorten the label to 47 bytes of UTF-8',
  ),
  customWithOthers: refusal(
    'clevis-custom-with-others',
    'cannot use custom clevis config with tpm2, tang, or threshold',
    'keep either custom, or tpm2, tang and threshold; pin "sss" combines several of them in custom.config',
  ),
  keyFile: refusal('luks-key-file', 'invalid key-file source', 'correct keyFile.source'),
  cexWithClevis: refusal('cex-with-clevis', 'cannot use cex with clevis', 'keep either cex or clevis'),
  cexWithKeyFile: refusal('cex-with-key-file', 'cannot use key file with cex', 'keep either cex or keyFile'),
};

export const checkLuks: Check<Luks> = (luks, version) =>
  found(
    luks.name?.includes('/') ? issue(luksRules.nameSlash, ['name']) : undefined,
    labelIssue(luks),
    luks.device ? devicePathIssue(luks.device, ['device']) : issue(diskRules.deviceRequired, ['device']),
    customIssue(luks, version),
    keyFileIssue(luks, version),
    ...(isSince(version, '3.5.0') ? cexIssues(luks) : []),
  );

const maxLabelBytes = 47;

function labelIssue({ label = '' }: Luks): Issue | undefined {
  return Buffer.byteLength(label) > maxLabelBytes ? issue(luksRules.labelTooLong, ['label']) : undefined;
}

/** In 3.2.0 even an empty `custom` is there; later it is where it has a pin. */
function customIssue({ clevis = {} }: Luks, version: SpecVersion): Issue | undefined {
  const { custom } = clevis;
  const hasCustom = isSince(version, '3.3.0') ? Boolean(custom?.pin) : custom !== undefined;
  return hasCustom && hasOwnPins(clevis) ? issue(luksRules.customWithOthers, ['clevis']) : undefined;
}

function hasOwnPins({ tang = [], threshold, tpm2 }: Clevis): boolean {
  return tang.length > 0 || tpm2 === true || isNonZero(threshold);
}

/** Reported besides what is wrong with the URL itself, at a field that does not exist: that is where Ignition puts it. */
function keyFileIssue({ keyFile }: Luks, version: SpecVersion): Issue | undefined {
  const isWrong = sourceIssue(keyFile?.source, version, []) !== undefined;
  return isWrong ? issue(luksRules.keyFile, ['keys']) : undefined;
}

function cexIssues({ cex, clevis = {}, keyFile }: Luks): readonly (Issue | undefined)[] {
  if (cex?.enabled !== true) return [];
  const hasClevis = Boolean(clevis.custom?.pin) || hasOwnPins(clevis);
  return [
    hasClevis ? issue(luksRules.cexWithClevis, ['cex']) : undefined,
    keyFile?.source ? issue(luksRules.cexWithKeyFile, ['cex']) : undefined,
  ];
}
