/** The lines of a console that try recognizes, and what they say about the causes. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { causeTable, likelyCauses, type ObservedPart } from '../../../src/try/timeline/causes.ts';
import { consoleSigns, findConsoleSigns } from '../../../src/try/timeline/consoleSigns.ts';
import { createConsoleText, createConsoleWatch } from '../../../src/try/consoleOutput.ts';
import type { TrialEvent } from '../../../src/try/timeline/events.ts';
import { createTimeline, type HostTimeline } from '../../../src/try/timeline/timeline.ts';
import { mac, machine } from '../../support/trialEvents.ts';

const podman = '[   41.205873] podman[1432]: ';
const retry = `${podman}time="2026-11-23T04:30:18Z" level=warning msg="Failed, retrying in 1s ... (1/3). `;
const source = 'Error: initializing source docker://192.0.2.1:5000/ironic-agent:latest: ';
const ping = `${source}pinging container registry 192.0.2.1:5000: Get "https://192.0.2.1:5000/v2/": `;
const manifest = `${source}reading manifest latest in 192.0.2.1:5000/ironic-agent: `;
const ignition = '[    9.731906] ignition[742]: ';
const rootfs = '[    8.400112] coreos-livepxe-rootfs[688]: ';

/** Lines of real programs, and similar lines that mean something else. */
const rows: readonly (readonly [sign: string, lines: readonly string[], others: readonly string[]])[] = [
  [
    'kernel-started',
    [
      '[    0.000000] Linux version 6.11.3-200.fc40.x86_64 (mockbuild@f) (gcc 14.2.1) #1 SMP',
      '[    0.000000][    T0] Linux version 6.1.0',
    ],
    ['Linux version 6.1 is installed', '[    1.000000] foo[1]: Linux version 6.1'],
  ],
  [
    'kernel-disk',
    [
      '[    0.000000] Command line: BOOT_IMAGE=(hd0,gpt3)/boot/ostree/rhcos-0/vmlinuz ignition.platform.id=metal ostree=/ostree/boot.1/rhcos/0/0 root=UUID=1 rw',
      '[    0.000000] Kernel command line: BOOT_IMAGE=/vmlinuz-6.1 root=/dev/mapper/vg-root ro quiet',
    ],
    [
      '[    0.000000] Command line: coreos.live.rootfs_url=http://192.0.2.1/rootfs.img ignition.firstboot root=x',
      '[    0.000000] Command line: BOOT_IMAGE=/images/pxeboot/vmlinuz rootflags=x ignition.firstboot',
      '[    0.000000] Command line: initrd=ramdisk root=live:http://192.0.2.1/squashfs.img rd.neednet=1',
      '[    0.000000] Command line: BOOT_IMAGE=/vmlinuz root=/dev/nfs nfsroot=192.0.2.1:/srv ip=dhcp',
      'Command line: root=/dev/sda1',
    ],
  ],
  [
    'kernel-live',
    [
      '[    0.000000] Command line: BOOT_IMAGE=/images/pxeboot/vmlinuz coreos.liveiso=fedora-coreos-41 ignition.firstboot ignition.platform.id=metal',
      '[    0.000000] Kernel command line: initrd=main ignition.firstboot ignition.platform.id=metal',
    ],
    ['[    0.000000] Command line: BOOT_IMAGE=/vmlinuz-6.1', 'Command line: coreos.liveiso=x'],
  ],
  [
    'kernel-initramfs-memory',
    ['[    1.903102] Initramfs unpacking failed: write error'],
    // Harmless: padding between appended archives.
    ['[    1.903102] Initramfs unpacking failed: invalid magic at start of compressed archive'],
  ],
  [
    'kernel-out-of-memory',
    [
      '[   77.101010] Out of memory: Killed process 1432 (podman) total-vm:1893440kB, anon-rss:3892kB',
      '[    2.000001] Kernel panic - not syncing: System is deadlocked on memory',
    ],
    [
      '[   77.101010] Memory cgroup out of memory: Killed process 1432 (podman)',
      `${podman}Out of memory: Killed`,
    ],
  ],
  [
    'kernel-panic',
    ['[    2.170001] Kernel panic - not syncing: VFS: Unable to mount root fs on unknown-block(0,0)'],
    ['[    2.170001] Kernel panics are reported to pstore', 'Kernel panic - not syncing: a game'],
  ],
  ['ignition-config-fetched', [`${ignition}GET result: OK`], [`${ignition}files: op(3): GET result: OK`]],
  [
    'ignition-config-get',
    [
      `${ignition}GET error: Get "http://192.0.2.1:8084/worker-0.ign": dial tcp 192.0.2.1:8084: connect: connection refused`,
      `${ignition}GET result: Service Unavailable`,
      'Nov 23 04:30:00 ignition[742]: GET error: Get "http://192.0.2.1/c.ign": dial tcp: lookup x: no such host',
    ],
    [
      `${ignition}GET http://192.0.2.1:8084/worker-0.ign: attempt #1`,
      '[    9.731906] curl[742]: GET error: x',
    ],
  ],
  [
    'ignition-config-fetch',
    [`${ignition}failed to fetch config: resource not found`],
    [
      `${ignition}failed to fetch config: resource requires networking`,
      `${ignition}failed to fetch config: config is not valid`,
    ],
  ],
  [
    'ignition-config-invalid',
    [`${ignition}error at $.storage.files.0.path, line 1 col 87: path not absolute`],
    [`${ignition}warning at $.systemd.units.0.contents, line 1 col 997: unit "x" has no install section`],
  ],
  [
    'ignition-archive',
    [
      `${ignition}files: createFilesystemsFiles: createFiles: op(5): op(6): [failed]   writing file "/sysroot/var/lib/ironic-agent-image/agent.tar": hash verification failed (calculated 00 but expected 11)`,
      `${ignition}files: createFilesystemsFiles: createFiles: op(5): Error fetching file "/sysroot/var/lib/ironic-agent-image/agent.tar": resource not found`,
    ],
    [
      `${ignition}files: createFilesystemsFiles: createFiles: op(5): [started]  writing file "/sysroot/var/lib/ironic-agent-image/agent.tar"`,
      `${ignition}files: createFilesystemsFiles: createFiles: op(5): [failed]   writing file "/sysroot/etc/motd": x`,
    ],
  ],
  [
    'ignition-file-get',
    [
      `${ignition}files: createFilesystemsFiles: createFiles: op(5): GET error: Get "http://192.0.2.1/agent.tar": dial tcp 192.0.2.1:80: connect: connection refused`,
    ],
    [`${ignition}files: createFilesystemsFiles: createFiles: op(5): GET result: OK`],
  ],
  [
    'ignition-no-space',
    [
      `${ignition}files: op(5): [failed]   writing file "/sysroot/etc/x": write /sysroot/etc/x: no space left on device`,
    ],
    [`${ignition}files: op(5): [failed]   writing file "/sysroot/etc/x": input/output error`],
  ],
  [
    'ignition-failed',
    [
      `${ignition}Ignition failed: failed to create files: failed to create files: error creating /sysroot/etc/x`,
    ],
    [`${ignition}Ignition failed: resource not found`, `${ignition}Ignition finished successfully`],
  ],
  [
    'ignition-files-written',
    [`${ignition}files: files passed`],
    [`${ignition}disks: disks passed`, `${ignition}Ignition finished successfully`],
  ],
  [
    'ignition-complete',
    [
      '[  OK  ] Reached target \u001B[0;1;39mignition-complete.target\u001B[0m - Ignition Complete.',
      '[   14.050505] systemd[1]: Reached target Ignition Complete.',
    ],
    [
      '[  OK  ] Reached target ignition-diskful.target - Ignition Boot Disk Setup.',
      'Reached target Ignition Complete.',
    ],
  ],
  [
    'ignition-unit-failed',
    [
      '[FAILED] Failed to start ignition-fetch.service - Ignition (fetch).',
      '[FAILED] Failed to start Ignition (files).',
    ],
    ['[  OK  ] Finished ignition-fetch.service - Ignition (fetch).'],
  ],
  [
    'emergency-ignition',
    ['Ignition has failed. Please ensure your config is valid. Note that only'],
    [`${podman}Ignition has failed. Please ensure your config is valid.`],
  ],
  [
    'emergency-memory',
    ['Ran out of memory when unpacking initrd filesystem.  Ensure your system has'],
    ['Ran out of coffee when unpacking initrd filesystem.'],
  ],
  [
    'emergency-shell',
    ['Entering emergency mode. Exit the shell to continue.'],
    ['         Starting Emergency Shell...', 'Press Enter for maintenance'],
  ],
  [
    'rootfs-versions',
    [`${rootfs}Found initramfs version 41.20241027.3.0 but rootfs version 40.20240920.3.0.`],
    [`${ignition}Found initramfs version 41 but rootfs version 40.`],
  ],
  [
    'rootfs-refused',
    [`${rootfs}Couldn't fetch, verify, and unpack image specified by:`],
    [`${rootfs}Fetching rootfs image from http://192.0.2.1/rootfs.img...`],
  ],
  [
    'rootfs-no-space',
    [`${rootfs}bsdtar: Write error: No space left on device`],
    [`${ignition}no space left on device`],
  ],
  [
    'rootfs-unreachable',
    [
      `${rootfs}curl: (7) Failed to connect to 192.0.2.1 port 8084 after 0 ms: Couldn't connect to server`,
      `${rootfs}Couldn't establish connectivity with the server specified by:`,
      `${rootfs}No rootfs image found.  Modify your PXE configuration to add the rootfs`,
    ],
    [
      `${rootfs}Retrying in 5s...`,
      `${rootfs}curl: (23) Failure writing output to destination`,
      '[    8.4] agent[1]: curl: (7) Failed to connect',
    ],
  ],
  [
    'system-welcome',
    ['Welcome to \u001B[0;34mFedora CoreOS 41.20241027.3.0\u001B[0m!'],
    ['Welcome to Fedora CoreOS 41.20241027.3.0 dracut-103-3.fc41 (Initramfs)!', 'Welcome to GRUB!'],
  ],
  [
    'system-multi-user',
    [
      '[  OK  ] Reached target multi-user.target - Multi-User System.',
      '[  OK  ] Reached target Multi-User System.',
    ],
    ['[  OK  ] Reached target basic.target - Basic System.'],
  ],
  [
    'login-prompt',
    ['localhost login: ', 'worker-0.example.com login: core (automatic login)'],
    ['Last login: Mon Nov 23 04:30:00 UTC 2026 on ttyS0', `${podman}localhost login: `, 'User login failed'],
  ],
  [
    'agent-banner',
    [
      'This machine runs ironic-python-agent, which Ironic uses to manage it.',
      'This ramdisk runs ironic-python-agent, with which Ironic inspects, cleans and',
    ],
    ['ironic-python-agent is not installed', `${podman}This machine runs ironic-python-agent, which`],
  ],
  [
    'no-user-config',
    ['\u001B[0;33mIgnition: no config provided by user\u001B[0m'],
    [`${ignition}no config provided by user`],
  ],
  [
    'user-config-applied',
    ['Ignition: user-provided config was applied'],
    ['Ignition: ran on 2026/11/23 04:30:00 UTC (this boot)'],
  ],
  [
    'network-wait-failed',
    ['[FAILED] Failed to start NetworkManager-wait-online.service - Network Manager Wait Online.'],
    ['[FAILED] Failed to start chronyd.service - NTP client/server.'],
  ],
  [
    'agent-started',
    [
      '[\u001B[0;32m  OK  \u001B[0m] Started \u001B[0;1;39mironic-agent.service\u001B[0m - Ironic Agent.',
      '[  OK  ] Started Ironic Agent.',
    ],
    [
      '         Starting ironic-agent.service - Ironic Agent...',
      '[  OK  ] Started ironic-agent.service.d watcher.',
    ],
  ],
  [
    'agent-starting',
    [
      '[\u001B[0;31m*     \u001B[0m] A start job is running for ironic-agent.service - Ironic Agent (12s / no limit)',
      '[  *** ] (1 of 2) A start job is running for Ironic Agent (1min 2s / no limit)',
    ],
    ['[  *** ] A start job is running for NetworkManager-wait-online.service (12s / 1min)'],
  ],
  [
    'agent-failed',
    [
      '[\u001B[0;1;31mFAILED\u001B[0m] Failed to start \u001B[0;1;39mironic-agent.service\u001B[0m - Ironic Agent.',
      '[   45.000001] systemd[1]: Failed to start ironic-agent.service - Ironic Agent.',
    ],
    [
      '[   45.000001] systemd[1205]: Failed to start ironic-agent.service.',
      'Failed to start ironic-agent.service.',
    ],
  ],
  [
    'agent-dependency-failed',
    ['[\u001B[0;1;38;5;185mDEPEND\u001B[0m] Dependency failed for ironic-agent.service - Ironic Agent.'],
    ['[DEPEND] Dependency failed for sysroot.mount - /sysroot.'],
  ],
  [
    'archive-failed',
    ['[FAILED] Failed to start ironic-agent-image.service - Container image of the Ironic Agent.'],
    ['[  OK  ] Finished ironic-agent-image.service - Container image of the Ironic Agent.'],
  ],
  [
    'archive-checksum',
    [
      '[   21.000001] sha512sum[1201]: /run/media/iso/coreos/agent.tar: FAILED',
      '[   21.000001] sha512sum[1201]: /bin/sha512sum: /run/media/iso/coreos/agent.tar: No such file or directory',
    ],
    ['[   21.000001] sha512sum[1201]: /run/media/iso/coreos/agent.tar: OK', 'agent.tar: FAILED'],
  ],
  [
    'pull-proxy',
    [`${podman}${ping}proxyconnect tcp: dial tcp 192.0.2.3:3128: connect: connection refused`],
    [`${podman}Trying proxyconnect tcp: no`],
  ],
  [
    'pull-proxy-refused',
    [
      `${podman}${ping}Proxy Authentication Required`,
      `${retry}${ping.replaceAll('"', String.raw`\"`)}Forbidden"`,
    ],
    [`${podman}${manifest}Forbidden`],
  ],
  [
    'pull-dns',
    [
      `${podman}${ping}dial tcp: lookup registry.example on 192.0.2.53:53: no such host`,
      `${podman}${ping}dial tcp: lookup registry.example: i/o timeout`,
      `${podman}${ping}dial tcp: lookup registry.example on 192.0.2.53:53: server misbehaving`,
    ],
    [`${ignition}Error: dial tcp: lookup registry.example: no such host`],
  ],
  [
    'pull-certificate-time',
    [
      `${podman}${ping}x509: certificate has expired or is not yet valid: current time 2026-11-23T04:41:30Z is before 2040-01-01T00:00:00Z`,
      `${podman}${ping}tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time 2026-11-23T04:41:30Z is after 2021-01-01T00:00:00Z`,
    ],
    ['[   41.2] curl[9]: Error: x509: certificate has expired or is not yet valid'],
  ],
  [
    'pull-certificate',
    [
      `${podman}${ping}x509: certificate signed by unknown authority`,
      `${podman}${ping}x509: cannot validate certificate for 192.0.2.1 because it doesn't contain any IP SANs`,
      `${podman}${ping}x509: certificate is valid for other.example, not registry.example`,
    ],
    [`${podman}registry certificate is fine`],
  ],
  [
    'pull-plain-http',
    [
      `${podman}${ping}http: server gave HTTP response to HTTPS client`,
      `${podman}${ping}tls: first record does not look like a TLS handshake`,
    ],
    [`${podman}http: server closed`],
  ],
  [
    'pull-unauthorized',
    [
      `${podman}${manifest}unauthorized`,
      `${podman}${manifest}unauthorized: access to the requested resource is not authorized`,
      `${podman}${source}unable to retrieve auth token: invalid username/password: unauthorized: Invalid login`,
      `${podman}Error: unable to copy from source docker://r.example/a:1: ${manifest.slice(7)}requested access to the resource is denied`,
    ],
    [`${podman}Error: statfs /dev/x: permission denied`, `${podman}user unauthorized`],
  ],
  [
    'pull-image-unknown',
    [
      `${podman}${manifest}manifest unknown`,
      `${podman}${manifest}name unknown: Repo not found`,
      `${podman}Error: choosing an image from manifest list docker://192.0.2.1:5000/ironic-agent:latest: no image found in image index for architecture amd64, variant "", OS linux`,
      `${podman}Error: short-name "ironic-agent" did not resolve to an alias and no unqualified-search registries are defined in "/etc/containers/registries.conf"`,
    ],
    [`${podman}Error: unknown flag: --name`],
  ],
  [
    'pull-image-reference',
    [
      `${podman}Error: repository name must be lowercase`,
      `${podman}Error: parsing reference "a:b:c": invalid reference format`,
    ],
    [`${podman}Error: invalid option`],
  ],
  [
    'podman-no-space',
    [
      `${podman}Error: writing blob: storing blob to file "/var/tmp/storage2213797960/1": write /var/tmp/storage2213797960/1: no space left on device`,
      `${podman} * oci-archive: creating temp directory: untarring file "/var/tmp/oci1": no space left on device`,
    ],
    ['[   41.2] rsync[9]: no space left on device'],
  ],
  [
    'pull-no-route',
    [
      `${podman}${ping}dial tcp 192.0.2.1:5000: connect: no route to host`,
      `${podman}${ping}dial tcp [2001:db8::1]:5000: connect: network is unreachable`,
    ],
    [`${podman}no route to host`],
  ],
  [
    'pull-failed',
    [
      `${podman}${ping}dial tcp 192.0.2.1:5000: connect: connection refused`,
      `${retry}${ping}dial tcp 192.0.2.1:5000: i/o timeout"`,
      `${podman}${manifest}received unexpected HTTP status: 503 Service Unavailable`,
      `${podman}Error: copying system image from manifest list: parsing image configuration: Get "https://cdn.example/x": EOF`,
    ],
    ['[   41.2] curl[9]: Error: docker://x: connection refused'],
  ],
  [
    'archive-format',
    [
      `${podman}Error: payload does not match any of the supported image formats:`,
      `${podman}Error: ${'a'.repeat(64)}: image not known`,
    ],
    [`${podman}Error: quay.io/x/ironic-agent: image not known`],
  ],
  [
    'container-failed',
    [
      `${podman}Error: statfs /run/dbus/system_bus_socket: no such file or directory`,
      `${podman}Error: OCI runtime error: crun: x`,
    ],
    [
      `${podman}No Error: at all`,
      `${podman}Error: reading CIDFile: open /run/ironic-agent.service.ctr-id: no such file or directory`,
    ],
  ],
  [
    'image-platform',
    [
      `${podman}WARNING: image platform ({arm64 linux  [] }) does not match the expected platform ({amd64 linux  [] })`,
    ],
    [`${podman}WARNING: image is old`],
  ],
  [
    'image-pulled',
    [`${podman}${'0123456789abcdef'.repeat(4)}`],
    [`${podman}${'0123456789abcdef'.repeat(3)}`],
  ],
  [
    'pull-started',
    [`${podman}Trying to pull 192.0.2.1:5000/ironic-agent:latest...`],
    ['Trying to pull 192.0.2.1:5000/x...'],
  ],
];

