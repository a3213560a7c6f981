/**
 * What users pass in place of a document: the Kubernetes object that contains it. The part is used if its meaning is clear;
 * otherwise the error names the part to pass.
 */

import { X509Certificate } from 'node:crypto';
import { CliError, FormatError, only, type Position, located } from '../../core/errors.ts';
import type { Diagnostic, Path } from '../../core/finding.ts';
import { quoteText } from '../../core/foreignText.ts';
import { asMapping, isMapping, valueAt } from '../../formats/mapping.ts';
import type { ParsedYaml } from '../../formats/yaml.ts';
import type { InnerPlace } from '../../formats/yaml/innerPlaces.ts';
import { formatMirrorSets, mirrorSetKinds } from '../../agent/mirrorSets.ts';
import { identifyByMac } from '../../network/logicalNames.ts';
import { refuseOther, otherObject } from './contentKind.ts';
import { type PastedObject, readKubernetesObjects } from './kubernetesObjects.ts';

/** A document that an object may contain. */
type PartName = 'nmstate' | 'networkData' | 'pullSecret' | 'caCertificates' | 'registriesConf' | 'inventory';

export interface PastedPart {
  /** YAML, JSON, PEM or TOML. */
  readonly text: string;
  /** Its value if it is YAML or JSON, with positions in the file. */
  readonly yaml?: ParsedYaml;
  /** Where it is in the object; empty for mirrors, which are from all objects. */
  readonly path: Path;
  readonly warnings: readonly Diagnostic[];
}

interface PartKind {
  readonly noun: string;
  /** Paths of the part in objects of a kind. */
  readonly inObjects?: Readonly<Record<string, Path>>;
  /** Keys of a Secret or ConfigMap; the first that exists counts. */
  readonly keys: readonly string[];
}

/**
 * Sources: nmstate_config_types.go of assisted-service, agentconfig.go of openshift-install, host_config_data.go of
 * baremetal-operator, and image-customization-controller, which reads `nmstate`.
 */
const PARTS: Readonly<Record<PartName, PartKind>> = {
  nmstate: {
    noun: 'an nmstate file',
    inObjects: {
      NMStateConfig: ['spec', 'config'],
      NodeNetworkConfigurationPolicy: ['spec', 'desiredState'],
    },
    keys: ['nmstate'],
  },
  networkData: { noun: 'OpenStack network data', keys: ['networkData', 'value'] },
  pullSecret: { noun: 'a pull secret', keys: ['.dockerconfigjson'] },
  caCertificates: {
    noun: 'a PEM certificate',
    keys: ['ca-bundle.crt', 'ca.crt', 'service-ca.crt', 'tls.crt'],
  },
  registriesConf: { noun: 'a registries.conf', keys: ['registries.conf'] },
  // Its paths start at its folder, so it is only read from a file.
  inventory: { noun: 'an inventory of ironic-coreos', keys: [] },
};

/**
 * Returns the part that a pasted object contains; undefined if the text contains no Kubernetes objects.
 * @param file for messages
 * @throws CliError if there are several parts, or none; FormatError if the text is not valid YAML
 */
async function takePart(wanted: PartName, text: string, file: string): Promise<PastedPart | undefined> {
  const objects = await readKubernetesObjects(text);
  if (objects === undefined) return undefined;
  const sets =
    wanted === 'registriesConf' ? objects.filter(({ kind }) => Object.hasOwn(mirrorSetKinds, kind)) : [];
  if (sets.length > 0)
    return { text: formatMirrorSets(sets.map(({ value }) => value)), path: [], warnings: [] };
  const parts = objects.flatMap((object) => findParts(PARTS[wanted], object));
  const [first, ...others] = parts;
  if (first === undefined) throw withoutPart(wanted, objects, file);
  if (others.length > 0) throw severalParts(parts, file);
  return first.isText ? readTextPart(wanted, first, file) : readValuePart(first);
}

/** The keys of the documents of a network. */
export const keysOfNetworks: Readonly<Record<'nmstate' | 'networkData', readonly string[]>> = {
  nmstate:
    'interfaces routes route-rules dns-resolver hostname ovs-db ovn capture desired desiredState'.split(' '),
  networkData: ['links', 'networks', 'services'],
};

export interface NetworkDocument extends Pick<PastedPart, 'text' | 'warnings'> {
  /** Where it is in an object; undefined if the text is the network itself. */
  readonly path?: Path;
  /** @throws CliError for content of another type; FormatError if the text is not valid YAML */
  readonly parse: () => Promise<ParsedYaml>;
}

