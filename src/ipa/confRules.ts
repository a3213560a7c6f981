/**
 * What can be wrong with a config file of ironic-python-agent. Errors keep the agent from starting; warnings are what it
 * does not mention, such as an option that it does not know.
 */

import { errorRule, infoRule, type Rule, warningRule } from '../ignition/rule.ts';

export const confSyntax = errorRule(
  'conf-syntax',
  'the line is neither a section, an option nor a comment',
  'write "[SECTION]", "name = value", or a comment that starts with "#" in the first column',
);

export const confEncoding = errorRule(
  'conf-encoding',
  'the file is not UTF-8 from here on',
  'save the file as UTF-8',
);

export const confUnknownSection = warningRule(
  'conf-unknown-section',
  'the agent does not know the section and ignores what stands in it',
  'most options belong into [DEFAULT], in capital letters and without blanks',
);

export const confUnknownOption = warningRule(
  'conf-unknown-option',
  'the agent does not know the option and ignores it',
  'check the name, which has underscores and no dashes, and the section that it stands in',
);

export const confVersion = warningRule(
  'conf-version',
  'this version of the agent does not know the option yet and ignores it',
  'remove the line, or use a newer agent',
);

export const confSectionCase = infoRule(
  'conf-section-case',
  'the section is written in other letters than the agent declares it',
  'the agent ignores the case, but other readers of the file may not',
);

export const confValue = errorRule(
  'conf-value',
  'the value is not of the type of the option',
  'give a value of that type; a comment behind the value is part of it',
);

export const confChoice = errorRule(
  'conf-choice',
  'the value is not one of those that the option takes',
  'take one of the listed values as it is written there',
);

export const confRange = errorRule(
  'conf-range',
  'the number is out of range',
  'give a number within the range',
);

export const confInterpolation = errorRule(
  'conf-interpolation',
  'the value refers to an option that cannot be put in its place',
  'A "$" with a name behind it stands for the value of that option; write "$$" for the sign itself',
);

export const confDeprecated = warningRule(
  'conf-deprecated',
  'the option is deprecated',
  'use what takes its place',
);

export const confOverridden = warningRule(
  'conf-overridden',
  'the line has no effect, as another one sets the option',
  'keep one of the two lines',
);

export const confEmptyNumber = warningRule(
  'conf-empty-number',
  'the number is empty: the agent takes no value at all, not its default',
  'remove the line to get the default',
);

export const confCommandLineOnly = warningRule(
  'conf-command-line-only',
  'the option has an effect on the command line of the agent only',
  'remove the line',
);

export const confInlineComment = warningRule(
  'conf-inline-comment',
  'what looks like a comment behind the value is part of the value',
  'put the comment on a line of its own',
);

export const confUrl = warningRule(
  'conf-url',
  'the agent starts, but cannot use the URL',
  'give http or https URLs, separated by commas without blanks',
);

export const confUrlAddress = warningRule(
  'conf-url-address',
  'the machine cannot reach another machine at the address of the URL',
  'use an address or a name at which the machine reaches Ironic over its network',
);

export const confCafileUnused = warningRule(
  'conf-cafile-unused',
  'the agent does not verify the certificate of Ironic, so "cafile" has no effect',
  'remove "insecure" (--insecure) to verify the certificate, or "cafile" (--ca-file) if the registry does not need it',
);

/** All rules, to be explained by their ids. */
export const confRules: readonly Rule[] = [
  confSyntax,
  confEncoding,
  confUnknownSection,
  confUnknownOption,
  confVersion,
  confSectionCase,
  confValue,
  confChoice,
  confRange,
  confInterpolation,
  confDeprecated,
  confOverridden,
  confEmptyNumber,
  confCommandLineOnly,
  confInlineComment,
  confUrl,
  confUrlAddress,
  confCafileUnused,
];