describe('a console line', () => {
  it.each(rows.flatMap(([sign, lines]) => lines.map((line) => [sign, line] as const)))(
    '%s: %s',
    (sign, line) => {
      expect(signsOf(`${line}\r\n`)).toEqual([sign]);
    },
  );

  it.each(rows.flatMap(([sign, , others]) => others.map((line) => [sign, line] as const)))(
    'is not %s: %s',
    (sign, line) => expect(signsOf(`${line}\r\n`)).not.toContain(sign),
  );

  it('is in a row for each sign', () => {
    expect(rows.map(([sign]) => sign).toSorted()).toEqual(consoleSigns.map(({ id }) => id).toSorted());
  });

  it('may follow a prompt without a line break', () => {
    const line = `localhost login: ${podman}${manifest}manifest unknown`;
    expect(signsOf(`${line}\r\n`)).toEqual(['login-prompt', 'pull-image-unknown']);
  });

  it('is shown with its end, without secrets and in bounded length', () => {
    const url = `https://cdn.example/${'x'.repeat(300)}?X-Amz-Signature=5ec2e7&y=1`;
    const error = `${podman}Error: reading blob sha256:00: Get "${url}": dial tcp 192.0.2.9:443: i/o timeout`;
    const [found] = findConsoleSigns(error);
    expect(found?.line).toMatch(/^\[ {3}41\.205873\] podman\[1432\]: ….*i\/o timeout$/);
    expect(found?.line).not.toContain('5ec2e7');
    expect(found?.line.length).toBeLessThan(300);
  });

  it('of the banners is the one in the templates', () => {
    for (const name of ['ironic-agent.issue', 'ironic-agent.motd']) {
      const text = readFileSync(resolve(import.meta.dirname, '../../../templates/agent', name), 'utf8');
      expect(signsOf(text)).toEqual(['agent-banner']);
    }
  });

  it('names only causes that exist', () => {
    const ids = new Set(causeTable.flatMap(({ causes }) => causes.map(({ id }) => id)));
    const named = consoleSigns.flatMap(({ proves = [], suggests = [], refutes }) =>
      [proves, suggests, refutes].flat(),
    );
    expect(named.filter((id) => !ids.has(id))).toEqual([]);
  });
});

