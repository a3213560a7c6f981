/** Rules about the units and the container of the agent: whether it starts, and sees its configuration. */

import { quoteText } from '../../core/foreignText.ts';
import { trimEndOf } from '../../core/trimming.ts';
import { bindMounts, isOptionSet, optionValues } from './podmanCommand.ts';
import { atSetting, rule } from './lintRule.ts';
import { effectiveSettings, isAgentUnitName, type LintSubject } from './subject.ts';

export const agentUnitRules = [
  rule(
    'agent-unit-missing',
    'error',
    'add a unit that runs the container of the agent; `render` writes one',
    function* (subject) {
      if (subject.runs.length > 0 || mayRunElsewhere(subject) || mayStartPrograms(subject)) return;
      for (const { path } of subject.confs) {
        yield {
          path: [...path, 'path'],
          message: "the config contains the agent's configuration file, but no unit that starts the agent",
        };
      }
    },
  ),

  rule(
    'agent-conf-unmounted',
    'warning',
    'run the container with --mount type=bind,src=/etc/ironic-python-agent.conf,dst=/etc/ironic-python-agent/ignition.conf',
    function* (subject) {
      const { confs, runs } = subject;
      if (runs.length === 0 && (mayRunElsewhere(subject) || !mayStartPrograms(subject))) return;
      const mounts = runs.flatMap((run) => bindMounts(run.podman).map((mount) => ({ run, mount })));
      for (const { name, path } of confs) {
        const own = mounts.filter(({ mount }) => mount.source !== '/' && isWithin(name, mount.source));
        const isRead = own.some(({ mount, run }) => {
          const seen = `${mount.target}${name.slice(mount.source.length)}`;
          // With arguments or another entry point, the agent may read other paths.
          const { podman } = run;
          const isCustom = podman.operands.length > 1 || optionValues(podman, 'entrypoint').length > 0;
          return isCustom || CONF_IN_CONTAINER.test(seen);
        });
        if (isRead) continue;
        const message =
          own.length === 0
            ? "no unit mounts the agent's configuration file into the container, so the agent does not read it"
            : "the agent's configuration file is mounted at a path that the agent does not read";
        yield { path: [...path, 'path'], message };
      }
    },
  ),

  rule(
    'agent-file-missing',
    'error',
    'write the file, or remove --mount, --volume or --authfile',
    function* (subject) {
      if (!subject.isComplete) return;
      // The files of the OS are unknown, so only those are missing that nothing but the config would write.
      for (const { setting, podman } of subject.runs) {
        for (const { source } of bindMounts(podman)) {
          if (!/^\/etc\/(?:.*ironic|pki\/ca-trust\/source\/anchors\/.)/.test(source)) continue;
          if (isWritten(source, subject)) continue;
          const message = `the container mounts ${quoteText(source)}, which the config does not write`;
          yield atSetting(setting, message);
        }
      }
      // Other services may write files below /run.
      for (const { podman, setting } of subject.units.flatMap(({ commands }) => commands)) {
        for (const { expands, text } of optionValues(podman, 'authfile')) {
          if (expands || text.startsWith('/run/') || subject.filesByPath.has(text)) continue;
          const message = `podman reads credentials from ${quoteText(text)}, which the config does not write`;
          yield atSetting(setting, message);
        }
      }
    },
  ),

  rule('agent-unit-not-enabled', 'error', 'set "enabled" to true', function* (subject) {
    for (const { name, path, runs, settings, unit } of subject.activeUnits) {
      // A unit without contents belongs to the OS or to another config; it may have a drop-in.
      if (unit.enabled === true || !unit.contents || settings.length === 0) continue;
      if ((runs.length === 0 && !isAgentUnitName(name)) || mayBeStarted(name, subject)) continue;
      const isInstalled = settings.some((setting) => /^(?:Wanted|Required|Upheld)By$/.test(setting.name));
      yield {
        path: [...path, 'enabled'],
        message: `${name} never starts, because it is not enabled`,
        hint: isInstalled
          ? undefined
          : 'set "enabled" to true, and add WantedBy=multi-user.target to the section [Install]',
      };
    }
  }),

  rule(
    'agent-unit-timeout',
    'info',
    'add TimeoutStartSec=0 to the section [Service]',
    function* ({ agentUnits }) {
      for (const { pulls, settings } of agentUnits) {
        const pull = pulls.find(({ setting }) => setting.name === 'ExecStartPre');
        const isChosen = settings.some(
          ({ name, value }) =>
            /^Timeout(?:Start)?Sec$/.test(name) || (name === 'Type' && value === 'oneshot'),
        );
        if (pull === undefined || isChosen) continue;
        const message = 'systemd stops the command if the pull of the image takes more than 90 seconds';
        yield atSetting(pull.setting, message);
      }
    },
  ),

  rule(
    'agent-unit-name-taken',
    'warning',
    'add --rm and --replace to the command that runs the container',
    function* ({ activeUnits }) {
      for (const { runs, settings } of activeUnits) {
        if ((effectiveSettings(settings, 'Restart').at(-1)?.value ?? 'no') === 'no') continue;
        if (settings.some(({ name, value }) => name.startsWith('Exec') && REMOVES.test(value))) continue;
        for (const { podman, setting } of runs) {
          if (optionValues(podman, 'name').length === 0) continue;
          if (isOptionSet(podman, 'rm') || isOptionSet(podman, 'replace')) continue;
          const message = 'the unit cannot start twice, because its first container still has the name';
          yield atSetting(setting, message);
        }
      }
    },
  ),
];

/** True if another config, a link, a timer or socket of the same name, or another unit may start the unit. */
function mayBeStarted(name: string, { config, isComplete, units }: LintSubject): boolean {
  const start = name.slice(0, name.lastIndexOf('.') + 1);
  const others = units.filter((other) => other.name !== name);
  return (
    !isComplete ||
    (config.storage?.links ?? []).some(({ path = '' }) => path.endsWith(`/${name}`)) ||
    others.some((other) => other.name.startsWith(start)) ||
    others.some(({ settings }) =>
      settings.some((setting) => !ORDERING.test(setting.name) && setting.value.split(/\s+/).includes(name)),
    )
  );
}

/** Settings that name a unit and do not start it. */
const ORDERING = /^(?:After|Before|Conflicts|PartOf|Requisite)$/;

function isWithin(path: string, folder: string): boolean {
  const base = trimEndOf(folder, '/');
  return path === base || path.startsWith(`${base}/`);
}

const REMOVES = /podman(?:\s+container)?\s+rm\s/;

/** Also the file in /etc that oslo.config looks for if no other is named. */
const CONF_IN_CONTAINER =
  /\/\.?ironic-python-agent(?:\.conf)?(?:\.d)?\/[^/]+\.conf$|^\/etc\/ironic-python-agent\.conf$/;

/** True if another config, a command other than podman, an unreadable command, or a quadlet may start the agent. */
function mayRunElsewhere({ units, files, isComplete }: LintSubject): boolean {
  return (
    !isComplete ||
    units.some(({ name, settings }) => isAgentUnitName(name) && settings.length > 0) ||
    files.some(({ name }) => name.endsWith('.container'))
  );
}

function mayStartPrograms({ units }: LintSubject): boolean {
  return units.some(({ name, settings }) => settings.length > 0 || isAgentUnitName(name));
}

function isWritten(path: string, { config, filesByPath }: LintSubject): boolean {
  const { directories = [], links = [] } = config.storage ?? {};
  const others = [...directories, ...links].map((node) => node.path ?? '');
  return filesByPath.has(path) || [...filesByPath.keys(), ...others].some((name) => isWithin(name, path));
}
