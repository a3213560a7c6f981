/** Clevis configuration of an encrypted volume: a custom pin, or Tang servers. */

import type { Finding } from '../../core/finding.ts';
import { isGoJsonText } from '../../formats/json/tree.ts';
import type { ClevisCustom, Tang } from '../config.ts';
import { errorRules, found, issue } from '../../core/rule.ts';
import type { Check } from '../check.ts';
import { isSince, type SpecVersion } from '../versions.ts';
import { serverUrlIssue, urlRules } from './url.ts';

export const clevisRules = errorRules({
  'clevis-pin-required': ['missing required custom clevis pin', 'set "pin", e.g. to "sss", or remove custom'],
  'clevis-pin-unknown': [
    'unsupported clevis pin',
    'use the pin tpm2, tang or sss; 3.6.0 and newer allow any',
  ],
  'clevis-config-required': [
    'missing required custom clevis config',
    'set "config" to the configuration of the pin, as JSON in a string',
  ],
  'tang-thumbprint-required': [
    'thumbprint is required',
    'set "thumbprint" to the thumbprint of the signing key; tang-show-keys prints it on the server',
  ],
  'tang-advertisement-json': [
    'advertisement is not valid JSON',
    'set "advertisement" to the JSON that the server returns for /adv, as a string',
  ],
});

/** In 3.2.0 the type is called Custom, and an unknown pin takes precedence over a missing one. */
export const checkClevisCustom: Check<ClevisCustom> = (custom, version) => {
  const { config, needsNetwork, pin } = custom;
  const isUsed = pin || config || (needsNetwork === true && isSince(version, '3.3.0'));
  if (!isUsed) return [];
  return found(pinIssue(pin, version), !config && issue(clevisRules['clevis-config-required'], ['config']));
};

export const checkTang: Check<Tang> = ({ advertisement, thumbprint, url = '' }, version) =>
  found(
    serverUrlIssue(
      url,
      ['url'],
      issue(urlRules['url-scheme'], ['url'], 'use the http or https URL of the Tang server'),
    ),
    !thumbprint && issue(clevisRules['tang-thumbprint-required'], ['thumbprint']),
    isSince(version, '3.4.0') &&
      advertisement &&
      !isGoJsonText(advertisement) &&
      issue(clevisRules['tang-advertisement-json'], ['advertisement']),
  );

function pinIssue(pin: string | undefined, version: SpecVersion): Finding | undefined {
  const at = ['pin'];
  if (!pin && isSince(version, '3.3.0')) return issue(clevisRules['clevis-pin-required'], at);
  const isAllowed = isSince(version, '3.6.0') || ['tpm2', 'tang', 'sss'].includes(pin ?? '');
  return isAllowed ? undefined : issue(clevisRules['clevis-pin-unknown'], at);
}
