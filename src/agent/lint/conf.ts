/** Lint of the configuration of the agent, and of the mounts that make it visible to the container. */

import { quoteText } from '../../core/foreignText.ts';
import { trimEndOf } from '../../core/trimming.ts';
import { posix } from 'node:path';
import { infoRule, type Issue, lintError, lintNote, lintWarning, type Rule } from '../../ignition/rule.ts';
import { type Finding, type Path, tooManyFindings } from '../../core/finding.ts';
import { checkConfFile } from '../confCheck.ts';
import { declaresCollectors, isEntryPoints } from '../../ipa/collectors.ts';
import { confRules } from '../../ipa/confRules.ts';
import { parseOsloBoolean } from '../../ipa/confValues.ts';
import type { IpaVersion } from '../../ipa/ipaOptions.ts';
import {
  broken,
  confValues,
  isAgentUnitName,
  type LintedConf,
  type LintedFile,
  type LintSubject,
  readContents,
  textOf,
  type UnitCommand,
} from './subject.ts';
import { anchorFolder } from '../files.ts';
import { bindMounts, isOptionSet, optionValues } from './podmanCommand.ts';

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

const rulesById: ReadonlyMap<string, Rule> = new Map(Object.values(confRules).map((rule) => [rule.id, rule]));

/** For the number of findings about one conf that are left out. */
const moreRule = infoRule(
  tooManyFindings,
  'and more findings, which are not listed',
  'fix the listed findings first',
);

