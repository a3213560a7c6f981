/**
 * Objects of Metal3 and OpenShift as parts of an inventory. Sources: baremetalhost_types.go and host_config_data.go of
 * baremetal-operator, nmstate_config_types.go of assisted-service, agentconfig.go and installconfig.go of openshift-install.
 */

import { architectures } from '../../core/architecture.ts';
import { checksumType, stepNames } from '../../core/installSteps.ts';
import { formatMirrorSets, mirrorSetKinds } from '../../agent/mirrorSets.ts';
import {
  asList,
  asMapping,
  isMapping,
  type Mapping,
  mappingAt,
  withoutUndefined,
} from '../../formats/mapping.ts';
import { identifyByMac } from '../../network/logicalNames.ts';
import {
  addLogin,
  asText,
  type Imported,
  type ImportedFiles,
  type ImportedHost,
  macsOf,
  unreadField,
} from './imported.ts';
import { mappingIn, nameOf, textsIn } from './kubernetesObjects.ts';

interface Surroundings {
  readonly files: ImportedFiles;
  /** The Secret; undefined if it is not among the objects. */
  readonly findSecret: (namespace: string, name: unknown) => LooseTexts | undefined;
}

/** The texts in a Secret or ConfigMap. What nothing takes is in a comment. */
interface LooseTexts extends ReturnType<typeof nameOf> {
  readonly texts: ReadonlyMap<string, string>;
  readonly taken: Set<string>;
}

const readers: Readonly<Record<string, (object: Mapping, surroundings: Surroundings) => Partial<Imported>>> =
  {
    BareMetalHost: readBareMetalHost,
    NMStateConfig: readNmstateConfig,
    NodeNetworkConfigurationPolicy: readPolicy,
    AgentConfig: readAgentConfig,
    InstallConfig: readInstallConfig,
  };

export function importObjects(
  objects: readonly Mapping[],
  files: ImportedFiles,
): readonly Partial<Imported>[] {
  const secrets = objects
    .filter(hasTexts)
    .map((one): LooseTexts => ({ ...nameOf(one), texts: textsIn(one), taken: new Set() }));
  const findSecret = (namespace: string, wanted: unknown) =>
    secrets.find((one) => one.kind === 'Secret' && one.name === wanted && one.namespace === namespace);
  const others = objects.filter((object) => !hasTexts(object));
  const parts = others.map((object) => {
    const kind = objectKind(object);
    if (Object.hasOwn(readers, kind)) return readers[kind]?.(object, { files, findSecret }) ?? {};
    const isRead = kind === 'Namespace' || isMirrorSet(object);
    return { notes: isRead ? [] : [`the ${kind} ${nameOf(object).name}`] };
  });
  const mirrors = others.filter((object) => isMirrorSet(object) || objectKind(object) === 'InstallConfig');
  return [...parts, writeMirrors(mirrors, files), ...secrets.map((secret) => readRest(secret, files))];
}

function hasTexts({ kind }: Mapping): boolean {
  return kind === 'Secret' || kind === 'ConfigMap';
}

function take({ taken, texts }: LooseTexts, key: string): string | undefined {
  if (texts.has(key)) taken.add(key);
  return texts.get(key);
}

function isMirrorSet({ kind }: Mapping): boolean {
  return Object.hasOwn(mirrorSetKinds, asText(kind));
}

/** An install-config has no kind. */
export function objectKind({ apiVersion, kind, platform, pullSecret }: Mapping): string {
  if (typeof kind === 'string') return kind;
  return apiVersion === 'v1' && (platform !== undefined || pullSecret !== undefined) ? 'InstallConfig' : '';
}

/** A Secret that no host uses may have a pull secret or certificates. */
function readRest(secret: LooseTexts, files: ImportedFiles): Partial<Imported> {
  const { kind, name, taken, texts } = secret;
  const isCertificate = (key: string): boolean => texts.get(key)?.includes('-----BEGIN CERTIFICATE') === true;
  const key = texts.has(PULL_SECRET) ? PULL_SECRET : certificateKeys.find(isCertificate);
  const text = taken.size > 0 || key === undefined ? undefined : take(secret, key);
  const rest = [...texts.keys()].filter((one) => !taken.has(one));
  const what = taken.size > 0 ? `of the ${kind} ${name}: ${rest.join(', ')}` : `the ${kind} ${name}`;
  return {
    agent:
      text === undefined ? {} : key === PULL_SECRET ? addPullSecret(text, files) : addCa(text, name, files),
    notes: taken.size > 0 && rest.length === 0 ? [] : [what],
  };
}

