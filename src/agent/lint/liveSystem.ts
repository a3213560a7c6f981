/**
 * What a live system cannot do: it has no disk with a boot loader, and only /etc and /var are writable, in memory. Sources: the
 * stages of Ignition 2.27, and the modules 35coreos-live and 35coreos-ignition of fedora-coreos-config.
 */

import type { Finding } from '../../core/finding.ts';
import type { Config } from '../../ignition/config.ts';
import { lintError, lintWarning } from '../../core/rule.ts';
import { isWritableLive } from './hostFiles.ts';
import { broken, type LintSubject } from './subject.ts';

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
};

export const installerRule = lintError(
  'agent-installer',
  'with coreos.inst.install_dev in the kernel arguments, the installer runs instead of the agent and overwrites the disk',
  'remove coreos.inst.install_dev: Ironic installs CoreOS with the deploy step install_coreos',
);

/** The generator of coreos-installer looks only whether the folder has a file. */
export function checkInstallerFiles({ storage }: Config): Finding[] {
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

export function checkLiveSystem({ config }: LintSubject): Finding[] {
  const { kernelArguments = {}, storage = {} } = config;
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
  ];
}

/** Folders of the image on which a filesystem can be mounted. A filesystem on / hides the system. */
const IMAGE_FOLDER = /^\/(?:boot|dev|proc|run|sys|sysroot|tmp|usr)(?:\/|$)/;
