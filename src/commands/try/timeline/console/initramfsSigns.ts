/** Lines of the initramfs: Ignition, the fetch of the root filesystem, the boot medium, and the emergency shell. */

import { beforeKernel, type ConsoleSign, from, inInitramfs, rowsWith } from './sign.ts';

const HTTP = 'Ignition 2.27, internal/resource/http.go; Go, net and net/http';
const URL = 'Ignition 2.27, internal/resource/url.go';
const configFetched = ['config', ...from('live system')] as const;

/**
 * The errors of a GET for the config. Later stages of Ignition add their names in front of their own requests, which do not match.
 */
const configSigns = rowsWith(
  'ignition',
  { solvedBy: configFetched },
  {
    'ignition-config-fetched': {
      source: HTTP,
      pattern: /^GET result: OK$/,
      stage: 'config',
      settles: true,
    },
    'ignition-config-dns': {
      source: HTTP,
      pattern: /^GET error: .*\bdial (?:tcp|udp): lookup /,
      proves: 'config-dns',
    },
    'ignition-config-clock': {
      source: 'Ignition 2.27, internal/resource/http.go; Go, crypto/x509/verify.go',
      pattern:
        /^GET error: .*\bx509: certificate has expired or is not yet valid: current time (?<time>\S{1,30}) is /,
      clock: 'differs',
      proves: 'clock',
    },
    'ignition-config-tls': {
      source: 'Ignition 2.27, internal/resource/http.go; Go, crypto/x509/verify.go, crypto/tls',
      pattern: /^GET error: .*\b(?:x509: |tls: |http: server gave HTTP response to HTTPS client)/,
      proves: 'config-tls',
    },
    'ignition-config-timeout': {
      source: HTTP,
      pattern:
        /^GET error: .*(?:\bi\/o timeout|Client\.Timeout exceeded|context deadline exceeded|timeout awaiting response headers|TLS handshake timeout|connection timed out)$/,
      proves: 'config-timeout',
    },
    'ignition-config-network': {
      source: HTTP,
      pattern: /^GET error: .*\bconnect: (?:network is unreachable|cannot assign requested address)$/,
      proves: 'config-not-fetched',
      suggests: ['initramfs-network'],
    },
    'ignition-config-get': {
      source: HTTP,
      pattern: /^GET error: /,
      proves: 'config-not-fetched',
    },
    'ignition-config-not-found': {
      source: `${URL}, internal/resource/http.go`,
      pattern: /^(?:GET result: (?:Not Found|Gone)$|failed to fetch config: resource not found)/,
      proves: 'config-not-found',
    },
    'ignition-config-denied': {
      source: HTTP,
      pattern: /^GET result: (?:Unauthorized|Forbidden|Proxy Authentication Required)$/,
      proves: 'config-denied',
    },
    'ignition-config-server': {
      source: HTTP,
      pattern:
        /^GET result: (?:Internal Server Error|Not Implemented|Bad Gateway|Service Unavailable|Gateway Timeout|Too Many Requests)$/,
      proves: 'config-server-error',
    },
    'ignition-config-status': {
      source: HTTP,
      pattern: /^GET result: /,
      suggests: ['config-not-found'],
    },
    'ignition-config-time': {
      source: 'Ignition 2.27, internal/resource/http.go',
      pattern: /^failed to fetch config: unable to fetch resource in time/,
      proves: 'config-timeout',
    },
    'ignition-config-scheme': {
      source: URL,
      pattern: /^failed to fetch config: (?:unsupported source scheme|path is not absolute)/,
      suggests: ['kernel-arguments'],
    },
  },
);

