/**
 * Checks that Ignition cannot make: whether the agent starts with a valid config, reaches Ironic and keeps its secrets.
 * Nothing is fetched, and things that another config may add are not reported as missing. Commands inside scripts and
 * containers that are declared as quadlets are not checked.
 */

import type { Config } from '../../ignition/config.ts';
import { infoRule, lintNote, lintWarning, type Rule } from '../../core/rule.ts';
import type { IpaVersion } from '../../ipa/ipaOptions.ts';
import { checkAddresses, checkSources, checkUnitProxy } from './addresses.ts';
import { checkMounts, isMountedAt } from './mounts.ts';
import { checkSize } from './hostFiles.ts';
import { checkPulledImages } from './image.ts';
import { checkHost, type HostLintOptions } from './lintHost.ts';
import { checkInstallerFiles } from './liveSystem.ts';
import { checkPullSecrets } from './pullSecret.ts';
import {
  broken,
  confValues,
  isAgentUnitName,
  type LintedConf,
  type LintedFile,
  type LintSubject,
  readContents,
  readSubject,
  textOf,
  type UnitCommand,
} from './subject.ts';
import { checkUnits } from './unit.ts';
import { posix } from 'node:path';
import { type Finding, type Path, TOO_MANY_FINDINGS } from '../../core/finding.ts';
import { checkConfFile } from '../confCheck.ts';
import { declaresCollectors, isEntryPoints } from '../../ipa/collectors.ts';
import { confRules } from '../../ipa/confRules.ts';
import { parseOsloBoolean } from '../../ipa/confValues.ts';
import { ANCHOR_FOLDER } from '../files.ts';
import { bindMounts, isOptionSet, optionValues } from './podmanCommand.ts';

/** Without `machine`, the config is for a live system. */
export interface LintOptions extends HostLintOptions {
  /** The release of the agent that the conf is for; default: the newest. */
  readonly ipaVersion?: IpaVersion;
  /** The document, to check whether it fits into a live ISO; if absent, the size is not checked. */
  readonly document?: Uint8Array;
}

/** Whether the config starts the container of the agent or writes its conf. */
export function isAgentConfig(config: Config): boolean {
  const { runs, confs, units } = readSubject(config);
  return runs.length > 0 || confs.length > 0 || units.some(({ name }) => isAgentUnitName(name));
}

/** All findings, by topic; paths start at the root of the config. Messages never contain secrets. */
export function lintConfig(config: Config, options: LintOptions): Finding[] {
  const { machine = 'live', now } = options;
  const subject = readSubject(config);
  return [
    ...checkConfs(subject, options.ipaVersion),
    ...checkMounts(subject),
    ...checkUnits(subject),
    ...checkPulledImages(subject),
    ...checkConvergedFlow(subject),
    ...checkUnitProxy(subject),
    ...checkPullSecrets(subject),
    ...checkSources(subject),
    ...checkAddresses(subject),
    ...(machine === 'live' ? checkInstallerFiles(config) : []),
    ...checkHost(subject, { machine, now }),
    ...checkSize(options.document),
  ];
}

// Lint of the configuration of the agent. `mounts.ts` checks whether the container of the agent sees it.

export const trustRules = {
  insecure: lintNote(
    'agent-conf-insecure',
    'the agent does not verify the certificate of Ironic',
    'remove "insecure"; for a private CA, mount its certificate into the container and set "cafile" to its path there',
  ),
  caUnused: lintNote(
    'agent-conf-ca-unused',
    'the config contains a CA certificate, but the agent does not use it to verify Ironic',
    'mount the file into the container and set "cafile" to its path there; the agent does not use the trust store of the host',
  ),
  hostPath: lintWarning(
    'agent-conf-host-path',
    'the file is on the host, but not mounted into the container at this path',
    'mount the file with --mount type=bind,src=PATH,dst=PATH',
  ),
};

const rulesById: ReadonlyMap<string, Rule> = new Map(
  Object.values(confRules).map((rule) => [rule.rule, rule]),
);

/** For the number of findings about one conf that are left out. */
const moreRule = infoRule(
  TOO_MANY_FINDINGS,
  'and more findings, which are not listed',
  'fix the listed findings first',
);

function checkConfs(subject: LintSubject, ipaVersion: IpaVersion | undefined): Finding[] {
  const known = new Map<string, boolean>();
  const isElsewhere = (rule: string): boolean => {
    const isKnown = known.get(rule) ?? elsewhere.get(rule)?.(subject) === true;
    known.set(rule, isKnown);
    return isKnown;
  };
  const hasAnchor = subject.files.some(({ name }) => name.startsWith(ANCHOR_FOLDER));
  return subject.confs.flatMap((conf) => {
    const bytes = readContents(conf.file.contents);
    if (bytes === undefined) return [];
    const { findings } = checkConfFile(bytes, ipaVersion);
    return [
      ...findings.filter(({ rule }) => !isElsewhere(rule)).flatMap((finding) => toIssue(finding, conf)),
      ...checkTrust(subject, conf, hasAnchor),
    ];
  });
}