/**
 * The text of a network, or of the network in an object. It is parsed only on demand: nmstatectl reads the text.
 * @throws CliError if an object contains several networks, or none
 */
export async function readNetworkDocument(
  wanted: keyof typeof keysOfNetworks,
  text: string,
  file: string,
): Promise<NetworkDocument> {
  const part = await takePart(wanted, text, file);
  if (part === undefined) return { text, warnings: [], parse: () => parseNetwork(wanted, text, file) };
  const { yaml } = part;
  return { ...part, parse: async () => yaml ?? parseNetwork(wanted, part.text, file) };
}

async function parseNetwork(
  wanted: keyof typeof keysOfNetworks,
  text: string,
  file: string,
): Promise<ParsedYaml> {
  const { parseYaml } = await import('../../formats/yaml.ts');
  const noun = PARTS[wanted].noun;
  const yaml = await Promise.resolve(text)
    .then(parseYaml)
    .catch(
      only(FormatError, async (error) => {
        await refuseOther(noun, file, Buffer.from(text));
        throw error;
      }),
    );
  const keys = Object.keys(asMapping(yaml.value));
  const isNetwork = Object.values(keysOfNetworks).some((known) => keys.some((key) => known.includes(key)));
  if (!isNetwork) await refuseOther(noun, file, Buffer.from(text));
  return yaml;
}

/**
 * The text of a document, or of the document in an object. Errors have no excerpt of the text, which may be secret.
 * @throws CliError for an object that contains several documents, or none
 */
export async function textOfPart(
  wanted: 'pullSecret' | 'registriesConf',
  text: string,
  file: string,
): Promise<Pick<PastedPart, 'text' | 'warnings'>> {
  const part = await takePart(wanted, text, file).catch(
    only(FormatError, ({ hint, message }) => {
      throw new CliError(`${file}: ${message}`, { code: 'ERR_FORMAT', hint });
    }),
  );
  return part ?? { text, warnings: [] };
}

/**
 * Certificates as PEM: from PEM, DER, or an object.
 * @throws CliError for content of another type
 */
export async function readCertificates(
  bytes: Uint8Array,
  file: string,
): Promise<Pick<PastedPart, 'text' | 'warnings'>> {
  const isBinary = bytes[0] === 0x30; // a sequence in DER
  const pem = isBinary ? pemOfDer(bytes) : undefined;
  if (pem !== undefined) return { text: pem, warnings: [] };
  const text = Buffer.from(bytes).toString('utf8');
  const part = await located({ subject: `${file}:` }, () => takePart('caCertificates', text, file));
  if (part !== undefined) return part;
  const isText = !isBinary && !text.includes('-----BEGIN ');
  if (isText) await refuseOther(PARTS.caCertificates.noun, file, bytes);
  return { text, warnings: [] };
}

/** Undefined for anything else than a certificate in DER. */
function pemOfDer(bytes: Uint8Array): string | undefined {
  try {
    return new X509Certificate(bytes).toString();
  } catch {
    return undefined;
  }
}

/** @throws CliError for known content of another type than an inventory */
export async function refuseOtherInventory(file: string, bytes: Uint8Array): Promise<void> {
  await takePart('inventory', Buffer.from(bytes).toString('utf8'), file).catch(
    only(FormatError, () => undefined),
  );
  await refuseOther(PARTS.inventory.noun, file, bytes);
}

/** @throws CliError for known content of another type than a keyfile */
export async function refuseOtherKeyfile(file: string, bytes: Uint8Array): Promise<void> {
  const isKeyfile = /^\[connection\]/m.test(Buffer.from(bytes).toString('latin1'));
  if (!isKeyfile) await refuseOther('a NetworkManager keyfile', file, bytes);
}

/** Where the part is. */
interface Found {
  readonly object: PastedObject;
  readonly path: Path;
  /** Of a host in an object with several; empty otherwise. */
  readonly host?: string;
  readonly value: unknown;
  /** Names of interfaces with their MAC addresses. */
  readonly interfaces?: unknown;
  readonly isText: boolean;
}

