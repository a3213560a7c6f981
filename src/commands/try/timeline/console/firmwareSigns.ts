/** Lines of firmware and boot loaders: SeaBIOS, edk2, PXE ROMs, iPXE, ISOLINUX, PXELINUX, GRUB, shim. */

import { type ConsoleSign, rowsWith } from './sign.ts';

const PXE_ROM = 'Intel PXE ROM, PXE 2.1';
const EDK2_PXE = 'edk2, NetworkPkg/UefiPxeBcDxe/PxeBcBoot.c';
const EDK2_HTTP = 'edk2, NetworkPkg/HttpBootDxe/HttpBootImpl.c';
const EDK2_BDS = 'edk2, MdeModulePkg/Universal/BdsDxe';
const IPXE = 'iPXE, src/usr/imgmgmt.c, src/net/tcp/httpconn.c';
const SYSLINUX = 'SYSLINUX 6, core/elflink/load_env32.c, com32/elflink/ldlinux';
const GRUB = 'GRUB 2, grub-core/fs/fshelp.c, grub-core/kern/file.c';

/** How iPXE ends the line of a transfer that failed: `URL... REASON (http://ipxe.org/CODE)`. */
function ipxeFailed(reason: string, start = ''): RegExp {
  return new RegExp(`${start}\\.\\.\\. (?:${reason}) \\(https?://ipxe\\.org`);
}

