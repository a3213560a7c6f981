/**
 * The settings of the `deploy` commands. The table decides which flags a command has, and which keys an inventory may have below
 * `deploy`; `scripts/schemas.js` makes the schema of these keys.
 */

import { architectures } from '../../core/architecture.ts';
import { stepNames } from '../../core/installSteps.ts';
import type { Mapping } from '../../formats/mapping.ts';
import { bootInterfaces, deployInterfaces, inspectInterfaces } from './documents/interfaces.ts';

/** The commands below `deploy`. */
export type DeployWord = 'steps' | 'configdrive' | 'baremetalhost' | 'node';

/** Values by kind. In an inventory, hints and labels are mappings. */
interface Kinds {
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

export type DeployKind = keyof Kinds;

export interface DeploySetting {
  readonly kind: DeployKind;
  /** Without it, the setting is only in inventories. */
  readonly flag?: string;
  /** Default: all commands. */
  readonly for?: readonly DeployWord[];
  readonly help: string;
  /** The help of its `--no-` flag, if it has one. */
  readonly negatedHelp?: string;
  readonly choices?: readonly string[];
  /** The key in an inventory, if it is not the name. */
  readonly key?: string;
  /** Where the value is, if it is not below `deploy` of an inventory: in the entry of the host, or only on the command line. */
  readonly place?: 'host' | 'flags';
  /** Settings that it overrides from sources of lower precedence. */
  readonly replaces?: readonly string[];
}

const host = ['baremetalhost', 'node'] as const;
const metal3 = ['baremetalhost'] as const;
const node = ['node'] as const;
const install = ['steps', 'configdrive', 'baremetalhost'] as const;

const deploySettings = {
  name: { kind: 'text', flag: '--name <name>', for: host, help: 'name of the host', place: 'host' },
  bootMac: {
    kind: 'text',
    flag: '--boot-mac <mac>',
    for: host,
    help: 'MAC address of the boot interface',
    key: 'mac',
    place: 'host',
  },
  arch: {
    kind: 'text',
    flag: '--arch <arch>',
    for: host,
    help: 'architecture: x86_64, aarch64, ppc64le or s390x',
    choices: architectures,
    key: 'architecture',
    place: 'host',
  },
  bmcAddress: {
    kind: 'text',
    flag: '--bmc-address <url>',
    for: host,
    help: 'address of the BMC, e.g. redfish://192.0.2.13/redfish/v1/Systems/1',
  },
  bmcInsecure: {
    kind: 'switch',
    flag: '--bmc-insecure',
    for: host,
    help: "do not verify the BMC's TLS certificate",
  },
  rootDevice: {
    kind: 'hints',
    flag: '--root-device <name=hint>',
    for: host,
    help: 'root device hint, e.g. "size=>= 100"; repeatable',
    key: 'rootDeviceHints',
  },
  deployIso: {
    kind: 'text',
    flag: '--deploy-iso <url>',
    for: node,
    help: 'live ISO that runs the agent',
    replaces: ['deployKernel', 'deployRamdisk', 'kernelAppendParams'],
  },
  deployKernel: {
    kind: 'text',
    flag: '--deploy-kernel <url>',
    for: node,
    help: 'kernel that runs the agent; requires --deploy-ramdisk',
    replaces: ['deployIso'],
  },
  deployRamdisk: {
    kind: 'text',
    flag: '--deploy-ramdisk <url>',
    for: node,
    help: 'initramfs that runs the agent; requires --deploy-kernel',
    replaces: ['deployIso'],
  },
  kernelAppendParams: {
    kind: 'text',
    flag: '--kernel-append-params <text>',
    for: node,
    help: 'kernel arguments; for a node, %default% inserts those of the conductor',
  },
  inspectInterface: {
    kind: 'text',
    flag: '--inspect-interface <name>',
    for: node,
    help: `inspect interface (default: that of the conductor): ${inspectInterfaces.join(', ')}`,
    choices: inspectInterfaces,
  },
  bootInterface: {
    kind: 'text',
    flag: '--boot-interface <name>',
    for: node,
    help: `boot interface (default: by the BMC address): ${bootInterfaces.join(', ')}`,
    choices: bootInterfaces,
  },
  namespace: {
    kind: 'text',
    flag: '--namespace <name>',
    for: metal3,
    help: 'namespace of all objects (default: the namespace that kubectl uses)',
  },
  bmcCredentialsName: {
    kind: 'text',
    flag: '--bmc-credentials-name <name>',
    for: metal3,
    help: 'existing Secret with the BMC credentials (default: NAME-bmc-secret)',
  },
  spec: {
    kind: 'spec',
    flag: '--spec <yaml>',
    for: metal3,
    help: 'other fields of spec of the BareMetalHost, e.g. "{bootMode: UEFI}"',
  },
  labels: { kind: 'labels', help: 'labels of the BareMetalHost' },
  method: {
    kind: 'text',
    flag: '--method <name>',
    for: metal3,
    help: 'deploy step: install_coreos or start_assisted_install (default: install_coreos)',
    choices: stepNames,
  },
  step: {
    kind: 'text',
    flag: '--step <name>',
    for: ['steps'],
    help: 'deploy step: install_coreos or start_assisted_install (default: install_coreos)',
    choices: stepNames,
    key: 'method',
  },
  nmstate: {
    kind: 'file',
    flag: '--nmstate <file>',
    for: metal3,
    help: 'nmstate network configuration of the ramdisk',
    place: 'flags',
  },
  networkData: {
    kind: 'file',
    flag: '--network-data <file>',
    for: metal3,
    help: 'OpenStack network data for the config drive (network_data.json)',
  },
  ignition: {
    kind: 'file',
    flag: '--ignition <file>',
    for: install,
    help: 'config for the installed host, or - for standard input',
  },
  filesDir: {
    kind: 'file',
    flag: '--files-dir <folder>',
    for: install,
    help: 'folder of the local files of Butane configs (default: no local file is read)',
  },
  appendKarg: {
    kind: 'texts',
    flag: '--append-karg <arg>',
    for: install,
    help: 'kernel argument for the installed host; repeatable',
    key: 'appendKargs',
  },
  copyNetwork: {
    kind: 'switch',
    flag: '--copy-network',
    for: install,
    help: 'copy the network of the ramdisk to the installed host',
    negatedHelp: 'do not copy the network (default: the setting of the agent)',
  },
  userDataName: {
    kind: 'text',
    flag: '--user-data-name <name>',
    for: metal3,
    help: 'name of the Secret with the config (default: NAME-user-data)',
  },
  imageSource: {
    kind: 'text',
    flag: '--image-source <url>',
    for: ['steps', ...host],
    help: 'image to install (default of deploy steps: the CoreOS of the ramdisk)',
    replaces: ['imageChecksum', 'imageFormat', 'bootIso'],
  },
  imageChecksum: {
    kind: 'text',
    flag: '--image-checksum <sum>',
    for: ['steps', ...host],
    help: 'checksum of the image: SHA-256, SHA-512 or the URL of a checksum file',
  },
  imageFormat: {
    kind: 'text',
    flag: '--image-format <form>',
    for: host,
    help: 'format of the image: raw or qcow2',
  },
  bootIso: {
    kind: 'text',
    flag: '--boot-iso <url>',
    for: host,
    help: 'live ISO that the host boots, instead of an installation',
    replaces: ['imageSource', 'imageChecksum', 'imageFormat'],
  },
  deployInterface: {
    kind: 'text',
    flag: '--deploy-interface <name>',
    for: ['steps', ...host],
    help: `deploy interface: ${deployInterfaces.join(', ')}; custom-agent runs deploy steps`,
    choices: deployInterfaces,
  },
} as const satisfies Readonly<Record<string, DeploySetting>>;

type Settings = {
  readonly [name in keyof typeof deploySettings]?: Kinds[(typeof deploySettings)[name]['kind']];
};

/** The options of all `deploy` commands, named as on the command line. */
export interface DeployOptions extends Settings {
  readonly format?: string;
  /** A file; with an inventory a folder. Default: standard output. */
  readonly output?: string;
  /** The inventory file. */
  readonly inventory?: string;
  /** Names of the selected hosts of the inventory (default: all hosts). */
  readonly host?: readonly string[];
  /** Stop at the first invalid host. */
  readonly failFast?: boolean;
  /** The config drive file to write. */
  readonly configDrive?: string;
  readonly ignitionInArgs?: boolean;
  /** The node, for commands that deploy it. */
  readonly node?: string;
  /** Indent the JSON. */
  readonly pretty?: boolean;
  /** Whether the node already exists. */
  readonly set?: boolean;
}

/** The rows, with the names of their options. */
export const deployRows: readonly (readonly [name: string, row: DeploySetting])[] =
  Object.entries(deploySettings);
