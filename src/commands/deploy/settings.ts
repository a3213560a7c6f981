/**
 * The settings of the `deploy` commands. The table decides which flags a command has, and which keys an inventory may have below
 * `deploy`; `scripts/schemas.js` makes the schema of these keys.
 */

import { architectures } from '../../core/architecture.ts';
import { stepNames } from '../../core/installSteps.ts';
import { bootInterfaces, deployInterfaces, inspectInterfaces } from '../../core/nodeInterfaces.ts';
import type { Mapping } from '../../formats/mapping.ts';
import { FILES_DIR, HARDWARE } from '../../io/commandLine.ts';

export type DeployWord = 'steps' | 'configdrive' | 'baremetalhost' | 'node';

/** Values by kind. In an inventory, hints and labels are mappings. */
export interface DeployKinds {
  text: string;
  /** A path; in an inventory relative to its folder. */
  file: string;
  switch: boolean;
  texts: readonly string[];
  /** `NAME=VALUE` each. */
  hints: readonly string[];
  labels: Mapping;
  /** Fields of `spec` of a BareMetalHost; a text if it comes from a flag. */
  spec: Mapping | string;
}

export type DeployKind = keyof DeployKinds;

export interface DeploySetting {
  readonly kind: DeployKind;
  /** Without it, the setting is only in inventories. */
  readonly flag?: string;
  /** Default: all commands. */
  readonly for?: readonly DeployWord[];
  readonly help: string;
  /** What a shell offers as its value (default: the names of files for a file). */
  readonly completion?: 'folder';
  /** Most users need it. */
  readonly isCommon?: true;
  /** The help of its `--no-` flag, if it has one. */
  readonly negatedHelp?: string;
  readonly choices?: readonly string[];
  /** The key in an inventory, if it is not the name. */
  readonly key?: string;
  /** Where the value is, if it is not below `deploy` of an inventory: in the entry of the host, or only on the command line. */
  readonly place?: 'host' | 'flags';
}

const host = ['baremetalhost', 'node'] as const;
const metal3 = ['baremetalhost'] as const;
const node = ['node'] as const;
const install = ['steps', 'configdrive', 'baremetalhost'] as const;
const image = ['steps', 'baremetalhost', 'node'] as const;

function row<Kind extends DeployKind, Flags extends string, const More extends Partial<DeploySetting>>(
  kind: Kind,
  words: readonly DeployWord[],
  flags: Flags,
  help: string,
  more?: More,
): DeploySetting & More & { readonly kind: Kind; readonly flag: Flags };
function row(
  kind: DeployKind,
  words: readonly DeployWord[],
  flag: string,
  help: string,
  more: Partial<DeploySetting> = {},
): DeploySetting {
  return { ...more, kind, for: words, flag, help };
}

const STEPS_HELP = 'deploy step: install_coreos or start_assisted_install (default: install_coreos)';

