/** Detects the type of a file by its content, for messages about files of an unexpected type. */

import { asMapping, type Mapping } from '../../formats/mapping.ts';
import { detectImageKind } from '../../image/imageKind.ts';
import { bytesAccess } from '../../image/overlay.ts';

/**
 * How to recognize the content, the name of the type with its article, and what to do with the file `FILE`, in the
 * imperative.
 */
type ContentKind<M> = readonly [mark: M, noun: string, use: string];

/** By the start of the text. */
const BY_START: readonly ContentKind<RegExp>[] = [
  [/^<(?:!doctype|html)\b/i, 'an HTML page', 'download the file again, and check the URL in a browser'],
  [
    /^#cloud-config\b/,
    'a cloud-init config',
    'CoreOS does not run cloud-init; write its settings as a Butane config and translate that',
  ],
  [/^-----BEGIN CERTIFICATE/, 'a PEM certificate', 'pass it to render with --ca-file FILE'],
  [/^(?:ssh|ecdsa|sk)-\S+ AAAA/, 'an SSH public key', 'pass it to render with --ssh-key FILE'],
  [
    /^-----BEGIN [A-Z ]*PRIVATE KEY/,
    'a private key',
    'keep it secret, and pass only the public key or certificate',
  ],
];

const KEYFILE_USE = 'embed it with "ironic-coreos iso network embed -k FILE ISO"';
const MIRRORS_USE = 'write its mirrors to a registries.conf, and pass that to render with --registries-conf';
const CONF_USE = 'rename it to a name that ends in .conf';

/** By the first section of an INI file. */
const BY_SECTION: readonly ContentKind<RegExp>[] = [
  [/^(?:connection|ipv4|ethernet)$/, 'a NetworkManager keyfile', KEYFILE_USE],
  [/^(?:Unit|Service|Timer|Mount|Install)$/, 'a systemd unit', 'pass it to render with --unit FILE'],
  [/^DEFAULT$/, 'a configuration file of ironic-python-agent', CONF_USE],
];

/** By top-level keys of JSON or YAML; the first match counts. */
const BY_KEYS: readonly ContentKind<readonly string[]>[] = [
  [['auths', 'credHelpers', 'credsStore'], 'a pull secret', 'pass it to render with --pull-secret FILE'],
  [['generator'], 'the manifest of a prepared folder', 'pass the folder instead, to validate its configs'],
  [['ipa_kernel_url'], 'a variables file of Bifrost', 'load it with "bifrost-cli install -e @FILE"'],
  [
    ['agent', 'hosts', 'profile', 'deploy'],
    'an inventory',
    'check it with "ironic-coreos render --inventory FILE -o FOLDER"',
  ],
  [['interfaces', 'routes', 'dns-resolver'], 'an nmstate file', 'pass it to render with --nmstate FILE'],
  [['links', 'networks'], 'OpenStack network data', 'pass it to render with --network-data FILE'],
  [['architectures'], 'stream metadata', 'list it with "ironic-coreos list-stream --stream-base-url FILE"'],
];

/** Kubernetes objects by their kind, with the part to pass. */
const BY_OBJECT: Readonly<Record<string, readonly [noun: string, use: string]>> = {
  NMStateConfig: ['an NMStateConfig', 'pass the value of its spec.config to render with --nmstate'],
  NodeNetworkConfigurationPolicy: [
    'a NodeNetworkConfigurationPolicy',
    'pass the value of its spec.desiredState to render with --nmstate',
  ],
  BareMetalHost: ['a BareMetalHost', 'apply it with kubectl apply -f FILE'],
  MachineConfig: ['a MachineConfig', 'pass the value of its spec.config'],
  AgentConfig: ['an AgentConfig', 'pass networkConfig of each host to render with --nmstate'],
  ImageContentSourcePolicy: ['an ImageContentSourcePolicy', MIRRORS_USE],
  ImageDigestMirrorSet: ['an ImageDigestMirrorSet', MIRRORS_USE],
  ImageTagMirrorSet: ['an ImageTagMirrorSet', MIRRORS_USE],
  Secret: ['a Secret', 'pass the decoded value of one of its keys'],
  ConfigMap: ['a ConfigMap', 'pass the value of one of its keys'],
};

/** Larger texts are not parsed for a message. */
const MAX_TEXT = 4 * 1024 * 1024;

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
    return [image, 'a DER certificate', 'convert it first: openssl x509 -inform der -in FILE -out ca.pem'];
  }
  const text = bytes.length > MAX_TEXT ? '' : Buffer.from(bytes).toString('utf8');
  const start = text.trimStart().slice(0, 200);
  const [, section = ''] = /^\[([\w-]+)\]$/m.exec(text) ?? [];
  const kind =
    BY_START.find(([mark]) => mark.test(start)) ??
    BY_SECTION.find(([mark]) => mark.test(section)) ??
    detectMapping(await parseMapping(text));
  if (kind !== undefined || !/\.(?:iso|img)$/i.test(file)) return kind;
  return [image, 'an incomplete or damaged image', 'download or create it again'];
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
  if (typeof apiVersion === 'string' && typeof kind === 'string') {
    const [noun, use] = Object.hasOwn(BY_OBJECT, kind) ? (BY_OBJECT[kind] ?? []) : [];
    return [kind, noun ?? 'a Kubernetes object', use ?? 'apply it with kubectl apply -f FILE'];
  }
  return BY_KEYS.find(([keys]) => keys.some((key) => Object.hasOwn(mapping, key)));
}
