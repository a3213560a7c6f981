/** What unlocks an encrypted volume by Clevis: a pin with a configuration of its own, or Tang servers. */

import { isGoJsonText } from '../../formats/goJsonText.ts';
import { parseGoUrl } from '../../formats/goUrl.ts';
import type { ClevisCustom, Tang } from '../config.ts';
import type { Check, Issue } from '../rule.ts';
import { isSince } from '../versions.ts';
import type { SpecVersion } from '../versions.ts';
import { found, issue, refusal } from './declare.ts';
import { unparsableIssue, urlRules } from './url.ts';

export const clevisRules = {
  pinRequired: refusal(
    'clevis-pin-required',
    'missing required custom clevis pin',
    'give the pin, e.g. "sss", or remove custom',
  ),
  pinUnknown: refusal(
    'clevis-pin-unknown',
    'unsupported clevis pin',
    'use the pin tpm2, tang or sss; 3.6.0 and newer allow any',
  ),
  configRequired: refusal(
    'clevis-config-required',
    'missing required custom clevis config',
    'give the configuration of the pin as JSON in a string',
  ),
  tangThumbprint: refusal(
    'tang-thumbprint-required',
    'thumbprint is required',
    'give the thumbprint of the signing key, as tang-show-keys prints it on the server',
  ),
  tangAdvertisement: refusal(
    'tang-advertisement-json',
    'advertisement is not valid JSON',
    'put the JSON that the server answers at /adv into the string',
  ),
};

const knownPins = new Set(['tpm2', 'tang', 'sss']);

/** In 3.2.0 the type is called Custom and an unknown pin counts more than a missing one. */
export const checkClevisCustom: Check<ClevisCustom> = (custom, version) => {
  const { config, needsNetwork, pin } = custom;
  const isUsed = pin || config || (needsNetwork === true && isSince(version, '3.3.0'));
  if (!isUsed) return [];
  return found(pinIssue(pin, version), config ? undefined : issue(clevisRules.configRequired, ['config']));
};

export const checkTang: Check<Tang> = ({ advertisement, thumbprint, url = '' }, version) =>
  found(
    tangUrlIssue(url),
    thumbprint ? undefined : issue(clevisRules.tangThumbprint, ['thumbprint']),
    isSince(version, '3.4.0') && advertisement && !isGoJsonText(advertisement)
      ? issue(clevisRules.tangAdvertisement, ['advertisement'])
      : undefined,
  );

function pinIssue(pin: string | undefined, version: SpecVersion): Issue | undefined {
  const at = ['pin'];
  if (!pin && isSince(version, '3.3.0')) return issue(clevisRules.pinRequired, at);
  const isAllowed = isSince(version, '3.6.0') || knownPins.has(pin ?? '');
  return isAllowed ? undefined : issue(clevisRules.pinUnknown, at);
}

function tangUrlIssue(text: string): Issue | undefined {
  const at = ['url'];
  const url = parseGoUrl(text);
  if ('problem' in url) return unparsableIssue(url.problem, at);
  const isHttp = url.scheme === 'http' || url.scheme === 'https';
  return isHttp ? undefined : issue(urlRules.scheme, at, 'write the http or https URL of the Tang server');
}
