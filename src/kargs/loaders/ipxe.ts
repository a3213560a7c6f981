/**
 * Scripts of iPXE. It splits a line at white space and expands `${…}`; it has neither quotes nor escapes (exec.c, settings.c), so
 * text that it would change is refused. EFI kernels find their initramfs by the name in `initrd=`.
 */

import type { Architecture } from '../../core/architecture.ts';
import { errorRule } from '../../core/rule.ts';
import type { BootSettings } from '../bootSettings.ts';
import { kernelArguments } from '../kernelArguments.ts';
import { bootImages, checkTexts, hasUnknownSetting } from './form.ts';
import { hyphenMac, type Loader, type RamdiskBoot } from './loader.ts';

export const ipxeExpansion = errorRule(
  'ipxe-expansion',
  'iPXE replaces ${…} with the value of a setting, and knows no setting of this name',
  'remove ${, or percent-encode it in a URL: %24%7B; settings of the machine are ${mac:hexhyp}, ${uuid} and ${serial}',
);
const ipxeComment = errorRule(
  'ipxe-word',
  'iPXE interprets a word that starts with # as a comment, and the words ||, && and ; as operators',
  'remove the words ||, &&, ; and those that start with #',
);

/** Values of `${buildarch}`. A build for BIOS is always i386, for every processor. */
const buildArchitectures: Readonly<Partial<Record<Architecture, readonly string[]>>> = {
  x86_64: ['x86_64', 'i386'],
  aarch64: ['arm64'],
};

/**
 * In a folder, `boot.ipxe` finds the script of the machine by its MAC addresses, or else loads `inspector.ipxe`, which is also the
 * name in Ironic. File names are relative: iPXE resolves them against the URL of the script.
 */
export const ipxe: Loader = {
  schemes: ['http', 'https', 'tftp', 'ftp', 'nfs'],
  reserved: ['initrd', 'BOOTIF'],
  check: (list, images) => [
    ...checkTexts(ipxeExpansion, [...images, ...list], hasUnknownSetting),
    ...checkTexts(ipxeComment, list, (text) => /^(?:#.*|\|\||&&|;)$/.test(text)),
  ],
  added: (settings) => [
    bootImages(settings).kernelUrl.replace(/^.*\//, ''), // with UEFI, the command line begins with the name of the kernel
    'BOOTIF=00:00:00:00:00:00',
    ...archiveNames(settings).map((name) => `initrd=${name}`),
  ],
  render: (settings) =>
    withRetries(
      'Starts ironic-python-agent. Ten attempts with increasing delays.',
      loading(settings, ''),
      `echo Trying the next boot device in 30 seconds.
sleep 30
exit 1
`,
    ),
  shared: (discovery) => {
    const bootable = discovery.filter(({ architecture }) => buildArchitectures[architecture] !== undefined);
    const unknown =
      bootable.length > 0
        ? `echo No boot script for this machine. Starting the inspection.
chain inspector.ipxe`
        : `echo No boot script for this machine. Trying the next boot device in 30 seconds.
sleep 30
exit 1`;
    const boot = `#!ipxe
# Searches for the boot script of this machine by the MAC address of each interface.

set nic:int32 -1

:next_nic
inc nic
isset \${net\${nic}/mac} || goto unknown
echo Looking for the boot script of \${net\${nic}/mac}
chain ipxe/mac-\${net\${nic}/mac:hexhyp}.ipxe || goto next_nic
exit 0

:unknown
${unknown}
`;
    const autoexec = `#!ipxe
# iPXE for UEFI runs the script with this name from the folder that iPXE is loaded from.
dhcp
chain boot.ipxe
`;
    return [
      { path: 'boot.ipxe', text: boot },
      { path: 'autoexec.ipxe', text: autoexec },
      ...(bootable.length > 0 ? [{ path: 'inspector.ipxe', text: inspector(bootable) }] : []),
    ];
  },
  // The script with the name of the host is for manual selection and for DHCP servers.
  hostPaths: ({ name, macs }) => [
    `ipxe/${name}.ipxe`,
    ...macs.map((mac) => `ipxe/mac-${hyphenMac(mac)}.ipxe`),
  ],
  hostScript: ({ name, start }) =>
    start.kind === 'iso'
      ? withRetries(name, `sanboot --no-describe ${start.url} || goto retry\n`)
      : withRetries(name, loading(start.settings, DOWNLOAD_TIMEOUT)),
  isFor: (architecture) => buildArchitectures[architecture] !== undefined,
};

/** Timeout in milliseconds, so that a server that accepts connections but does not respond does not block a machine. */
const DOWNLOAD_TIMEOUT = '--timeout 60000 ';

function inspector(discovery: readonly RamdiskBoot[]): string {
  const choices = discovery.flatMap(({ architecture }) => {
    const names = buildArchitectures[architecture] ?? [];
    return names.map((name) => `iseq \${buildarch} ${name} && goto ${architecture} ||`);
  });
  const loads = discovery.map(
    ({ architecture, settings }) => `:${architecture}\n${loading(settings, DOWNLOAD_TIMEOUT)}`,
  );
  const steps = `${choices.join('\n')}
goto foreign

${loads.join('\n')}`;
  return `${withRetries('Inspection of unknown machines', steps)}
:foreign
echo No ramdisk for \${buildarch} on this server. Trying the next boot device in 30 seconds.
sleep 30
exit 0
`;
}

/**
 * A script that tries ten times.
 * @param steps end with a line feed; they jump to `retry` after a failure
 * @param end what it does then. A machine with the script of a known host is powered off, so that it is not inspected as an unknown
 *   machine while the server fails.
 */
function withRetries(title: string, steps: string, end = POWER_OFF): string {
  return `#!ipxe
# ${title}

set attempts:int32 10
set attempt:int32 1

:start
${steps}
:retry
iseq \${attempt} \${attempts} && goto failed ||
echo Attempt \${attempt} of \${attempts} failed. Retrying in \${attempt} seconds.
sleep \${attempt}
inc attempt
goto start

:failed
echo Boot failed. Check that this machine can reach the boot server.
${end}`;
}

const POWER_OFF = `echo Powering off in 30 seconds.
sleep 30
poweroff ||
exit 0
`;

/**
 * The commands that load the kernel and the archives and start the kernel; if a command fails, they jump to `:retry`. `options`
 * apply to every download, each followed by a space.
 */
function loading(settings: BootSettings, options: string): string {
  const { kernelUrl, initramfsUrls } = bootImages(settings);
  const names = archiveNames(settings);
  const initrds = names.map((name) => `initrd=${name}`).join(' ');
  const archives = initramfsUrls.map(
    (url, index) => `initrd ${options}--name ${names[index]} ${url} || goto retry`,
  );
  return `imgfree
kernel ${options}${kernelUrl} ${kernelArguments(settings).join(' ')} BOOTIF=\${mac} ${initrds} || goto retry
${archives.join('\n')}
boot || goto retry
`;
}

function archiveNames({ appendedUrls = [] }: BootSettings): readonly string[] {
  return ['initramfs', ...appendedUrls.map((_url, index) => `initramfs${index + 2}`)];
}