export const deploySettings = {
  name: row('text', host, '--name <name>', 'name of the host', { isCommon: true, place: 'host' }),
  bootMac: row('text', host, '--boot-mac <mac>', 'MAC address of the boot interface', {
    isCommon: true,
    key: 'mac',
    place: 'host',
  }),
  arch: row('text', host, '--arch <arch>', 'architecture: x86_64, aarch64, ppc64le or s390x', {
    choices: architectures,
    key: 'architecture',
    place: 'host',
  }),
  bmcAddress: row(
    'text',
    host,
    '--bmc-address <url>',
    'address of the BMC, e.g. redfish://192.0.2.13/redfish/v1/Systems/1',
    { isCommon: true },
  ),
  bmcInsecure: row('switch', host, '--bmc-insecure', "do not verify the BMC's TLS certificate", {
    isCommon: true,
  }),
  rootDevice: row('hints', host, '--root-device <name=hint>', 'root device hint, e.g. "size=>= 100"', {
    isCommon: true,
    key: 'rootDeviceHints',
  }),
  hardware: row('file', host, '--hardware <path>', HARDWARE, { isCommon: true, place: 'flags' }),
  deployIso: row('text', node, '--deploy-iso <url>', 'live ISO that runs the agent', { isCommon: true }),
  deployKernel: row(
    'text',
    node,
    '--deploy-kernel <url>',
    'kernel that runs the agent; requires --deploy-ramdisk',
    { isCommon: true },
  ),
  deployRamdisk: row(
    'text',
    node,
    '--deploy-ramdisk <url>',
    'initramfs that runs the agent; requires --deploy-kernel',
    { isCommon: true },
  ),
  kernelAppendParams: row(
    'text',
    node,
    '--kernel-append-params <text>',
    'kernel arguments; for a node, %default% inserts those of the conductor',
    { isCommon: true },
  ),
  inspectInterface: row(
    'text',
    node,
    '--inspect-interface <name>',
    `inspect interface (default: that of the conductor): ${inspectInterfaces.join(', ')}`,
    { isCommon: true, choices: inspectInterfaces },
  ),
  bootInterface: row(
    'text',
    node,
    '--boot-interface <name>',
    `boot interface (default: by the BMC address): ${bootInterfaces.join(', ')}`,
    { choices: bootInterfaces },
  ),
  namespace: row(
    'text',
    metal3,
    '--namespace <name>',
    'namespace of all objects (default: the namespace that kubectl uses)',
  ),
  bmcCredentialsName: row(
    'text',
    metal3,
    '--bmc-credentials-name <name>',
    'existing Secret with the BMC credentials (default: NAME-bmc-secret)',
  ),
  spec: row(
    'spec',
    metal3,
    '--spec <yaml>',
    'other fields of spec of the BareMetalHost, e.g. "{bootMode: UEFI}"',
    { isCommon: true },
  ),
  labels: { kind: 'labels', help: 'labels of the BareMetalHost' },
  step: row('text', ['steps'], '--step <name>', STEPS_HELP, { choices: stepNames, key: 'method' }),
  method: row('text', metal3, '--method <name>', `${STEPS_HELP}, or none to register the host only`, {
    choices: [...stepNames, 'none'],
  }),
  nmstate: row('file', metal3, '--nmstate <file>', 'nmstate network configuration of the ramdisk', {
    isCommon: true,
    place: 'flags',
  }),
  networkData: row(
    'file',
    metal3,
    '--network-data <file>',
    'OpenStack network data for the config drive (network_data.json)',
  ),
  ignition: row(
    'file',
    install,
    '--ignition <file>',
    'config for the installed host, or - for standard input',
    { isCommon: true },
  ),
  filesDir: row('file', install, '--files-dir <folder>', FILES_DIR, { completion: 'folder' }),
  appendKarg: row('texts', install, '--append-karg <arg>', 'kernel argument for the installed host', {
    isCommon: true,
    key: 'appendKargs',
  }),
  copyNetwork: row(
    'switch',
    install,
    '--copy-network',
    'copy the network of the ramdisk to the installed host',
    { isCommon: true, negatedHelp: 'do not copy the network (default: the setting of the agent)' },
  ),
  userDataName: row(
    'text',
    metal3,
    '--user-data-name <name>',
    'name of the Secret with the config (default: NAME-user-data)',
  ),
  imageSource: row(
    'text',
    image,
    '--image-source <url>',
    'image to install (default of deploy steps: the CoreOS of the ramdisk)',
  ),
  imageChecksum: row(
    'text',
    image,
    '--image-checksum <sum>',
    'checksum of the image: SHA-256, SHA-512 or the URL of a checksum file',
  ),
  imageFormat: row('text', host, '--image-format <form>', 'format of the image: raw or qcow2'),
  bootIso: row('text', host, '--boot-iso <url>', 'live ISO that the host boots, instead of an installation'),
  deployInterface: row(
    'text',
    image,
    '--deploy-interface <name>',
    `deploy interface: ${deployInterfaces.join(', ')}; custom-agent runs deploy steps`,
    { isCommon: true, choices: deployInterfaces },
  ),
} as const satisfies Readonly<Record<string, DeploySetting>>;

export const deployRows: readonly (readonly [name: string, row: DeploySetting])[] =
  Object.entries(deploySettings);
