/**
 * Problems of a config file of ironic-python-agent. Errors prevent the agent from starting; warnings are problems that the
 * agent does not report, such as an unknown option.
 */

import { lintError, lintNote, lintWarning } from '../core/rule.ts';

export const confRules = {
  syntax: lintError(
    'conf-syntax',
    'the line is not a section, an option or a comment',
    'write "[SECTION]", "name = value", or a comment that starts with "#" in the first column',
  ),
  encoding: lintError(
    'conf-encoding',
    'the file contains bytes that are not UTF-8',
    'save the file as UTF-8',
  ),
  unknownSection: lintWarning(
    'conf-unknown-section',
    'unknown section: the agent ignores it and its options',
    'move the options to [DEFAULT] (capital letters, no spaces), where most options belong',
  ),
  unknownOption: lintWarning(
    'conf-unknown-option',
    'unknown option: the agent ignores it',
    'fix the name, which contains underscores and no dashes, or move it to its section',
  ),
  version: lintWarning(
    'conf-version',
    'unknown option in this version of the agent, which ignores it',
    'remove the line, or use a newer agent',
  ),
  value: lintError(
    'conf-value',
    'the value does not have the type of the option',
    'use a value of that type; a comment after the value is part of the value',
  ),
  choice: lintError('conf-choice', 'unsupported value of the option', 'use one of the listed values'),
  range: lintError('conf-range', 'the number is out of range', 'use a number within the range'),
  deprecated: lintNote('conf-deprecated', 'the option is deprecated', 'use the option that replaces it'),
  overridden: lintWarning(
    'conf-overridden',
    'the line has no effect, because another line sets the option',
    'keep only the line with the value that the agent should use',
  ),
  emptyNumber: lintWarning(
    'conf-empty-number',
    'the value is empty: the option has no value, and its default is not used',
    'remove the line to use the default',
  ),
  inlineComment: lintWarning(
    'conf-inline-comment',
    'the text that looks like a comment is part of the value',
    'move the comment to a separate line',
  ),
  url: lintWarning(
    'conf-url',
    'the agent starts, but cannot use the URL',
    'use http or https URLs, separated by commas without spaces',
  ),
  unusable: lintWarning(
    'conf-unusable',
    'the agent starts, but cannot use the value',
    'fix the value, or remove the line to use the default',
  ),
  collector: lintWarning(
    'conf-collector',
    'unknown collector: the agent runs none, and the inspection fails',
    'use collectors of the agent, separated by commas: default,logs',
  ),
  urlAddress: lintWarning(
    'conf-url-address',
    'the address in the URL does not reach another machine',
    'use an address or name of Ironic that the host can reach over its network',
  ),
  cafileUnused: lintWarning(
    'conf-cafile-unused',
    'the agent does not verify the certificate of Ironic, so "cafile" has no effect',
    'remove "insecure" (--insecure) to verify the certificate, or "cafile" (--ca-file) if the registry does not need it',
  ),
  caMissing: lintWarning(
    'conf-ca-missing',
    'no public CA issues certificates for the host in the URL, so the agent needs "cafile"',
    'set "cafile" (--ca-file) to the certificate of the CA that signed the certificate of Ironic',
  ),
  insecureUnset: lintNote(
    'conf-insecure-unset',
    'the conf does not set "insecure", so ipa-insecure=1 in the kernel arguments turns the verification of certificates off',
    'add "insecure = False", as profile default does; or boot with ipa-insecure=0: set IRONIC_IPA_INSECURE=0 in ironic-image, extra_kernel_options in Bifrost',
  ),
};
