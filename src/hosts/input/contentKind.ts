/** Detects the type of a file by its content, for messages about files of an unexpected type. */

import { CliError } from '../../core/errors.ts';
import { quoteText } from '../../core/foreignText.ts';
import { asMapping, type Mapping } from '../../formats/mapping.ts';
import { detectImageKind } from '../../image/imageKind.ts';
import { bytesAccess } from '../../image/overlay.ts';

/**
 * How to recognize the content, the name of the type with its article, and what to do with the file `FILE`, in the
 * imperative.
 */
type ContentKind<M> = readonly [mark: M, noun: string, use: string];

const KEYFILE_USE = 'embed it with "ironic-coreos iso network embed -k FILE ISO"';
const MIRRORS_USE = 'pass it to render with --registries-conf FILE';
const NMSTATE_USE = 'pass it to render with --nmstate FILE';
const NETWORK_DATA_USE = 'pass it to render with --network-data FILE';
const PULL_SECRET_USE = 'pass it to render with --pull-secret FILE';
const CA_USE = 'pass it to render with --ca-file FILE';
const CONF_USE = 'rename it to a name that ends in .conf';

/** By the start of the text. */
const BY_START: readonly ContentKind<RegExp>[] = [
  [/^<(?:!doctype|html)\b/i, 'an HTML page', 'download the file again, and check the URL in a browser'],
  [
    /^#cloud-config\b/,
    'a cloud-init config',
    'write its settings as a Butane config and translate that; CoreOS does not contain cloud-init',
  ],
  [/^-----BEGIN CERTIFICATE/, 'a PEM certificate', CA_USE],
  [/^(?:ssh|ecdsa|sk)-\S+ AAAA/, 'an SSH public key', 'pass it to render with --ssh-key FILE'],
  [
    /^-----BEGIN [A-Z ]*PRIVATE KEY/,
    'a private key',
    'keep it secret, and pass only the public key or certificate',
  ],
];

/** By the first section of an INI file. */
const BY_SECTION: readonly ContentKind<RegExp>[] = [
  [/^(?:connection|ipv4|ethernet)$/, 'a NetworkManager keyfile', KEYFILE_USE],
  [/^(?:Unit|Service|Timer|Mount|Install)$/, 'a systemd unit', 'pass it to render with --unit FILE'],
  [/^DEFAULT$/, 'a configuration file of ironic-python-agent', CONF_USE],
];

/** By top-level keys of JSON or YAML; the first match counts. */
const BY_KEYS: readonly ContentKind<readonly string[]>[] = [
  [['auths', 'credHelpers', 'credsStore'], 'a pull secret', PULL_SECRET_USE],
  [['generator'], 'the manifest of a prepared folder', 'pass the folder instead, to validate its configs'],
  [['ipa_kernel_url'], 'a variables file of Bifrost', 'load it with "bifrost-cli install -e @FILE"'],
  [
    ['agent', 'hosts', 'profile', 'deploy'],
    'an inventory',
    'check it with "ironic-coreos render --inventory FILE -o FOLDER"',
  ],
  [['interfaces', 'routes', 'dns-resolver'], 'an nmstate file', NMSTATE_USE],
  [['links', 'networks'], 'OpenStack network data', NETWORK_DATA_USE],
  [['architectures'], 'stream metadata', 'list it with "ironic-coreos list-stream --stream-base-url FILE"'],
];

/** Kubernetes objects by their kind. */
const BY_OBJECT: Readonly<Record<string, readonly [noun: string, use: string]>> = {
  NMStateConfig: ['an NMStateConfig', NMSTATE_USE],
  NodeNetworkConfigurationPolicy: ['a NodeNetworkConfigurationPolicy', NMSTATE_USE],
  AgentConfig: ['an AgentConfig', NMSTATE_USE],
  BareMetalHost: [
    'a BareMetalHost',
    'pass the Secret that it names: that of spec.preprovisioningNetworkDataName has the network, that of spec.userData the Ignition config',
  ],
  MachineConfig: [
    'a MachineConfig',
    "pass its spec.config: oc get machineconfig NAME -o jsonpath='{.spec.config}'",
  ],
  ImageContentSourcePolicy: ['an ImageContentSourcePolicy', MIRRORS_USE],
  ImageDigestMirrorSet: ['an ImageDigestMirrorSet', MIRRORS_USE],
  ImageTagMirrorSet: ['an ImageTagMirrorSet', MIRRORS_USE],
};

