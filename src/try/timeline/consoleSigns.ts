/**
 * The lines of a console that say how far a boot got, or why it stopped: one row per line that is recognized. A pattern
 * applies only to lines of its printer, because journald, systemd and the kernel mark their lines. A line proves a cause only
 * if it implies the first clause of that cause. Above each row are the program and the file with its text. A console is input
 * from outside: patterns take linear time on its lines.
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

/** A line; by default, the stages after that of its printer solve a problem. */
type Row = Pick<ConsoleSign, 'pattern'> & Partial<Omit<ConsoleSign, 'id' | 'printer'>>;

type Common = Pick<Row, 'stage' | 'refutes'>;

const noStage: Common = {};
const live: Common = { stage: 'live system' };
/** Lines of units that only the config contains. */
const ofConfig: Common = { stage: 'live system', refutes: ['no-config'] };

/**
 * @param common of all rows that do not contain it
 * @param rows by their ids. A stage excludes further causes
 */
function rowsWith(
  printer: Printer,
  common: Common,
  rows: Readonly<Record<string, Row>>,
): readonly ConsoleSign[] {
  const solvedBy = from(printersForAgent.has(printer) ? 'agent container' : 'live system');
  return Object.entries(rows).map(([id, given]) => {
    const row = { ...common, ...given };
    const byStage = row.stage === undefined ? undefined : refutedByStage[row.stage];
    const refutes = [...(row.refutes ?? []), ...(byStage ?? [])];
    return { id, solvedBy, ...row, printer, refutes };
  });
}

const kernelSigns = rowsWith('kernel', noStage, {
  // Linux, init/version.c
  'kernel-started': { pattern: /^Linux version \d/, refutes: ['console-silent'] },
  // Linux, arch/x86/kernel/setup.c, init/main.c; ostree, src/switchroot/ostree-prepare-root.c.
  // Only an installed system has a root file system of its own; that of other ramdisks is an image or in the network.
  'kernel-disk': {
    pattern:
      /^(?:Kernel c|C)ommand line: (?!.*\bcoreos\.live).*\b(?:root=(?!(?:live|nfs|http)\b|\/dev\/(?:ram|nfs))|ostree=)/,
    proves: 'boot-order',
    solvedBy: from('script'),
  },
  // Linux, arch/x86/kernel/setup.c, init/main.c; live ISO of CoreOS, isolinux/isolinux.cfg
  'kernel-live': {
    pattern: /^(?:Kernel c|C)ommand line: .*\b(?:coreos\.live|ignition\.)/,
    refutes: ['boot-order', ...beforeKernel],
  },
  // Linux, init/initramfs.c
  'kernel-initramfs-memory': { pattern: /^Initramfs unpacking failed: write error/, proves: 'no-memory' },
  // Linux, mm/oom_kill.c.
  // Lines with "Memory cgroup out of memory" are about the limit of a service.
  'kernel-out-of-memory': {
    pattern:
      /^(?:Out of memory: Kill|Kernel panic - not syncing: (?:System is deadlocked on memory|Out of memory))/,
    proves: 'no-memory',
    solvedBy: from('inspection'),
  },
  // Linux, kernel/panic.c
  'kernel-panic': { pattern: /^Kernel panic - not syncing: /, proves: 'kernel-panic' },
});

