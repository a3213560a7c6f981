import { describe, expect, it } from 'vitest';
import { installerRule } from '../../../src/agent/lint/liveSystem.ts';
import { insecureArgumentRules } from '../../../src/agent/insecureArgument.ts';
import { confRules } from '../../../src/ipa/confRules.ts';
import { lintRules } from '../../agent/lint/lintRules.ts';
import { argumentRules } from '../../../src/kargs/argumentChecks.ts';
import { openQuote } from '../../../src/kargs/argumentLine.ts';
import { argumentValueRules } from '../../../src/kargs/argumentValues.ts';
import { loaderSetting } from '../../../src/kargs/bootForm.ts';
import { ipaParameterRules } from '../../../src/kargs/ipaParameter.ts';
import { networkArgumentRules } from '../../../src/kargs/networkArguments.ts';
import { urlArgumentRules } from '../../../src/kargs/urlArgument.ts';
import { replacesRendered } from '../../../src/hosts/settings/renderConfig.ts';
import { parseIpaVersion } from '../../../src/ipa/ipaOptions.ts';
import { checkDocument } from '../../../src/commands/validate/validate.ts';
import { butaneRules } from '../../../src/butane/rules.ts';
import { duplicateEntry } from '../../../src/ignition/duplicates.ts';
import { mergeRules } from '../../../src/ignition/mergeRemarks.ts';
import type { Rule } from '../../../src/ignition/rule.ts';
import { imageRules } from '../../../src/image/inspection/imageRules.ts';
import { allRules } from '../../support/ignitionRules.ts';
import { translationRules } from '../../../src/ignition/translate.ts';
import { nullObject, unusedKey } from '../../../src/ignition/unusedKeys.ts';
import * as validation from '../../../src/ignition/validate.ts';
import { specVersions, type SpecVersion } from '../../../src/ignition/versions.ts';
import { parseRuleBook, type RuleExample, ruleBook } from '../../../src/io/report/ruleBook.ts';
import { UNCHECKED_RULE } from '../../../src/io/report/reporter.ts';
import { completeExample } from '../../support/ruleExamples.ts';

const {
  emptyConfig,
  furtherType,
  jsonSyntax,
  jsonType,
  versionMalformed,
  versionUnsupported,
  tooManyValues,
} = validation;

/** Rules of kernel arguments, which have no document. */
const kernelArgumentRules: readonly Rule[] = [
  openQuote,
  loaderSetting,
  ...[argumentRules, argumentValueRules, ipaParameterRules, networkArgumentRules, urlArgumentRules].flatMap(
    (rules) => Object.values<Rule>(rules),
  ),
];

/** Every rule that the code declares. */
const declared: readonly Rule[] = [
  emptyConfig,
  jsonSyntax,
  jsonType,
  furtherType,
  versionMalformed,
  versionUnsupported,
  duplicateEntry,
  unusedKey,
  nullObject,
  tooManyValues,
  ...allRules,
  ...Object.values(butaneRules),
  ...Object.values(confRules),
  ...lintRules,
  ...Object.values(mergeRules),
  ...Object.values(translationRules),
  ...Object.values(imageRules),
  ...Object.values(insecureArgumentRules),
  ...kernelArgumentRules,
  installerRule,
  replacesRendered,
];

/** Findings without a rule that is declared: they are about no value. */
const others = ['too-many-findings', UNCHECKED_RULE, 'folder-circle'];

/** What they are about does not fit into an example: a size, bytes that are no text, a date, two configs. */
const withoutExample = new Set<string>([
  ...others,
  tooManyValues.id,
  'conf-encoding',
  'agent-ca-validity',
  'agent-size',
  replacesRendered.id,
  ...kernelArgumentRules.map(({ id }) => id),
  ...Object.values(mergeRules).map(({ id }) => id),
  ...Object.values(translationRules).map(({ id }) => id),
  ...Object.values(imageRules).map(({ id }) => id),
  ...Object.values(insecureArgumentRules).map(({ id }) => id),
]);

