/** Files between host and container: the conf that nobody mounts, and mounts of what is not there. */

import type { Issue } from '../../ignition/rule.ts';
import { broken, note, warning } from './lintRule.ts';
import { bindMounts, isOptionSet, optionValues } from './podmanCommand.ts';
import { type LintedFile, isAgentUnitName, type LintSubject, type UnitCommand } from './subject.ts';

export const mountRules = {
  confUnmounted: warning(
    'agent-conf-unmounted',
    'no unit mounts the conf into the container of the agent, which does not see it',
    'run the container with --mount type=bind,src=/etc/ironic-python-agent.conf,dst=/etc/ironic-python-agent/ignition.conf',
  ),
  confPlace: warning(
    'agent-conf-place',
    'the conf is mounted where the agent does not look for it',
    'mount it as /etc/ironic-python-agent/NAME.conf: only files there that end in .conf are read',
  ),
  sourceMissing: warning(
    'agent-mount-missing',
    'the container mounts a file that the config does not write; podman does not start it then',
    'write the file, or remove the mount',
  ),
  hostAccess: note(
    'agent-host-access',
    'the container lacks parts of the host that the agent works with',
    'add them to the command that runs the container',
  ),
};

export function checkMounts(subject: LintSubject): Issue[] {
  return [
    ...subject.confs.flatMap((conf) => checkConf(conf, subject)),
    ...subject.runs.flatMap((run) => checkSources(run, subject)),
    ...subject.runs.flatMap((run) => checkHostAccess(run)),
  ];
}

/** Whether a path of the container shows a part of the host. The root of the host elsewhere in it does not count. */
export function isMountedAt({ podman }: UnitCommand, path: string): boolean {
  return bindMounts(podman).some(({ target }) => isWithin(path, target));
}

function isWithin(path: string, folder: string): boolean {
  const base = folder.replace(/\/+$/, '');
  return path === base || path.startsWith(`${base}/`);
}

function checkConf({ name, path }: LintedFile, subject: LintSubject): Issue[] {
  const { runs } = subject;
  if (runs.length === 0) {
    return mayRunElsewhere(subject) ? [] : [broken(mountRules.confUnmounted, [...path, 'path'])];
  }
  const mounts = runs.flatMap((run) => bindMounts(run.podman).map((mount) => ({ run, mount })));
  const own = mounts.filter(({ mount }) => mount.source !== '/' && isWithin(name, mount.source));
  if (own.length === 0) return [broken(mountRules.confUnmounted, [...path, 'path'])];
  const found = own.find(({ mount, run }) => {
    const seen = `${mount.target}${name.slice(mount.source.length)}`;
    return /\/\.?ironic-python-agent(?:\.conf)?(?:\.d)?\/[^/]+\.conf$/.test(seen) || isToldWhere(run);
  });
  return found === undefined ? [broken(mountRules.confPlace, [...path, 'path'])] : [];
}

/** Another config, a command of the agent's unit that is not podman or cannot be read, or a quadlet. */
function mayRunElsewhere({ units, files, isComplete }: LintSubject): boolean {
  return (
    !isComplete ||
    units.some(({ name, settings }) => isAgentUnitName(name) && settings.length > 0) ||
    files.some(({ name }) => name.endsWith('.container'))
  );
}

/** Arguments or another entry point may name any place. */
function isToldWhere({ podman }: UnitCommand): boolean {
  return podman.operands.length > 1 || optionValues(podman, 'entrypoint').length > 0;
}

/** What the OS brings along is not known, so only files are missed that nobody but the config would write. */
function checkSources({ unitName, setting, podman }: UnitCommand, subject: LintSubject): Issue[] {
  if (!subject.isComplete) return [];
  const missing = bindMounts(podman).filter(({ source }) => {
    const isOurs = /^\/etc\/(?:.*ironic|pki\/ca-trust\/source\/anchors\/.)/.test(source);
    return isOurs && !isWritten(source, subject);
  });
  return missing.map(({ source }) => {
    const message = `${unitName}: the container mounts ${JSON.stringify(source)}, which the config does not write`;
    return broken(mountRules.sourceMissing, setting.path, { message });
  });
}

function isWritten(path: string, { config, filesByPath }: LintSubject): boolean {
  const { directories = [], links = [] } = config.storage ?? {};
  const others = [...directories, ...links].map((node) => node.path ?? '');
  return filesByPath.has(path) || [...filesByPath.keys(), ...others].some((name) => isWithin(name, path));
}

const neededMounts = ['/dev', '/sys', '/', '/run/udev', '/run/dbus/system_bus_socket'];

/** What the hardware manager for CoreOS uses: chroot into the host, device nodes, udev, hostnamectl and rpm-ostree. */
function checkHostAccess({ unitName, setting, podman }: UnitCommand): Issue[] {
  const sources = bindMounts(podman).map(({ source }) => source);
  const namespaces = [
    { flag: '--network host', value: optionValues(podman, 'network', 'net').at(-1) },
    { flag: '--ipc=host', value: optionValues(podman, 'ipc').at(-1) },
    { flag: '--uts=host', value: optionValues(podman, 'uts').at(-1) },
  ];
  const missing = [
    ...(isOptionSet(podman, 'privileged') ? [] : ['--privileged']),
    ...namespaces.flatMap(({ flag, value }) => (value?.text === 'host' ? [] : [flag])),
    ...neededMounts.filter((path) => !sources.some((source) => isSource(path, source))),
  ];
  if (missing.length === 0) return [];
  const message = `${unitName}: ${mountRules.hostAccess.message}: ${missing.join(', ')}`;
  return [broken(mountRules.hostAccess, setting.path, { message })];
}

/** The root of the host stands for itself alone: it is mounted below /mnt. */
function isSource(path: string, source: string): boolean {
  return source === '/' ? path === '/' : isWithin(path, source);
}
