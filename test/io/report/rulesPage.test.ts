import { describe, expect, it } from 'vitest';
import { hardwareRules } from '../../../src/agent/hardwareChecks.ts';
import { insecureArgument } from '../../../src/agent/insecureArgument.ts';
import { confRules } from '../../../src/ipa/confRules.ts';
import { lintRules } from '../../agent/lint/lintRules.ts';
import { conductorRules } from '../../../src/agent/ironicConf.ts';
import { bootFileRules } from '../../../src/kargs/bootFileNames.ts';
import { argumentRules } from '../../../src/kargs/argumentChecks.ts';
import { openQuote } from '../../../src/kargs/argumentLine.ts';
import { consoleRules } from '../../../src/kargs/console.ts';
import { ipRules } from '../../../src/kargs/ip.ts';
import { loaderSetting } from '../../../src/kargs/loaders/form.ts';
import { ipaSecret } from '../../../src/kargs/ipaParameter.ts';
import { networkArgumentRules } from '../../../src/kargs/networkChecks.ts';
import { urlArgumentRules } from '../../../src/kargs/urlArgument.ts';
import { unitToolRules } from '../../../src/hosts/input/unitTools.ts';
import { checkDocument } from '../../../src/commands/validate/validate.ts';
import { butaneRules } from '../../../src/butane/rules.ts';
import { duplicateEntry } from '../../../src/ignition/duplicates.ts';
import { inheritsContents } from '../../../src/ignition/mergeRemarks.ts';
import type { LintRule } from '../../../src/agent/lint/lintRule.ts';
import type { Rule } from '../../../src/core/rule.ts';
import { imageRules } from '../../../src/image/inspection/imageRules.ts';
import { allRules } from '../../support/ignitionRules.ts';
import { translationRules } from '../../../src/ignition/translate.ts';
import { nullObject, unusedKey } from '../../../src/ignition/unusedKeys.ts';
import { documentRules } from '../../../src/ignition/validate.ts';
import { specVersions, type SpecVersion } from '../../../src/ignition/versions.ts';
import { type Example, explanationsIn } from '../../../src/io/report/explanations.ts';
import { UNCHECKED_RULE } from '../../../src/io/report/reporter.ts';
import { completeExample, runExample } from '../../support/ruleExamples.ts';
import { writtenRules } from '../../support/writtenRules.ts';

/** Rules of kernel arguments, which have no document. */
const kernelArgumentRules: readonly Rule[] = [
  openQuote,
  loaderSetting,
  ipaSecret,
  ...[
    argumentRules,
    bootFileRules,
    conductorRules,
    consoleRules,
    ipRules,
    networkArgumentRules,
    urlArgumentRules,
  ].flatMap((rules) => Object.values<Rule>(rules)),
];

/** Rules of configs and images, and of what both have in common. */
const declared: readonly (LintRule | Rule)[] = [
  ...Object.values(documentRules),
  duplicateEntry,
  unusedKey,
  nullObject,
  ...allRules,
  ...Object.values(butaneRules),
  ...Object.values(confRules),
  ...lintRules,
  inheritsContents,
  ...Object.values(translationRules),
  ...Object.values(imageRules),
  insecureArgument,
  ...kernelArgumentRules,
  ...Object.values(hardwareRules),
  ...Object.values(unitToolRules),
];

/** Every rule in the source. */
const written = writtenRules();

/** Findings without a rule that is declared: they are about no value. */
const others = ['too-many-findings', UNCHECKED_RULE];

/** What they are about does not fit into an example: a size, bytes that are no text, a date, two configs, an ISO, an inventory. */
const withoutExample = new Set<string>([
  ...others,
  'too-many-values',
  'agent-size',
  'inventory-invalid', // any mistake in an inventory
  'inventory-remark', // any warning of render
  'unit-rejected-by-systemd', // systemd and podman of this machine say so
  'quadlet-rejected-by-podman',
  'command-line-length',
  'ansible-template',
  'config-drive-size',
  'network-data-unread',
  'raid-invalid',
  'firmware-setting',
  'secret-apply-size',
]);
const groupsWithoutExample = new Set([
  'Merging and translating',
  'Images',
  'Lint: kernel arguments',
  'Lint: images',
  'Lint: hardware',
  'Boot files of hosts',
]);

const entries = explanationsIn('rules');
const ruleBook = new Map(entries.map((entry) => [entry.id, entry]));
const withExample = entries.filter(
  ({ group, id }) => !withoutExample.has(id) && !groupsWithoutExample.has(group),
);

async function rulesFoundIn(id: string, example: Example, version?: SpecVersion): Promise<readonly string[]> {
  if (example.language === 'sh') return rulesReportedBy(example);
  const { file, text } = completeExample(id, example, version);
  const { report } = await checkDocument(file, Buffer.from(text), {
    lint: 'agent',
    now: new Date('2026-01-01'),
  });
  return report.findings.map(({ rule }) => rule);
}

/** The ids at the end of the messages of a command. */
async function rulesReportedBy(example: Example): Promise<readonly string[]> {
  const { stderr } = await runExample(example);
  return Array.from(
    stderr.matchAll(/^(?:\S+: )*(?:error|warning|info): .* \(([a-z0-9-]+)\)$/gm),
    ([, id = '']) => id,
  );
}

describe('docs/rules.md', () => {
  it('has one section for every rule', () => {
    const ids = entries.map(({ id }) => id);
    const known = new Set([...declared.map(({ rule }) => rule), ...written.map(({ id }) => id), ...others]);
    expect(ids.toSorted()).toEqual([...known].toSorted());
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('has severity and message of every rule, and the rules that can be turned off in groups of their own', () => {
    for (const { rule: id, isLint = false, severity, ...rule } of declared) {
      const message = 'message' in rule ? { message: rule.message } : {};
      expect.soft(ruleBook.get(id), id).toMatchObject({ isLint, severity, ...message });
    }
  });

  it('has severity and message of the rules that commands declare for themselves', () => {
    for (const { id, message, ...kind } of written) {
      expect.soft(ruleBook.get(id), id).toMatchObject({ ...kind, message: expect.stringMatching(message) });
    }
  });

  it('has invalid examples that its rule reports, and valid ones that it does not', async () => {
    for (const { id, invalid, valid } of withExample) {
      if (invalid === undefined || valid === undefined) throw new Error(`an example of ${id} is missing`);
      const version = invalid.language === 'json' ? versionsOf(id).at(-1) : undefined;
      expect.soft(await rulesFoundIn(id, invalid, version), id).toContain(id);
      expect.soft(await rulesFoundIn(id, valid, version), id).not.toContain(id);
    }
  });

  it('has commands as valid examples that succeed', async () => {
    const commands = entries.flatMap(({ valid }) => (valid?.language === 'sh' ? [valid] : []));
    expect(commands.length).toBeGreaterThan(0);
    for (const command of commands) {
      expect.soft(await runExample(command), command.text).toMatchObject({ code: 0 });
    }
  });

  it('has the versions of the specification that have the rule', async () => {
    for (const { rule: id } of allRules) {
      const { invalid } = ruleBook.get(id) ?? {};
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
  const { versions = '' } = ruleBook.get(id) ?? {};
  const [, first = '3.0.0', last = '3.7.0-experimental'] =
    /^(?:since )?(\d\S*)(?: to (\S+))?$/.exec(versions) ?? [];
  return specVersions.slice(placeOf(first), placeOf(last) + 1);
}

function placeOf(version: string): number {
  return specVersions.findIndex((known) => known === version);
}
