/**
 * What can be wrong with a config file of ironic-python-agent. Errors keep the agent from starting; warnings are what it
 * does not mention, such as an option that it does not know.
 */

import { errorRule, infoRule, warningRule } from '../ignition/rule.ts';

export const confRules = {
  syntax: errorRule(
    'conf-syntax',
    'the line is neither a section, an option nor a comment',
    'write "[SECTION]", "name = value", or a comment that starts with "#" in the first column',
  ),
  encoding: errorRule('conf-encoding', 'the file is not UTF-8 from here on', 'save the file as UTF-8'),
  unknownSection: warningRule(
    'conf-unknown-section',
    'the agent does not know the section and ignores what stands in it',
    'most options belong into [DEFAULT], in capital letters and without blanks',
  ),
  unknownOption: warningRule(
    'conf-unknown-option',
    'the agent does not know the option and ignores it',
    'check the name, which has underscores and no dashes, and the section that it stands in',
  ),
  version: warningRule(
    'conf-version',
    'this version of the agent does not know the option yet and ignores it',
    'remove the line, or use a newer agent',
  ),
  sectionCase: infoRule(
    'conf-section-case',
    'the section is written in other letters than the agent declares it',
    'the agent ignores the case, but other readers of the file may not',
  ),
  value: errorRule(
    'conf-value',
    'the value is not of the type of the option',
    'give a value of that type; a comment behind the value is part of it',
  ),
  choice: errorRule(
    'conf-choice',
    'the value is not one of those that the option takes',
    'take one of the listed values as it is written there',
  ),
  range: errorRule('conf-range', 'the number is out of range', 'give a number within the range'),
  interpolation: errorRule(
    'conf-interpolation',
    'the value refers to an option that cannot be put in its place',
    'A "$" with a name behind it stands for the value of that option; write "$$" for the sign itself',
  ),
  deprecated: warningRule('conf-deprecated', 'the option is deprecated', 'use what takes its place'),
  overridden: warningRule(
    'conf-overridden',
    'the line has no effect, as another one sets the option',
    'keep one of the two lines',
  ),
  emptyNumber: warningRule(
    'conf-empty-number',
    'the number is empty: the agent takes no value at all, not its default',
    'remove the line to get the default',
  ),
  commandLineOnly: warningRule(
    'conf-command-line-only',
    'the option has an effect on the command line of the agent only',
    'remove the line',
  ),
  inlineComment: warningRule(
    'conf-inline-comment',
    'what looks like a comment behind the value is part of the value',
    'put the comment on a line of its own',
  ),
  url: warningRule(
    'conf-url',
    'the agent starts, but cannot use the URL',
    'give http or https URLs, separated by commas without blanks',
  ),
  urlAddress: warningRule(
    'conf-url-address',
    'the machine cannot reach another machine at the address of the URL',
    'use an address or a name at which the machine reaches Ironic over its network',
  ),
  cafileUnused: warningRule(
    'conf-cafile-unused',
    'the agent does not verify the certificate of Ironic, so "cafile" has no effect',
    'remove "insecure" (--insecure) to verify the certificate, or "cafile" (--ca-file) if the registry does not need it',
  ),
};
