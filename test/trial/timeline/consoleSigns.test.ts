/**
 * The lines of a console that try recognizes, and what they say about the causes. `IRONIC_COREOS_TEXTS=20000` runs more random
 * texts.
 */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lastLinesOf, likelyCauses, type ObservedPart } from '../../../src/trial/timeline/likelyCauses.ts';
import { consoleSigns, findConsoleSigns } from '../../../src/trial/timeline/consoleSigns.ts';
import { createConsoleText } from '../../../src/trial/console/consoleText.ts';
import { createConsoleWatch } from '../../../src/trial/console/consoleWatch.ts';
import type { ArtifactKind } from '../../../src/core/artifacts.ts';
import type { TrialEvent } from '../../../src/trial/timeline/events.ts';
import { createMachines } from '../../../src/trial/timeline/machines.ts';
import { createTimeline, type HostTimeline } from '../../../src/trial/timeline/timeline.ts';
import { corpusLogs } from '../../support/consoleCorpus.ts';
import { at, fetched, lookedUp, mac, machine } from '../../support/trialEvents.ts';

const podman = '[   41.205873] podman[1432]: ';
const retry = `${podman}time="2026-11-23T04:30:18Z" level=warning msg="Failed, retrying in 1s ... (1/3). `;
const source = 'Error: initializing source docker://192.0.2.1:5000/ironic-agent:latest: ';
const ping = `${source}pinging container registry 192.0.2.1:5000: Get "https://192.0.2.1:5000/v2/": `;
const manifest = `${source}reading manifest latest in 192.0.2.1:5000/ironic-agent: `;
const agent =
  '[   61.200000] podman[1590]: 2026-11-26 18:46:19.767 1 WARNING ironic_python_agent.ironic_api_client [-] ';
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
  ['kernel-cpu', ['[    0.000000] This kernel requires an x86-64 CPU, but only detected an i686 CPU.'], []],
  [
    'medium-file-system',
    ['[    5.100000] isofs_fill_super: bread failed, dev=sr0, iso_blknum=16, block=16'],
    ['[    5.100000] isofs_fill_super: bread failed, dev=loop3, iso_blknum=16, block=16'],
  ],
  ['ignition-config-status', [`${ignition}GET result: Im a teapot`], [`${ignition}GET result: OK`]],
  ['ignition-config-time', [`${ignition}failed to fetch config: unable to fetch resource in time`], []],
  ['ignition-config-scheme', [`${ignition}failed to fetch config: unsupported source scheme`], []],
  [
    'medium-mount',
    ['[FAILED] Failed to mount run-media-iso.mount - /run/media/iso.'],
    ['[FAILED] Failed to mount boot.mount - /boot.'],
  ],
  [
    'rootfs-mount',
    ['[FAILED] Failed to mount sysroot.mount - /sysroot.', '[FAILED] Failed to mount /sysroot.'],
    ['[FAILED] Failed to mount sysroot-var.mount - /sysroot/var.'],
  ],
  [
    'pxe-no-proxy',
    ['PXE-E55: ProxyDHCP service did not reply to request on port 4011'],
    ['PXE-E55: something else'],
  ],
  ['edk2-http-denied', ['  Client Error: 403 Forbidden'], ['  Client Error: 408 Request Timeout']],
  ['edk2-http-server', ['  Server Error: 503 Service Unavailable'], ['Server Error']],
  ['edk2-http-plain', ['  Error: Access forbidden, only HTTPS connection is allowed.'], []],
  ['edk2-http-link', ['  Error: Could not detect network connection.'], []],
  [
    'edk2-unsupported',
    ['BdsDxe: failed to load Boot0001 "UEFI Misc Device" from PciRoot(0x0)/Pci(0x3,0x0): Unsupported'],
    ['BdsDxe: failed to load Boot0001 "UEFI PXEv4" from PciRoot(0x0): Not Found'],
  ],
  [
    'edk2-no-media',
    ['BdsDxe: failed to load Boot0003 "UEFI Virtual CDROM" from PciRoot(0x0)/USB(0x3,0x0): No Media'],
    ['BdsDxe: failed to load Boot0003 "UEFI Virtual CDROM" from PciRoot(0x0)/USB(0x3,0x0): Not Found'],
  ],
  [
    'grub-device',
    ['error: no such device: /.disk/info.', 'error: ../../grub-core/kern/fs.c:123:unknown filesystem.'],
    ['no such device: x'],
  ],
  [
    'seabios-unreadable',
    ['Boot failed: Could not read from CDROM (code 0003)'],
    ['Boot failed: not a bootable disk'],
  ],
  [
    'ipxe-https-denied',
    ['https://192.0.2.1/boot.ipxe... Permission denied (https://ipxe.org/0216eb8f)'],
    ['http://192.0.2.1/boot.ipxe... Permission denied (http://ipxe.org/020c613c)'],
  ],
  ['ipxe-memory', ['http://192.0.2.1/initrd.img... Not enough space (http://ipxe.org/34182006)'], []],
  ['grub-refused', ['error: ../../grub-core/net/tcp.c:627:connection refused.'], ['connection refused.']],
  ['grub-dns', ['error: ../../grub-core/net/dns.c:488:no DNS record found.'], []],
  ['grub-http', ['error: ../../grub-core/net/http.c:146:unsupported HTTP error 403: Forbidden.'], []],
  ['grub-server-error', ['error: ../../grub-core/net/http.c:146:unsupported HTTP error 503: Busy.'], []],
  [
    'installer-started',
    [
      '         Starting coreos-installer.service - CoreOS Installer...',
      '[  OK  ] Started coreos-installer.service - CoreOS Installer.',
    ].slice(1),
    ['[  OK  ] Reached target coreos-installer-pre.target - CoreOS Installer Prerequisites.'],
  ],
  [
    'network-dhcp-timeout',
    ['[   50.100000] NetworkManager[645]: <warn>  [1795000046.1234] dhcp4 (eno1): request timed out'],
    [
      '[    5.100000] NetworkManager[645]: <info>  [1795000001.1234] dhcp4 (eno1): activation: beginning transaction (timeout in 45 seconds)',
    ],
  ],
  ['pull-certificate-time', [`${podman}${ping}x509: certificate has expired or is not yet valid`], []],
  [
    'podman-read-error',
    [`${podman}Error: netavark: IO error: aardvark pid not found: input/output error`],
    [`${podman}input/output error`],
  ],
  [
    'pull-blob-missing',
    [
      `${podman}Error: parsing image configuration: fetching blob: invalid status code from registry 404 (Not Found)`,
    ],
    [],
  ],
  [
    'agent-certificate-expired',
    [
      `${agent}Error detected while attempting to perform lookup with https://192.0.2.10:6385, retrying. Error: (Caused by SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: certificate has expired (_ssl.c:1006)')))`,
    ],
    [`${podman}certificate verify failed: certificate has expired`],
  ],
  [
    'agent-tls',
    [`${agent}Error: (Caused by SSLError(SSLError(1, '[SSL: TLSV1_ALERT_INTERNAL_ERROR] (_ssl.c:1006)')))`],
    [],
  ],
  [
    'agent-not-enrolled',
    [
      '[   61.200000] podman[1590]: 2026-11-26 18:46:19.767 1 ERROR ironic_python_agent.inspector [-] inspector https://192.0.2.10:6385/v1/continue_inspection error 404: {"error_message": "Resource could not be found."}, proceeding with lookup',
    ],
    [],
  ],
  [
    'agent-lookup-failed',
    [
      '[   61.200000] podman[1590]: ironic_python_agent.errors.LookupNodeError: Error getting configuration from Ironic: Could not look up node info. Check logs for details.',
    ],
    [`${podman}Could not look up node info`],
  ],
  [
    'agent-root-device',
    [`${agent}No suitable device was found for deployment using these hints {'serial': 'X'}`],
    [],
  ],
  ['agent-manager', [`${agent}No valid HardwareManager found`], []],
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
    'kernel-no-root',
    [
      '[    2.170001] Kernel panic - not syncing: VFS: Unable to mount root fs on unknown-block(0,0)',
      '[    2.170001] VFS: Cannot open root device "" or unknown-block(0,0): error -6',
    ],
    ['[    2.170001] VFS: Mounted root (ext4 filesystem) on device 252:1.'],
  ],
  [
    'kernel-panic',
    ['[    2.170001] Kernel panic - not syncing: Fatal exception in interrupt'],
    ['[    2.170001] Kernel panics are reported to pstore', 'Kernel panic - not syncing: a game'],
  ],
  ['ignition-config-fetched', [`${ignition}GET result: OK`], [`${ignition}files: op(3): GET result: OK`]],
  [
    'ignition-config-get',
    [
      `${ignition}GET error: Get "http://192.0.2.1:8084/worker-0.ign": dial tcp 192.0.2.1:8084: connect: connection refused`,
    ],
    [
      `${ignition}GET http://192.0.2.1:8084/worker-0.ign: attempt #1`,
      '[    9.731906] curl[742]: GET error: x',
    ],
  ],
  [
    'ignition-config-server',
    [`${ignition}GET result: Service Unavailable`],
    [`${ignition}files: op(1): GET result: Service Unavailable`],
  ],
  [
    'ignition-config-dns',
    [
      'Nov 23 04:30:00 ignition[742]: GET error: Get "http://192.0.2.1/c.ign": dial tcp: lookup x: no such host',
    ],
    [`${ignition}files: op(1): GET error: Get "http://x/": dial tcp: lookup x: no such host`],
  ],
  [
    'ignition-config-not-found',
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
    'ignition-files',
    [
      `${ignition}Ignition failed: failed to create files: failed to create files: error creating /sysroot/etc/x`,
    ],
    [`${ignition}files: op(5): [started]  writing file "/sysroot/etc/x"`],
  ],
  [
    'ignition-failed',
    [`${ignition}Ignition failed: reading state: unexpected end of JSON input`],
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
    'rootfs-versions',
    [`${rootfs}Found initramfs version 41.20241027.3.0 but rootfs version 40.20240920.3.0.`],
    [`${ignition}Found initramfs version 41 but rootfs version 40.`],
  ],
  [
    'rootfs-refused-image',
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
    [`${rootfs}Couldn't establish connectivity with the server specified by:`],
    [`${rootfs}Retrying in 5s...`],
  ],
  [
    'rootfs-missing',
    [`${rootfs}No rootfs image found.  Modify your PXE configuration to add the rootfs`],
    [`${rootfs}No rootfs`],
  ],
  [
    'rootfs-refused',
    [`${rootfs}curl: (7) Failed to connect to 192.0.2.1 port 8084 after 0 ms: Couldn't connect to server`],
    [
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
    'pull-clock',
    [
      `${podman}${ping}x509: certificate has expired or is not yet valid: current time 2019-11-23T04:41:30Z is before 2040-01-01T00:00:00Z`,
      `${podman}${ping}tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time 2019-11-23T04:41:30Z is after 2018-01-01T00:00:00Z`,
    ],
    ['[   41.2] curl[9]: Error: x509: certificate has expired or is not yet valid'],
  ],
  [
    'pull-certificate',
    [`${podman}${ping}x509: certificate signed by unknown authority`],
    [`${podman}registry certificate is fine`],
  ],
  [
    'pull-certificate-name',
    [
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
      `${podman}Error: short-name "ironic-agent" did not resolve to an alias and no unqualified-search registries are defined in "/etc/containers/registries.conf"`,
    ],
    [`${podman}Error: unknown flag: --name`],
  ],
  [
    'pull-architecture',
    [
      `${podman}Error: choosing an image from manifest list docker://192.0.2.1:5000/ironic-agent:latest: no image found in image index for architecture amd64, variant "", OS linux`,
    ],
    [`${podman}no image found in image index for architecture amd64`],
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
    'pull-refused',
    [`${podman}${ping}dial tcp 192.0.2.1:5000: connect: connection refused`],
    [`${podman}connect: connection refused`],
  ],
  ['pull-timeout', [`${retry}${ping}dial tcp 192.0.2.1:5000: i/o timeout"`], [`${podman}i/o timeout`]],
  [
    'pull-server-error',
    [`${podman}${manifest}received unexpected HTTP status: 503 Service Unavailable`],
    [`${podman}${manifest}received unexpected HTTP status: 409 Conflict`],
  ],
  [
    'pull-transfer',
    [
      `${podman}Error: copying system image from manifest list: parsing image configuration: Get "https://cdn.example/x": EOF`,
    ],
    [`${podman}EOF`],
  ],
  [
    'pull-failed',
    [`${podman}${manifest}received unexpected HTTP status: 409 Conflict`],
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
    'shim-violation',
    [
      'Selected boot image did not authenticate.  Press <Enter> to Continue.',
      'error: prohibited by secure boot policy.',
      'Image Authorization Fail.',
    ],
    ['Boot image selected'],
  ],
  [
    'seabios-no-device',
    [
      'No bootable devices found',
      'Boot Device Not Found',
      'No boot disk has been detected or the disk has failed.',
    ],
    ['A boot device was found'],
  ],
  ['pxe-url', ['  NBP filename is http://192.0.2.1:3030/boot/boot.ipxe'], ['  NBP filename is boot/x.efi']],
  [
    'pxe-error',
    [
      '  PXE-E07: Network device error.',
      'PXE-E21: Remote boot cancelled.',
      '  PXE-E99: Unexpected network error.',
    ],
    ['PXE-M0F: Exiting Intel Boot Agent.'],
  ],
  [
    'shim-second-stage',
    [
      'Failed to open \\EFI\\BOOT\\grubx64.efi - Not Found',
      'Failed to load image \\EFI\\BOOT\\grubx64.efi: Not Found',
      'start_image() returned Not Found',
    ],
    ['Failed to open /etc/x: Permission denied'],
  ],
  [
    'shim-tftp',
    ['Unable to fetch TFTP image: TFTP Error', 'start_image() returned TFTP Error'],
    ['Fetching Netboot Image grubx64.efi'],
  ],
  ['ipxe-itself', ['Filename: undionly.kpxe', 'Filename: boot/snponly.efi'], ['Filename: boot.ipxe']],
  [
    'edk2',
    [
      '>>Start PXE over IPv4.',
      '>>Start PXE over IPv4 on MAC: 52-54-00-12-34-56.',
      '>>Start HTTP Boot over IPv4.',
      '  NBP file downloaded successfully.',
      'BdsDxe: loading Boot0002 "UEFI Virtual CDROM" from PciRoot(0x0)/Pci(0x14,0x0)/USB(0x3,0x0)',
      'Boot Failed. EFI DVD/CDROM',
    ],
    ['[    1.0] BdsDxe: no line of the firmware'],
  ],
  [
    'pxe-rom',
    ['PXE-M0F: Exiting Intel Boot Agent.', 'CLIENT MAC ADDR: 52 54 00 12 34 56'],
    ['PXE is disabled'],
  ],
  ['seabios', ['Booting from DVD/CD...', 'SeaBIOS (version 1.16.2-1)'], ['The booting continues']],
  [
    'ipxe',
    [
      'iPXE initialising devices...ok',
      'iPXE 1.21.1+ (g3cf6) -- Open Source Network Boot Firmware -- https://ipxe.org',
      'http://192.0.2.130:5000/boot/vmlinuz... ok',
      'iPXE> ',
      'No more network devices',
    ],
    ['iPXE is required', 'http://192.0.2.130:5000/boot/vmlinuz'],
  ],
  [
    'efi-stub',
    ['EFI stub: UEFI Secure Boot is enabled.', 'EFI stub: ERROR: efi_stub_entry() failed!'],
    ['[    0.0] EFI stub: no line of the stub'],
  ],
  [
    'efi-stub-initrd',
    [
      'EFI stub: ERROR: Failed to open file: initrd',
      'EFI stub: ERROR: Failed to load initrd: 0x800000000000000e',
    ],
    ['EFI stub: Loaded initrd from command line option'],
  ],
  [
    'shim',
    ['Fetching Netboot Image grubx64.efi', 'System BootOrder not found.  Initializing defaults.'],
    ['shim 15.8'],
  ],
  [
    'grub-shell',
    ['grub> ', 'grub rescue> ls', '   Minimal BASH-like line editing is supported. For the first word, TAB'],
    ['grub login: '],
  ],
  [
    'quadlet',
    [
      '[   41.205873] quadlet-generator[9]: converting "db.container": unsupported key "Img" in group "Container"',
      "[   41.205873] quadlet-generator[9]: Error converting 'db.container', ignoring: no Image or Rootfs key specified",
    ],
    ['[   41.205873] quadlet-generator[9]: Warning: a.container specifies the image "x"'],
  ],
  [
    'quadlet-agent',
    [
      "[   41.205873] quadlet-generator[9]: Error converting 'ironic-agent.container', ignoring: no Image or Rootfs key specified",
    ],
    ['[   41.205873] podman[9]: converting "ironic-agent.container": x'],
  ],
  [
    'grub',
    ['Welcome to GRUB!', "error: ../../grub-core/script/function.c:119:can't find command `x'."],
    ['grub login: ', 'error: x'],
  ],
  ['isolinux', ['ISOLINUX 6.04 20200816 ETCD', 'Loading /images/pxeboot/vmlinuz... ok'], ['Loading modules']],
  [
    'rootfs-empty',
    [
      `${rootfs}Error: hash mismatch at offset 0; expected 91b6b69c0de2, found e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855`,
      `${rootfs}Error: premature end of input data at offset 0`,
    ],
    [`${rootfs}Error: hash mismatch at offset 0; expected 91b6b69c0de2, found 1f2fd877115e`],
  ],
  [
    'ignition-users',
    [
      `${ignition}files: ensureUsers: op(1): [failed]   creating or modifying user "core": exit status 6: Cmd: "useradd" "--root" "/sysroot" "--groups" "docker" "core" Stdout: "" Stderr: "useradd: group 'docker' does not exist\\n"`,
      `${ignition}Ignition failed: failed to create users/groups: failed to configure groups: failed to create group "x": exit status 4: Cmd: "groupadd" "--gid" "0" "x" Stdout: "" Stderr: "groupadd: GID '0' already exists\\n"`,
      `${ignition}Ignition failed: failed to create files: failed to create files: error setting file permissions for /sysroot/etc/x: no such user "ironic": user: unknown user ironic`,
    ],
    [
      `${ignition}files: ensureUsers: op(2): [failed]   adding ssh keys to user "admin": open /sysroot/home/admin: no such file`,
    ],
  ],
  [
    'agent-inventory',
    [
      `${agent.replace('WARNING ironic_python_agent.ironic_api_client', 'INFO ironic_python_agent.inspector')}Posting collected data to https://192.0.2.1:5050/v1/continue`,
    ],
    [`${agent}Posting collected data to https://192.0.2.1:5050/v1/continue`],
  ],
  [
    'agent-running',
    [
      `${agent}x`,
      '[   61.2] ironic-agent[1590]: 2026-11-26 18:46:19.767 1 INFO ironic_python_agent.agent [-] Starting',
      '2026-11-26 18:46:19.767 1 INFO ironic_python_agent.agent [-] Starting',
    ].map((line) => line.replace('61.2]', '61.200000]')),
    [
      '[   61.200000] other[1590]: 2026-11-26 18:46:19.767 1 INFO ironic_python_agent.agent [-] Starting',
      '2026-11-26 18:46:19.767 1 INFO another_agent.agent [-] Starting',
    ],
  ],
  [
    'agent-proxy',
    [
      `${agent}(Caused by ProxyError('Cannot connect to proxy.', NewConnectionError('<x>: [Errno 111] Connection refused')))`,
      `${agent}(Caused by ProxyError('Unable to connect to proxy', OSError('Tunnel connection failed: 407 Proxy Authentication Required')))`,
      `${agent}(Caused by ProxyError('Your proxy appears to only use HTTP and not HTTPS, try changing your proxy URL to be HTTP.', SSLError(1, 'x')))`,
    ],
    [`${agent}NewConnectionError('<x>: [Errno 111] Connection refused')`],
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

  it('is here or in the corpus for each sign', () => {
    const seen = new Set([
      ...rows.map(([sign]) => sign),
      ...corpusLogs().flatMap(({ text }) => signsOf(text)),
    ]);
    expect([...consoleSigns().keys()].filter((id) => !seen.has(id))).toEqual([]);
  });

  it('may follow a prompt without a line break', () => {
    const line = `localhost login: ${podman}${manifest}manifest unknown`;
    expect(signsOf(`${line}\r\n`)).toEqual(['login-prompt', 'pull-image-unknown']);
  });

  it('is shown with its end, without secrets and in bounded length', () => {
    const url = `https://cdn.example/${'x'.repeat(300)}?X-Amz-Signature=5ec2e7&y=1`;
    const error = `${podman}Error: reading blob sha256:00: Get "${url}": dial tcp 192.0.2.9:443: i/o timeout`;
    const [found] = findConsoleSigns(error, new Date());
    expect(found?.line).toMatch(/^\[ {3}41\.205873\] podman\[1432\]: ….*i\/o timeout$/);
    expect(found?.line).not.toContain('5ec2e7');
    expect(found?.line.length).toBeLessThan(300);
  });

  it.each([
    [-25, 'clock'],
    [-24, 'registry-expired'],
    [24, 'registry-expired'],
    [25, 'clock'],
  ])('of a machine whose clock is %i hours off, with an expired certificate: %s', (hours, cause) => {
    const now = new Date('2026-11-27T12:00:00Z');
    const time = new Date(now.getTime() + hours * 3_600_000).toISOString();
    const expired = `x509: certificate has expired or is not yet valid: current time ${time} is after 2026-01-01T00:00:00Z`;
    const [found] = findConsoleSigns(`${podman}${ping}${expired}`, now);
    expect(found?.sign.proves).toBe(cause);
  });

  it('of the banners is the one in the templates', () => {
    for (const name of ['ironic-agent.issue', 'ironic-agent.motd']) {
      const text = readFileSync(resolve(import.meta.dirname, '../../../templates/agent', name), 'utf8');
      expect(signsOf(text)).toEqual(['agent-banner']);
    }
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
const posting = `${agent.replace('WARNING ironic_python_agent.ironic_api_client', 'INFO ironic_python_agent.inspector')}Posting collected data to https://192.0.2.1:5050/v1/continue`;
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
    ['proves that the unit of the agent failed', [...running, failed], ['agent-unit-failed']],
    [
      'proves a container that does not start',
      [...running, pulling, pulled, `${podman}Error: statfs /x: no such file or directory`],
      ['container-start'],
    ],
    ['proves nothing with a pull that has started', [...running, pulling], []],
    [
      'proves nothing with an emergency shell',
      [...boot, 'Entering emergency mode. Exit the shell to continue.'],
      [],
    ],
    ['proves nothing with a prompt of an unknown system', ['localhost login: '], []],
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
      ['ignition-config'],
    ],
    [
      'proves a full file system for the root filesystem, and not that it cannot be fetched',
      [
        ...boot,
        `${rootfs}bsdtar: Write error: No space left on device`,
        `${rootfs}curl: (23) Failure writing output to destination`,
        `${rootfs}Couldn't fetch, verify, and unpack image specified by:`,
      ],
      ['no-space'],
    ],
    [
      'proves the transfer that ended, and not another build',
      [
        ...boot,
        `${rootfs}curl: (18) transfer closed with 4711 bytes remaining to read`,
        `${rootfs}Error: hash mismatch at offset 4194304; expected 91b6b69c0de2, found 1f2fd877115e`,
        `${rootfs}Couldn't fetch, verify, and unpack image specified by:`,
      ],
      ['rootfs-transfer'],
    ],
    [
      'proves a server error in the middle of the file, and not another build',
      [
        ...boot,
        `${rootfs}curl: (22) The requested URL returned error: 503 Service Unavailable`,
        `${rootfs}Error: hash mismatch at offset 134217728; expected 91b6b69c0de2, found 1f2fd877115e`,
      ],
      ['rootfs-server-error'],
    ],
    [
      'proves another build after a server was reached at the second attempt',
      [
        ...boot,
        `${rootfs}curl: (7) Failed to connect to 192.0.2.1 port 8084 after 1 ms: Could not connect to server`,
        `${rootfs}Couldn't establish connectivity with the server specified by:`,
        `${rootfs}Error: hash mismatch at offset 0; expected 91b6b69c0de2, found 1f2fd877115e`,
        `${rootfs}curl: (23) Failure writing output to destination`,
      ],
      ['rootfs-mismatch'],
    ],
    [
      'proves no other build without any data',
      [
        ...boot,
        `${rootfs}Error: hash mismatch at offset 0; expected 91b6b69c0de2, found e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855`,
      ],
      [],
    ],
    [
      'proves a missing group, which stops Ignition',
      [
        ...boot,
        `${ignition}files: ensureUsers: op(1): [failed]   creating or modifying user "core": exit status 6: Cmd: "useradd" Stdout: "" Stderr: "useradd: group 'docker' does not exist\\n"`,
        `${ignition}files failed`,
        `${ignition}Ignition failed: failed to create users/groups: failed to configure users: failed to create user "core": exit status 6: Cmd: "useradd" Stdout: "" Stderr: "useradd: group 'docker' does not exist\\n"`,
      ],
      ['ignition-users'],
    ],
    ['proves nothing with two inventories that were sent', [...running, posting, posting], []],
    [
      'proves the URL of an inventory that was sent three times',
      [...running, posting, posting, posting],
      ['inspection-url'],
    ],
    [
      'proves the reason why an inventory was sent three times',
      [...running, posting, posting, posting, `${agent}[Errno 111] Connection refused`],
      ['ironic-address'],
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
      ['config-not-found'],
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
      'proves a kernel without an initramfs',
      [
        ...boot,
        '[    2.170001] Kernel panic - not syncing: VFS: Unable to mount root fs on unknown-block(0,0)',
      ],
      ['no-initramfs'],
    ],
  ])('%s', (_title, lines, ids) => {
    expect(idsOf(lines, 'proven')).toEqual(ids);
  });

  it.each<readonly [string, readonly string[], readonly string[]]>([
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
      ['container-pull', 'no-config'],
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
    [
      'any line of the agent',
      [`${agent}x`],
      ['boot-order', 'ignition-failed', 'container-pull', 'secure-boot'],
      ['ironic-address', 'container-ends'],
    ],
    ...[
      '>>Start PXE over IPv4.',
      '  PXE-E99: Unexpected network error.',
      '  NBP file downloaded successfully.',
      'BdsDxe: loading Boot0001 "UEFI PXEv4 (MAC:525400123456)" from PciRoot(0x0)/Pci(0x3,0x0)',
      'EFI stub: UEFI Secure Boot is enabled.',
      'System BootOrder not found.  Initializing defaults.',
      'iPXE initialising devices...ok',
      'grub> ',
    ].map(
      (line) =>
        [
          `a line of firmware or a boot loader: ${line}`,
          [line],
          [
            'power-off',
            'boot-order',
            'ignition-failed',
            'kernel-arguments',
            'container-pull',
            'ironic-address',
          ],
          ['secure-boot', 'console-silent'],
        ] as const,
    ),
    [
      'firmware, and then the kernel of any system',
      ['>>Start PXE over IPv4.', ...boot.slice(1, 2)],
      [],
      ['ignition-failed', 'container-pull', 'secure-boot'],
    ],
    [
      'a system that restarts',
      [...running, '>>Start PXE over IPv4.'],
      ['boot-order', 'ignition-failed', 'container-pull'],
      ['dhcp-no-boot-file', 'console-silent'],
    ],
  ])('excludes causes: %s', (_title, lines, excluded, left) => {
    const ids = causesOf(lines).map(({ id }) => id);
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
      sign: 'pull-refused',
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

  it('proves only what the words of the line imply, whatever the text', () => {
    const lines = corpusLogs().flatMap(({ text }) => text.split('\n'));
    const line = fc.constantFrom(...lines);
    const words = fc.constantFrom(...new Set(lines.flatMap((text) => text.split(/(?<= )/))));
    const mutated = fc.oneof(
      { weight: 3, arbitrary: line },
      fc.tuple(line, fc.nat()).map(([text, cut]) => text.slice(cut % (text.length + 1))),
      fc.tuple(line, fc.nat()).map(([text, cut]) => text.slice(0, cut % (text.length + 1))),
      fc.tuple(line, line).map(([a, b]) => a + b),
      fc.tuple(line, words, fc.nat()).map(([text, word, index]) => {
        const parts = text.split(/(?<= )/);
        return parts.with(index % parts.length, word).join('');
      }),
      line.map((text) => text.replace(/ [\w.@-]+\[(\d+)\]: /, ' other-program[$1]: ')),
      fc.array(words, { maxLength: 20 }).map((parts) => parts.join('')),
    );
    const unimplied = new Map<string, string>();
    fc.assert(
      fc.property(fc.array(mutated, { maxLength: 40 }), (texts) => {
        const host = hostAfter(eventsOf([Buffer.from(texts.join('\r\n'), 'latin1')]));
        for (const { certainty, evidence, id } of likelyCauses(host, 'calls')) {
          if (certainty !== 'proven') continue;
          const event = evidence?.event;
          const text = event?.kind === 'console' ? event.line : '';
          const needed = implyingWords[id];
          if (needed === undefined || !needed.test(text) || /^\[[^\]]*\] other-program\[/.test(text)) {
            unimplied.set(id, text);
          }
        }
        expect([...unimplied]).toEqual([]);
      }),
      { numRuns: Number(process.env['IRONIC_COREOS_TEXTS'] ?? 400) },
    );
  });

  it('has words for each cause that a line proves', () => {
    const provable = new Set([...consoleSigns().values()].flatMap(({ proves = [] }) => proves));
    expect(Object.keys(implyingWords).toSorted()).toEqual([...provable].toSorted());
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
        const times = events.map((event) => event.at.getTime());
        expect(times.toSorted((a, b) => a - b)).toEqual(times);
        for (const event of events) {
          expect(event.kind === 'console' && event.line.length < 400).toBe(true);
        }
        expect(() => likelyCauses(hostAfter(events), 'boot')).not.toThrow();
      }),
    );
  });
});

