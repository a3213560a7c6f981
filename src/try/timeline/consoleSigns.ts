/**
 * The lines of a console that say how far a boot got, or why it stopped: one row per line that is recognized. A pattern
 * applies only to lines of its printer, because journald, systemd and the kernel mark their lines. A line proves a cause only
 * if it implies the first clause of that cause. A console is input from outside: patterns take linear time on its lines.
 */

import { maskLine } from '../../core/masking.ts';
import { type Stage, stages } from './stages.ts';

/**
 * Who prints a line. `kernel`: lines with a time and no identifier. `systemd`: status lines, and lines of process 1. `terminal`:
 * programs that write to the terminal without journald, for example agetty and the emergency shell. The others are identifiers
 * in journald, with a process ID.
 */
type Printer =
  | 'kernel'
  | 'systemd'
  | 'terminal'
  | 'ignition'
  | 'coreos-livepxe-rootfs'
  | 'sha512sum'
  | 'podman';

export interface ConsoleSign {
  /** Stable, because events contain it. */
  readonly id: string;
  readonly printer: Printer;
  /** Of the message without its prefix. */
  readonly pattern: RegExp;
  /** The stage that the line shows. */
  readonly stage?: Stage;
  /** The id of a cause. */
  readonly proves?: string;
  /** Ids of causes that the line makes likely. */
  readonly suggests?: readonly string[];
  /** Whether the line shows that the earlier problems of the program that have a proof are solved. */
  readonly settles?: boolean;
  /** Ids of causes that the line excludes until the next restart. */
  readonly refutes: readonly string[];
  /** A later event of one of these stages shows that the problem is solved. */
  readonly solvedBy: readonly Stage[];
  /** The program and its file with the text. */
  readonly source: string;
}

/** Not `boot-order`, because the disk may contain CoreOS, too. */
const beforeKernel = [
  'medium-not-attached',
  'dhcp-no-boot-file',
  'loader-no-http',
  'secure-boot',
  'architecture-mismatch',
  'kernel-url',
  'console-silent',
];

const inInitramfs = [
  'kernel-arguments',
  'initramfs-network',
  'rootfs-not-fetched',
  'rootfs-mismatch',
  'config-not-fetched',
  'ignition-failed',
  'kernel-panic',
];

const pullCauses = [
  'container-pull',
  'pull-proxy',
  'pull-secret',
  'registry-ca',
  'registry-plain-http',
  'container-image',
];

/** Causes that a stage excludes if the console shows it. */
const refutedByStage: Readonly<Partial<Record<Stage, readonly string[]>>> = {
  'live system': [...beforeKernel, ...inInitramfs],
  'agent container': ['boot-order', ...beforeKernel, ...inInitramfs, ...pullCauses, 'agent-archive'],
};

const from = (stage: Stage): readonly Stage[] => stages.slice(stages.indexOf(stage));

/** Printers whose problems only the start of the agent solves; those of the others are solved in the live system. */
const printersForAgent: ReadonlySet<Printer> = new Set<Printer>(['systemd', 'sha512sum', 'podman']);

type Row = Omit<ConsoleSign, 'printer' | 'refutes' | 'solvedBy'> &
  Partial<Pick<ConsoleSign, 'refutes' | 'solvedBy'>>;

/**
 * Rows with the same printer, and unless they differ, the same stage and excluded causes. A stage excludes further causes. By
 * default, the stages after that of the printer solve a problem.
 */
function rowsWith(
  { printer, ...common }: Pick<ConsoleSign, 'printer'> & Partial<Pick<ConsoleSign, 'stage' | 'refutes'>>,
  rows: readonly Row[],
): readonly ConsoleSign[] {
  const solvedBy = from(printersForAgent.has(printer) ? 'agent container' : 'live system');
  return rows.map((given) => {
    const row = { ...common, ...given };
    const byStage = row.stage === undefined ? undefined : refutedByStage[row.stage];
    const refutes = [...(row.refutes ?? []), ...(byStage ?? [])];
    return { solvedBy, ...row, printer, refutes };
  });
}

