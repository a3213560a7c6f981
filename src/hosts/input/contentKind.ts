/** Detects the type of a file by its content, for messages about files of an unexpected type. */

import { quoteShellWord } from '../../formats/shell.ts';
import { CliError } from '../../core/errors.ts';
import { quoteText } from '../../core/foreignText.ts';
import { asMapping, isMapping, type Mapping } from '../../formats/mapping.ts';
import { isIronicConf } from '../../agent/ironicConf.ts';
import { parseOsloConfig } from '../../formats/osloConfig.ts';
import type { SettingName } from '../../agent/settingTable.ts';
import { detectKind } from '../../image/imageKind.ts';
import { bytesAccess } from '../../image/overlay.ts';

/**
 * What to do with the file `FILE`, in the imperative: in general, and if it was given as an inventory (default: the
 * same).
 */
type Use = readonly [use: string, inInventory?: string];

/** How to recognize the content, the name of the type with its article, and what to do with it. */
type ContentKind<M> = readonly [mark: M, noun: string, ...use: Use];

/** The file of a setting that all hosts of an inventory share. @param value in YAML */
const inAgent = (setting: SettingName, value: 'FILE' | '[FILE]'): string =>
  `set "${setting}: ${value}" below "agent" of the inventory`;
/** The file of a setting of one host. */
const inNetwork = (setting: string): string =>
  `set "network: {${setting}}" in the entry of its host below "hosts" of the inventory`;

const KEYFILE_USE: Use = [
  'embed it with "ironic-coreos iso network embed -k FILE ISO"',
  inNetwork('keyfiles: [FILE]'),
];
const MIRRORS_USE: Use = [
  'pass it to render with --registries-conf FILE',
  inAgent('agent.registriesConf', 'FILE'),
];
const NMSTATE_USE: Use = [
  'pass it with --nmstate FILE; `iso customize` and `pxe customize` have --network-nmstate',
  inNetwork('nmstate: FILE'),
];
const NETWORK_DATA_USE: Use = ['pass it to render with --network-data FILE', inNetwork('networkData: FILE')];
const PULL_SECRET_USE: Use = [
  'pass it to render with --pull-secret FILE',
  inAgent('agent.pullSecret', 'FILE'),
];
const CA_USE: Use = ['pass it to render with --ca-file FILE', inAgent('ironic.caFiles', '[FILE]')];
const CONF_USE: Use = [
  'pass it to render with --conf FILE; `validate` checks it if its name ends in .conf',
  inAgent('agent.confFile', 'FILE'),
];
const CONFIG_USE: Use = [
  'embed it with "ironic-coreos iso ignition embed -i FILE ISO", or pass it to render with --merge',
  inAgent('ignition.merge', '[FILE]'),
];
const IGNITION_CONFIG = 'an Ignition config';
const BUTANE_CONFIG = 'a Butane config';
const INVENTORY = 'an inventory of ironic-coreos';
const ANSIBLE_INVENTORY = 'an Ansible inventory';
const ANSIBLE_USE = 'write its hosts to the inventory: a list "hosts" of entries with "name" and "mac"';

/** By the start of the text. */
const BY_START: readonly ContentKind<RegExp>[] = [
  [/^<(?:!doctype|html)\b/i, 'an HTML page', 'download the file again, and check the URL in a browser'],
  [
    /^#cloud-config\b/,
    'a cloud-init config',
    'write its settings as a Butane config and translate that; CoreOS does not contain cloud-init',
    'write its SSH keys to "host.sshKeys" below "agent" of an inventory; CoreOS does not contain cloud-init',
  ],
  [/^-----BEGIN CERTIFICATE/, 'a PEM certificate', ...CA_USE],
  [
    /^(?:ssh|ecdsa|sk)-\S+ AAAA/,
    'an SSH public key',
    'pass it to render with --ssh-key FILE',
    inAgent('host.sshKeys', '[FILE]'),
  ],
  [
    /^-----BEGIN [A-Z ]*PRIVATE KEY/,
    'a private key',
    'keep it secret, and pass only the public key or certificate',
  ],
  [/\bansible_(?:host|user|connection)=/, ANSIBLE_INVENTORY, ANSIBLE_USE],
];

/** By the first section of an INI file. */
const BY_SECTION: readonly ContentKind<RegExp>[] = [
  [/^(?:connection|ipv4|ethernet)$/, 'a NetworkManager keyfile', ...KEYFILE_USE],
  [
    /^(?:Unit|Service|Timer|Mount|Install)$/,
    'a systemd unit',
    'pass it to render with --unit FILE',
    inAgent('ignition.units', '[FILE]'),
  ],
  [/^DEFAULT$/, 'a configuration file of ironic-python-agent', ...CONF_USE],
];