/** A complete file of 100 bytes; with fewer bytes, an interrupted transfer. */
const serve = (artifact: ArtifactKind, seconds: number, bytes = 100): TrialEvent =>
  fetched(seconds, { artifact, size: 100, bytes, outcome: bytes < 100 ? 'aborted' : 'complete' });

/** The kernel starts at second 101, and the last of the lines that prove a cause is at second 104. */
describe('what was served', () => {
  const noConfig = `${ignition}failed to fetch config: resource not found`;
  const noRootfs = `${rootfs}curl: (22) The requested URL returned error: 404`;
  const readError = '[   30.000000] I/O error, dev sr0, sector 1420128 op 0x0:(READ) flags 0x80700';
  const agentUnit = '[   40.000000] systemd[1]: ironic-agent.service: ';
  const beyond = '[   30.000000] sr0: rw=524288, want=1800000, limit=117188';

  it.each<readonly [string, readonly string[], readonly TrialEvent[], readonly string[]]>([
    ['nothing', [...boot, noConfig], [], ['config-not-found']],
    ['a part of the config', [...boot, noConfig], [serve('ign', 103, 50)], ['config-not-found']],
    ['the whole config before the line', [...boot, noConfig], [serve('ign', 103)], ['config-not-found']],
    ['the whole config after the line', [...boot, noConfig], [serve('ign', 105)], []],
    ['the whole config before this boot', [...boot, noConfig], [serve('ign', 50)], ['config-not-found']],
    ['the root filesystem after the line', [...boot, noRootfs], [serve('rootfs', 105)], []],
    ['an ISO', [...boot, readError], [serve('iso', 50)], ['medium-unreadable']],
    [
      'an ISO, whose programs cannot be read later',
      [
        ...boot,
        readError,
        '[   30.100000] SQUASHFS error: Unable to read metadata cache entry [1d3a4]',
        `${agentUnit}Failed at step EXEC spawning /usr/bin/podman: Input/output error`,
      ],
      [serve('iso', 50)],
      ['medium-unreadable'],
    ],
    [
      'an ISO that can be read, without a program',
      [...boot, `${agentUnit}Failed at step EXEC spawning /usr/bin/podman: No such file or directory`],
      [serve('iso', 50)],
      ['unit-exec'],
    ],
    ['a boot from the network', [...boot, readError], [serve('script', 50)], []],
    ['a part of an ISO', [...boot, beyond], [serve('iso', 103, 50)], ['medium-truncated']],
    ['the whole ISO', [...boot, beyond], [serve('iso', 103)], ['medium-truncated']],
    [
      'an ISO, although the firmware tries the network, too',
      ['>>Start PXE over IPv4.', '  PXE-E16: No valid offer received.'],
      [serve('iso', 50)],
      [],
    ],
    [
      'a request to Ironic after the line',
      [...running, started, `${agent}[Errno 111] Connection refused`],
      [lookedUp(200)],
      [],
    ],
  ])('leaves what the console proves: %s', (_title, lines, served, ids) => {
    const events = eventsOf([Buffer.from(lines.join('\r\n'))]).map((event, index) => ({
      ...event,
      at: at(100 + index),
    }));
    const all = [...served, ...events].toSorted((a, b) => a.at.getTime() - b.at.getTime());
    const host = hostAfter(all);
    const proven = likelyCauses(host, 'boot').filter(({ certainty }) => certainty === 'proven');
    expect(proven.map(({ id }) => id)).toEqual(ids);
  });
});