const kernelSigns = rowsWith({ printer: 'kernel' }, [
  {
    id: 'kernel-started',
    pattern: /^Linux version \d/,
    refutes: ['console-silent'],
    source: 'Linux, init/version.c',
  },
  {
    id: 'kernel-disk',
    // Only an installed system has a root file system of its own; that of other ramdisks is an image or in the network.
    pattern:
      /^(?:Kernel c|C)ommand line: (?!.*\bcoreos\.live).*\b(?:root=(?!(?:live|nfs|http)\b|\/dev\/(?:ram|nfs))|ostree=)/,
    proves: 'boot-order',
    solvedBy: from('script'),
    source: 'Linux, arch/x86/kernel/setup.c, init/main.c; ostree, src/switchroot/ostree-prepare-root.c',
  },
  {
    id: 'kernel-live',
    pattern: /^(?:Kernel c|C)ommand line: .*\b(?:coreos\.live|ignition\.)/,
    refutes: ['boot-order', ...beforeKernel],
    source: 'Linux, arch/x86/kernel/setup.c, init/main.c; live ISO of CoreOS, isolinux/isolinux.cfg',
  },
  {
    id: 'kernel-initramfs-memory',
    pattern: /^Initramfs unpacking failed: write error/,
    proves: 'no-memory',
    source: 'Linux, init/initramfs.c',
  },
  {
    id: 'kernel-out-of-memory',
    // Lines with "Memory cgroup out of memory" are about the limit of a service.
    pattern:
      /^(?:Out of memory: Kill|Kernel panic - not syncing: (?:System is deadlocked on memory|Out of memory))/,
    proves: 'no-memory',
    solvedBy: from('inspection'),
    source: 'Linux, mm/oom_kill.c',
  },
  {
    id: 'kernel-panic',
    pattern: /^Kernel panic - not syncing: /,
    proves: 'kernel-panic',
    source: 'Linux, kernel/panic.c',
  },
]);

const ignitionSigns = rowsWith({ printer: 'ignition' }, [
  {
    id: 'ignition-config-fetched',
    // Later stages of Ignition add their names in front.
    pattern: /^GET result: OK$/,
    stage: 'config',
    source: 'Ignition 2.26, internal/resource/http.go',
  },
  {
    id: 'ignition-config-get',
    pattern: /^GET (?:error: |result: (?!OK$))/,
    proves: 'config-not-fetched',
    solvedBy: ['config', ...from('live system')],
    source: 'Ignition 2.26, internal/resource/http.go',
  },
  {
    id: 'ignition-config-fetch',
    pattern:
      /^failed to fetch config: (?:resource not found|failed to fetch resource|unsupported source scheme|unable to fetch resource in time)/,
    proves: 'config-not-fetched',
    source: 'Ignition 2.26, internal/exec/engine.go, internal/resource/url.go',
  },
  {
    id: 'ignition-config-invalid',
    pattern: /^error at \$\./,
    proves: 'ignition-failed',
    source: 'Ignition 2.26, internal/log/log.go; vcontext, report/report.go',
  },
  {
    id: 'ignition-archive',
    pattern: /^files: .*(?:\[failed\] |: Error (?:verifying|fetching) file ).*\/ironic-agent-image\//,
    proves: 'agent-archive',
    source: 'Ignition 2.26, internal/exec/util/file.go',
  },
  {
    id: 'ignition-file-get',
    pattern: /^files: .*: GET (?:error: |result: (?!OK$))/,
    suggests: ['ignition-failed', 'agent-archive'],
    source: 'Ignition 2.26, internal/resource/http.go',
  },
  {
    id: 'ignition-no-space',
    pattern: /no space left on device/,
    suggests: ['no-memory'],
    source: 'Go, syscall/zerrors_linux.go (ENOSPC)',
  },
  {
    id: 'ignition-failed',
    // If a resource is missing, an earlier line says which one.
    pattern: /^Ignition failed: (?!resource not found|failed to fetch resource|unable to fetch resource)/,
    proves: 'ignition-failed',
    source: 'Ignition 2.26, internal/main.go',
  },
  {
    id: 'ignition-files-written',
    pattern: /^files: files passed$/,
    refutes: [...beforeKernel, 'config-not-fetched', 'ignition-failed'],
    source: 'Ignition 2.26, internal/exec/engine.go',
  },
]);

