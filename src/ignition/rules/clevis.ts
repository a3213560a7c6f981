/** Clevis configuration of an encrypted volume: a custom pin, or Tang servers. */

import type { Finding } from '../../core/finding.ts';
import { isGoJsonText } from '../../formats/json/tree.ts';
import type { ClevisCustom, Tang } from '../config.ts';
import { errorRule, found, issue } from '../../core/rule.ts';
import type { Check } from '../check.ts';
import { isSince, type SpecVersion } from '../versions.ts';
import { serverUrlIssue, urlRules } from './url.ts';

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

/** In 3.2.0 the type is called Custom, and an unknown pin takes precedence over a missing one. */
export const checkClevisCustom: Check<ClevisCustom> = (custom, version) => {
  const { config, needsNetwork, pin } = custom;
  const isUsed = pin || config || (needsNetwork === true && isSince(version, '3.3.0'));
  if (!isUsed) return [];
  return found(pinIssue(pin, version), !config && issue(clevisRules.configRequired, ['config']));
};

export const checkTang: Check<Tang> = ({ advertisement, thumbprint, url = '' }, version) =>
  found(
    serverUrlIssue(
      url,
      ['url'],
      issue(urlRules.scheme, ['url'], 'use the http or https URL of the Tang server'),
    ),
    !thumbprint && issue(clevisRules.tangThumbprint, ['thumbprint']),
    isSince(version, '3.4.0') &&
      advertisement &&
      !isGoJsonText(advertisement) &&
      issue(clevisRules.tangAdvertisement, ['advertisement']),
  );

function pinIssue(pin: string | undefined, version: SpecVersion): Finding | undefined {
  const at = ['pin'];
  if (!pin && isSince(version, '3.3.0')) return issue(clevisRules.pinRequired, at);
  const isAllowed = isSince(version, '3.6.0') || ['tpm2', 'tang', 'sss'].includes(pin ?? '');
  return isAllowed ? undefined : issue(clevisRules.pinUnknown, at);
}
