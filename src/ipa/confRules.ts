/**
 * What can be wrong with a config file of ironic-python-agent. Errors keep the agent from starting; warnings are what it
 * does not mention, such as an option that it does not know.
 */

import type { Rule } from '../ignition/rule.ts';

export const confSyntax: Rule = {
  id: 'conf-syntax',
  severity: 'error',
  message: 'the line is neither a section, an option nor a comment',
  hint: 'write "[SECTION]", "name = value", or a comment that starts with "#" in the first column',
};

export const confEncoding: Rule = {
  id: 'conf-encoding',
  severity: 'error',
  message: 'the file is not UTF-8 from here on',
  hint: 'save the file as UTF-8',
};

export const confUnknownSection: Rule = {
  id: 'conf-unknown-section',
  severity: 'warning',
  message: 'the agent does not know the section and ignores what stands in it',
  hint: 'most options belong into [DEFAULT], in capital letters and without blanks',
};

export const confUnknownOption: Rule = {
  id: 'conf-unknown-option',
  severity: 'warning',
  message: 'the agent does not know the option and ignores it',
  hint: 'check the name, which has underscores and no dashes, and the section that it stands in',
};

export const confVersion: Rule = {
  id: 'conf-version',
  severity: 'warning',
  message: 'this version of the agent does not know the option yet and ignores it',
  hint: 'remove the line, or use a newer agent',
};

export const confSectionCase: Rule = {
  id: 'conf-section-case',
  severity: 'info',
  message: 'the section is written in other letters than the agent declares it',
  hint: 'the agent ignores the case, but other readers of the file may not',
};

export const confValue: Rule = {
  id: 'conf-value',
  severity: 'error',
  message: 'the value is not of the type of the option',
  hint: 'give a value of that type; a comment behind the value is part of it',
};

export const confChoice: Rule = {
  id: 'conf-choice',
  severity: 'error',
  message: 'the value is not one of those that the option takes',
  hint: 'take one of the listed values as it is written there',
};

export const confRange: Rule = {
  id: 'conf-range',
  severity: 'error',
  message: 'the number is out of range',
  hint: 'give a number within the range',
};

export const confInterpolation: Rule = {
  id: 'conf-interpolation',
  severity: 'error',
  message: 'the value refers to an option that cannot be put in its place',
  hint: 'A "$" with a name behind it stands for the value of that option; write "$$" for the sign itself',
};

export const confDeprecated: Rule = {
  id: 'conf-deprecated',
  severity: 'warning',
  message: 'the option is deprecated',
  hint: 'use what takes its place',
};

export const confOverridden: Rule = {
  id: 'conf-overridden',
  severity: 'warning',
  message: 'the line has no effect, as another one sets the option',
  hint: 'keep one of the two lines',
};

export const confEmptyNumber: Rule = {
  id: 'conf-empty-number',
  severity: 'warning',
  message: 'the number is empty: the agent takes no value at all, not its default',
  hint: 'remove the line to get the default',
};

export const confCommandLineOnly: Rule = {
  id: 'conf-command-line-only',
  severity: 'warning',
  message: 'the option has an effect on the command line of the agent only',
  hint: 'remove the line',
};

export const confInlineComment: Rule = {
  id: 'conf-inline-comment',
  severity: 'warning',
  message: 'what looks like a comment behind the value is part of the value',
  hint: 'put the comment on a line of its own',
};

export const confUrl: Rule = {
  id: 'conf-url',
  severity: 'warning',
  message: 'the agent starts, but cannot use the URL',
  hint: 'give http or https URLs, separated by commas without blanks',
};

export const confUrlAddress: Rule = {
  id: 'conf-url-address',
  severity: 'warning',
  message: 'the machine cannot reach another machine at the address of the URL',
  hint: 'use an address or a name at which the machine reaches Ironic over its network',
};

export const confCafileUnused: Rule = {
  id: 'conf-cafile-unused',
  severity: 'warning',
  message: 'the agent does not verify the certificate of Ironic, so "cafile" has no effect',
  hint: 'remove "insecure" (--insecure) to verify the certificate, or "cafile" (--ca-file) if the registry does not need it',
};

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