const entries = [...ruleBook().values()];

async function rulesFoundIn(
  id: string,
  example: RuleExample,
  version?: SpecVersion,
): Promise<readonly string[]> {
  const { file, text } = completeExample(id, example, version);
  const ipaVersion = example.options?.replace('--ipa-version ', '');
  const { report } = await checkDocument(file, Buffer.from(text), {
    lint: 'agent',
    strict: false,
    now: new Date('2026-01-01'),
    ...(ipaVersion === undefined ? {} : { ipaVersion: parseIpaVersion(ipaVersion) }),
  });
  return report.findings.map(({ rule }) => rule);
}

describe('docs/rules.md', () => {
  it('has one section for every rule', () => {
    const ids = entries.map(({ id }) => id);
    expect(ids.toSorted()).toEqual([...declared.map(({ id }) => id), ...others].toSorted());
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('has severity and message of every rule, and the rules that can be turned off in groups of their own', () => {
    for (const { id, isLint = false, message, severity } of declared) {
      expect.soft(ruleBook().get(id), id).toMatchObject({ isLint, severity, message });
    }
  });

  it('has invalid examples that its rule reports, and valid ones that it does not', async () => {
    for (const { id, invalid, valid } of entries.filter((entry) => !withoutExample.has(entry.id))) {
      if (invalid === undefined || valid === undefined) throw new Error(`an example of ${id} is missing`);
      const version = invalid.language === 'json' ? versionsOf(id).at(-1) : undefined;
      expect.soft(await rulesFoundIn(id, invalid, version), id).toContain(id);
      expect.soft(await rulesFoundIn(id, valid, version), id).not.toContain(id);
    }
  });

  it('has the versions of the specification that have the rule', async () => {
    for (const { id } of allRules) {
      const { invalid } = ruleBook().get(id) ?? {};
      if (invalid === undefined) throw new Error(`an example of ${id} is missing`);
      const drawing: SpecVersion[] = [];
      for (const version of specVersions) {
        if ((await rulesFoundIn(id, invalid, version)).includes(id)) drawing.push(version);
      }
      expect.soft(versionsOf(id), id).toEqual(drawing);
    }
  });
});

/** `all`, `since 3.1.0` or `3.0.0 to 3.5.0`. */
function versionsOf(id: string): readonly SpecVersion[] {
  const { versions = '' } = ruleBook().get(id) ?? {};
  const [, first = '3.0.0', last = '3.7.0-experimental'] =
    /^(?:since )?(\d\S*)(?: to (\S+))?$/.exec(versions) ?? [];
  return specVersions.slice(placeOf(first), placeOf(last) + 1);
}

function placeOf(version: string): number {
  return specVersions.findIndex((known) => known === version);
}

describe('parseRuleBook', () => {
  const section =
    '## Lint: g\n\n### a-b\n\n- severity: error\n- versions: all\n- message: m\n\nText\ngoes on.\n';

  it('reads a section', () => {
    expect(
      parseRuleBook(`# T\n\n${section}\nInvalid, with \`--x 1\`:\n\n\`\`\`ini\na\n\nb\n\`\`\`\n`),
    ).toEqual([
      {
        id: 'a-b',
        severity: 'error',
        versions: 'all',
        message: 'm',
        group: 'Lint: g',
        isLint: true,
        anchor: 'a-b',
        meaning: ['Text goes on.'],
        invalid: { language: 'ini', text: 'a\n\nb', options: '--x 1' },
      },
    ]);
  });

  it.each([
    ['the severity is missing', section.replace('- severity: error\n', '')],
    ['a property is missing', section.replace('- versions: all\n', '')],
    ['nothing is explained', section.replace('Text\ngoes on.\n', '')],
    ['an example has no block', `${section}\nInvalid:\n\nText\n`],
  ])('refuses a text where %s', (_title, text) => {
    expect(() => parseRuleBook(text)).toThrow('docs/rules.md: ');
  });
});