const ignitionSigns = rowsWith('ignition', noStage, {
  // Ignition 2.27, internal/resource/http.go.
  // Later stages of Ignition add their names in front.
  'ignition-config-fetched': { pattern: /^GET result: OK$/, stage: 'config' },
  // Ignition 2.27, internal/resource/http.go
  'ignition-config-get': {
    pattern: /^GET (?:error: |result: (?!OK$))/,
    proves: 'config-not-fetched',
    solvedBy: ['config', ...from('live system')],
  },
  // Ignition 2.27, internal/exec/engine.go, internal/resource/url.go
  'ignition-config-fetch': {
    pattern:
      /^failed to fetch config: (?:resource not found|failed to fetch resource|unsupported source scheme|unable to fetch resource in time)/,
    proves: 'config-not-fetched',
  },
  // Ignition 2.27, internal/log/log.go; vcontext, report/report.go
  'ignition-config-invalid': { pattern: /^error at \$\./, proves: 'ignition-failed' },
  // Ignition 2.27, internal/exec/util/file.go
  'ignition-archive': {
    pattern: /^files: .*(?:\[failed\] |: Error (?:verifying|fetching) file ).*\/ironic-agent-image\//,
    proves: 'agent-archive',
  },
  // Ignition 2.27, internal/resource/http.go
  'ignition-file-get': {
    pattern: /^files: .*: GET (?:error: |result: (?!OK$))/,
    suggests: ['ignition-failed', 'agent-archive'],
  },
  // Go, syscall/zerrors_linux.go (ENOSPC)
  'ignition-no-space': { pattern: /no space left on device/, suggests: ['no-memory'] },
  // Ignition 2.27, internal/main.go.
  // If a resource is missing, an earlier line says which one.
  'ignition-failed': {
    pattern: /^Ignition failed: (?!resource not found|failed to fetch resource|unable to fetch resource)/,
    proves: 'ignition-failed',
  },
  // Ignition 2.27, internal/exec/engine.go
  'ignition-files-written': {
    pattern: /^files: files passed$/,
    refutes: [...beforeKernel, 'config-not-fetched', 'ignition-failed'],
  },
});

const ignitionUnitSigns = rowsWith('systemd', noStage, {
  // Ignition 2.27, dracut/30ignition/ignition-complete.target
  'ignition-complete': {
    pattern: /^Reached target (?:ignition-complete\.target\b|Ignition Complete\b)/,
    refutes: [...beforeKernel, ...inInitramfs],
  },
  // Ignition 2.27, dracut/30ignition/ignition-*.service
  'ignition-unit-failed': {
    pattern: /^Failed to start (?:ignition-[a-z-]+\.service\b|Ignition \()/,
    suggests: ['ignition-failed', 'config-not-fetched'],
    solvedBy: from('live system'),
  },
});

const emergencySigns = rowsWith('terminal', noStage, {
  // fedora-coreos-config, 99emergency-shell-setup/emergency-shell.sh
  'emergency-ignition': {
    pattern: /^Ignition has failed\. Please ensure your config is valid\./,
    suggests: ['ignition-failed', 'config-not-fetched'],
  },
  // fedora-coreos-config, 99emergency-shell-setup/emergency-shell.sh
  'emergency-memory': {
    pattern: /^Ran out of memory when unpacking initrd filesystem\./,
    proves: 'no-memory',
  },
  // dracut 059 to 103, modules.d/98dracut-systemd/dracut-emergency.sh
  'emergency-shell': {
    pattern: /^Entering emergency mode\. Exit the shell to continue\./,
    suggests: ['ignition-failed', 'rootfs-not-fetched', 'initramfs-network', 'kernel-arguments'],
  },
});

const rootfsSigns = rowsWith('coreos-livepxe-rootfs', noStage, {
  // fedora-coreos-config, 35coreos-live/coreos-livepxe-rootfs.sh
  'rootfs-versions': {
    pattern: /^Found initramfs version .* but rootfs version /,
    proves: 'rootfs-mismatch',
  },
  // fedora-coreos-config, 35coreos-live/coreos-livepxe-rootfs.sh
  'rootfs-refused': {
    pattern: /^Couldn't fetch, verify, and unpack image specified by:/,
    suggests: ['rootfs-mismatch', 'no-memory'],
  },
  // glibc, sysdeps/gnu/errlist.h (ENOSPC); libarchive, tar/read.c
  'rootfs-no-space': { pattern: /No space left on device/, proves: 'no-memory' },
  // fedora-coreos-config, 35coreos-live/coreos-livepxe-rootfs.sh; curl, src/tool_operate.c.
  // Error 23: the program that unpacks the image has failed.
  'rootfs-unreachable': {
    pattern:
      /^(?:curl: \((?!23\))\d+\) |Couldn't establish connectivity with the server specified by:|Couldn't query the server for the rootfs specified by:|Unsupported scheme for image specified by:|No rootfs image found\.)/,
    proves: 'rootfs-not-fetched',
    solvedBy: ['rootfs', ...from('live system')],
  },
});

