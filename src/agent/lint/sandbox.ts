/**
 * Settings of the agent's unit with which podman cannot run a privileged container as root. `test/interop/chain/sandbox.test.ts`
 * tries them with systemd 252 and podman 4.3.1; settings that depend on the release, such as `ProtectSystem=full`, are not reported.
 */

import { largest } from '../../core/lists.ts';
import { posix } from 'node:path';
import { type Issue, lintError, lintWarning } from '../../core/rule.ts';
import { optionValues, type PodmanCommand } from './podmanCommand.ts';
import { brokenSetting, effectiveSettings, type LintSubject, type UnitSetting } from './subject.ts';

export const sandboxRules = {
  sandbox: lintError(
    'agent-unit-sandbox',
    'podman cannot run the agent with this setting',
    'remove the setting; the agent requires root and all devices of the machine',
  ),
  devices: lintWarning(
    'agent-unit-devices',
    'the agent does not find the disks of the machine',
    'remove PrivateDevices=',
  ),
};

export function checkSandbox({ agentUnits }: LintSubject): Issue[] {
  return agentUnits.flatMap(({ runs, settings }) => {
    const own = settings.filter(({ section }) => section === 'Service');
    const [run] = runs;
    if (run === undefined) return [];
    const unit = { own, podman: run.podman };
    const last = (name: string): UnitSetting | undefined => own.findLast((setting) => setting.name === name);
    const devices = last('PrivateDevices');
    return [
      ...refusals.flatMap(([name, findReason]) => {
        const setting = last(name);
        const reason = setting && findReason(setting.value, unit);
        if (setting === undefined || reason === undefined) return [];
        return [brokenSetting(sandboxRules.sandbox, setting, { message: reason, hint: `remove ${name}=` })];
      }),
      ...(devices !== undefined && isOn(devices.value) ? [brokenSetting(sandboxRules.devices, devices)] : []),
    ];
  });
}

interface SandboxedUnit {
  /** Settings of the section [Service]. */
  readonly own: readonly UnitSetting[];
  readonly podman: PodmanCommand;
}

/** Why podman fails with the last value of a setting; undefined if it may work. */
type FindReason = (value: string, unit: SandboxedUnit) => string | undefined;

/** Folders that podman of every release writes. Up to 4.3, it also writes /etc/containers. */
const writtenFolders = ['/var/lib/containers', '/run/libpod'];
const NO_ROOT =
  'podman runs without root, so the agent does not reach the disks and the network of the machine';

const refusals: readonly (readonly [name: string, findReason: FindReason])[] = [
  ['User', (value) => (/^(?:root|0|)$/.test(value) ? undefined : NO_ROOT)],
  ['DynamicUser', when(NO_ROOT)],
  [
    'ProtectSystem',
    (value, { own }) =>
      value === 'strict'
        ? findUnwritable((folder) => deepest(own, 'ReadWritePaths', folder) === 0)
        : undefined,
  ],
  [
    'ReadOnlyPaths',
    (_value, { own }) =>
      findUnwritable(
        (folder) => deepest(own, 'ReadOnlyPaths', folder) > deepest(own, 'ReadWritePaths', folder),
      ),
  ],
  [
    'InaccessiblePaths',
    (_value, { own }) => findUnwritable((folder) => deepest(own, 'InaccessiblePaths', folder) > 0),
  ],
  ['RestrictNamespaces', findNamespaceProblem],
  ['PrivateUsers', when('podman cannot mount the image in a user namespace')],
  [
    'PrivateNetwork',
    when('the unit has no network, so podman does not reach the registry, nor the agent Ironic'),
  ],
  [
    'ProtectControlGroups',
    (value, { podman }) => {
      const isDisabled = optionValues(podman, 'cgroups').at(-1)?.text === 'disabled';
      return isOn(value) && !isDisabled
        ? 'podman cannot create the control group of the container'
        : undefined;
    },
  ],
  [
    'ProtectHostname',
    (value, { podman }) => {
      const isShared = optionValues(podman, 'uts').at(-1)?.text === 'host';
      return isOn(value) && !isShared ? 'podman cannot set the host name of the container' : undefined;
    },
  ],
  ['ProcSubset', (value) => (value === 'pid' ? 'podman cannot read /proc/mounts' : undefined)],
  ['SystemCallFilter', (_value, { own }) => findCallProblem(effectiveSettings(own, 'SystemCallFilter'))],
  ['CapabilityBoundingSet', (_value, { own }) => findCapabilityProblem(own)],
  [
    'DevicePolicy',
    (value, { own }) => {
      const isAllowed = own.some(({ name }) => name === 'DeviceAllow');
      return value === 'strict' && !isAllowed ? 'podman cannot open /dev/null' : undefined;
    },
  ],
];

function when(reason: string): FindReason {
  return (value) => (isOn(value) ? reason : undefined);
}

function isOn(value: string): boolean {
  return /^(?:1|yes|y|true|t|on)$/i.test(value);
}

function findUnwritable(isUnwritable: (folder: string) => boolean): string | undefined {
  const folder = writtenFolders.find(isUnwritable);
  return folder && `podman cannot write ${folder}, so it does not run the agent`;
}

/** The length of the longest path of a setting that is the folder or contains it; 0 without one. */
function deepest(own: readonly UnitSetting[], name: string, folder: string): number {
  const paths = effectiveSettings(own, name)
    .flatMap(({ value }) => value.split(/\s+/))
    .map((path) => posix.join('/', path.replace(/^[-+]*/, ''), '/').replace(/^\/var\/run\//, '/run/'));
  return largest(
    paths.filter((path) => `${folder}/`.startsWith(path)).map((path) => path.length),
    0,
  );
}

/** Each container has a mount namespace of its own. */
function findNamespaceProblem(value: string): string | undefined {
  const isDenied = value.startsWith('~');
  const names = value.replace('~', '').split(/\s+/);
  const isList = names.every((name) => /^(?:cgroup|ipc|net|mnt|pid|user|uts|time)$/.test(name));
  const isRefused = isList ? names.includes('mnt') === isDenied : isOn(value);
  return isRefused ? 'podman cannot create the namespaces of the container' : undefined;
}

/** The first list decides whether calls are allowed or denied. */
function findCallProblem(settings: readonly UnitSetting[]): string | undefined {
  const lists = settings.map(({ value }) => ({
    isDenied: value.startsWith('~'),
    calls: value.replace('~', '').split(/\s+/),
  }));
  const isNamed = (denied: boolean, ...calls: readonly string[]): boolean =>
    lists.some((list) => list.isDenied === denied && calls.some((call) => list.calls.includes(call)));
  const isRefused =
    isNamed(true, 'mount', '@mount', '@privileged') ||
    (lists[0]?.isDenied === false && !isNamed(false, 'mount', '@mount', '@known'));
  return isRefused ? 'systemd kills podman when it mounts the image' : undefined;
}

function findCapabilityProblem(own: readonly UnitSetting[]): string | undefined {
  const values = own.filter(({ name }) => name === 'CapabilityBoundingSet').map(({ value }) => value);
  if (values.some((value) => value.startsWith('~'))) return undefined;
  const isGranted = values.some((value) => value.split(/\s+/).includes('CAP_SYS_ADMIN'));
  return isGranted ? undefined : 'podman cannot mount the image without CAP_SYS_ADMIN';
}