/** By top-level keys of JSON or YAML; the first match counts. */
const BY_KEYS: readonly ContentKind<readonly string[]>[] = [
  [['ignition'], IGNITION_CONFIG, ...CONFIG_USE],
  [['variant'], BUTANE_CONFIG, ...CONFIG_USE],
  [['auths', 'credHelpers', 'credsStore'], 'a pull secret', ...PULL_SECRET_USE],
  [['generator'], 'the manifest of a prepared folder', 'pass the folder instead, to validate its configs'],
  [['ipa_kernel_url'], 'a variables file of Bifrost', 'load it with "bifrost-cli install -e @FILE"'],
  [
    ['baseDomain'],
    'an install-config.yaml of OpenShift',
    'write its pullSecret, its sshKey or its additionalTrustBundle to a file, and pass that',
    'write its hosts to an inventory: "name", and bootMACAddress as "mac"',
  ],
  [
    ['nodes'],
    'a list of nodes for Ironic',
    'write its nodes to an inventory: "name", and the address of a port as "mac"',
  ],
  [
    ['agent', 'hosts', 'profile', 'deploy'],
    INVENTORY,
    'check it with "ironic-coreos render --inventory FILE -o FOLDER"',
  ],
  [['interfaces', 'routes', 'dns-resolver'], 'an nmstate file', ...NMSTATE_USE],
  [['links', 'networks'], 'OpenStack network data', ...NETWORK_DATA_USE],
  [['architectures'], 'stream metadata', 'list it with "ironic-coreos list-stream --stream-base-url FILE"'],
];

/** By what the values of a mapping contain. */
const BY_VALUES: readonly ContentKind<(mapping: Mapping) => boolean>[] = [
  [
    ({ network }) => isMapping(network) && Object.hasOwn(network, 'version'),
    'a netplan file',
    'write the network as nmstate or as keyfiles of NetworkManager',
  ],
  [
    (mapping) => everyValue(mapping, ['driver', 'driver_info', 'nics']),
    'a Bifrost inventory',
    'write its nodes to the inventory: "name", and the mac of one of its nics as "mac"',
  ],
  [(mapping) => everyValue(mapping, ['hosts', 'children', 'vars']), ANSIBLE_INVENTORY, ANSIBLE_USE],
];

function everyValue(mapping: Mapping, keys: readonly string[]): boolean {
  const values = Object.values(mapping);
  return (
    values.length > 0 &&
    values.every((value) => isMapping(value) && keys.some((key) => Object.hasOwn(value, key)))
  );
}

/** Kubernetes objects by their kind. */
const BY_OBJECT: Readonly<Record<string, readonly [noun: string, ...use: Use]>> = {
  NMStateConfig: ['an NMStateConfig', ...NMSTATE_USE],
  NodeNetworkConfigurationPolicy: ['a NodeNetworkConfigurationPolicy', ...NMSTATE_USE],
  AgentConfig: [
    'an AgentConfig',
    NMSTATE_USE[0],
    'write its hosts to an inventory: hostname as "name", macAddress as "mac", networkConfig as "network: {nmstate: …}"',
  ],
  BareMetalHost: [
    'a BareMetalHost',
    'pass the Secret that it names: that of spec.preprovisioningNetworkDataName has the network, that of spec.userData the Ignition config',
    'write an entry below "hosts" of an inventory: metadata.name as "name", spec.bootMACAddress as "mac"',
  ],
  PreprovisioningImage: [
    'a PreprovisioningImage',
    'pass the Secret that it names: that of spec.networkDataName has the network',
    'use "ironic-coreos controller", which builds the images of these objects',
  ],
  MachineConfig: [
    'a MachineConfig',
    "pass its spec.config: oc get machineconfig NAME -o jsonpath='{.spec.config}'",
    'write its spec.config to a file, and set "ignition.merge: [PATH]" below "agent" of the inventory',
  ],
  ImageContentSourcePolicy: ['an ImageContentSourcePolicy', ...MIRRORS_USE],
  ImageDigestMirrorSet: ['an ImageDigestMirrorSet', ...MIRRORS_USE],
  ImageTagMirrorSet: ['an ImageTagMirrorSet', ...MIRRORS_USE],
};

/** Secrets and ConfigMaps by the key of their content. */
const BY_DATA: readonly (readonly [key: string, content: string, ...use: Use])[] = [
  ['nmstate', 'nmstate', ...NMSTATE_USE],
  ['networkData', 'OpenStack network data', ...NETWORK_DATA_USE],
  ['.dockerconfigjson', 'a pull secret', ...PULL_SECRET_USE],
  ['userData', 'user data', 'pass the decoded value of its key userData'],
  ['ca-bundle.crt', 'CA certificates', ...CA_USE],
  ['ca.crt', 'a CA certificate', ...CA_USE],
  ['tls.crt', 'a certificate', ...CA_USE],
];

/** Larger texts are not parsed for a message. */
const MAX_TEXT = 4 * 1024 * 1024;