const PULL_SECRET = '.dockerconfigjson';
const certificateKeys = ['ca-bundle.crt', 'ca.crt', 'service-ca.crt', 'tls.crt'];

function addPullSecret(content: string, files: ImportedFiles): Mapping {
  return { 'agent.pullSecret': files.addSecret('auth.json', content) };
}

function addCa(content: string, name: string, files: ImportedFiles): Mapping {
  return { 'ironic.caFiles': [files.add(`${name}.crt`, content)] };
}

/** The fields of `spec` that have no setting of their own remain as they are, below `deploy.spec`. */
function readBareMetalHost(object: Mapping, { files, findSecret }: Surroundings): Partial<Imported> {
  const { name, namespace } = nameOf(object);
  const { labels } = asMapping(object['metadata']);
  const rest = { ...asMapping(object['spec']) };
  const notes = [...notesOnMetadata(object, ['annotations'])];
  const takeField = (field: string): unknown => {
    const value = rest[field];
    delete rest[field];
    return value;
  };
  /** The text in the Secret that a field names, below its key or, as the operator reads it, `value`. The field goes only if `deploy` writes a Secret with this name again. */
  const takeText = (field: string, key: string, written?: string): string | undefined => {
    const { name: wanted, namespace: other = namespace } = asMapping(rest[field]);
    const isSame = other === namespace && (written === undefined || wanted === written);
    const secret = isSame ? findSecret(namespace, wanted) : undefined;
    const text = secret && (take(secret, key) ?? take(secret, 'value'));
    if (text !== undefined) delete rest[field];
    return text;
  };

  const { address, credentialsName, disableCertificateVerification } = asMapping(takeField('bmc'));
  const credentials = findSecret(namespace, credentialsName);
  const [username, password] = ['username', 'password'].map(
    (key) => credentials && take(credentials, key)?.trimEnd(),
  );
  const architecture = takeField('architecture');
  const isKnown = architectures.some((one) => one === architecture);
  if (architecture !== undefined && !isKnown) notes.push(`architecture: ${asText(architecture)}`);
  if (rest['online'] === true) delete rest['online'];

  const userData = asText(asMapping(rest['userData'])['name']);
  const config = takeText('userData', 'userData');
  const isIgnition = config !== undefined && mappingIn(config)?.['ignition'] !== undefined;
  if (config !== undefined && !isIgnition)
    notes.push(`the config in the Secret ${userData}: it is not Ignition`);
  const metaData = takeText('metaData', 'metaData', `${name}-meta-data`);
  const networkData = takeText('networkData', 'networkData', `${name}-network-data`);

  const networkName = rest['preprovisioningNetworkDataName'];
  const network = takeNetwork(findSecret(namespace, networkName));
  if (network !== undefined) delete rest['preprovisioningNetworkDataName'];
  const written = `${name}-preprovisioning-network-data`;
  if (network !== undefined && networkName !== written)
    notes.push(`the name of the Secret ${asText(networkName)}: deploy writes ${written}`);

  const { macs, notes: ofMacs } = macsOf([takeField('bootMACAddress')]);
  const deployment = takeDeployment(rest);
  const host: ImportedHost = {
    kinds: ['BareMetalHost'],
    name,
    namespace: namespace || undefined,
    macs,
    bootMac: macs[0],
    ...(isKnown && { architecture }),
    network,
    credentialsFile: addLogin(files, asText(credentialsName), { username, password }),
    deploy: withoutUndefined({
      namespace: namespace || undefined,
      labels,
      bmcAddress: address,
      bmcCredentialsName: credentialsName === `${name}-bmc-secret` ? undefined : credentialsName,
      bmcInsecure: disableCertificateVerification === true ? true : undefined,
      rootDeviceHints: takeField('rootDeviceHints'),
      ...deployment,
      ...readMetaData(metaData, notes),
      ignition: isIgnition ? files.addSecret(`${userData}.ign`, config) : undefined,
      userDataName: config === undefined || userData === `${name}-user-data` ? undefined : userData,
      networkData: networkData && files.addSecret(`${name}-network-data.json`, networkData),
      spec: Object.keys(rest).length > 0 ? rest : undefined,
    }),
    notes: [...notes, ...ofMacs],
  };
  return { hosts: [host] };
}