const loginSigns = rowsWith('terminal', live, {
  // systemd, src/core/main.c (status_welcome); os-release of CoreOS
  'system-welcome': { pattern: /^Welcome to (?!.*\(Initramfs\)).*CoreOS\b.*!$/ },
  // util-linux, term-utils/agetty.c.
  // An installed system has a prompt, too.
  'login-prompt': { pattern: /^(?!Last )[\w.-]{1,64} login:(?: |$)/, suggests: ['boot-order'] },
  // templates/agent/ironic-agent.issue, ironic-agent.motd
  'agent-banner': {
    pattern: /^This (?:machine|ramdisk) runs ironic-python-agent, /,
    refutes: ['boot-order', 'no-config'],
  },
  // fedora-coreos-config, coreos-ignition-write-issues
  'no-user-config': {
    pattern: /^Ignition: no config provided by user/,
    proves: 'no-config',
    solvedBy: from('agent container'),
  },
  // fedora-coreos-config, coreos-ignition-write-issues
  'user-config-applied': { pattern: /^Ignition: user-provided config was applied/, refutes: ['no-config'] },
});

const targetSigns = rowsWith('systemd', live, {
  // systemd, units/multi-user.target
  'system-multi-user': { pattern: /^Reached target (?:multi-user\.target\b|Multi-User System\b)/ },
  // NetworkManager, data/NetworkManager-wait-online.service.in
  'network-wait-failed': {
    pattern: /^Failed to start (?:NetworkManager-wait-online\.service\b|Network Manager Wait Online\b)/,
    suggests: ['host-network'],
  },
});

/** The description of a unit, with or without its name in front, as `StatusUnitFormat=` of systemd sets it. */
const unitSigns = rowsWith('systemd', ofConfig, {
  // templates/agent/ironic-agent.service; systemd, src/core/job.c
  'agent-started': {
    pattern: /^Started (?:ironic-agent\.service(?: |\.?$)|Ironic Agent\b)/,
    stage: 'agent container',
  },
  // systemd, src/core/manager.c (manager_print_jobs_in_progress).
  // systemd shortens these lines to the width of the terminal.
  'agent-starting': {
    pattern: /^A start job is running for (?:ironic-agent\.s|ironic-age…|Ironic Agent\b)/,
    suggests: ['container-pull'],
  },
  // templates/agent/ironic-agent.service; systemd, src/core/job.c
  'agent-failed': {
    pattern: /^Failed to start (?:ironic-agent\.service\b|Ironic Agent\b)/,
    suggests: ['container-pull', 'container-ends'],
  },
  // templates/agent/ironic-agent-image.service (RequiredBy=); systemd, src/core/job.c
  'agent-dependency-failed': {
    pattern: /^Dependency failed for (?:ironic-agent\.service\b|Ironic Agent\b)/,
    suggests: ['agent-archive'],
  },
  // templates/agent/ironic-agent-image.service; systemd, src/core/job.c
  'archive-failed': {
    pattern:
      /^(?:Failed to start|Dependency failed for) (?:ironic-agent-image\.service\b|Container image of the Ironic Agent\b)/,
    proves: 'agent-archive',
  },
});

const checksumSigns = rowsWith('sha512sum', noStage, {
  // GNU coreutils, src/cksum.c (digest_check)
  'archive-checksum': {
    pattern: /: FAILED(?: open or read)?$|^(?:\/bin\/)?sha512sum: /,
    stage: 'live system',
    proves: 'agent-archive',
  },
});

/**
 * Messages of Go's net and crypto packages are in errors of podman since 3.4. Only units whose output goes to the console print
 * lines of podman: those of the agent.
 */
