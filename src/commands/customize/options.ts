/** Arguments and options that several commands share. */

import {
  choice,
  common,
  file,
  FILES_DIR,
  toggle,
  folder,
  repeatable,
  negation,
  type OptionsOf,
  parsed,
  freeText,
  under,
  withDefault,
} from '../../io/commandLine.ts';
import { UsageError } from '../../core/errors.ts';
import { parseConsole } from '../../image/customize/installerConsole.ts';

/** Sections of the help of both `customize` commands. */
export const CUSTOMIZE_NOTES = `
Installation:
  With --installer-config or any --dest-* option, the installer runs on boot.
  Scripts and installer configs keep their file names on the live system, so
  each file needs a unique name.

Ignition configs:
  Configs are validated with Ignition's own rules; an invalid config is not
  embedded. A file named *.yaml is YAML with the keys of Ignition (not Butane).
  To skip the validation, use --no-validate, set IRONIC_COREOS_VALIDATE=0 in the
  environment, or run the program as coreos-installer. A config with an
  unsupported newer spec version is embedded without validation.
`;

/** Options after these belong to the group "Live system:". */
export const customizeOptions = {
  ...under('Installed system:', {
    '--dest-ignition <path>': common(repeatable(file('Ignition config to merge'))),
    '--dest-device <path>': common(file('disk to install to on boot, without confirmation')),
    '--dest-console <spec>': common(
      repeatable(
        parsed(readConsole, 'console of the kernel and the boot loader, for example ttyS0,115200n8'),
      ),
    ),
    '--dest-karg-append <arg>': common(repeatable(freeText('append a kernel argument'))),
    '--dest-karg-delete <arg>': repeatable(freeText('delete a default kernel argument')),
  }),
  ...under('Live and installed system:', {
    '--network-keyfile <path>': common(repeatable(file('NetworkManager keyfile'))),
    '--network-nmstate <path>': common(repeatable(file('nmstate file, as YAML or JSON'))),
    '--network-data <path>': repeatable(file('OpenStack network data (network_data.json)')),
    '--ignition-ca <path>': common(repeatable(file('CA certificate that Ignition trusts, as PEM'))),
  }),
  ...under('Live system:', {
    '--pre-install <path>': repeatable(file('script to run before the installer')),
    '--post-install <path>': repeatable(file('script to run after the installer')),
    '--installer-config <path>': common(repeatable(file('options of coreos-installer install, as YAML'))),
    '--live-ignition <path>': common(repeatable(file('Ignition config to merge'))),
  }),
};

/** The message begins like that of coreos-installer. */
function readConsole(spec: string, flag: string): string {
  const console = parseConsole(spec);
  if (typeof console === 'string') return console;
  const { hint, message } = console;
  throw new UsageError(`invalid value '${spec}' for '${flag} <spec>': ${message}`, { hint });
}

export const configOptions = {
  '--files-dir <folder>': folder(FILES_DIR),
  '--no-validate': negation('do not validate Ignition configs'),
};

export type CustomizeOptions = OptionsOf<typeof customizeOptions & typeof configOptions>;

export const networkOptions = {
  '-k, --keyfile <path>': repeatable(file('NetworkManager keyfile')),
  '--nmstate <path>': repeatable(file('nmstate file to convert to keyfiles')),
  '--network-data <path>': repeatable(
    file('OpenStack network data (network_data.json) to convert to keyfiles'),
  ),
};

/** The help of `--overwrite` for commands that write several files. */
export const OVERWRITE_FILES = 'replace existing files, each when the new file is complete';

export const networkOutputOptions = {
  '-C, --directory <path>': folder('folder to write the files to (default: standard output)'),
  '--overwrite': toggle(OVERWRITE_FILES),
  '--format <form>': withDefault('text', choice(['text', 'json'], 'text or json')),
};

export const ISO =
  'live ISO of CoreOS: a file, a block device, a URL, or "-" for standard input, which is buffered in TMPDIR';

export const NEW_FILE_MODE =
  'permissions of the new file (default: 0600 if it contains a secret, else according to the umask)';

export const newFileOptions = {
  '--overwrite': toggle('replace an existing file when the new file is complete'),
  '--mode <octal>': freeText(NEW_FILE_MODE),
};

export const resultOptions = {
  '-o, --output <path>': file(
    'new file to write; "-" is standard output (default: edit the ISO in place; requires a file or a block device)',
  ),
  ...newFileOptions,
};

export const embeddingOptions = {
  ...resultOptions,
  '--grow': toggle('enlarge the image if its reserved area is too small'),
};
