/** Encrypted volumes, and the Clevis pins that unlock them. */

import { isGoJsonText } from '../../formats/json/tree.ts';
import type { Clevis, ClevisCustom, Luks, Tang } from '../config.ts';
import { found, type Issue, issue, errorRule } from '../../core/rule.ts';
import { type Check, isNonZero } from '../check.ts';
import { isSince, type SpecVersion } from '../versions.ts';
import { diskRules } from './disk.ts';
import { devicePathIssue } from './node.ts';
import { serverUrlIssue, urlIssue, urlRules } from './url.ts';

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
    Buffer.byteLength(label) > MAX_LABEL_BYTES && issue(luksRules.labelTooLong, ['label']),
    device ? devicePathIssue(device, ['device']) : issue(diskRules.deviceRequired, ['device']),
    hasCustom && hasOwnPins(clevis) && issue(luksRules.customWithOthers, ['clevis']),
    // Reported in addition to the error of the URL itself, at a field that does not exist, as in Ignition.
    keyFile?.source && urlIssue(keyFile.source, version, []) && issue(luksRules.keyFile, ['keys']),
    hasCex && hasClevis && issue(luksRules.cexWithClevis, ['cex']),
    hasCex && keyFile?.source && issue(luksRules.cexWithKeyFile, ['cex']),
  );
};

const MAX_LABEL_BYTES = 47;

function hasOwnPins({ tang = [], threshold, tpm2 }: Clevis): boolean {
  return tang.length > 0 || tpm2 === true || isNonZero(threshold);
}

/** Clevis configuration of an encrypted volume: a custom pin, or Tang servers. */
export const clevisRules = {
  pinRequired: errorRule(
    'clevis-pin-required',
    'missing required custom clevis pin',
    'set "pin", e.g. to "sss", or remove custom',
  ),
  pinUnknown: errorRule(
    'clevis-pin-unknown',
    'unsupported clevis pin',
    'use the pin tpm2, tang or sss; 3.6.0 and newer allow any',
  ),
  configRequired: errorRule(
    'clevis-config-required',
    'missing required custom clevis config',
    'set "config" to the configuration of the pin, as JSON in a string',
  ),
  tangThumbprint: errorRule(
    'tang-thumbprint-required',
    'thumbprint is required',
    'set "thumbprint" to the thumbprint of the signing key; tang-show-keys prints it on the server',
  ),
  tangAdvertisement: errorRule(
    'tang-advertisement-json',
    'advertisement is not valid JSON',
    'set "advertisement" to the JSON that the server returns for /adv, as a string',
  ),
};

const TANG_URL_HINT = 'use the http or https URL of the Tang server';

const knownPins = new Set(['tpm2', 'tang', 'sss']);

/** In 3.2.0 the type is called Custom, and an unknown pin takes precedence over a missing one. */
export const checkClevisCustom: Check<ClevisCustom> = (custom, version) => {
  const { config, needsNetwork, pin } = custom;
  const isUsed = pin || config || (needsNetwork === true && isSince(version, '3.3.0'));
  if (!isUsed) return [];
  return found(pinIssue(pin, version), !config && issue(clevisRules.configRequired, ['config']));
};

export const checkTang: Check<Tang> = ({ advertisement, thumbprint, url = '' }, version) =>
  found(
    serverUrlIssue(url, ['url'], issue(urlRules.scheme, ['url'], TANG_URL_HINT)),
    !thumbprint && issue(clevisRules.tangThumbprint, ['thumbprint']),
    isSince(version, '3.4.0') &&
      advertisement &&
      !isGoJsonText(advertisement) &&
      issue(clevisRules.tangAdvertisement, ['advertisement']),
  );

function pinIssue(pin: string | undefined, version: SpecVersion): Issue | undefined {
  const at = ['pin'];
  if (!pin && isSince(version, '3.3.0')) return issue(clevisRules.pinRequired, at);
  const isAllowed = isSince(version, '3.6.0') || knownPins.has(pin ?? '');
  return isAllowed ? undefined : issue(clevisRules.pinUnknown, at);
}