describe('a console that ends with its boot loader', () => {
  const lines = [
    'BdsDxe: starting Boot0002 "UEFI Virtual CDROM" from PciRoot(0x0)/USB(0x3,0x0)',
    'Welcome to GRUB!',
  ];
  const after = (...more: readonly TrialEvent[]): HostTimeline =>
    hostAfter([...eventsOf([Buffer.from(lines.join('\r\n'))]), ...more]);
  const soon = { at: new Date(Date.now() + 60_000) };
  const image = { artifact: 'iso', host: 'worker-0', bytes: 50_000_000, size: 900_000_000 } as const;

  it.each<readonly [title: string, host: HostTimeline, stage: string, excluded: string, left: string]>([
    ['alone', after(), 'loader', 'boot-order', 'medium-not-bootable'],
    [
      'and a BMC that reads the ISO',
      after({ ...fetched(0, image), ...soon }),
      'image',
      'ignition-failed',
      'console-silent',
    ],
    [
      'and a BMC that reads most of the ISO later',
      after({ ...fetched(0, { ...image, bytes: 700_000_000 }), ...soon }),
      'image',
      'medium-not-bootable',
      'ignition-failed',
    ],
    [
      'and a BMC that had read most of the ISO before',
      after(fetched(0, { ...image, bytes: 700_000_000 })),
      'image',
      'ignition-failed',
      'medium-not-bootable',
    ],
    [
      'and a machine that fetches its config later',
      after(fetched(0, { artifact: 'ign', host: 'worker-0', ...soon })),
      'config',
      'medium-not-bootable',
      'ignition-failed',
    ],
    [
      'and an agent that calls later',
      after({ ...lookedUp(0), ...soon }),
      'lookup',
      'medium-not-bootable',
      'no-own-address',
    ],
  ])('%s', (_title, host, stage, excluded, left) => {
    const ids = likelyCauses(host, 'boot').map(({ id }) => id);
    expect(host.stage).toBe(stage);
    expect(ids).not.toContain(excluded);
    expect(ids).toContain(left);
  });
});

