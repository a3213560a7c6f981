/** Lint of the mounts of the agent's container: whether it sees the configuration of the agent and the parts of the host that it needs. */

import type { Finding } from '../../core/finding.ts';
import { quoteText } from '../../core/foreignText.ts';
import { trimEndOf } from '../../core/trimming.ts';
import { lintError, lintNote, lintWarning } from '../../core/rule.ts';
import { bindMounts, isOptionSet, optionValues } from './podmanCommand.ts';
import { broken, isAgentUnitName, type LintedFile, type LintSubject, type UnitCommand } from './subject.ts';

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

export function checkMounts(subject: LintSubject): Finding[] {
  return [
    ...subject.confs.flatMap((conf) => checkConf(conf, subject)),
    ...subject.runs.flatMap((run) => checkSources(run, subject)),
    ...subject.runs.flatMap(checkHostAccess),
  ];
}

/** Whether a container path contains a part of the host. The root of the host counts only at the same path. */
export function isMountedAt({ podman }: UnitCommand, path: string): boolean {
  return bindMounts(podman).some(({ target }) => isWithin(path, target));
}

function isWithin(path: string, folder: string): boolean {
  const base = trimEndOf(folder, '/');
  return path === base || path.startsWith(`${base}/`);
}

function checkConf({ name, path }: LintedFile, subject: LintSubject): Finding[] {
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
function checkSources({ setting, podman }: UnitCommand, subject: LintSubject): Finding[] {
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
function checkHostAccess({ setting, podman }: UnitCommand): Finding[] {
  const sources = bindMounts(podman).map(({ source }) => source);
  // podman runs a container in several networks; the value of a variable is unknown.
  const lacksHost = (...names: readonly string[]): boolean =>
    !optionValues(podman, ...names).some(({ expands, text }) => expands || text === 'host');
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