const ignitionUnitSigns = rowsWith({ printer: 'systemd' }, [
  {
    id: 'ignition-complete',
    pattern: /^Reached target (?:ignition-complete\.target\b|Ignition Complete\b)/,
    refutes: [...beforeKernel, ...inInitramfs],
    source: 'Ignition 2.26, dracut/30ignition/ignition-complete.target',
  },
  {
    id: 'ignition-unit-failed',
    pattern: /^Failed to start (?:ignition-[a-z-]+\.service\b|Ignition \()/,
    suggests: ['ignition-failed', 'config-not-fetched'],
    solvedBy: from('live system'),
    source: 'Ignition 2.26, dracut/30ignition/ignition-*.service',
  },
]);

const emergencySigns = rowsWith({ printer: 'terminal' }, [
  {
    id: 'emergency-ignition',
    pattern: /^Ignition has failed\. Please ensure your config is valid\./,
    suggests: ['ignition-failed', 'config-not-fetched'],
    source: 'fedora-coreos-config, 99emergency-shell-setup/emergency-shell.sh',
  },
  {
    id: 'emergency-memory',
    pattern: /^Ran out of memory when unpacking initrd filesystem\./,
    proves: 'no-memory',
    source: 'fedora-coreos-config, 99emergency-shell-setup/emergency-shell.sh',
  },
  {
    id: 'emergency-shell',
    pattern: /^Entering emergency mode\. Exit the shell to continue\./,
    suggests: ['ignition-failed', 'rootfs-not-fetched', 'initramfs-network', 'kernel-arguments'],
    source: 'dracut 059 to 103, modules.d/98dracut-systemd/dracut-emergency.sh',
  },
]);

const rootfsSigns = rowsWith({ printer: 'coreos-livepxe-rootfs' }, [
  {
    id: 'rootfs-versions',
    pattern: /^Found initramfs version .* but rootfs version /,
    proves: 'rootfs-mismatch',
    source: 'fedora-coreos-config, 35coreos-live/coreos-livepxe-rootfs.sh',
  },
  {
    id: 'rootfs-refused',
    pattern: /^Couldn't fetch, verify, and unpack image specified by:/,
    suggests: ['rootfs-mismatch', 'no-memory'],
    source: 'fedora-coreos-config, 35coreos-live/coreos-livepxe-rootfs.sh',
  },
  {
    id: 'rootfs-no-space',
    pattern: /No space left on device/,
    proves: 'no-memory',
    source: 'glibc, sysdeps/gnu/errlist.h (ENOSPC); libarchive, tar/read.c',
  },
  {
    id: 'rootfs-unreachable',
    // Error 23: the program that unpacks the image has failed.
    pattern:
      /^(?:curl: \((?!23\))\d+\) |Couldn't establish connectivity with the server specified by:|Couldn't query the server for the rootfs specified by:|Unsupported scheme for image specified by:|No rootfs image found\.)/,
    proves: 'rootfs-not-fetched',
    solvedBy: ['rootfs', ...from('live system')],
    source: 'fedora-coreos-config, 35coreos-live/coreos-livepxe-rootfs.sh; curl, src/tool_operate.c',
  },
]);

