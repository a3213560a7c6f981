/** Lines of the live system: logins, targets, the network, the units of the agent, and coreos-installer. */

import { type ConsoleSign, from, rowsWith } from './sign.ts';

const live = { stage: 'live system' } as const;
/** Lines of units that only the config contains. */
const ofConfig = { stage: 'live system', refutes: ['no-config'] } as const;

const loginSigns = rowsWith(
  'terminal',
  { ...live, solvedBy: from('agent container') },
  {
    'system-welcome': {
      source: 'systemd, src/core/main.c (status_welcome); os-release of CoreOS',
      pattern: /^Welcome to (?!.*\(Initramfs\)).*CoreOS\b.*!$/,
    },
    // An installed system has a prompt, too.
    'login-prompt': {
      source: 'util-linux, term-utils/agetty.c',
      pattern: /^(?!Last )[\w.-]{1,64} login:(?: |$)/,
    },
    'agent-banner': {
      source: 'templates/agent/ironic-agent.issue, templates/agent/ironic-agent.motd',
      pattern: /^This (?:machine|ramdisk) runs ironic-python-agent, /,
      refutes: ['boot-order', 'no-config'],
    },
    'no-user-config': {
      source: 'fedora-coreos-config, coreos-ignition-write-issues',
      pattern: /^Ignition: no config provided by user/,
      proves: 'no-config',
    },
    'user-config-applied': {
      source: 'fedora-coreos-config, coreos-ignition-write-issues',
      pattern: /^Ignition: user-provided config was applied/,
      refutes: ['no-config'],
    },
  },
);

const targetSigns = rowsWith('systemd', live, {
  'system-multi-user': {
    source: 'systemd, units/multi-user.target',
    pattern: /^Reached target (?:multi-user\.target\b|Multi-User System\b)/,
  },
  'network-wait-failed': {
    source: 'NetworkManager, data/NetworkManager-wait-online.service.in; systemd, src/core/job.c',
    pattern: /^Failed to start (?:NetworkManager-wait-online\.service\b|Network Manager Wait Online\b)/,
    suggests: ['host-network'],
  },
  'installer-started': {
    source: 'coreos-installer, systemd/coreos-installer.service; systemd, src/core/job.c',
    pattern:
      /^(?:Start(?:ing|ed)|Failed to start|Finished) (?:coreos-installer\.service\b|CoreOS Installer(?:\.|$))/,
    proves: 'installer-running',
  },
});

const networkSigns = rowsWith(
  'NetworkManager',
  {},
  {
    'network-dhcp-timeout': {
      source: 'NetworkManager, src/core/dhcp/nm-dhcp-client.c',
      pattern:
        /^<(?:warn|info)> .*\bdhcp[46] \([\w.-]{1,15}\): (?:request timed out|state changed .{0,40}timeout)/,
      suggests: ['host-network', 'initramfs-network'],
    },
  },
);

const installerSigns = rowsWith(
  'coreos-installer-service',
  {},
  {
    'installer-line': {
      source: 'coreos-installer, scripts/coreos-installer-service (its output)',
      pattern: /^./,
      proves: 'installer-running',
    },
  },
);

/** The description of a unit, with or without its name in front, as `StatusUnitFormat=` of systemd sets it. */
const unitSigns = rowsWith('systemd', ofConfig, {
  'agent-started': {
    source: 'templates/agent/ironic-agent.service; systemd, src/core/job.c',
    pattern: /^Started (?:ironic-agent\.service(?: |\.?$)|Ironic Agent\b)/,
    stage: 'agent container',
  },
  // systemd shortens these lines to the width of the terminal.
  'agent-starting': {
    source: 'systemd, src/core/manager.c (manager_print_jobs_in_progress)',
    pattern: /^A start job is running for (?:ironic-agent\.s|ironic-age…|Ironic Agent\b)/,
  },
  'agent-failed': {
    source: 'templates/agent/ironic-agent.service; systemd, src/core/job.c',
    pattern: /^Failed to start (?:ironic-agent\.service\b|Ironic Agent\b)/,
    proves: 'agent-unit-failed',
  },
  'agent-dependency-failed': {
    source: 'templates/agent/ironic-agent-image.service (RequiredBy=); systemd, src/core/job.c',
    pattern: /^Dependency failed for (?:ironic-agent\.service\b|Ironic Agent\b)/,
    suggests: ['agent-archive'],
  },
  'archive-failed': {
    source: 'templates/agent/ironic-agent-image.service; systemd, src/core/job.c',
    pattern:
      /^(?:Failed to start|Dependency failed for) (?:ironic-agent-image\.service\b|Container image of the Ironic Agent\b)/,
    proves: 'agent-archive',
  },
  'agent-exec': {
    source: 'systemd, src/core/exec-invoke.c, src/shared/exit-status.c',
    pattern:
      /^ironic-agent(?:-image)?\.service: (?:Failed to locate executable |Failed at step [A-Z_]{2,20} spawning |(?:Main|Control) process exited, code=exited, status=2\d\d\/[A-Z_]{2,20}$|Failed to load environment files)/,
    proves: 'unit-exec',
    resultOf: ['medium-read-error', 'medium-end', 'rootfs-damaged'],
  },
  'agent-unit-invalid': {
    source: 'systemd, src/core/unit.c, src/core/load-fragment.c, src/core/service.c',
    pattern:
      /^(?:Unit ironic-agent\.service has a bad unit file setting|ironic-agent\.service: (?:Service has no ExecStart=|Unit configuration has fatal error|Cannot add dependency job))/,
    proves: 'unit-invalid',
  },
  'agent-exited': {
    source: 'systemd, src/core/service.c, src/core/unit.c',
    pattern:
      /^ironic-agent\.service: (?:Main process exited, code=(?:exited|killed|dumped), status=|Start request repeated too quickly|Scheduled restart job, restart counter is at \d)/,
    proves: 'container-ends',
  },
});

const checksumSigns = rowsWith(
  'sha512sum',
  { stage: 'live system' },
  {
    'archive-checksum': {
      source: 'GNU coreutils, src/cksum.c (digest_check)',
      pattern: /: FAILED(?: open or read)?$|^(?:\/bin\/)?sha512sum: /,
      proves: 'agent-archive',
    },
  },
);

export const systemSigns: readonly ConsoleSign[] = [
  ...loginSigns,
  ...targetSigns,
  ...networkSigns,
  ...installerSigns,
  ...unitSigns,
  ...checksumSigns,
];