function keysOf(value: unknown): string {
  return Object.keys(asMapping(value)).join(', ');
}

function notesOnMetadata(object: Mapping, fields: readonly string[]): readonly string[] {
  return fields.flatMap((field) => {
    const names = keysOf(mappingAt(object, ['metadata', field]));
    return names === '' ? [] : [`${field} of the ${nameOf(object).kind}: ${names}`];
  });
}

/** The settings of `deploy` that write these fields of `spec` again; the fields remain if no settings do. */
function takeDeployment(spec: Record<string, unknown>): Mapping {
  const { customDeploy, image } = spec;
  const { method } = asMapping(customDeploy);
  const step = stepNames.find((name) => name === method);
  const { url, checksum, checksumType: givenType, format } = asMapping(image);
  const type = typeof checksum === 'string' ? checksumType(checksum) : undefined;
  const isIso = format === 'live-iso' && checksum === undefined;
  const isImage = typeof url === 'string' && type === givenType;
  if (step !== undefined) delete spec['customDeploy'];
  if ((customDeploy === undefined && isIso) || (isImage && (step === undefined || format === 'raw')))
    delete spec['image'];
  if (step !== undefined) {
    const source = isImage && format === 'raw' ? { imageSource: url, imageChecksum: checksum } : {};
    return { method: step, ...source };
  }
  if (customDeploy !== undefined || !(isIso || isImage)) return { method: 'none' };
  if (isIso) return { bootIso: url };
  return withoutUndefined({
    deployInterface: 'direct',
    imageSource: url,
    imageChecksum: checksum,
    imageFormat: format,
  });
}

function readMetaData(text: string | undefined, notes: string[]): Mapping {
  if (text === undefined) return {};
  const { coreos_append_karg: kargs, coreos_copy_network: copyNetwork, ...others } = mappingIn(text) ?? {};
  if (Object.keys(others).length > 0) notes.push(`meta data: ${keysOf(others)}`);
  return withoutUndefined({
    appendKargs: Array.isArray(kargs) ? kargs.flatMap((line) => asText(line).split(' ')) : undefined,
    copyNetwork,
  });
}

function takeNetwork(secret: LooseTexts | undefined): Mapping | undefined {
  for (const [key, format] of [
    ['nmstate', 'nmstate'],
    ['networkData', 'networkData'],
    ['value', 'networkData'],
  ] as const) {
    const network = mappingIn(secret?.texts.get(key) ?? '');
    if (secret === undefined || network === undefined) continue;
    take(secret, key);
    return { [format]: network };
  }
  return undefined;
}

function readNmstateConfig(object: Mapping): Partial<Imported> {
  const { interfaces, config } = asMapping(object['spec']);
  const { kind, name, namespace } = nameOf(object);
  const host = networkHost(kind, name, config, interfaces);
  const notes = [...host.notes, ...notesOnMetadata(object, ['labels', 'annotations'])];
  return { hosts: [{ ...host, namespace: namespace || undefined, notes }] };
}

/** @param interfaces a list of `name` and `macAddress` */
function networkHost(kind: string, name: string, network: unknown, interfaces?: unknown): ImportedHost {
  const { macs, notes } = macsOf(asList(interfaces).map((one) => asMapping(one)['macAddress']));
  const isGiven = isMapping(network) && Object.keys(network).length > 0;
  return {
    kinds: [kind],
    name,
    macs,
    network: isGiven ? { nmstate: identifyByMac(network, interfaces) } : undefined,
    notes,
  };
}

/** The name of its node, if the policy is for one node. */
function readPolicy(object: Mapping): Partial<Imported> {
  const { desiredState, nodeSelector, capture, ...others } = asMapping(object['spec']);
  const { 'kubernetes.io/hostname': node, ...selector } = asMapping(nodeSelector);
  const { kind, name } = nameOf(object);
  const host = networkHost(kind, typeof node === 'string' ? node : name, desiredState);
  const notes = [
    ...host.notes,
    ...notesOnMetadata(object, ['labels', 'annotations']),
    ...(capture === undefined ? [] : [`capture: ${keysOf(capture)}`]),
    ...notesOn(others, []),
    ...(node === undefined ? [`the policy ${name} is for several nodes: ${keysOf(selector) || 'all'}`] : []),
  ];
  return { hosts: [{ ...host, notes }] };
}