const loginSigns = rowsWith({ printer: 'terminal', stage: 'live system' }, [
  {
    id: 'system-welcome',
    pattern: /^Welcome to (?!.*\(Initramfs\)).*CoreOS\b.*!$/,
    source: 'systemd, src/core/main.c (status_welcome); os-release of CoreOS',
  },
  {
    id: 'login-prompt',
    pattern: /^(?!Last )[\w.-]{1,64} login:(?: |$)/,
    // An installed system has a prompt, too.
    suggests: ['boot-order'],
    source: 'util-linux, term-utils/agetty.c',
  },
  {
    id: 'agent-banner',
    pattern: /^This (?:machine|ramdisk) runs ironic-python-agent, /,
    refutes: ['boot-order', 'no-config'],
    source: 'templates/agent/ironic-agent.issue, ironic-agent.motd',
  },
  {
    id: 'no-user-config',
    pattern: /^Ignition: no config provided by user/,
    proves: 'no-config',
    solvedBy: from('agent container'),
    source: 'fedora-coreos-config, coreos-ignition-write-issues',
  },
  {
    id: 'user-config-applied',
    pattern: /^Ignition: user-provided config was applied/,
    refutes: ['no-config'],
    source: 'fedora-coreos-config, coreos-ignition-write-issues',
  },
]);

const targetSigns = rowsWith({ printer: 'systemd', stage: 'live system' }, [
  {
    id: 'system-multi-user',
    pattern: /^Reached target (?:multi-user\.target\b|Multi-User System\b)/,
    source: 'systemd, units/multi-user.target',
  },
  {
    id: 'network-wait-failed',
    pattern: /^Failed to start (?:NetworkManager-wait-online\.service\b|Network Manager Wait Online\b)/,
    suggests: ['host-network'],
    source: 'NetworkManager, data/NetworkManager-wait-online.service.in',
  },
]);

/** The description of a unit, with or without its name in front, as `StatusUnitFormat=` of systemd sets it. */
const unitSigns = rowsWith({ printer: 'systemd', stage: 'live system', refutes: ['no-config'] }, [
  {
    id: 'agent-started',
    pattern: /^Started (?:ironic-agent\.service(?: |\.?$)|Ironic Agent\b)/,
    stage: 'agent container',
    source: 'templates/agent/ironic-agent.service; systemd, src/core/job.c',
  },
  {
    id: 'agent-starting',
    // systemd shortens these lines to the width of the terminal.
    pattern: /^A start job is running for (?:ironic-agent\.s|ironic-age…|Ironic Agent\b)/,
    suggests: ['container-pull'],
    source: 'systemd, src/core/manager.c (manager_print_jobs_in_progress)',
  },
  {
    id: 'agent-failed',
    pattern: /^Failed to start (?:ironic-agent\.service\b|Ironic Agent\b)/,
    suggests: ['container-pull', 'container-ends'],
    source: 'templates/agent/ironic-agent.service; systemd, src/core/job.c',
  },
  {
    id: 'agent-dependency-failed',
    pattern: /^Dependency failed for (?:ironic-agent\.service\b|Ironic Agent\b)/,
    suggests: ['agent-archive'],
    source: 'templates/agent/ironic-agent-image.service (RequiredBy=); systemd, src/core/job.c',
  },
  {
    id: 'archive-failed',
    pattern:
      /^(?:Failed to start|Dependency failed for) (?:ironic-agent-image\.service\b|Container image of the Ironic Agent\b)/,
    proves: 'agent-archive',
    source: 'templates/agent/ironic-agent-image.service; systemd, src/core/job.c',
  },
]);

const checksumSigns = rowsWith({ printer: 'sha512sum' }, [
  {
    id: 'archive-checksum',
    pattern: /: FAILED(?: open or read)?$|^(?:\/bin\/)?sha512sum: /,
    stage: 'live system',
    proves: 'agent-archive',
    source: 'GNU coreutils, src/cksum.c (digest_check)',
  },
]);

/**
 * Messages of Go's net and crypto packages are in errors of podman since 3.4. Only units whose output goes to the console print
 * lines of podman: those of the agent.
 */
