/** The agent's conf in a config: every rule of `checkConf` under a name of its own, and what only the whole config tells. */

import { posix } from 'node:path';
import { readDefaults } from '../../formats/osloConfig.ts';
import type { Issue, Rule } from '../../ignition/rule.ts';
import type { Finding, Path } from '../../core/finding.ts';
import { checkConfFile } from '../confCheck.ts';
import { confRules as rulesOfFile } from '../../ipa/confRules.ts';
import type { IpaVersion } from '../../ipa/ipaOptions.ts';
import { broken, note, warning } from './lintRule.ts';
import { isMountedAt } from './mounts.ts';
import { type LintedFile, type LintSubject, readContents } from './subject.ts';

const trustAnchors = '/etc/pki/ca-trust/source/anchors/';

const ownRules = {
  insecure: note(
    'agent-conf-insecure',
    'the agent does not check the certificate of Ironic',
    'remove "insecure"; for a private certificate, mount its authority into the container and name it in "cafile"',
  ),
  caUnused: note(
    'agent-conf-ca-unused',
    'the config brings a certificate authority, and the agent does not check Ironic with it',
    'mount the file into the container and name it there in "cafile"; the agent does not see the host\'s trust store',
  ),
  hostPath: warning(
    'agent-conf-host-path',
    'the file is written on the host and not mounted into the container at this path',
    'mount it with --mount type=bind,src=PATH,dst=PATH',
  ),
};

/** The rules of a conf file on its own; nothing of it concerns Ignition, so none is an error here. */
const fileRules: ReadonlyMap<string, Rule> = new Map(
  Object.values(rulesOfFile).map((rule) => [rule.id, toLintRule(rule)] as const),
);

export const configConfRules: readonly Rule[] = [...fileRules.values(), ...Object.values(ownRules)];

function toLintRule(rule: Rule): Rule {
  return { ...rule, id: `agent-${rule.id}`, severity: rule.severity === 'error' ? 'warning' : rule.severity };
}

export function checkConfs(subject: LintSubject, ipaVersion: IpaVersion | undefined): Issue[] {
  const options = ipaVersion === undefined ? {} : { ipaVersion };
  return subject.confs.flatMap((conf) => {
    const bytes = readContents(conf.file.contents ?? {});
    if (bytes === undefined) return [];
    const path = [...conf.path, 'contents', 'source'];
    const { findings } = checkConfFile(bytes, options);
    return [
      ...findings.flatMap((finding) => toIssue(finding, conf, path)),
      ...checkTrust(subject, { conf, path, settings: readDefaults(Buffer.from(bytes).toString()) }),
    ];
  });
}

function toIssue(finding: Finding, { name }: LintedFile, path: Path): Issue[] {
  const rule = fileRules.get(finding.rule);
  if (rule === undefined) return [];
  const { line, column } = finding.position ?? { line: 0, column: 0 };
  const place = line === 0 ? '' : `:${line}:${column}`;
  const what = finding.path.length === 0 ? '' : `${formatName(finding.path)}: `;
  const end = finding.severity === 'error' ? '; the agent does not start' : '';
  const message = `${posix.basename(name)}${place}: ${what}${finding.message}${end}`;
  return [broken(rule, path, { message, hint: finding.hint ?? rule.hint })];
}

/** `debug`, `[mdns] params` or `[nope]`. */
function formatName([section, name]: Path): string {
  if (name === undefined) return `[${shorten(section)}]`;
  return section === 'DEFAULT' ? shorten(name) : `[${shorten(section)}] ${shorten(name)}`;
}

function shorten(text: string | number = ''): string {
  return String(text).slice(0, 60);
}

interface ReadConf {
  readonly conf: LintedFile;
  /** Of its contents. */
  readonly path: Path;
  /** Values in [DEFAULT], the last of each name. */
  readonly settings: ReadonlyMap<string, string>;
}

const fileOptions = ['cafile', 'certfile', 'keyfile', 'tls_cert_file', 'tls_key_file'];

function checkTrust(subject: LintSubject, { conf, path, settings }: ReadConf): Issue[] {
  const name = posix.basename(conf.name);
  const isInsecure = /^(?:true|1|on|yes)$/i.test(settings.get('insecure') ?? '');
  const isHttps = (settings.get('api_url') ?? '').split(',').some((url) => url.startsWith('https:'));
  const anchors = [...subject.filesByPath.keys()].filter((file) => file.startsWith(trustAnchors));
  const hasCafile = (settings.get('cafile') ?? '') !== '';
  const isUnused = isHttps && anchors.length > 0 && !hasCafile;
  const lost = fileOptions.filter((option) => {
    const file = settings.get(option) ?? '';
    return subject.filesByPath.has(file) && subject.runs.some((run) => !isMountedAt(run, file));
  });
  const say = (rule: Rule, option: string): Issue =>
    broken(rule, path, { message: `${name}: ${option}: ${rule.message}` });
  return [
    // With an authority, conf-cafile-unused reports it.
    ...(isInsecure && isHttps && !hasCafile ? [say(ownRules.insecure, 'insecure')] : []),
    ...(isUnused ? [say(ownRules.caUnused, 'cafile')] : []),
    ...lost.map((option) => say(ownRules.hostPath, option)),
  ];
}

/** Values in [DEFAULT] of all confs of the config, in which the agent's own order is not known. */
export function confValues(subject: LintSubject, option: string): string[] {
  return subject.confs.flatMap(({ file }) => {
    const bytes = readContents(file.contents ?? {});
    const value = bytes && readDefaults(Buffer.from(bytes).toString()).get(option);
    return value === undefined ? [] : [value];
  });
}

/**
 * The converged flow of assisted-service, in which the Ironic agent starts the assisted agent when its time has come.
 */
export const convergedFlowRules = {
  agentEnabled: warning(
    'agent-converged-enabled',
    'agent.service is enabled beside the Ironic agent: both would handle the host at the same time',
    'set "enabled" to false; the step start_assisted_install starts it',
  ),
};

export function checkConvergedFlow({ units, runs }: LintSubject): Issue[] {
  if (runs.length === 0) return [];
  const enabled = units.filter(({ name, unit }) => {
    return name === 'agent.service' && unit.enabled === true && unit.mask !== true;
  });
  return enabled.map(({ path }) => broken(convergedFlowRules.agentEnabled, [...path, 'enabled']));
}