const starting = machine(0);
const boot = [
  '\u001B[2J\u001B[01;01HISOLINUX 6.04 EDD',
  '[    0.000000] Linux version 6.11.3-200.fc40.x86_64 (mockbuild@f) #1 SMP PREEMPT_DYNAMIC',
  '[    0.000000] Command line: BOOT_IMAGE=/images/pxeboot/vmlinuz coreos.liveiso=fedora-coreos-41 ignition.firstboot',
  'Welcome to \u001B[0;34mFedora CoreOS 41.20241027.3.0 dracut-103 (Initramfs)\u001B[0m!',
];
const running = [
  ...boot,
  `${ignition}files: files passed`,
  '[\u001B[0;32m  OK  \u001B[0m] Reached target \u001B[0;1;39mignition-complete.target\u001B[0m - Ignition Complete.',
  'Welcome to \u001B[0;34mFedora CoreOS 41.20241027.3.0\u001B[0m!',
  '',
  'This machine runs ironic-python-agent, which Ironic uses to manage it.',
  'Ignition: user-provided config was applied',
  'localhost login: ',
];
const ofDisk = [
  '[    0.000000] Linux version 5.14.0-427.el9.x86_64 (mockbuild@x) #1 SMP',
  '[    0.000000] Command line: BOOT_IMAGE=(hd0,gpt3)/ostree/rhcos-0/vmlinuz root=UUID=1 ostree=/ostree/boot.1/rhcos/0/0',
  'Welcome to Red Hat Enterprise Linux CoreOS 417.94!',
  '[    9.100000] systemd[1]: Reached target Multi-User System.',
  'old-node login: ',
];
const pulling = `${podman}Trying to pull 192.0.2.1:5000/ironic-agent:latest...`;
const refused = `${podman}${ping}dial tcp 192.0.2.1:5000: connect: connection refused`;
const unknownName = `${podman}${ping}dial tcp: lookup registry.example on 192.0.2.53:53: no such host`;
const pulled = `${podman}${'0'.repeat(64)}`;
const started = '[  OK  ] Started ironic-agent.service - Ironic Agent.';
const failed = '[FAILED] Failed to start ironic-agent.service - Ironic Agent.';

