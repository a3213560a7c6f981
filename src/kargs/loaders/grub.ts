/**
 * Menu entries of GRUB. Its shell does not change text in single quotes, but GRUB adds backslashes before quotes and backslashes
 * in kernel arguments (lib/cmdline.c), so these characters are refused. Not supported: https, which GRUB does not support, and
 * loading modules. If `http` is not built in, for example in the signed GRUB of Debian for network boot, GRUB itself loads http.mod
 * from the folder of its platform in the folder of the configuration.
 */

import type { Architecture } from '../../core/architecture.ts';
import { errorRules, warningRules } from '../../core/rule.ts';
import type { BootSettings } from '../bootSettings.ts';
import { kernelArguments } from '../kernelArguments.ts';
import { type BootUrl, parseBootUrl } from '../urlArgument.ts';
import { type BootForm, bootImages, checkLoaderSettings, checkTexts } from './form.ts';
import { hyphenMac, type Loader, type RamdiskBoot } from './loader.ts';

const grubRules = {
  ...errorRules({
    'grub-quotes': [
      'GRUB adds a backslash before every quote and backslash in kernel arguments',
      'remove quotes and backslashes, or percent-encode them in a URL: %27, %5C',
    ],
    'grub-credentials': ['GRUB does not support credentials in URLs', 'serve the file without credentials'],
  }),
  ...warningRules({
    'grub-port': [
      'GRUB before 2.12 ignores the port and uses 80 for http and 69 for tftp, except with patches of a distribution',
      'serve the files on port 80, or with TFTP on port 69',
    ],
  }),
};

export const grub: BootForm = {
  schemes: ['http', 'tftp'],
  reserved: ['initrd'],
  check: (list, images) => [
    ...checkLoaderSettings([...images, ...list]),
    ...checkTexts(grubRules['grub-quotes'], [...images, ...list], (text) => /['"\\]/.test(text)),
    ...checkTexts(grubRules['grub-port'], images, hasOwnPort),
    ...checkTexts(grubRules['grub-credentials'], images, (text) => parseBootUrl(text)?.credentials === true),
  ],
  added: (settings) => [`BOOT_IMAGE=${grubPath(bootImages(settings).kernelUrl)}`],
  render: (settings) => {
    const { kernel, archives, line } = loadingWords(settings);
    return `menuentry 'ironic-python-agent' {
    linux ${kernel} ${line}
    initrd ${archives}
}
`;
  },
};

/** Values of `${grub_cpu}`. GRUB does not support s390x. */
const processors: Readonly<Partial<Record<Architecture, readonly string[]>>> = {
  x86_64: ['x86_64', 'i386'],
  aarch64: ['arm64'],
  ppc64le: ['powerpc'],
};

/**
 * The configurations in `grub/`: one per MAC address (with the hardware type as prefix), and `grub.cfg` for unknown machines. GRUB
 * of Fedora reads the folder that it is loaded from, GRUB of Debian reads `/grub`. They set `BOOTIF=` like the other boot loaders.
 * GRUB cannot boot an ISO, so the firmware of such a host tries the next boot device.
 */
export const grubFolder: Loader = {
  ...grub,
  reserved: [...grub.reserved, 'BOOTIF'],
  added: (settings) => [...grub.added(settings), 'BOOTIF=00:00:00:00:00:00'],
  shared: (discovery) => [{ path: 'grub/grub.cfg', text: config(discovery) }],
  hostPaths: ({ macs }) => macs.map((mac) => `grub/grub.cfg-01-${hyphenMac(mac)}`),
  hostScript: ({ name, start }) =>
    start.kind === 'iso'
      ? withoutEntry(`${name} boots an ISO by UEFI HTTP boot.`)
      : `set default=0
set timeout=5

${entry(name, start.settings)}`,
  isFor: (architecture) => processors[architecture] !== undefined,
};

function config(discovery: readonly RamdiskBoot[]): string {
  const entries = discovery.flatMap(({ architecture, settings }) => {
    const names = processors[architecture] ?? [];
    if (names.length === 0) return [];
    const condition = names.map((name) => `"\${grub_cpu}" = "${name}"`).join(' -o ');
    return [`if [ ${condition} ]; then\n${entry('Inspection', settings)}fi\n`];
  });
  // On an architecture without an entry, the firmware tries the next boot device.
  const unknown =
    entries.length === 0
      ? withoutEntry('On an unknown machine, the firmware tries the next boot device.')
      : `set default=0\nset timeout=5\n\n${entries.join('\n')}`;
  return `# Loads the configuration of this machine. Only some builds of GRUB do this automatically, most of them only with TFTP.
if regexp --set=1:m1 --set=2:m2 --set=3:m3 --set=4:m4 --set=5:m5 --set=6:m6 '^(..):(..):(..):(..):(..):(..)$' "\${net_default_mac}"; then
    configfile "\${config_directory}/grub.cfg-01-\${m1}-\${m2}-\${m3}-\${m4}-\${m5}-\${m6}"
fi

${unknown}`;
}

function withoutEntry(title: string): string {
  return `# ${title}
echo "No GRUB boot entry for this machine. Trying the next boot device in 30 seconds."
sleep 30
exit
`;
}

function entry(title: string, settings: BootSettings): string {
  const { kernel, archives, line } = loadingWords(settings);
  return `menuentry '${title}' {
    set bootif=
    if [ -n "\${net_default_mac}" ]; then
        set bootif="BOOTIF=\${net_default_mac}"
    fi
    for attempt in 1 2 3 4 5 6 7 8 9 10; do
        if linux ${kernel} ${line} \${bootif}; then
            if initrd ${archives}; then
                boot
            fi
        fi
        echo "Attempt \${attempt} of 10 failed. Retrying in \${attempt} seconds."
        sleep \${attempt}
    done
    echo "Boot failed. Check that this machine can reach the boot server."
    echo "Powering off in 30 seconds."
    sleep 30
    halt
}
`;
}

/** The quoted words of the commands `linux` and `initrd`; `line` has the kernel arguments. */
function loadingWords(settings: BootSettings) {
  const { kernelUrl, initramfsUrls } = bootImages(settings);
  return {
    kernel: quoteGrub(grubPath(kernelUrl)),
    archives: initramfsUrls.map((url) => quoteGrub(grubPath(url))).join(' '),
    line: kernelArguments(settings).map(quoteGrub).join(' '),
  };
}

/** Quotes a word for the shell of GRUB. Words of letters, digits and safe punctuation are not quoted, for readability. */
export function quoteGrub(word: string): string {
  return /^[A-Za-z0-9_.:/=,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** Converts `http://host:8080/a/kernel` to the syntax of GRUB: `(http,host:8080)/a/kernel`. Other text is not changed. */
function grubPath(url: string): string {
  const parts = parseBootUrl(url);
  return parts === undefined ? url : `(${parts.scheme},${parts.host}${grubPort(parts)})${parts.path}`;
}

function hasOwnPort(url: string): boolean {
  const parts = parseBootUrl(url);
  return parts !== undefined && grubPort(parts) !== '';
}

/** Empty for the usual port of the scheme, which every GRUB uses by itself. */
function grubPort({ port, scheme }: BootUrl): string {
  const usual = scheme === 'tftp' ? 69 : 80;
  return port === '' || Number(port) === usual ? '' : `:${port}`;
}