const podmanSigns = rowsWith('podman', ofConfig, {
  // Go, net/http/transport.go
  'pull-proxy': { pattern: /^Error: .*\bproxyconnect tcp: /, proves: 'pull-proxy' },
  // Go, net/http/transport.go; observed with podman 4.3.1.
  // A proxy that refuses CONNECT: the error is the text of its status alone.
  'pull-proxy-refused': {
    pattern:
      /^Error: .*Get \\?"https:[^"]*": (?:Forbidden|Proxy Authentication Required|Bad Gateway|Service Unavailable|Gateway Timeout|Method Not Allowed)\b/,
    proves: 'pull-proxy',
  },
  // Go, net/net.go (DNSError)
  'pull-dns': { pattern: /^Error: .*\bdial tcp: lookup /, proves: 'dns' },
  // Go, crypto/x509/verify.go
  'pull-certificate-time': {
    pattern: /^Error: .*\bx509: certificate has expired or is not yet valid/,
    proves: 'clock',
  },
  // Go, crypto/x509/verify.go
  'pull-certificate': { pattern: /^Error: .*\bx509: c/, proves: 'registry-ca' },
  // Go, net/http/client.go, crypto/tls/conn.go
  'pull-plain-http': {
    pattern:
      /^Error: .*(?:http: server gave HTTP response to HTTPS client|tls: first record does not look like a TLS handshake)/,
    proves: 'registry-plain-http',
  },
  // containers/image, docker/errors.go, docker/docker_client.go; distribution, registry/api/errcode
  'pull-unauthorized': {
    pattern:
      /^Error: .*: (?:unauthorized\b|denied\b|authentication required|requested access to the resource is denied|received unexpected HTTP status: 40[13] |invalid status code from registry 40[13] )/,
    proves: 'pull-secret',
  },
  // distribution, registry/api/errcode; containers/image, internal/manifest, pkg/shortnames
  'pull-image-unknown': {
    pattern:
      /^Error: .*(?:: (?:manifest|name) (?:unknown|invalid)\b|no image found in (?:image index|manifest list) for architecture|did not resolve to an alias)/,
    proves: 'container-image',
  },
  // distribution, reference/reference.go
  'pull-image-reference': {
    pattern: /^Error: (?:repository name must be lowercase|.*invalid reference format)/,
    proves: 'container-image',
  },
  // Go, syscall/zerrors_linux.go (ENOSPC)
  'podman-no-space': { pattern: /no space left on device/, proves: 'no-memory' },
  // Go, net/dial.go, syscall/zerrors_linux.go
  'pull-no-route': {
    pattern:
      /^Error: .*\bdial tcp .*: connect: (?:network is unreachable|no route to host|cannot assign requested address)/,
    proves: 'container-pull',
    suggests: ['host-network', 'ip-family'],
  },
  // containers/common, libimage/copier.go; containers/image, copy, docker
  'pull-failed': {
    pattern:
      /^Error: .*(?:\bdocker:\/\/|reading blob |writing blob|copying (?:system )?image |parsing image configuration: |\bdial tcp )/,
    proves: 'container-pull',
  },
  // containers/common, libimage/load.go; containers/storage, errors.go
  'archive-format': {
    pattern:
      /^Error: (?:payload does not match any of the supported image formats|[0-9a-f]{64}: image not known)/,
    proves: 'agent-archive',
  },
  // podman, cmd/podman/root.go.
  // podman 4 prints the excluded error when the unit ends before its container exists, despite `--ignore`.
  'container-failed': { pattern: /^Error: (?!reading CIDFile: )/, suggests: ['container-ends'] },
  // containers/common, libimage/image.go
  'image-platform': {
    pattern: /^WARNING: image platform \(.*\) does not match the expected platform/,
    suggests: ['container-image'],
  },
  // podman, cmd/podman/images/pull.go, cmd/podman/containers/run.go.
  // The ID of the image, or that of the container, which is also printed when it is removed.
  'image-pulled': { pattern: /^[0-9a-f]{64}$/, settles: true, refutes: ['no-config', ...pullCauses] },
  // containers/common, libimage/pull.go
  'pull-started': { pattern: /^Trying to pull /, suggests: ['container-pull'] },
});

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