describe('a console', () => {
  it.each<readonly [string, readonly string[], readonly string[]]>([
    ['proves nothing if it is empty', [], []],
    ['proves nothing during a normal boot', running, []],
    ['proves a failed pull', [...running, pulling, refused], ['container-pull']],
    [
      'proves a failed pull in the log of another boot loader',
      ['GRUB loading.', ...running, refused],
      ['container-pull'],
    ],
    ['proves the last problem of a program only', [...running, unknownName, refused], ['container-pull']],
    ['proves no pull that failed before it succeeded', [...running, unknownName, pulled], []],
    ['proves no pull that failed before the agent started', [...running, refused, started], []],
    [
      'proves a pull that failed after a restart of the agent',
      [...running, started, pulling, unknownName, failed],
      ['dns'],
    ],
    ['proves no pull while the agent runs', [...running, started, unknownName], []],
    ['proves no problem of an earlier boot', [...running, refused, ...boot], []],
    ['proves that the machine boots from its disk', ofDisk, ['boot-order']],
    ['proves nothing with the lines of an installed system', [...ofDisk, refused], ['boot-order']],
    ['proves nothing after a boot from the disk', [...ofDisk, ...running], []],
    [
      'proves problems of two programs',
      [...running, '[   70.000001] Out of memory: Killed process 9 (podman)', refused],
      ['container-pull', 'no-memory'],
    ],
    [
      'proves no config problem that Ignition solved',
      [...boot, `${ignition}GET error: no route to host`, ...running],
      [],
    ],
    [
      'proves that Ignition failed',
      [
        ...boot,
        `${ignition}error at $.a, line 1 col 2: unused key`,
        `${ignition}Ignition failed: config is not valid`,
        'Entering emergency mode. Exit the shell to continue.',
      ],
      ['ignition-failed'],
    ],
    [
      'proves too little memory for the root filesystem, and not that it cannot be fetched',
      [
        ...boot,
        `${rootfs}bsdtar: Write error: No space left on device`,
        `${rootfs}curl: (23) Failure writing output to destination`,
        `${rootfs}Couldn't fetch, verify, and unpack image specified by:`,
      ],
      ['no-memory'],
    ],
    [
      'proves a config that is not found',
      [
        ...boot,
        `${ignition}GET result: Not Found`,
        `${ignition}failed to fetch config: resource not found`,
        `${ignition}Ignition failed: resource not found`,
        'Ignition has failed. Please ensure your config is valid. Note that only',
      ],
      ['config-not-fetched'],
    ],
    [
      'proves an archive that does not match',
      [
        ...running,
        '[   21.000001] sha512sum[1201]: /run/media/iso/coreos/agent.tar: FAILED',
        '[FAILED] Failed to start ironic-agent-image.service - Container image of the Ironic Agent.',
        '[DEPEND] Dependency failed for ironic-agent.service - Ironic Agent.',
      ],
      ['agent-archive'],
    ],
    [
      'proves that there is no config',
      [...boot, '\u001B[0;33mIgnition: no config provided by user\u001B[0m', 'localhost login: '],
      ['no-config'],
    ],
    [
      'proves a kernel panic',
      [
        ...boot,
        '[    2.170001] Kernel panic - not syncing: VFS: Unable to mount root fs on unknown-block(0,0)',
      ],
      ['kernel-panic'],
    ],
  ])('%s', (_title, lines, ids) => {
    expect(idsOf(lines, 'proven')).toEqual(ids);
  });

  it.each<readonly [string, readonly string[], readonly string[]]>([
    ['a pull that has started', [...running, pulling], ['container-pull']],
    [
      'a start job that takes long',
      [
        ...running,
        '[  *** ] A start job is running for ironic-agent.service - Ironic Agent (2min / no limit)',
      ],
      ['container-pull'],
    ],
    ['a failed start', [...running, failed], ['container-pull', 'container-ends']],
    [
      'a container that does not start',
      [...running, pulling, pulled, `${podman}Error: statfs /x: no such file or directory`],
      ['container-ends'],
    ],
    [
      'a container that does not start, and is removed',
      [...running, pulling, pulled, `${podman}Error: OCI runtime error: crun: x`, pulled],
      ['container-ends'],
    ],
    ['a login prompt of an unknown system', ['localhost login: '], ['boot-order']],
    [
      'an emergency shell',
      [...boot, 'Entering emergency mode. Exit the shell to continue.'],
      ['ignition-failed', 'kernel-arguments', 'initramfs-network', 'rootfs-not-fetched'],
    ],
    ['a pull that failed while the agent runs', [...running, started, refused], ['container-pull']],
    [
      'a missing network',
      [
        ...running,
        '[FAILED] Failed to start NetworkManager-wait-online.service - Network Manager Wait Online.',
      ],
      ['host-network'],
    ],
  ])('makes causes likely: %s', (_title, lines, ids) => {
    expect(idsOf(lines, 'likely')).toEqual(ids);
  });

  it.each<readonly [string, readonly string[], readonly string[], readonly string[]]>([
    ['nothing', [], [], ['ignition-failed', 'kernel-arguments', 'container-pull']],
    [
      'the kernel of any system',
      boot.slice(0, 2),
      ['console-silent'],
      ['secure-boot', 'architecture-mismatch'],
    ],
    [
      'the live kernel',
      boot,
      ['boot-order', 'secure-boot', 'architecture-mismatch'],
      ['ignition-failed', 'container-pull'],
    ],
    [
      'Ignition',
      running.slice(0, 6),
      ['ignition-failed', 'kernel-arguments'],
      ['container-pull', 'agent-archive'],
    ],
    [
      'a login prompt',
      ['localhost login: '],
      ['ignition-failed', 'kernel-arguments', 'rootfs-not-fetched'],
      ['boot-order', 'container-pull', 'no-config'],
    ],
    [
      'the banner of the agent',
      running,
      ['ignition-failed', 'no-config', 'initramfs-network'],
      ['container-pull', 'ironic-address'],
    ],
    [
      'a pulled image',
      [...running, pulling, pulled],
      ['container-pull', 'pull-secret'],
      ['ironic-address', 'container-ends'],
    ],
    [
      'a started container',
      [...running, started],
      ['container-pull', 'registry-ca', 'agent-archive'],
      ['ironic-address', 'dns', 'container-ends'],
    ],
  ])('excludes causes: %s', (_title, lines, excluded, left) => {
    const ids = causesOf(lines).map(({ cause }) => cause.id);
    expect(ids.filter((id) => excluded.includes(id))).toEqual([]);
    expect(left.filter((id) => !ids.includes(id))).toEqual([]);
  });

  it('of an installed system shows no progress', () => {
    expect(hostAfter(eventsOf([Buffer.from(ofDisk.join('\r\n'))])).stage).toBe('power');
  });

  it('proves nothing with lines from before the machine was powered on', () => {
    const events = eventsOf([Buffer.from([...running, refused].join('\r\n'))]);
    const poweredOn = { ...starting, at: new Date(Date.now() + 60_000) };
    const causes = likelyCauses(hostAfter([...events, poweredOn]), 'calls');
    expect(causes.filter(({ certainty }) => certainty === 'proven')).toEqual([]);
  });

  it('is evidence with the line that proves the cause', () => {
    const [first] = causesOf([...running, refused]);
    expect(first?.evidence?.event).toMatchObject({
      kind: 'console',
      sign: 'pull-failed',
      line: refused,
    });
  });

  it('of random bytes neither fails nor proves anything', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 400 }), { maxLength: 20 }), (parts) => {
        const host = hostAfter(eventsOf(parts));
        expect(likelyCauses(host, 'calls').filter(({ certainty }) => certainty === 'proven')).toEqual([]);
      }),
    );
  });

  it('of pieces of real lines in any order yields valid events', () => {
    const pieces = rows
      .flatMap(([, lines, others]) => [...lines, ...others])
      .flatMap((line) => [line, ...line.split(' ')]);
    const piece = fc.constantFrom(
      ...pieces,
      '\r\n',
      '\n',
      '\u001B[0m',
      '\u001B[K',
      ' ',
      podman,
      ignition,
      rootfs,
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (texts) => {
        const events = eventsOf([Buffer.from(texts.join(' '))]);
        const times = events.map(({ at }) => at.getTime());
        expect(times.toSorted((a, b) => a - b)).toEqual(times);
        for (const event of events) {
          expect(event.kind === 'console' && event.line.length < 400).toBe(true);
        }
        expect(() => likelyCauses(hostAfter(events), 'boot')).not.toThrow();
      }),
    );
  });
});

function eventsOf(parts: readonly Uint8Array[]): readonly TrialEvent[] {
  const events: TrialEvent[] = [];
  const watch = createConsoleWatch('worker-0', (event) => void events.push(event));
  const text = createConsoleText(watch);
  for (const part of parts) text.push(part);
  text.end();
  return events;
}

function signsOf(text: string): readonly string[] {
  return eventsOf([Buffer.from(text)]).flatMap((event) => (event.kind === 'console' ? [event.sign] : []));
}

function hostAfter(events: readonly TrialEvent[]): HostTimeline {
  const timeline = createTimeline([{ name: 'worker-0', macs: [mac] }]);
  for (const event of [starting, ...events]) timeline.add(event);
  const [host] = timeline.hosts();
  if (host === undefined) throw new Error('the host is always there');
  return host;
}

function causesOf(
  lines: readonly string[],
  coverage: ObservedPart = 'calls',
): ReturnType<typeof likelyCauses> {
  return likelyCauses(hostAfter(eventsOf([Buffer.from(lines.join('\r\n'))])), coverage);
}

function idsOf(lines: readonly string[], certainty: string): readonly string[] {
  return causesOf(lines)
    .filter((one) => one.certainty === certainty)
    .map(({ cause }) => cause.id);
}