function findParts({ inObjects = {}, keys }: PartKind, object: PastedObject): readonly Found[] {
  const { kind, value: root } = object;
  const path = Object.hasOwn(inObjects, kind) ? inObjects[kind] : undefined;
  if (path !== undefined) {
    const value = valueAt(root, path);
    const interfaces = valueAt(root, ['spec', 'interfaces']);
    return isMapping(value) ? [{ object, path, value, interfaces, isText: false }] : [];
  }
  if (kind === 'AgentConfig' && 'NMStateConfig' in inObjects) return findHosts(object);
  if (kind !== 'Secret' && kind !== 'ConfigMap') return [];
  for (const key of keys) {
    for (const section of ['stringData', 'data', 'binaryData']) {
      const value = valueAt(root, [section, key]);
      if (value === undefined || value === null) continue;
      return [{ object, path: [section, key], value, isText: typeof value === 'string' }];
    }
  }
  return [];
}

/** The network of each host in the AgentConfig of the agent-based installer. */
function findHosts(object: PastedObject): readonly Found[] {
  const { hosts } = object.value;
  return (Array.isArray(hosts) ? hosts : []).flatMap((host: unknown, index) => {
    const { hostname, interfaces, networkConfig: value } = asMapping(host);
    if (!isMapping(value)) return [];
    const name = typeof hostname === 'string' ? hostname : `host ${index + 1}`;
    return [
      { object, path: ['hosts', index, 'networkConfig'], host: name, value, interfaces, isText: false },
    ];
  });
}

async function readValuePart({ object, path, value, interfaces }: Found): Promise<PastedPart> {
  const { formatYaml } = await import('../../formats/yamlText.ts');
  const named = interfaces === undefined ? value : identifyByMac(asMapping(value), interfaces);
  const yaml = {
    value: named,
    locate: (steps: Path) => object.locate([...path, ...steps]),
    locateInText: (steps: Path, place: InnerPlace) => object.locateInText([...path, ...steps], place),
  };
  return { text: formatYaml([named]), yaml, path, warnings: [] };
}

async function readTextPart(wanted: PartName, found: Found, file: string): Promise<PastedPart> {
  const { object, path } = found;
  const written = String(found.value);
  const isEncoded = path[0] === 'binaryData' || (path[0] === 'data' && object.kind === 'Secret');
  const decoded = isEncoded ? decodeBase64(written) : undefined;
  const text = decoded ?? written;
  const warnings = isEncoded && decoded === undefined ? [notEncoded(found, file)] : [];
  if (wanted !== 'nmstate' && wanted !== 'networkData') return { text, path, warnings };
  const { parseYaml } = await import('../../formats/yaml.ts');
  const locateInner = (place: Position | undefined): Position | undefined =>
    place && decoded === undefined ? object.locateInText(path, place) : undefined;
  try {
    const inner = parseYaml(text);
    const locate = (steps: Path) => locateInner(inner.locate(steps)) ?? object.locate(path);
    return { text, yaml: { ...inner, locate }, path, warnings };
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    const { hint, sentence } = error;
    const exact = locateInner(error.position);
    const position = exact ?? object.locate(path);
    const excerpt = exact && error.excerpt && { ...error.excerpt, line: exact.line };
    throw new FormatError(sentence, { hint, excerpt, cause: error, ...(position && { position }) });
  }
}

/** Undefined for text that is not base64; Kubernetes requires padding. */
function decodeBase64(text: string): string | undefined {
  const base64 = text.replace(/\s+/g, '');
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(base64)) return undefined;
  return Buffer.from(base64, 'base64').toString('utf8');
}

function notEncoded({ object, path }: Found, file: string): Diagnostic {
  return {
    severity: 'warning',
    message: `the value of ${quoteText(String(path[1]))} is plain text, but values under "data" of a Secret are base64`,
    hint: 'write plain text under "stringData"',
    at: { file, ...object.locate(path) },
  };
}

function severalParts(parts: readonly Found[], file: string): CliError {
  const names = parts.map(({ object, path, host = object.name }) => {
    const { line = 1 } = object.locate(path) ?? {};
    return `${host === '' ? object.kind : quoteText(host)} (line ${line})`;
  });
  const [shown, more] = [names.slice(0, 5), names.length - 5];
  const list = more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
  return new CliError(`${file} contains ${parts.length} of these documents: ${list}`, {
    code: 'ERR_FORMAT',
    hint: 'write the one for this host to a file of its own, and pass that',
  });
}

/** The error for objects without the part. Of several objects, a Secret is only an addition to the others. */
function withoutPart(wanted: PartName, objects: readonly PastedObject[], file: string): CliError {
  const main = objects.find(({ kind }) => !additions.has(kind)) ?? objects[0];
  return otherObject(PARTS[wanted].noun, file, main?.value ?? {});
}

const additions: ReadonlySet<string> = new Set(['Namespace', 'Secret', 'ConfigMap']);