function readAgentConfig(object: Mapping): Partial<Imported> {
  const { hosts, additionalNTPSources: servers } = object;
  return {
    hosts: readHostList(hosts, ({ hostname, networkConfig, interfaces }, index) =>
      networkHost('AgentConfig', asText(hostname ?? `host-${index}`), networkConfig, interfaces),
    ),
    agent: Array.isArray(servers) ? { 'host.ntpServers': servers } : {},
    notes: notesOn(object, ['apiVersion', 'kind', 'metadata', 'hosts', 'additionalNTPSources']),
  };
}

function readHostList(
  hosts: unknown,
  read: (host: Mapping, index: number) => ImportedHost,
): readonly ImportedHost[] {
  return asList(hosts).map((item, index) => {
    const value = asMapping(item);
    const host = read(value, index);
    const { rootDeviceHints } = value;
    return {
      ...host,
      deploy: rootDeviceHints === undefined ? host.deploy : { ...host.deploy, rootDeviceHints },
      notes: [...host.notes, ...notesOn(value, readOfHosts)],
    };
  });
}

/** Of an agent-config or an install-config. */
const readOfHosts =
  'hostname name interfaces networkConfig rootDeviceHints bmc bootMACAddress bootMode'.split(' ');

/** All fields but those that were read. */
function notesOn(object: Mapping, read: readonly string[]): readonly string[] {
  const others = Object.entries(object).filter(([field]) => !read.includes(field));
  return others.flatMap(([field, value]) => unreadField(field, value) || []);
}

function readInstallConfig(object: Mapping, { files }: Surroundings): Partial<Imported> {
  const { pullSecret, sshKey, additionalTrustBundle: ca, proxy, platform } = object;
  const { hosts } = mappingAt(platform, ['baremetal']);
  const list = readHostList(hosts, (host, index) => {
    const name = asText(host['name'] ?? `host-${index}`);
    const { address, disableCertificateVerification, password, username } = asMapping(host['bmc']);
    const { bootMode } = host;
    const { macs, notes } = macsOf([host['bootMACAddress']]);
    return {
      ...networkHost('InstallConfig', name, host['networkConfig']),
      macs,
      bootMac: macs[0],
      notes,
      credentialsFile: addLogin(files, `${name}-bmc-secret`, { username, password }),
      deploy: withoutUndefined({
        bmcAddress: address,
        bmcInsecure: disableCertificateVerification === true ? true : undefined,
        method: 'none',
        spec: bootMode === undefined ? undefined : { bootMode },
      }),
    };
  });
  const { httpProxy, httpsProxy, noProxy } = asMapping(proxy);
  const isSecret = [httpProxy, httpsProxy].some((url) => typeof url === 'string' && url.includes('@'));
  const settings = withoutUndefined({
    'host.sshKeys': typeof sshKey === 'string' ? sshKey.trim().split('\n') : undefined,
    ...(!isSecret && { 'proxy.http': httpProxy, 'proxy.https': httpsProxy }),
    'proxy.none': noProxy,
  });
  return {
    hosts: list,
    agent: {
      ...settings,
      ...(typeof pullSecret === 'string' && addPullSecret(pullSecret, files)),
      ...(typeof ca === 'string' && addCa(ca, 'additionalTrustBundle', files)),
    },
    notes: isSecret ? ['the proxies of the install-config, which contain a password'] : [],
  };
}

/** Mirrors of all objects are in one file, because podman reads one. */
function writeMirrors(objects: readonly Mapping[], files: ImportedFiles): Partial<Imported> {
  const sets = objects.flatMap((object) => {
    if (objectKind(object) !== 'InstallConfig') return [object];
    const { imageDigestSources, imageContentSources = imageDigestSources } = object;
    return [{ kind: 'ImageDigestMirrorSet', spec: { imageDigestMirrors: imageContentSources } }];
  });
  const content = formatMirrorSets(sets);
  return content === '' ? {} : { agent: { 'agent.registriesConf': files.add('registries.conf', content) } };
}