describe('two consoles', () => {
  it('name no cause of the other machine, and show no line of it', () => {
    const log = fc.constantFrom(...corpusLogs());
    fc.assert(
      fc.property(log, log, (first, second) => {
        const alone = [first, second].map(({ text }) => summaryOf([text]).at(0));
        expect(summaryOf([first.text, second.text])).toEqual(alone);
      }),
      { numRuns: 60 },
    );
  });
});

/** The causes and last lines of machines that only share a timeline. */
function summaryOf(texts: readonly string[]): readonly object[] {
  const timeline = createTimeline(
    createMachines(texts.map((_text, index) => ({ name: `worker-${index}`, macs: [] }))),
  );
  const watches = texts.map((text, index) => {
    const watch = createConsoleWatch(`worker-${index}`, (event) => void timeline.add(event));
    const lines: string[] = [];
    const console = createConsoleText((line) => lines.push(line));
    console.push(Buffer.from(text, 'latin1'));
    console.end();
    return { watch, lines };
  });
  const longest = Math.max(...watches.map(({ lines }) => lines.length));
  for (let index = 0; index < longest; index++) {
    for (const { watch, lines } of watches) {
      const line = lines[index];
      if (line !== undefined) watch(line);
    }
  }
  return timeline.hosts().map((host) => ({
    causes: likelyCauses(host, 'calls').map(({ certainty, id }) => `${id} ${certainty}`),
    lines: lastLinesOf(host),
  }));
}

