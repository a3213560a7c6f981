/** The configuration of the agent: each file by itself, and whether the container sees the files that it names. */

import { posix } from 'node:path';
import { confRules } from '../../ipa/confRules.ts';
import { parseOsloBoolean } from '../../ipa/confValues.ts';
import type { IpaVersion } from '../../ipa/ipaOptions.ts';
import { partsOf } from '../../ignition/origins.ts';
import { ConfParts } from '../conf.ts';
import { checkConfFile, checkConfParts, type ConfFinding } from '../confCheck.ts';
import { ANCHOR_FOLDER } from '../files.ts';
import { hasHttpsUrl } from '../ironicUrl.ts';
import { type LintFinding, rule } from './lintRule.ts';
import { getsTrustStore, isOptionSet, optionValues } from './podmanCommand.ts';
import {
  confValues,
  type LintedFile,
  type LintSubject,
  readContents,
  textOf,
  type UnitCommand,
} from './subject.ts';

export function checkConfs(subject: LintSubject, ipaVersion: IpaVersion | undefined): LintFinding[] {
  return subject.confs.flatMap((conf) => {
    const bytes = readContents(conf.file.contents);
    if (bytes === undefined) return [];
    const made = partsOfConf(conf.file);
    const findings: readonly ConfFinding[] =
      made === undefined
        ? checkConfFile(bytes, ipaVersion).findings
        : checkConfParts(made.read(), ipaVersion);
    return findings
      .filter(({ rule: id }) => elsewhere.get(id)?.(subject) !== true)
      .map((finding) => toIssue(finding, conf));
  });
}

/** Undefined for a conf that settings did not make, or not alone. */
function partsOfConf(file: object): ConfParts | undefined {
  const [made, ...others] = partsOf(file);
  if (made === undefined || others.length > 0) return undefined;
  return made instanceof ConfParts ? made : partsOfConf(made);
}

/** A finding about the text of a conf, as one about the file in the config, or about the input with the line. */
function toIssue({ from, position, ...finding }: ConfFinding, { name, source }: LintedFile): LintFinding {
  if (from !== undefined) {
    const at = from.kind === 'file' && from.at !== undefined ? { ...from.at, ...position } : from.at;
    return { ...finding, path: source, from: { name: from.name, at } };
  }
  const place = position === undefined ? '' : `:${position.line}:${position.column}`;
  const [section, option] = finding.path.map((step) => String(step).slice(0, 60));
  // `debug`, `[mdns] params` or `[nope]`
  const names = [...(section === 'DEFAULT' && option !== undefined ? [] : [`[${section}]`]), option ?? ''];
  const what = finding.path.length === 0 ? '' : `${names.join(' ').trim()}: `;
  const end = finding.severity === 'error' ? '; the agent does not start' : '';
  const message = `${posix.basename(name)}${place}: ${what}${finding.message}${end}`;
  return { ...finding, path: source, message, ...position };
}

export const trustRules = [
  rule(
    'agent-conf-ca-unused',
    'info',
    'mount the file into the container and set "cafile" to its path there; the agent does not use the trust store of the host',
    function* (subject) {
      const { confs, files } = subject;
      if (!files.some(({ name }) => name.startsWith(ANCHOR_FOLDER)) || givesCa(subject)) return;
      for (const { defaults, name, source } of confs) {
        if (!hasHttpsUrl(defaults.get('api_url') ?? '')) continue;
        const message = `${posix.basename(name)}: cafile: the config contains a CA certificate, but the agent does not use it to verify Ironic`;
        yield { path: source, message };
      }
    },
  ),
];

/** Rules about what a conf lacks or does not know, each with whether another part of the config has it. */
const elsewhere: ReadonlyMap<string, (subject: LintSubject) => boolean> = new Map([
  [confRules.caMissing.rule, needsNoCa],
  [confRules.collector.rule, hasOwnCollectors],
  [confRules.insecureUnset.rule, (subject) => confValues(subject, 'insecure').length > 0],
]);

/** Whether a conf or the container gives CA certificates to the agent. */
function givesCa(subject: LintSubject): boolean {
  return confValues(subject, 'cafile').some((path) => path !== '') || subject.runs.some(addsCa);
}

function needsNoCa(subject: LintSubject): boolean {
  return givesCa(subject) || confValues(subject, 'insecure').some((text) => parseOsloBoolean(text) === true);
}

function hasOwnCollectors({ files }: LintSubject): boolean {
  return files.some(
    (file) =>
      file.name.endsWith('.dist-info/entry_points.txt') &&
      /^\[ironic_python_agent\.inspector\.collectors\]/m.test(textOf(file)),
  );
}

/** Whether the container gets a trust store from the host, or variables, which may name one for `requests`. */
function addsCa({ podman }: UnitCommand): boolean {
  const variables = optionValues(podman, 'env', 'e').map(({ text }) => text);
  return (
    getsTrustStore(podman) ||
    variables.some((text) => /^(?:REQUESTS|CURL)_CA_BUNDLE(?:=|$)/.test(text)) ||
    optionValues(podman, 'env-file').length > 0 ||
    isOptionSet(podman, 'env-host')
  );
}