/** Secrets and ConfigMaps by the key of their content. */
const BY_DATA: readonly (readonly [key: string, content: string, use: string])[] = [
  ['nmstate', 'nmstate', NMSTATE_USE],
  ['networkData', 'OpenStack network data', NETWORK_DATA_USE],
  ['.dockerconfigjson', 'a pull secret', PULL_SECRET_USE],
  ['userData', 'user data', 'pass the decoded value of its key userData'],
  ['ca-bundle.crt', 'CA certificates', CA_USE],
  ['ca.crt', 'a CA certificate', CA_USE],
  ['tls.crt', 'a certificate', CA_USE],
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
  const [, found, use] = (await detectContent(file, bytes)) ?? [];
  if (found === undefined || use === undefined || found === noun) return undefined;
  return new CliError(`${file} is ${found}, not ${noun}`, {
    code: 'ERR_FORMAT',
    hint: use.replace('FILE', () => file),
  });
}

/** The hint for a file that is no Ignition config. Undefined for an Ignition config, and for unknown content. */
export async function hintContent(file: string, bytes: Uint8Array): Promise<string | undefined> {
  const [, noun, use] = (await detectContent(file, bytes)) ?? [];
  if (noun === undefined || use === undefined) return undefined;
  return `this is ${noun}, not an Ignition config: ${use.replace('FILE', () => file)}`;
}

async function detectContent(file: string, bytes: Uint8Array): Promise<ContentKind<unknown> | undefined> {
  const image = await detectImageKind(bytesAccess(bytes));
  if (image === 'iso') return [image, 'an ISO image', 'inspect it with "ironic-coreos inspect FILE"'];
  if (image === 'initramfs') return undefined;
  // DER: a sequence with a length of two bytes.
  if (bytes[0] === 0x30 && bytes[1] === 0x82) {
    return [image, 'a DER certificate', CA_USE];
  }
  const text = bytes.length > MAX_TEXT ? '' : Buffer.from(bytes).toString('utf8');
  const start = text.trimStart().slice(0, 200);
  const [, section = ''] = /^\[([\w-]+)\]$/m.exec(text) ?? [];
  const kind =
    BY_START.find(([mark]) => mark.test(start)) ??
    BY_SECTION.find(([mark]) => mark.test(section)) ??
    detectMapping(await parseMapping(text));
  if (kind !== undefined || !/\.(?:iso|img)$/i.test(file)) return kind;
  return [image, 'an incomplete or damaged image', `download or create ${file} again`];
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
  if (Object.hasOwn(mapping, 'ignition')) return undefined;
  const { apiVersion, kind } = mapping;
  if (typeof apiVersion === 'string' && typeof kind === 'string') return [kind, ...describeObject(mapping)];
  return BY_KEYS.find(([keys]) => keys.some((key) => Object.hasOwn(mapping, key)));
}

/** A Kubernetes object: its type with its article, and what to do with the file `FILE`. */
export function describeObject(object: Mapping): readonly [noun: string, use: string] {
  const kind = String(object['kind']);
  if (kind === 'Secret' || kind === 'ConfigMap') {
    const keys = Object.keys({ ...asMapping(object['stringData']), ...asMapping(object['data']) });
    const [, content, use] = BY_DATA.find(([key]) => keys.includes(key)) ?? [];
    if (content !== undefined && use !== undefined) return [`a ${kind} with ${content}`, use];
    const names = keys.length === 0 ? 'without data' : `with ${keys.slice(0, 5).map(quoteText).join(', ')}`;
    return [`a ${kind} ${names}`, 'pass a file with the decoded value of one of its keys'];
  }
  const known = Object.hasOwn(BY_OBJECT, kind) ? BY_OBJECT[kind] : undefined;
  return known ?? ['a Kubernetes object', 'apply it with kubectl apply -f FILE'];
}