const podmanSigns = rowsWith({ printer: 'podman', stage: 'live system', refutes: ['no-config'] }, [
  {
    id: 'pull-proxy',
    pattern: /^Error: .*\bproxyconnect tcp: /,
    proves: 'pull-proxy',
    source: 'Go, net/http/transport.go',
  },
  {
    id: 'pull-proxy-refused',
    // A proxy that refuses CONNECT: the error is the text of its status alone.
    pattern:
      /^Error: .*Get \\?"https:[^"]*": (?:Forbidden|Proxy Authentication Required|Bad Gateway|Service Unavailable|Gateway Timeout|Method Not Allowed)\b/,
    proves: 'pull-proxy',
    source: 'Go, net/http/transport.go; observed with podman 4.3.1',
  },
  {
    id: 'pull-dns',
    pattern: /^Error: .*\bdial tcp: lookup /,
    proves: 'dns',
    source: 'Go, net/net.go (DNSError)',
  },
  {
    id: 'pull-certificate-time',
    pattern: /^Error: .*\bx509: certificate has expired or is not yet valid/,
    proves: 'clock',
    source: 'Go, crypto/x509/verify.go',
  },
  {
    id: 'pull-certificate',
    pattern: /^Error: .*\bx509: c/,
    proves: 'registry-ca',
    source: 'Go, crypto/x509/verify.go',
  },
  {
    id: 'pull-plain-http',
    pattern:
      /^Error: .*(?:http: server gave HTTP response to HTTPS client|tls: first record does not look like a TLS handshake)/,
    proves: 'registry-plain-http',
    source: 'Go, net/http/client.go, crypto/tls/conn.go',
  },
  {
    id: 'pull-unauthorized',
    pattern:
      /^Error: .*: (?:unauthorized\b|denied\b|authentication required|requested access to the resource is denied|received unexpected HTTP status: 40[13] |invalid status code from registry 40[13] )/,
    proves: 'pull-secret',
    source: 'containers/image, docker/errors.go, docker/docker_client.go; distribution, registry/api/errcode',
  },
  {
    id: 'pull-image-unknown',
    pattern:
      /^Error: .*(?:: (?:manifest|name) (?:unknown|invalid)\b|no image found in (?:image index|manifest list) for architecture|did not resolve to an alias)/,
    proves: 'container-image',
    source: 'distribution, registry/api/errcode; containers/image, internal/manifest, pkg/shortnames',
  },
  {
    id: 'pull-image-reference',
    pattern: /^Error: (?:repository name must be lowercase|.*invalid reference format)/,
    proves: 'container-image',
    source: 'distribution, reference/reference.go',
  },
  {
    id: 'podman-no-space',
    pattern: /no space left on device/,
    proves: 'no-memory',
    source: 'Go, syscall/zerrors_linux.go (ENOSPC)',
  },
  {
    id: 'pull-no-route',
    pattern:
      /^Error: .*\bdial tcp .*: connect: (?:network is unreachable|no route to host|cannot assign requested address)/,
    proves: 'container-pull',
    suggests: ['host-network', 'ip-family'],
    source: 'Go, net/dial.go, syscall/zerrors_linux.go',
  },
  {
    id: 'pull-failed',
    pattern:
      /^Error: .*(?:\bdocker:\/\/|reading blob |writing blob|copying (?:system )?image |parsing image configuration: |\bdial tcp )/,
    proves: 'container-pull',
    source: 'containers/common, libimage/copier.go; containers/image, copy, docker',
  },
  {
    id: 'archive-format',
    pattern:
      /^Error: (?:payload does not match any of the supported image formats|[0-9a-f]{64}: image not known)/,
    proves: 'agent-archive',
    source: 'containers/common, libimage/load.go; containers/storage, errors.go',
  },
  {
    id: 'container-failed',
    // podman 4 prints the excluded error when the unit ends before its container exists, despite `--ignore`.
    pattern: /^Error: (?!reading CIDFile: )/,
    suggests: ['container-ends'],
    source: 'podman, cmd/podman/root.go',
  },
  {
    id: 'image-platform',
    pattern: /^WARNING: image platform \(.*\) does not match the expected platform/,
    suggests: ['container-image'],
    source: 'containers/common, libimage/image.go',
  },
  {
    id: 'image-pulled',
    // The ID of the image, or that of the container, which is also printed when it is removed.
    pattern: /^[0-9a-f]{64}$/,
    settles: true,
    refutes: ['no-config', ...pullCauses],
    source: 'podman, cmd/podman/images/pull.go, cmd/podman/containers/run.go',
  },
  {
    id: 'pull-started',
    pattern: /^Trying to pull /,
    suggests: ['container-pull'],
    source: 'containers/common, libimage/pull.go',
  },
]);