export const firmwareSigns: readonly ConsoleSign[] = rowsWith(
  'terminal',
  { stage: 'loader' },
  {
    'pxe-no-offer': {
      source: `${PXE_ROM}; ${EDK2_PXE}`,
      pattern: /^ *PXE-E(?:51: No DHCP|52: proxyDHCP offers were received|16: No (?:valid )?offer)/,
      proves: 'dhcp-no-offer',
    },
    'pxe-no-boot-file': {
      source: `${PXE_ROM}; ${EDK2_PXE}`,
      pattern: /^ *PXE-E53: No boot file ?name received/,
      proves: 'dhcp-no-boot-file',
    },
    'pxe-no-proxy': {
      source: PXE_ROM,
      pattern: /^ *PXE-E55: ProxyDHCP service did not reply/i,
      proves: 'dhcp-no-boot-file',
    },
    'pxe-no-link': {
      source: `${PXE_ROM}; ${EDK2_PXE}`,
      pattern: /^ *PXE-E(?:61: Media test failure|12: Could not detect network connection)/,
      proves: 'link-down',
    },
    'pxe-timeout': {
      source: `${PXE_ROM}; ${EDK2_PXE}`,
      pattern:
        /^ *PXE-E(?:32: TFTP open timeout|35: TFTP read timeout|18: Server response timeout|11: ARP timeout)/,
      proves: 'loader-timeout',
    },
    'pxe-not-found': {
      source: PXE_ROM,
      pattern: /^ *PXE-(?:T01: File not found|E3B: TFTP Error - File Not found)/i,
      proves: 'loader-not-found',
    },
    // Any error of the server: a missing file is the most common one.
    'pxe-tftp-error': {
      source: EDK2_PXE,
      pattern: /^ *PXE-E23: Client received TFTP error from server/,
      suggests: ['loader-not-found'],
    },
    // PXE has only TFTP.
    'pxe-url': {
      source: EDK2_PXE,
      pattern: /^ *NBP filename is https?:/,
      proves: 'loader-protocol',
    },
    'pxe-error': {
      source: `${PXE_ROM}; ${EDK2_PXE}`,
      pattern: /^ *PXE-E[0-9A-F]{2}: /i,
      proves: 'pxe-error',
    },
    'edk2-http-status': {
      source: EDK2_HTTP,
      pattern: /^ *Client Error: 404 Not Found/,
      proves: 'loader-not-found',
    },
    'edk2-http-denied': {
      source: EDK2_HTTP,
      pattern: /^ *Client Error: (?:40[137] )/,
      proves: 'loader-denied',
    },
    'edk2-http-server': {
      source: EDK2_HTTP,
      pattern: /^ *Server Error: 5\d\d /,
      proves: 'loader-server-error',
    },
    'edk2-http-dns': {
      source: EDK2_HTTP,
      pattern: /^ *Error: (?:DNS resolution failed - |Could not retrieve the host address from DNS server)/,
      proves: 'loader-dns',
    },
    'edk2-http-tcp': {
      source: EDK2_HTTP,
      pattern: /^ *Error: TCP connection failed - (?!Time out)/,
      proves: 'loader-no-http',
    },
    'edk2-http-timeout': {
      source: EDK2_HTTP,
      pattern: /^ *Error: (?:TCP connection failed - Time out|Server response timeout)/,
      proves: 'loader-timeout',
    },
    'edk2-http-tls': {
      source: EDK2_HTTP,
      pattern: /^ *Error: TLS (?:session connection|configuration) failed - /,
      proves: 'loader-tls',
    },
    'edk2-http-plain': {
      source: EDK2_HTTP,
      pattern: /^ *Error: Access forbidden, only HTTPS connection is allowed/,
      proves: 'loader-protocol',
    },
    'edk2-http-link': {
      source: EDK2_HTTP,
      pattern: /^ *Error: Could not detect network connection/,
      proves: 'link-down',
    },
    'edk2-refused': {
      source: 'edk2, MdeModulePkg/Universal/BdsDxe; MdePkg/Library/BasePrintLib',
      pattern: /^BdsDxe: failed to (?:load|start) Boot[0-9A-F]{4} ".*: (?:Access Denied|Security Violation)$/,
      proves: 'secure-boot',
    },
    'edk2-unsupported': {
      source: 'edk2, MdeModulePkg/Universal/BdsDxe; MdePkg/Library/BasePrintLib',
      pattern: /^BdsDxe: failed to (?:load|start) Boot[0-9A-F]{4} ".*: (?:Unsupported|Load Error)$/,
      suggests: ['architecture-mismatch', 'medium-not-bootable'],
    },
    'edk2-read-error': {
      source: 'edk2, MdeModulePkg/Universal/BdsDxe; MdePkg/Library/BasePrintLib',
      pattern:
        /^BdsDxe: failed to (?:load|start) Boot[0-9A-F]{4} "(?!.*(?:PXE|HTTP|MAC\()).*: (?:Device Error|Volume Corrupt|CRC Error)$/,
      proves: 'medium-unreadable',
    },
    'edk2-no-media': {
      source: 'edk2, MdeModulePkg/Universal/BdsDxe; MdePkg/Library/BasePrintLib',
      pattern: /^BdsDxe: failed to (?:load|start) Boot[0-9A-F]{4} ".*: No Media$/,
      suggests: ['medium-not-attached'],
    },
    'edk2-no-device': {
      source: 'edk2, MdeModulePkg/Universal/BdsDxe/BdsEntry.c',
      pattern: /^BdsDxe: No bootable option/,
      proves: 'no-boot-device',
    },
    'edk2-shell': {
      source: 'edk2, ShellPkg/Application/Shell: the shell starts if nothing else can',
      pattern: /^UEFI Interactive Shell v\d/,
      suggests: ['no-boot-device'],
    },
    'seabios-no-device': {
      source: 'SeaBIOS, src/boot.c; AMI and Phoenix BIOS',
      pattern:
        /^(?:No bootable device\b|Reboot and Select proper Boot device|An operating system wasn't found|(?:Missing o|O)perating system(?:$| not found)|No boot(?:able)? devices? (?:available|found|(?:was|were) found|detected|were detected)|Boot Device Not Found|No boot disk has been detected|.{0,80}Non-System disk or disk error)/i,
      proves: 'no-boot-device',
    },
    'seabios-unreadable': {
      source: 'SeaBIOS, src/boot.c, src/cdrom.c',
      pattern: /^Boot failed: Could not read from CDROM \(code 00(?:0[3-9]|1\d)\)/i,
      proves: 'medium-not-bootable',
    },
    'shim-violation': {
      source: 'shim, shim.c; GRUB 2, grub-core/kern/efi/sb.c',
      pattern:
        /^(?:Verification failed: \(0x1A\) Security Violation|(?:error: )?(?:\S{1,80}:\d{1,5}:)?(?:bad shim signature|prohibited by secure boot policy|verification requested but |shim_lock protocol not found)|Selected boot image did not authenticate|Invalid signature detected\. Check Secure Boot Policy|Image Authorization Fail|Bootloader has not verified loaded image|.{0,80}Secure Boot (?:Violation|violation))/,
      proves: 'secure-boot',
    },
    'ipxe-configured': {
      source: 'iPXE, src/usr/ifmgmt.c',
      pattern: /Configuring \(net\d+ [0-9a-f:]{17}\)\.* ?ok$/,
      settles: true,
    },
    'ipxe-no-dhcp': {
      source: 'iPXE, src/usr/ifmgmt.c, src/net/netdevice.c',
      pattern: /\. ?No configuration methods succeeded(?: |$)/,
      proves: 'dhcp-no-offer',
    },
    'ipxe-no-link': {
      source: 'iPXE, src/usr/ifmgmt.c, src/net/netdevice.c',
      pattern:
        /^ *(?:Waiting for link-up on net\d+\.* (?:Down|Failed|Connection timed out|Link )|\[Link status: (?:Down|Unknown)\b)/,
      proves: 'link-down',
    },
    'ipxe-no-boot-file': {
      source: 'iPXE, src/usr/autoboot.c',
      pattern: /^Nothing to boot: /,
      proves: 'dhcp-no-boot-file',
    },
    'ipxe-dns': {
      source: 'iPXE, src/net/udp/dns.c',
      pattern:
        /\.\.\. (?:DNS name does not exist|No DNS servers available|Error 0x3e11[0-9a-f]{4}) \(https?:\/\/ipxe\.org/,
      proves: 'loader-dns',
    },
    'ipxe-not-found': {
      source: IPXE,
      pattern: ipxeFailed('No such file or directory|Not found'),
      proves: 'loader-not-found',
    },
    'ipxe-denied': {
      source: IPXE,
      pattern: ipxeFailed('Permission denied|Operation not permitted', '^(?:http|tftp)://\\S*'),
      proves: 'loader-denied',
    },
    'ipxe-tls': {
      source: 'iPXE, src/crypto/x509.c, src/net/tls.c',
      pattern: ipxeFailed(
        'Untrusted root certificate|Incorrect certificate name|Empty certificate chain|No usable certificates|Not a CA certificate|Validation failed|Expired certificate',
      ),
      proves: 'loader-tls',
    },
    // With https, the reason is the certificate, the ciphers, or the status of the server.
    'ipxe-https-denied': {
      source: 'iPXE, src/crypto/x509.c, src/net/tls.c, src/net/tcp/httpconn.c',
      pattern: ipxeFailed('Permission denied|Operation not permitted', '^https://\\S*'),
      suggests: ['loader-tls', 'loader-denied'],
    },
    'ipxe-server-error': {
      source: 'iPXE, src/net/tcp/httpcore.c',
      pattern: ipxeFailed('HTTP 5xx Server Error'),
      proves: 'loader-server-error',
    },
    'ipxe-refused': {
      source: 'iPXE, src/net/tcp.c',
      pattern: ipxeFailed('Connection re(?:set|fused)|Network unreachable|Host unreachable'),
      proves: 'loader-no-http',
    },
    'ipxe-timeout': {
      source: 'iPXE, src/net/tcp.c, src/net/udp/tftp.c',
      pattern: ipxeFailed('Connection timed out|Operation timed out'),
      proves: 'loader-timeout',
    },
    'ipxe-transfer': {
      source: 'iPXE, src/net/tcp/httpcore.c, src/core/blockdev.c',
      pattern: ipxeFailed('Input/output error'),
      proves: 'loader-transfer',
    },
    'ipxe-memory': {
      source: 'iPXE, src/core/umalloc.c',
      pattern: ipxeFailed('Not enough space|Out of memory|No space left on device|Cannot allocate memory'),
      proves: 'no-memory',
    },
    'ipxe-protocol': {
      source: 'iPXE, src/core/open.c',
      pattern: /^Could not start download: Operation not supported /,
      proves: 'loader-protocol',
    },
    'ipxe-format': {
      source: 'iPXE, src/core/image.c',
      pattern: /^Could not (?:boot|select)(?: image)?: (?:Exec format error|Not an executable image) /,
      proves: 'loader-format',
    },
    'isolinux-missing': {
      source: SYSLINUX,
      pattern:
        /^.{0,200}(?:failed: ?(?:failed: ?)? *No such file or director|Could not find (?:kernel|ramdisk) image: )/,
      proves: 'medium-not-bootable',
    },
    'isolinux-config': {
      source: SYSLINUX,
      pattern:
        /^(?:WARNING: No configuration file found|No DEFAULT or UI configuration directive found|Failed to load (?:ldlinux|libcom32|COM32 file))/,
      proves: 'medium-not-bootable',
    },
    'isolinux-damaged': {
      source: 'SYSLINUX 6, core/isolinux.asm',
      pattern:
        /^(?:Image checksum error, sorry|isolinux\.bin missing or corrupt|Disk error [0-9A-F]{2}, AX = |.{0,200}Invalid or corrupt kernel image)/,
      proves: 'medium-not-bootable',
    },
    'pxelinux-no-config': {
      source: 'SYSLINUX 6, core/fs/pxe/pxe.c',
      pattern: /^(?:Unable to locate configuration file|ERROR: No configuration file found)/,
      proves: 'loader-not-found',
    },
    // The paths of live ISOs.
    'grub-medium': {
      source: GRUB,
      pattern:
        /^ *error: (?:\S{1,80}:\d{1,5}:)?file [`'"]\/(?:images\/|EFI\/|isolinux\/).{1,200}['"] not found/,
      proves: 'medium-not-bootable',
    },
    'grub-not-found': {
      source: GRUB,
      pattern:
        /^ *error: (?:\S{1,80}:\d{1,5}:)?(?:file [`'"].{1,200}['"] not found|unsupported HTTP error 404)/,
      proves: 'loader-not-found',
    },
    'grub-read': {
      source: 'GRUB 2, grub-core/kern/disk.c, grub-core/kern/file.c',
      pattern:
        /^ *error: (?:\S{1,80}:\d{1,5}:)?(?:failure reading sector |attempt to read or write outside of |premature end of file )/,
      proves: 'medium-not-bootable',
    },
    // Also of devices that GRUB only searches.
    'grub-device': {
      source: 'GRUB 2, grub-core/kern/disk.c, grub-core/kern/fs.c',
      pattern:
        /^ *error: (?:\S{1,80}:\d{1,5}:)?(?:no such (?:device|partition)|unknown filesystem|disk [`'"].{1,80}['"] not found)/,
      suggests: ['medium-not-bootable'],
    },
    'grub-kernel': {
      source: 'GRUB 2, grub-core/loader/i386/linux.c, grub-core/loader/efi',
      pattern:
        /^ *error: (?:\S{1,80}:\d{1,5}:)?(?:invalid magic number|invalid arch-dependent ELF magic|kernel does not support 64-bit|plain image kernel not supported)/,
      proves: 'loader-format',
    },
    'grub-memory': {
      source: 'GRUB 2, grub-core/kern/mm.c',
      pattern:
        /^ *error: (?:\S{1,80}:\d{1,5}:)?(?:out of memory|too little memory|couldn't allocate initrd|cannot allocate (?:kernel|initrd|memory))/,
      proves: 'no-memory',
    },
    'grub-timeout': {
      source: 'GRUB 2, grub-core/net/net.c, grub-core/net/http.c, grub-core/net/tftp.c',
      pattern:
        /^ *error: (?:\S{1,80}:\d{1,5}:)?(?:time ?out (?:reading|opening|: could not resolve hardware)|timeout: could not resolve hardware|couldn't send network packet|connection timeout)/,
      proves: 'loader-timeout',
    },
    'grub-refused': {
      source: 'GRUB 2, grub-core/net/tcp.c',
      pattern: /^ *error: (?:\S{1,80}:\d{1,5}:)?(?:connection refused|no route to|host unreachable)/,
      proves: 'loader-no-http',
    },
    'grub-dns': {
      source: 'GRUB 2, grub-core/net/dns.c',
      pattern:
        /^ *error: (?:\S{1,80}:\d{1,5}:)?(?:no DNS record found|no DNS servers|unresolved address|unrecognised network address)/,
      proves: 'loader-dns',
    },
    'grub-http': {
      source: 'GRUB 2, grub-core/net/http.c',
      pattern: /^ *error: (?:\S{1,80}:\d{1,5}:)?unsupported HTTP error (?:401|403|407)/,
      proves: 'loader-denied',
    },
    'grub-server-error': {
      source: 'GRUB 2, grub-core/net/http.c',
      pattern: /^ *error: (?:\S{1,80}:\d{1,5}:)?unsupported HTTP error 5\d\d/,
      proves: 'loader-server-error',
    },
    'shim-second-stage': {
      source: 'shim, shim.c',
      pattern: /^(?:Failed to (?:open|load image|read header)\b.*[:-] ?|start_image\(\) returned )Not Found/,
      resultOf: ['shim-tftp'],
      suggests: ['medium-not-bootable', 'loader-not-found'],
    },
    // Any error of the server: a missing file is the most common one.
    'shim-tftp': {
      source: 'shim, shim.c, netboot.c',
      pattern: /^(?:Unable to fetch (?:TFTP|HTTP) image: |start_image\(\) return(?:ed)? (?:TFTP|HTTP) Error)/,
      suggests: ['loader-not-found'],
    },
    'ipxe-itself': {
      source: 'iPXE, src/usr/autoboot.c',
      pattern: /^ *Filename: (?:\S*\/)?(?:undionly|ipxe|snp|snponly)[\w.-]*\.(?:k?k?pxe|efi)$/,
      times: 2,
      suggests: ['ipxe-loop'],
    },
    'efi-stub-initrd': {
      source: 'Linux, drivers/firmware/efi/libstub/file.c, efi-stub-helper.c',
      pattern: /^EFI stub: ERROR: Failed to (?:open file: |load initrd)/,
      proves: 'no-initramfs',
    },
    // The lines below only show that the machine is here.
    edk2: {
      source: `${EDK2_BDS}; ${EDK2_PXE}; ${EDK2_HTTP}`,
      pattern:
        /^(?:BdsDxe: |(?:>>>)?Boot Failed\. | *>>(?:Start (?:PXE|HTTP Boot) over|Checking Media Presence|Media Present)| *(?:NBP file(?:name is|size is| downloaded)|Downloading NBP file|Station IP address is|Server IP address is|Error: Could not retrieve NBP file) ?|Shell> ?$)/,
    },
    'pxe-rom': {
      source: PXE_ROM,
      pattern:
        /^ *(?:PXE-[A-Z0-9]{3}: |Initializing Intel\(R\) Boot Agent|Intel\(R\) Boot Agent |CLIENT (?:MAC ADDR|IP): |GATEWAY IP: )/,
    },
    seabios: {
      source: 'SeaBIOS, src/boot.c; BIOS of Dell, HPE and Lenovo',
      pattern: /^ *(?:SeaBIOS \(version |Booting from |Boot failed: |Attempting Boot From |>> ?Booting )/,
    },
    ipxe: {
      source: 'iPXE, src/core/main.c, src/usr/autoboot.c, src/usr/ifmgmt.c, src/core/monojob.c',
      pattern:
        /^ *(?:iPXE> ?|No more network devices|Could not (?:boot|select|start|open) |iPXE (?:initialising devices|\d|\((?:PCI|UNDI|http))|Press Ctrl-B for the iPXE|Features: |net\d{1,3}: [0-9a-f:]{17} using |Next server: |Filename: |Configuring \(net\d|(?:https?|tftp):\/\/\S{1,500}\.\.\.)/,
    },
    'efi-stub': {
      source: 'Linux, drivers/firmware/efi/libstub',
      pattern: /^EFI stub: /,
    },
    shim: {
      source: 'shim, shim.c, mok.c',
      pattern:
        /^(?:(?:shim|mok|sbat|fallback)\.c:\d{1,5}:|Could not create MokListXRT|Booting in insecure mode|System BootOrder not found|Fetching Netboot Image |start_image\(\) return)/,
    },
    grub: {
      source: 'GRUB 2, grub-core/normal/main.c, grub-core/normal/menu_text.c',
      pattern:
        /^ *(?:grub(?: rescue)?>(?: |$)|GRUB loading|Welcome to GRUB!|GNU GRUB +version |Booting [`'"]|error: \S{1,80}\.c:\d{1,5}:)/,
    },
    isolinux: {
      source: 'SYSLINUX 6, core/isolinux.asm, com32/elflink/ldlinux',
      pattern: /^ *(?:(?:ISO|PXE|SYS|EXT)LINUX \d|boot: *$|Loading \S{1,200}\.\.\. ?(?:ok)?$)/,
    },
  },
);