/**
 * The error for a file whose content is of another type than `noun`; undefined for unknown content.
 * @param noun with its article, as in this file
 */
export async function explainOther(
  noun: string,
  file: string,
  bytes: Uint8Array,
): Promise<CliError | undefined> {
  const found = await detectContent(bytes);
  if (found === undefined || found[1] === noun) return undefined;
  const [, ...described] = found;
  return otherContent(noun, file, described);
}

/** The error for a file whose content is of another type than `noun`. */
export function otherContent(
  noun: string,
  file: string,
  [found, use, inInventory = use]: readonly [noun: string, ...use: Use],
): CliError {
  const hint = noun === INVENTORY ? inInventory : use;
  return new CliError(`${file} is ${found}, not ${noun}`, {
    code: 'ERR_FORMAT',
    hint: hint.replace('FILE', () => quoteShellWord(file)),
  });
}

/** The hint for a file that is no Ignition config. Undefined for an Ignition config, and for unknown content. */
export async function hintContent(file: string, bytes: Uint8Array): Promise<string | undefined> {
  const [, noun, use] = (await detectContent(bytes)) ?? damagedImage(file) ?? [];
  if (noun === undefined || use === undefined || noun === IGNITION_CONFIG || noun === BUTANE_CONFIG)
    return undefined;
  return `this is ${noun}, not an Ignition config: ${use.replace('FILE', () => quoteShellWord(file))}`;
}

/** Unknown content with the name of an image. */
function damagedImage(file: string): ContentKind<undefined> | undefined {
  if (!/\.(?:iso|img)$/i.test(file)) return undefined;
  return [undefined, 'an incomplete or damaged image', `download or create ${file} again`];
}

async function detectContent(bytes: Uint8Array): Promise<ContentKind<unknown> | undefined> {
  const image = await detectKind(bytesAccess(bytes));
  if (image === 'iso') return [image, 'an ISO image', 'inspect it with "ironic-coreos inspect FILE"'];
  if (image === 'initramfs' || image === 'rootfs') return undefined;
  if (image === 'kernel' || (bytes[0] === 0x4d && bytes[1] === 0x5a)) {
    return [
      image,
      'a kernel or another EFI program',
      'pass a kernel with --kernel FILE to `prepare`, `serve` or `iso create`',
    ];
  }
  // DER: a sequence with a length of two bytes.
  if (bytes[0] === 0x30 && bytes[1] === 0x82) {
    return [image, 'a DER certificate', ...CA_USE];
  }
  const text = bytes.length > MAX_TEXT ? '' : Buffer.from(bytes).toString('utf8');
  const start = text.trimStart().slice(0, 200);
  const [, section = ''] = /^\[([\w-]+)\]$/m.exec(text) ?? [];
  if (section !== '' && isIronicConf('', parseOsloConfig(text).document)) {
    return [
      section,
      'an ironic.conf',
      'check it with "ironic-coreos validate FILE", if its name ends in .conf',
    ];
  }
  return (
    BY_START.find(([mark]) => mark.test(start)) ??
    BY_SECTION.find(([mark]) => mark.test(section)) ??
    detectMapping(await parseMapping(text))
  );
}

async function parseMapping(text: string): Promise<Mapping> {
  const { parseYaml } = await import('../../formats/yaml.ts');
  try {
    return asMapping(parseYaml(text).value);
  } catch {
    return {};
  }
}

function detectMapping(mapping: Mapping): ContentKind<unknown> | undefined {
  const { apiVersion, kind } = mapping;
  if (typeof apiVersion === 'string' && typeof kind === 'string') return [kind, ...describeObject(mapping)];
  return (
    BY_KEYS.find(([keys]) => keys.some((key) => Object.hasOwn(mapping, key))) ??
    BY_VALUES.find(([matches]) => matches(mapping))
  );
}

/** A Kubernetes object: its type with its article, and what to do with the file `FILE`. */
export function describeObject(object: Mapping): readonly [noun: string, ...use: Use] {
  const kind = String(object['kind']);
  if (kind === 'Secret' || kind === 'ConfigMap') {
    const keys = Object.keys({ ...asMapping(object['stringData']), ...asMapping(object['data']) });
    const known = BY_DATA.find(([key]) => keys.includes(key));
    if (known !== undefined) {
      const [, content, ...use] = known;
      return [`a ${kind} with ${content}`, ...use];
    }
    const names = keys.length === 0 ? 'without data' : `with ${keys.slice(0, 5).map(quoteText).join(', ')}`;
    const value = kind === 'Secret' ? 'decoded value' : 'value';
    return [`a ${kind} ${names}`, `pass a file with the ${value} of one of its keys`];
  }
  const known = Object.hasOwn(BY_OBJECT, kind) ? BY_OBJECT[kind] : undefined;
  return known ?? [`a Kubernetes object of kind ${quoteText(kind)}`, 'apply it with kubectl apply -f FILE'];
}
