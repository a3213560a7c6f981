/**
 * Rules for configuration files of ironic-python-agent. With an error, the agent does not start. Warnings are about problems
 * that the agent does not report, such as an unknown option.
 */

import { errorRule, infoRule, warningRule } from '../ignition/rule.ts';

export const confRules = {
  syntax: errorRule(
    'conf-syntax',
    'the line is not a section, an option or a comment',
    'write "[SECTION]", "name = value", or a comment that starts with "#" in the first column',
  ),
  encoding: errorRule(
    'conf-encoding',
    'the file contains bytes that are not UTF-8',
    'save the file as UTF-8',
  ),
  unknownSection: warningRule(
    'conf-unknown-section',
    'the section is unknown; the agent ignores its options',
    'use [DEFAULT] for most options, in capital letters and without spaces',
  ),
  unknownOption: warningRule(
    'conf-unknown-option',
    'the option is unknown; the agent ignores it',
    'fix the name (underscores, no dashes) or the section of the option',
  ),
  version: warningRule(
    'conf-version',
    'this version of the agent does not support the option and ignores it',
    'remove the line, or use a newer agent',
  ),
  sectionCase: infoRule(
    'conf-section-case',
    'the section name differs in case from the name in the agent',
    'use the name of the agent: other programs may be case-sensitive',
  ),
  value: errorRule(
    'conf-value',
    'the value does not have the type of the option',
    'use a value of that type; a comment after the value is part of the value',
  ),
  choice: errorRule(
    'conf-choice',
    'the value is not one of the allowed values',
    'use one of the listed values, with the same spelling',
  ),
  range: errorRule('conf-range', 'the number is out of range', 'use a number within the range'),
  interpolation: errorRule(
    'conf-interpolation',
    'the value contains an invalid reference to another option',
    'use "$$" for a literal "$"; a "$" before a name refers to the value of that option',
  ),
  deprecated: warningRule('conf-deprecated', 'the option is deprecated', 'use its replacement'),
  overridden: warningRule(
    'conf-overridden',
    'the line has no effect, because another line sets the option',
    'remove one of the two lines',
  ),
  emptyNumber: warningRule(
    'conf-empty-number',
    'the number is empty: the agent uses no value, not the default',
    'remove the line to use the default',
  ),
  commandLineOnly: warningRule(
    'conf-command-line-only',
    'the option works only on the command line of the agent',
    'remove the line',
  ),
  inlineComment: warningRule(
    'conf-inline-comment',
    'the comment after the value is part of the value',
    'move the comment to a separate line',
  ),
  url: warningRule(
    'conf-url',
    'the agent starts, but cannot use the URL',
    'use http or https URLs, separated by commas without spaces',
  ),
  urlAddress: warningRule(
    'conf-url-address',
    'the machine cannot reach another machine at the address of the URL',
    'use an address or a host name at which the machine reaches Ironic',
  ),
  cafileUnused: warningRule(
    'conf-cafile-unused',
    'the agent does not verify the certificate of Ironic, so "cafile" has no effect',
    'remove "insecure" (--insecure) to verify the certificate, or "cafile" (--ca-file) if the registry does not need it',
  ),
};