/** A resource that the config names, and stages of Ignition. */
const ignitionSigns = rowsWith(
  'ignition',
  {},
  {
    'ignition-config-invalid': {
      source: 'Ignition 2.27, internal/log/log.go, config/shared/errors; vcontext, report/report.go',
      pattern:
        /^(?:error at \$\.|(?:failed to fetch config|Ignition failed): (?:config is not valid|unsupported config version|invalid config version|not a config|config format deprecated|.{0,80}\binvalid character\b))/,
      proves: 'ignition-config',
    },
    'ignition-archive': {
      source: 'Ignition 2.27, internal/exec/util/file.go',
      pattern: /^files: (?=.*\/ironic-agent-image\/).*(?:\[failed\] |: Error (?:verifying|fetching) file )/,
      proves: 'agent-archive',
    },
    'ignition-file-get': {
      source: HTTP,
      pattern: /^files: .*: GET (?:error: |result: (?!OK$))/,
      suggests: ['ignition-files', 'agent-archive'],
    },
    'ignition-no-space': {
      source: 'Go, syscall/zerrors_linux.go (ENOSPC)',
      pattern: /no space left on device/,
      proves: 'no-space',
    },
    'ignition-kargs': {
      source: 'Ignition 2.27, internal/exec/stages/kargs/kargs.go',
      pattern: /^(?:Ignition failed: failed adding kernel arguments|kargs: .*\[failed\] )/,
      proves: 'ignition-kargs',
    },
    'ignition-disks': {
      source: 'Ignition 2.27, internal/exec/stages/disks/disks.go',
      pattern:
        /^(?:disks failed$|disks: .*\[failed\] |Ignition failed: (?:create partitions failed|failed to create (?:raids|luks|filesystems|device alias)))/,
      proves: 'ignition-disks',
    },
    'ignition-mount': {
      source: 'Ignition 2.27, internal/exec/stages/mount/mount.go',
      pattern: /^(?:mount failed$|mount: .*\[failed\] |Ignition failed: failed to (?:mount|prepare mount))/,
      proves: 'ignition-mount',
    },
    'ignition-users': {
      source: 'Ignition 2.27, internal/exec/util/file.go (getUserID); shadow-utils, useradd.c, groupadd.c',
      pattern:
        /^(?:files: .*\[failed\] |Ignition failed: ).*(?:\b(?:user|group)(?:add|mod): .{0,80}(?:does not exist|already exists|is not unique)|\bno such (?:user|group) \\?")/,
      proves: 'ignition-users',
    },
    'ignition-files': {
      source: 'Ignition 2.27, internal/exec/stages/files',
      pattern:
        /^(?:files failed$|files: .*(?:\[failed\] |: error creating )|Ignition failed: (?:failed to create (?:users\/groups|files|units)|failed to (?:handle relabeling|configure (?:groups|users))|error creating ))/,
      proves: 'ignition-files',
    },
    // If a resource is missing, an earlier line says which one.
    'ignition-failed': {
      source: 'Ignition 2.27, internal/main.go',
      pattern: /^Ignition failed: (?!resource not found|failed to fetch resource|unable to fetch resource)/,
      proves: 'ignition-failed',
    },
    'ignition-files-written': {
      source: 'Ignition 2.27, internal/exec/engine.go',
      pattern: /^files: files passed$/,
      refutes: [...beforeKernel, 'config-not-fetched', 'ignition-failed'],
      settles: true,
    },
  },
);

const unitSigns = rowsWith(
  'systemd',
  { solvedBy: from('live system') },
  {
    'ignition-complete': {
      source: 'Ignition 2.27, dracut/30ignition/ignition-complete.target',
      pattern: /^Reached target (?:ignition-complete\.target\b|Ignition Complete\b)/,
      refutes: [...beforeKernel, ...inInitramfs],
    },
    'ignition-unit-failed': {
      source: 'Ignition 2.27, dracut/30ignition/ignition-*.service; systemd, src/core/job.c',
      pattern: /^Failed to start (?:ignition-[a-z-]+\.service\b|Ignition \()/,
      proves: 'ignition-failed',
    },
    // The label of the medium is in the argument coreos.liveiso=. An installed system has the labels boot and root.
    'medium-label': {
      source:
        'systemd, src/core/job.c, src/core/device.c; fedora-coreos-config, 35coreos-live/live-generator',
      pattern:
        /^(?:Timed out waiting for device (?:dev-disk-by\\x2dlabel-|\/dev\/disk\/by-label\/)(?!boot\b|root\b|EFI)|dev-disk-by\\x2dlabel-(?!boot\b|root\b|EFI)\S{1,200}\.device: Job \S{1,200} timed out)/,
      proves: 'medium-missing',
    },
    // systemd shortens these lines to the width of the terminal.
    'medium-waiting': {
      source: 'systemd, src/core/manager.c (manager_print_jobs_in_progress)',
      pattern: /^A start job is running for (?:dev-disk-by\\x2dlabel-|\/dev\/disk\/by-label\/)/,
      suggests: ['medium-missing'],
    },
    'device-timeout': {
      source: 'systemd, src/core/job.c, src/core/device.c',
      pattern: /^Timed out waiting for device /,
      proves: 'no-device',
    },
    'medium-mount': {
      source: 'systemd, src/core/job.c; fedora-coreos-config, 35coreos-live/live-generator',
      pattern: /^Failed to mount (?:run-media-iso\.mount\b|\/run\/media\/iso\b)/,
      suggests: ['medium-unreadable', 'medium-not-bootable'],
    },
    'rootfs-mount': {
      source: 'systemd, src/core/job.c; fedora-coreos-config, 35coreos-live/live-generator',
      pattern: /^Failed to mount (?:sysroot\.mount\b|\/sysroot(?: |\.?$))/,
      proves: 'rootfs-damaged',
    },
  },
);

const emergencySigns = rowsWith(
  'terminal',
  { solvedBy: from('live system') },
  {
    'emergency-ignition': {
      source: 'fedora-coreos-config, 99emergency-shell-setup/emergency-shell.sh',
      pattern: /^Ignition has failed\. Please ensure your config is valid\./,
      proves: 'ignition-failed',
    },
    'emergency-memory': {
      source: 'fedora-coreos-config, 99emergency-shell-setup/emergency-shell.sh',
      pattern: /^Ran out of memory when unpacking initrd filesystem\./,
      proves: 'no-space',
    },
  },
);

const LIVEPXE = 'fedora-coreos-config, 35coreos-live/coreos-livepxe-rootfs.sh';
const CURL = `${LIVEPXE}; curl, src/tool_operate.c, exit code`;

const rootfsSigns = rowsWith(
  'coreos-livepxe-rootfs',
  { solvedBy: ['rootfs', ...from('live system')] },
  {
    'rootfs-versions': {
      source: LIVEPXE,
      pattern: /^Found initramfs version .* but rootfs version /,
      proves: 'rootfs-mismatch',
      solvedBy: from('live system'),
    },
    // The hash of no data.
    'rootfs-empty': {
      source: `${LIVEPXE}; coreos-installer, src/bin/rdcore/stream_hash.rs`,
      pattern:
        /^Error: (?:hash mismatch at offset 0; .*found e3b0c44298fc1c149afbf4c8996fb924|premature end of input data at offset 0$)/,
      suggests: ['rootfs-transfer'],
      solvedBy: from('live system'),
    },
    'rootfs-hash': {
      source: `${LIVEPXE}; coreos-installer, src/bin/rdcore/stream_hash.rs`,
      pattern: /^Error: (?:hash mismatch at offset \d+|found extra input data at offset \d+)/,
      // What curl has written before it failed is read to its end.
      resultOf: [
        'rootfs-transfer',
        'rootfs-not-found',
        'rootfs-denied',
        'rootfs-server-error',
        'rootfs-timeout',
      ],
      proves: 'rootfs-mismatch',
      solvedBy: from('live system'),
    },
    'rootfs-no-space': {
      source: 'glibc, sysdeps/gnu/errlist.h (ENOSPC); libarchive, tar/read.c',
      pattern: /No space left on device/,
      proves: 'no-space',
      solvedBy: from('live system'),
    },
    'rootfs-dns': { source: `${CURL} 6`, pattern: /^curl: \(6\) /, proves: 'rootfs-dns' },
    'rootfs-timeout': {
      source: `${CURL} 28; code 7 with the time as reason`,
      pattern: /^curl: \((?:28\) |7\) .*(?:[Tt]imed out|Timeout was reached))/,
      proves: 'rootfs-timeout',
    },
    'rootfs-no-route': {
      source: `${CURL} 7`,
      pattern: /^curl: \((?:7|45)\) .*(?:Network is unreachable|No route to host|Failed binding)/,
      proves: 'rootfs-not-fetched',
      suggests: ['initramfs-network'],
    },
    'rootfs-refused': { source: `${CURL} 7`, pattern: /^curl: \(7\) /, proves: 'rootfs-not-fetched' },
    'rootfs-tls': {
      source: `${CURL}s 35, 53, 58, 59, 60, 66, 77, 83, 91`,
      pattern: /^curl: \((?:35|5[389]|60|66|77|8[03]|91)\) /,
      proves: 'rootfs-tls',
    },
    'rootfs-not-found': {
      source: `${CURL} 22; for TFTP 68, 78`,
      pattern: /^curl: \((?:22\) The requested URL returned error: (?:404|410)\b|68\) |78\) )/,
      proves: 'rootfs-not-found',
    },
    'rootfs-denied': {
      source: `${CURL} 22; for TFTP 69`,
      pattern: /^curl: \((?:22\) The requested URL returned error: (?:401|403|407)\b|69\) )/,
      proves: 'rootfs-denied',
    },
    'rootfs-server-error': {
      source: `${CURL} 22`,
      pattern: /^curl: \(22\) The requested URL returned error: (?:5\d\d|429)\b/,
      proves: 'rootfs-server-error',
    },
    // Error 23: the program that unpacks the image has failed, and its own line says why.
    'rootfs-transfer': {
      source: `${CURL}s 18, 52, 55, 56, 92; coreos-installer, src/bin/rdcore/stream_hash.rs`,
      pattern: /^(?:curl: \((?:18|52|55|56|92)\) |Error: premature end of input data at offset [1-9])/,
      proves: 'rootfs-transfer',
    },
    'rootfs-scheme': {
      source: `${LIVEPXE}; curl, exit codes 1 and 3`,
      pattern: /^(?:Unsupported scheme for image specified by:|curl: \([13]\) )/,
      proves: 'rootfs-scheme',
      solvedBy: from('live system'),
    },
    // The line of curl before it says why.
    'rootfs-unreachable': {
      source: LIVEPXE,
      pattern: /^Couldn't (?:establish connectivity with|query) the server (?:specified by|for the rootfs)/,
      suggests: ['rootfs-not-fetched'],
    },
    'rootfs-refused-image': {
      source: LIVEPXE,
      pattern: /^Couldn't fetch, verify, and unpack image specified by:/,
      suggests: ['rootfs-mismatch', 'rootfs-transfer'],
      solvedBy: from('live system'),
    },
    'rootfs-missing': {
      source: LIVEPXE,
      pattern: /^No rootfs image found\./,
      proves: 'rootfs-missing',
      solvedBy: from('live system'),
    },
  },
);

export const initramfsSigns: readonly ConsoleSign[] = [
  ...configSigns,
  ...ignitionSigns,
  ...unitSigns,
  ...emergencySigns,
  ...rootfsSigns,
];