/** Words without which a line does not imply the cause, written without a look at the patterns of the table. */
const implyingWords: Readonly<Record<string, RegExp>> = {
  'boot-order': /ommand line: .*(?:root=|ostree=)/,
  'no-boot-device': /boot|operating system|UEFI Interactive Shell|disk error/i,
  'medium-not-bootable':
    /not found|No such file|Could not find|No configuration file|No DEFAULT|Failed to load|checksum error|corrupt|Disk error|sector|outside of|premature end|no such|unknown filesystem|Could not read/,
  'medium-unreadable': /error|bread failed|unable to read|hardware sector|No Media|Corrupt|Failed to mount/i,
  'medium-truncated': /want|sector/,
  'link-down': /PXE-E61|PXE-E12|Down|network connection|link-up/,
  'dhcp-no-offer': /PXE-E51|PXE-E16|No configuration methods/,
  'dhcp-no-boot-file': /PXE-E5[235]|Nothing to boot/,
  'loader-no-http':
    /TCP connection failed|Connection re|unreachable|connection refused|no route|no network card/i,
  'loader-timeout': /time ?out|timed out|couldn't send|hardware address/i,
  'loader-dns': /DNS|0x3e11|address/,
  'loader-tls': /TLS|certificate|Validation/i,
  'loader-not-found': /not found|No such file|No configuration file|locate configuration|404/i,
  'loader-denied': /40[137]|denied|not permitted/,
  'loader-server-error': /5\d\d|5xx/,
  'loader-transfer': /Input\/output|Range/,
  'loader-protocol': /NBP filename is http|not supported|only HTTPS|disk `http,/,
  'loader-format': /format|executable|magic|64-bit|plain image/,
  'secure-boot':
    /Access Denied|Security Violation|shim signature|not verified|did not authenticate|Authorization Fail|Secure Boot/i,
  'architecture-mismatch': /requires .* CPU/,
  'installer-running': /coreos.?installer|coreos\.inst/i,
  'no-memory': /memory|write error|Not enough space|allocate|No space/i,
  'no-space': /no space left|Ran out of memory when unpacking/i,
  'initramfs-damaged': /Initramfs unpacking failed|not initramfs/,
  'no-initramfs': /EFI stub: ERROR|Kernel panic|VFS: |No working init/,
  'kernel-panic': /Kernel panic/,
  'medium-missing': /label/,
  'no-device': /Timed out waiting for device/,
  'rootfs-damaged': /SQUASHFS|erofs|Failed to mount/,
  'rootfs-mismatch': /Found initramfs version|hash mismatch|extra input data/,
  'rootfs-not-fetched': /curl: \((?:7|45)\)/,
  'rootfs-dns': /curl: \([56]\)/,
  'rootfs-timeout': /timed out|timeout|curl: \(28\)/i,
  'rootfs-tls': /curl: \(\d\d\)/,
  'rootfs-not-found': /404|410|TFTP|curl: \((?:68|78)\)/,
  'rootfs-denied': /40[137]|curl: \(69\)/,
  'rootfs-server-error': /error: (?:5\d\d|429)/,
  'rootfs-transfer': /curl: \((?:18|52|55|56|92)\)|premature end/,
  'rootfs-scheme': /Unsupported scheme|curl: \([13]\)/,
  'rootfs-missing': /No rootfs image found/,
  'config-not-fetched': /GET error: /,
  'config-dns': /GET error: .*lookup /,
  'config-timeout': /time/,
  'config-tls': /x509|tls:|HTTPS client/,
  'config-not-found': /Not Found|Gone|not found|unsupported source scheme|not absolute/,
  'config-denied': /Unauthorized|Forbidden|Authentication Required/,
  'config-server-error': /Error|Implemented|Gateway|Unavailable|Too Many/,
  'ignition-config': /error at|not valid|config version|not a config|deprecated|invalid character/,
  'ignition-kargs': /kargs|kernel arguments/,
  'ignition-disks': /disks|partitions|raids|luks|filesystems|device alias/,
  'ignition-mount': /mount/,
  'ignition-users': /user|group/,
  'inspection-url': /Posting collected data to \S/,
  'pxe-error': /PXE-E/,
  'ignition-files': /files|users|units|groups|relabeling|creating/,
  'ignition-failed': /ignition/i,
  'no-config': /no config provided by user/,
  'agent-archive':
    /ironic-agent-image|Container image of the Ironic Agent|FAILED|sha512sum|payload|image not known/,
  'container-pull': /connect: /,
  'pull-failed': /docker:\/\/|blob|copying|image/,
  'pull-timeout': /time|deadline/i,
  'pull-transfer': /EOF|reset|broken pipe|lost|match/,
  'pull-proxy': /proxyconnect|Get .*": (?:Forbidden|Proxy|Bad|Service|Gateway|Method)/,
  'pull-secret': /unauthorized|denied|authentication required|40[13]/,
  'pull-secret-invalid': /password|JSON|base64/,
  'pull-rate-limit': /toomanyrequests|too many requests/i,
  'pull-policy': /rejected|policy|signature/i,
  'registry-blocked': /is blocked in/,
  'registries-conf': /configuration|location/,
  'registry-error': /5\d\d/,
  'registry-answer': /404|invalid character|V1/,
  'registry-ca': /unknown authority/,
  'registry-name': /valid for|validate certificate for|Common Name|valid for any names/,
  'registry-expired': /has expired or is not yet valid/,
  'registry-plain-http': /HTTPS client|TLS handshake/,
  'registry-tls': /tls|x509/,
  'container-image': /unknown|invalid|resolve|lowercase|404/,
  'container-architecture': /architecture|exec format/i,
  'container-start': /Error: /,
  clock: /has expired|not yet valid/,
  dns: /lookup |resol|Name or service/i,
  proxy: /ProxyError/,
  'unit-exec': /executable|spawning|status=2\d\d|environment files/,
  'unit-invalid': /bad unit|ExecStart|fatal error|dependency job|converting ["']ironic-agent/i,
  'agent-unit-failed': /Failed to start/,
  'container-ends': /exited|repeatedly|restart|HardwareManager/,
  'conf-refused': /argument|Value for option|Failed to parse|oslo_config/,
  'ironic-address': /Errno (?:101|111|113)/,
  'ironic-timeout': /time/i,
  'ironic-connection': /aborted|RemoteDisconnected/,
  'ironic-name': /mismatch/,
  'ironic-error': /rror 5\d\d/,
  'node-not-found': /rror 404/,
  'no-own-address': /valid IP address/,
  'token-lost': /token has already been retrieved/,
  'tls-unknown-ca': /certificate verify failed/,
  'tls-failed': /SSLError/,
  'tls-to-http': /WRONG_VERSION|RECORD_LAYER|wrong version|record layer/,
};

function eventsOf(parts: readonly Uint8Array[]): readonly TrialEvent[] {
  const events: TrialEvent[] = [];
  const watch = createConsoleWatch('worker-0', (event) => void events.push(event));
  const text = createConsoleText(watch);
  for (const part of parts) text.push(part);
  text.end();
  return events;
}

function signsOf(text: string): readonly string[] {
  return eventsOf([Buffer.from(text)]).flatMap((event) =>
    event.kind === 'console' && event.sign !== undefined ? [event.sign] : [],
  );
}

function hostAfter(events: readonly TrialEvent[]): HostTimeline {
  const timeline = createTimeline(createMachines([{ name: 'worker-0', macs: [mac] }]));
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
    .map(({ id }) => id);
}
