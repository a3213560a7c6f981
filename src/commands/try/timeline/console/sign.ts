/**
 * A row of the table of console lines: which line of which program it recognizes, and what this line implies. A line proves a
 * cause only if it implies the first clause of the cause. A console is input from outside: patterns take linear time on its lines.
 */

import { type Stage, stages } from '../stage.ts';

/**
 * Who prints a line. `kernel`: lines with a time and no identifier. `systemd`: status lines, and lines of process 1. `terminal`:
 * programs that write to the terminal without journald: firmware, boot loaders, agetty, the emergency shell. `agent`: log lines of
 * ironic-python-agent, which podman prints. The others are identifiers in journald, with a process ID.
 */
export type Printer =
  | 'kernel'
  | 'systemd'
  | 'terminal'
  | 'ignition'
  | 'coreos-livepxe-rootfs'
  | 'coreos-installer-service'
  | 'NetworkManager'
  | 'sha512sum'
  | 'podman'
  | 'agent';

/** A line of the console. By default, the stages of its printer solve a problem. */
export interface Row {
  /** The program, and the file with the message: `Ignition 2.27, internal/resource/http.go`. */
  readonly source: string;
  /** Of the message without its prefix. */
  readonly pattern: RegExp;
  /**
   * Whether the row applies only if the time in the line, the group `time` of the pattern, agrees with the time of this machine,
   * or differs from it by more than a day.
   */
  readonly clock?: 'agrees' | 'differs';
  /** The stage that the line shows. */
  readonly stage?: Stage;
  /** The id of a cause that the line implies. */
  readonly proves?: string;
  /** Ids of causes that the line makes likely. */
  readonly suggests?: readonly string[];
  /**
   * The line is no evidence if the line of the same program before it, or any earlier line of another program, has one of these
   * ids.
   */
  readonly resultOf?: readonly string[];
  /** Number of such lines that are evidence; one by default. */
  readonly times?: number;
  /** Whether the line shows that the earlier problems of the program that have a proof are solved. */
  readonly settles?: boolean;
  /** Ids of causes that the line excludes until the next restart. */
  readonly refutes?: readonly string[];
  /** A later event of one of these stages shows that the problem is solved. */
  readonly solvedBy?: readonly Stage[];
}

export interface ConsoleSign extends Row {
  /** Stable, because events contain it. */
  readonly id: string;
  readonly printer: Printer;
  readonly refutes: readonly string[];
  readonly solvedBy: readonly Stage[];
}

/** Causes before the live kernel runs. Not `boot-order`, because the disk may contain CoreOS, too. */
export const beforeKernel = [
  'power-off',
  'medium-not-attached',
  'no-boot-device',
  'medium-not-bootable',
  'link-down',
  'dhcp-no-offer',
  'dhcp-no-boot-file',
  'loader-no-http',
  'loader-timeout',
  'loader-dns',
  'loader-tls',
  'loader-not-found',
  'loader-denied',
  'loader-server-error',
  'loader-transfer',
  'loader-protocol',
  'loader-format',
  'secure-boot',
  'architecture-mismatch',
  'kernel-url',
  'console-silent',
];

export const inInitramfs = [
  'kernel-arguments',
  'initramfs-network',
  'initramfs-damaged',
  'no-initramfs',
  'medium-missing',
  'rootfs-not-fetched',
  'rootfs-mismatch',
  'config-not-fetched',
  'ignition-failed',
  'kernel-panic',
];

/** Not `container-architecture`: an image for another architecture can be pulled. */
export const pullCauses = [
  'container-pull',
  'pull-timeout',
  'pull-transfer',
  'pull-proxy',
  'pull-secret',
  'pull-secret-invalid',
  'pull-rate-limit',
  'pull-policy',
  'registry-blocked',
  'registry-error',
  'registry-answer',
  'registry-ca',
  'registry-name',
  'registry-expired',
  'registry-tls',
  'registry-plain-http',
  'registries-conf',
  'container-image',
];

/** Causes that a stage excludes if the console shows it. */
const refutedByStage: Readonly<Partial<Record<Stage, readonly string[]>>> = {
  'live system': [...beforeKernel, ...inInitramfs],
  'agent container': ['boot-order', ...beforeKernel, ...inInitramfs, ...pullCauses, 'agent-archive'],
};

export const from = (stage: Stage): readonly Stage[] => stages.slice(stages.indexOf(stage));

/** The stages that show that a problem of the program is solved. */
const solved: Readonly<Record<Printer, readonly Stage[]>> = {
  terminal: ['kernel', ...from('initramfs').filter((stage) => stage !== 'agent archive')],
  kernel: from('live system'),
  ignition: from('live system'),
  'coreos-livepxe-rootfs': from('live system'),
  'coreos-installer-service': from('agent container'),
  NetworkManager: from('agent container'),
  systemd: from('agent container'),
  sha512sum: from('agent container'),
  podman: from('agent container'),
  agent: from('lookup'),
};

/**
 * @param common of all rows that do not contain it
 * @param rows by their ids. A stage excludes further causes
 */
export function rowsWith(
  printer: Printer,
  common: Partial<Row>,
  rows: Readonly<Record<string, Row>>,
): readonly ConsoleSign[] {
  return Object.entries(rows).map(([id, given]) => {
    const row = { ...common, ...given };
    const byStage = row.stage === undefined ? undefined : refutedByStage[row.stage];
    const refutes = [...(row.refutes ?? []), ...(byStage ?? [])];
    return { id, solvedBy: solved[printer], ...row, printer, refutes };
  });
}