function toIssue(finding: Finding, { name, source }: LintedFile): Finding[] {
  const rule = finding.rule === TOO_MANY_FINDINGS ? moreRule : rulesById.get(finding.rule);
  if (rule === undefined) return [];
  const place = finding.position === undefined ? '' : `:${finding.position.line}:${finding.position.column}`;
  const what = finding.path.length === 0 ? '' : `${formatName(finding.path)}: `;
  const end = finding.severity === 'error' ? '; the agent does not start' : '';
  const about = `${posix.basename(name)}${place}`;
  const message = `${what}${finding.message}${end}`;
  return [broken(rule, source, { about, message, hint: finding.hint ?? rule.hint, ...finding.position })];
}

/** `debug`, `[mdns] params` or `[nope]`. */
function formatName([section, name]: Path): string {
  if (name === undefined) return `[${shorten(section)}]`;
  return section === 'DEFAULT' ? shorten(name) : `[${shorten(section)}] ${shorten(name)}`;
}

function shorten(text: string | number = ''): string {
  return String(text).slice(0, 60);
}

const fileOptions = ['cafile', 'certfile', 'keyfile', 'tls_cert_file', 'tls_key_file'];

/** @param hasAnchor whether the config has a file with CA certificates of the host */
function checkTrust(
  subject: LintSubject,
  { defaults, name, source }: LintedConf,
  hasAnchor: boolean,
): Finding[] {
  const isInsecure = parseOsloBoolean(defaults.get('insecure') ?? '') === true;
  const isHttps = (defaults.get('api_url') ?? '').split(',').some((url) => url.startsWith('https:'));
  const hasCafile = (defaults.get('cafile') ?? '') !== '';
  const lost = fileOptions.filter((option) => {
    const file = defaults.get(option) ?? '';
    return subject.filesByPath.has(file) && subject.runs.some((run) => !isMountedAt(run, file));
  });
  const issueAt = (rule: Rule, option: string): Finding =>
    broken(rule, source, { about: `${posix.basename(name)}: ${option}` });
  return [
    // If cafile is set, the rule conf-cafile-unused reports it.
    ...(isInsecure && isHttps && !hasCafile ? [issueAt(trustRules.insecure, 'insecure')] : []),
    ...(isHttps && hasAnchor && !hasCafile ? [issueAt(trustRules.caUnused, 'cafile')] : []),
    ...lost.map((option) => issueAt(trustRules.hostPath, option)),
  ];
}

/** Rules about what a conf lacks or does not know, each with whether another part of the config has it. */
const elsewhere: ReadonlyMap<string, (subject: LintSubject) => boolean> = new Map([
  [confRules.caMissing.rule, needsNoCa],
  [confRules.collector.rule, hasOwnCollectors],
  [confRules.insecureUnset.rule, (subject) => confValues(subject, 'insecure').length > 0],
]);

/** Whether another conf or the container gives CA certificates to the agent, or turns verification off. */
function needsNoCa(subject: LintSubject): boolean {
  const hasCafile = confValues(subject, 'cafile').some((path) => path !== '');
  const isInsecure = confValues(subject, 'insecure').some((text) => parseOsloBoolean(text) === true);
  return hasCafile || isInsecure || subject.runs.some(addsCa);
}

/** Whether a Python package in the config adds collectors to the agent. */
function hasOwnCollectors({ files }: LintSubject): boolean {
  return files.some((file) => isEntryPoints(file.name) && declaresCollectors(textOf(file)));
}

/** Whether the container gets a trust store from the host, or variables, which may name one for `requests`. */
function addsCa({ podman }: UnitCommand): boolean {
  const variables = optionValues(podman, 'env', 'e').map(({ text }) => text);
  return (
    bindMounts(podman).some(({ target }) => /^\/etc\/(?:pki|ssl)(?:\/|$)/.test(target)) ||
    variables.some((text) => /^(?:REQUESTS|CURL)_CA_BUNDLE(?:=|$)/.test(text)) ||
    optionValues(podman, 'env-file').length > 0 ||
    isOptionSet(podman, 'env-host')
  );
}

/**
 * The converged flow of assisted-service, in which the Ironic agent starts the assisted agent when the step begins.
 */
export const convergedFlowRules = {
  agentEnabled: lintWarning(
    'agent-converged-enabled',
    'agent.service is enabled together with the Ironic agent: both would manage the host at the same time',
    'set "enabled" to false; the step start_assisted_install starts the unit',
  ),
};

function checkConvergedFlow({ activeUnits, runs }: LintSubject): Finding[] {
  if (runs.length === 0) return [];
  const enabled = activeUnits.filter(({ name, unit }) => name === 'agent.service' && unit.enabled === true);
  return enabled.map(({ path }) => broken(convergedFlowRules.agentEnabled, [...path, 'enabled']));
}