export function checkConfs(subject: LintSubject, ipaVersion: IpaVersion | undefined): Issue[] {
  const known = new Map<string, boolean>();
  const isElsewhere = (rule: string): boolean => {
    const isKnown = known.get(rule) ?? elsewhere.get(rule)?.(subject) === true;
    known.set(rule, isKnown);
    return isKnown;
  };
  const hasAnchor = subject.files.some(({ name }) => name.startsWith(anchorFolder));
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

function toIssue(finding: Finding, { name, source }: LintedFile): Issue[] {
  const rule = finding.rule === tooManyFindings ? moreRule : rulesById.get(finding.rule);
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
): Issue[] {
  const isInsecure = parseOsloBoolean(defaults.get('insecure') ?? '') === true;
  const isHttps = (defaults.get('api_url') ?? '').split(',').some((url) => url.startsWith('https:'));
  const hasCafile = (defaults.get('cafile') ?? '') !== '';
  const lost = fileOptions.filter((option) => {
    const file = defaults.get(option) ?? '';
    return subject.filesByPath.has(file) && subject.runs.some((run) => !isMountedAt(run, file));
  });
  const issueAt = (rule: Rule, option: string): Issue =>
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
  [confRules.caMissing.id, needsNoCa],
  [confRules.collector.id, hasOwnCollectors],
  [confRules.insecureUnset.id, (subject) => confValues(subject, 'insecure').length > 0],
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

export function checkConvergedFlow({ activeUnits, runs }: LintSubject): Issue[] {
  if (runs.length === 0) return [];
  const enabled = activeUnits.filter(({ name, unit }) => name === 'agent.service' && unit.enabled === true);
  return enabled.map(({ path }) => broken(convergedFlowRules.agentEnabled, [...path, 'enabled']));
}

export const mountRules = {
  unitMissing: lintError(
    'agent-unit-missing',
    "the config contains the agent's configuration file, but no unit that starts the agent",
    'add a unit that runs the container of the agent; `render` writes one',
  ),
  confUnmounted: lintWarning(
    'agent-conf-unmounted',
    "no unit mounts the agent's configuration file into the container, so the agent does not read it",
    'run the container with --mount type=bind,src=/etc/ironic-python-agent.conf,dst=/etc/ironic-python-agent/ignition.conf',
  ),
  confPlace: lintWarning(
    'agent-conf-place',
    "the agent's configuration file is mounted at a path that the agent does not read",
    'mount the file as /etc/ironic-python-agent/NAME.conf: the agent reads only files there that end in .conf',
  ),
  sourceMissing: lintError(
    'agent-mount-missing',
    'the container mounts a file that the config does not write; podman does not start the container',
    'write the file, or remove the mount',
  ),
  hostAccess: lintNote(
    'agent-host-access',
    'the container lacks access to parts of the host that the agent needs',
    'add the missing options to the command that runs the container',
  ),
};

export function checkMounts(subject: LintSubject): Issue[] {
  return [
    ...subject.confs.flatMap((conf) => checkConf(conf, subject)),
    ...subject.runs.flatMap((run) => checkSources(run, subject)),
    ...subject.runs.flatMap(checkHostAccess),
  ];
}

/** Whether a container path contains a part of the host. The root of the host counts only at the same path. */
function isMountedAt({ podman }: UnitCommand, path: string): boolean {
  return bindMounts(podman).some(({ target }) => isWithin(path, target));
}

function isWithin(path: string, folder: string): boolean {
  const base = trimEndOf(folder, '/');
  return path === base || path.startsWith(`${base}/`);
}

function checkConf({ name, path }: LintedFile, subject: LintSubject): Issue[] {
  const { runs, units } = subject;
  if (runs.length === 0) {
    if (mayRunElsewhere(subject)) return [];
    const mayStart = units.some((unit) => unit.settings.length > 0 || isAgentUnitName(unit.name));
    return [broken(mayStart ? mountRules.confUnmounted : mountRules.unitMissing, [...path, 'path'])];
  }
  const mounts = runs.flatMap((run) => bindMounts(run.podman).map((mount) => ({ run, mount })));
  const own = mounts.filter(({ mount }) => mount.source !== '/' && isWithin(name, mount.source));
  if (own.length === 0) return [broken(mountRules.confUnmounted, [...path, 'path'])];
  const found = own.find(({ mount, run }) => {
    const seen = `${mount.target}${name.slice(mount.source.length)}`;
    return /\/\.?ironic-python-agent(?:\.conf)?(?:\.d)?\/[^/]+\.conf$/.test(seen) || mayReadAnyPath(run);
  });
  return found === undefined ? [broken(mountRules.confPlace, [...path, 'path'])] : [];
}

/** True if another config, a command other than podman, an unreadable command, or a quadlet may start the agent. */
function mayRunElsewhere({ units, files, isComplete }: LintSubject): boolean {
  return (
    !isComplete ||
    units.some(({ name, settings }) => isAgentUnitName(name) && settings.length > 0) ||
    files.some(({ name }) => name.endsWith('.container'))
  );
}

/** With arguments or another entry point, the agent may read other paths. */
function mayReadAnyPath({ podman }: UnitCommand): boolean {
  return podman.operands.length > 1 || optionValues(podman, 'entrypoint').length > 0;
}

/** The files of the OS are unknown, so only missing files are reported that nothing but the config would write. */
function checkSources({ setting, podman }: UnitCommand, subject: LintSubject): Issue[] {
  if (!subject.isComplete) return [];
  const missing = bindMounts(podman).filter(({ source }) => {
    const isOurs = /^\/etc\/(?:.*ironic|pki\/ca-trust\/source\/anchors\/.)/.test(source);
    return isOurs && !isWritten(source, subject);
  });
  return missing.map(({ source }) => {
    const message = `the container mounts ${quoteText(source)}, which the config does not write`;
    return broken(mountRules.sourceMissing, setting.path, {
      about: setting.unitName,
      message,
      line: setting.line,
    });
  });
}

function isWritten(path: string, { config, filesByPath }: LintSubject): boolean {
  const { directories = [], links = [] } = config.storage ?? {};
  const others = [...directories, ...links].map((node) => node.path ?? '');
  return filesByPath.has(path) || [...filesByPath.keys(), ...others].some((name) => isWithin(name, path));
}

const neededMounts = ['/dev', '/sys', '/', '/run/udev', '/run/dbus/system_bus_socket'];

/** Used by the hardware manager for CoreOS: chroot into the host, device nodes, udev, hostnamectl and rpm-ostree. */
function checkHostAccess({ setting, podman }: UnitCommand): Issue[] {
  const sources = bindMounts(podman).map(({ source }) => source);
  const lacksHost = (...names: readonly string[]): boolean =>
    optionValues(podman, ...names).at(-1)?.text !== 'host';
  const missing = [
    ...(isOptionSet(podman, 'privileged') ? [] : ['--privileged']),
    ...(lacksHost('network', 'net') ? ['--network host'] : []),
    ...['ipc', 'uts'].filter((name) => lacksHost(name)).map((name) => `--${name}=host`),
    ...neededMounts.filter((path) => !sources.some((source) => isSource(path, source))),
  ];
  if (missing.length === 0) return [];
  const message = `${mountRules.hostAccess.message}: ${missing.join(', ')}`;
  return [
    broken(mountRules.hostAccess, setting.path, { about: setting.unitName, message, line: setting.line }),
  ];
}

/** The root of the host matches only itself: it is mounted below /mnt. */
function isSource(path: string, source: string): boolean {
  return source === '/' ? path === '/' : isWithin(path, source);
}
