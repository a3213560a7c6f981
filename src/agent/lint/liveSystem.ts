/**
 * What a live system cannot do: it has no disk with a boot loader, and only /etc and /var are writable, in memory. Sources: the
 * stages of Ignition 2.27, and the modules 35coreos-live and 35coreos-ignition of fedora-coreos-config.
 */

import type { Config } from '../../ignition/config.ts';
import { type Issue, lintError, lintWarning } from '../../core/rule.ts';
import { once } from '../../core/once.ts';
import { isWritableLive } from './hostFiles.ts';
import {
  broken,
  brokenSetting,
  effectiveSettings,
  type LintSubject,
  readInlineText,
  type UnitSetting,
} from './subject.ts';

export const liveSystemRules = {
  kernelArguments: lintError(
    'agent-live-kernel-arguments',
    'a live system cannot add kernel arguments, so Ignition fails and the boot stops',
    'remove "kernelArguments"; add the arguments with "ironic-coreos iso kargs modify --append" or "ironic-coreos pxe kargs --append"',
  ),
  removedArguments: lintWarning(
    'agent-live-kernel-arguments-removed',
    'a live system cannot remove kernel arguments: if the image has one of them, the boot stops',
    'remove "shouldNotExist"; remove the arguments with "ironic-coreos iso kargs modify --delete"',
  ),
  mountPoint: lintError(
    'agent-live-mount-point',
    'a live system cannot create the mount point, because the filesystem is read-only; Ignition fails and the boot stops',
    'use a path below /var',
  ),
  program: lintError(
    'agent-unit-program',
    'a live system does not have the program, and the config does not write it, so the unit does not start',
    'add the program to "storage.files", or fix its path',
  ),
};

export const installerRule = lintError(
  'agent-installer',
  'with coreos.inst.install_dev in the kernel arguments, the installer runs instead of the agent and overwrites the disk',
  'remove coreos.inst.install_dev: Ironic installs CoreOS with the deploy step install_coreos',
);

/** The generator of coreos-installer looks only whether the folder has a file. */
export function checkInstallerFiles({ storage }: Config): Issue[] {
  const index = (storage?.files ?? []).findIndex(({ path = '' }) =>
    path.startsWith('/etc/coreos/installer.d/'),
  );
  if (index === -1) return [];
  return [
    broken(installerRule, ['storage', 'files', index, 'path'], {
      message:
        'with a file in /etc/coreos/installer.d, the installer runs instead of the agent and overwrites the disk',
      hint: 'remove the settings of the installer: Ironic installs CoreOS with the deploy step install_coreos',
    }),
  ];
}

export function checkLiveSystem(subject: LintSubject): Issue[] {
  const { kernelArguments = {}, storage = {} } = subject.config;
  const { shouldExist = [], shouldNotExist = [] } = kernelArguments;
  const mounted = (storage.filesystems ?? []).map(({ path = '' }, index) => ({ path, index }));
  return [
    ...(shouldExist.length > 0
      ? [broken(liveSystemRules.kernelArguments, ['kernelArguments', 'shouldExist'])]
      : []),
    ...(shouldNotExist.length > 0
      ? [broken(liveSystemRules.removedArguments, ['kernelArguments', 'shouldNotExist'])]
      : []),
    ...mounted
      .filter(({ path }) => path !== '' && !isWritableLive(path) && !IMAGE_FOLDER.test(path))
      .map(({ index }) => broken(liveSystemRules.mountPoint, ['storage', 'filesystems', index, 'path'])),
    ...(subject.isComplete ? checkPrograms(subject) : []),
  ];
}

/** Folders of the image on which a filesystem can be mounted. A filesystem on / hides the system. */
const IMAGE_FOLDER = /^\/(?:boot|dev|proc|run|sys|sysroot|tmp|usr)(?:\/|$)/;

/** Folders that are empty in a live system. */
const EMPTY_FOLDER = /^\/(?:home|mnt|opt|root|srv|usr\/local|var\/(?:home|mnt|opt|roothome|srv|usrlocal))\//;

/** Limit for configs that are no configs of a machine, because each program is searched for in all texts. */
const MOST_PROGRAMS = 200;

/** Programs that a unit requires and that nothing in the config writes. */
function checkPrograms(subject: LintSubject): Issue[] {
  const required = subject.activeUnits
    .filter(({ settings, unit }) => (unit.contents ?? '') !== '' && !settings.some(isCondition))
    .flatMap(({ settings }) =>
      ['ExecStartPre', 'ExecStart'].flatMap((name) => effectiveSettings(settings, name)),
    );
  const programs = required.flatMap((setting) =>
    setting.commands.flatMap(([word]) => {
      const [, prefix = '', program = ''] = /^([-@:+!|]*)(\/[\w./+-]+)$/.exec(word?.text ?? '') ?? [];
      const isChecked = !prefix.includes('-') && word?.expands === false && EMPTY_FOLDER.test(program);
      return isChecked ? [{ setting, program }] : [];
    }),
  );
  const mayBeWritten = programs.length === 0 ? undefined : createWriterSearch(subject);
  return programs.slice(0, MOST_PROGRAMS).flatMap(({ setting, program }) => {
    if (mayBeWritten?.(program) !== false) return [];
    const message = `a live system does not have ${program}, and the config does not write it, so the unit does not start`;
    return [brokenSetting(liveSystemRules.program, setting, { message })];
  });
}

function isCondition({ name }: UnitSetting): boolean {
  return /^(?:Condition|Assert)/.test(name);
}

/** Whether the config writes a program, or mounts its folder, or a command or script names one of both. */
function createWriterSearch({
  config,
  files,
  filesByPath,
  units,
}: LintSubject): (program: string) => boolean {
  const { filesystems = [], links = [] } = config.storage ?? {};
  const folders = [...filesystems, ...links].flatMap(({ path = '' }) => (path === '' ? [] : path));
  const hasMount = units.some(({ name }) => /\.(?:auto)?mount$/.test(name));
  const readTexts = once(() => {
    // The first word is the program itself.
    const args = units
      .flatMap(({ execs }) => execs.flatMap(({ commands }) => commands))
      .map(([, ...words]) => words.map(({ text }) => text).join(' '));
    return [...args, ...files.map(({ file }) => readInlineText(file.contents ?? { source: 'data:,' }))];
  });
  return (program) => {
    if (hasMount || filesByPath.has(program) || folders.some((path) => `${program}/`.startsWith(`${path}/`)))
      return true;
    const folder = program.slice(0, program.lastIndexOf('/'));
    const namesFolder = new RegExp(`${folder.replaceAll(/[.+]/g, '\\$&')}/?(?:["'\\s:,;]|$)`, 'm');
    // A script that Ignition fetches may write anything.
    return readTexts().some((text) => text === undefined || text.includes(program) || namesFolder.test(text));
  };
}