/** The first row that matches a line counts. */
export const consoleSigns: readonly ConsoleSign[] = [
  ...kernelSigns,
  ...ignitionSigns,
  ...ignitionUnitSigns,
  ...emergencySigns,
  ...rootfsSigns,
  ...loginSigns,
  ...targetSigns,
  ...unitSigns,
  ...checksumSigns,
  ...podmanSigns,
];

export const signById: ReadonlyMap<string, ConsoleSign> = new Map(
  consoleSigns.map((sign) => [sign.id, sign]),
);

export interface FoundSign {
  readonly sign: ConsoleSign;
  /** The part of the line that matters, without secrets. */
  readonly line: string;
}

/**
 * The recognized parts of a line, usually none or one.
 * @param line without control characters and escape sequences
 */
export function findConsoleSigns(line: string): readonly FoundSign[] {
  return line.split(messageStart).flatMap((text) => {
    const { message, printer } = parseConsoleLine(text);
    const sign = consoleSigns.find((one) => one.printer === printer && one.pattern.test(message));
    if (sign === undefined) return [];
    const prefix = text.slice(0, text.length - message.length);
    return [{ sign, line: `${prefix}${excerpt(message, sign.pattern)}`.trim() }];
  });
}

/** A line of journald, the kernel or systemd may follow a prompt without a line break: `localhost login: [   45.6…] podman[9]: …` */
const messageStart = /(?=\[ {0,5}\d{1,7}\.\d{6}\] |\[(?: {2}OK {2}|FAILED|DEPEND)\] )/;

/** Time since boot as by the kernel, optionally with its caller; or the time of journalctl with an optional host name. */
const timePrefix =
  /^(?:\[ {0,5}\d{1,7}\.\d{6}\](?:\[ {0,6}[TC]\d{1,7}\])? |[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d (?:[\w.-]{1,64} (?=[\w.@-]{1,64}\[))?)/;
const statusPrefix = /^(?:\[(?: {2}OK {2}|FAILED|DEPEND)\] |\[[ *]{6}\] (?:\(\d{1,4} of \d{1,4}\) )?)/;
const identifierPrefix = /^([\w.@-]{1,64})\[(\d{1,10})\]: /;
/** podman logs failed attempts before it prints the error. */
const retryPrefix =
  /^time="[^"]{1,40}" level=\w{1,10} msg="Failed, retrying in [^(]{1,20} \(\d+\/\d+\)\. (?=Error: )/;

/** `printer` is not always a {@link Printer}. */
function parseConsoleLine(text: string): { readonly printer: string; readonly message: string } {
  const status = statusPrefix.exec(text);
  if (status !== null) return { printer: 'systemd', message: text.slice(status[0].length) };
  const [time = ''] = timePrefix.exec(text) ?? [];
  const rest = text.slice(time.length);
  const [prefix = '', name, pid] = identifierPrefix.exec(rest) ?? [];
  if (name === undefined) return { printer: time.startsWith('[') ? 'kernel' : 'terminal', message: rest };
  const message = rest.slice(prefix.length);
  if (name === 'podman') return { printer: name, message: message.replace(retryPrefix, '') };
  // Others than process 1 are managers of users. The identifiers `kernel` and `terminal` do not exist.
  if (name === 'systemd') return { printer: pid === '1' ? name : '', message };
  return { printer: name === 'kernel' || name === 'terminal' ? '' : name, message };
}

/** Characters of a line in an event. */
const longestExcerpt = 240;

/** The end of the match, and what precedes it: errors of Go programs have their reason at the end. */
function excerpt(message: string, pattern: RegExp): string {
  const text = maskLine(message);
  if (text.length <= longestExcerpt) return text;
  const match = pattern.exec(text);
  const end = Math.min(
    text.length,
    Math.max(longestExcerpt, (match?.index ?? 0) + (match?.[0].length ?? 0) + 60),
  );
  const start = end - longestExcerpt;
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
}
