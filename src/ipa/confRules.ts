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
  unknown: lintWarning(
    'conf-unknown',
    'unknown option: the agent ignores it',
    'fix the name, which contains underscores and no dashes, or move it to its section',
  ),
  value: lintError(
    'conf-value',
    'the agent does not accept the value of the option',
    'use a value of the type of the option; a comment after the value is part of the value',
  ),
  overridden: lintWarning(
    'conf-overridden',
    'the line has no effect, because another line sets the option',
    'keep only the line with the value that the agent should use',
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
