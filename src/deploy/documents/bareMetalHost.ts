/**
 * Renders a BareMetalHost (`metal3.io/v1alpha1`) that installs CoreOS with a custom deploy step, and the Secrets that it
 * refers to. The BMC credentials are only a reference. Checks the rules of the resource definition and of the operator's
 * webhook (`baremetalhost_validation.go`). Fields that are unrelated to the ramdisk are not supported: RAID, firmware
 * settings, consumers, taints, switch ports.
 */

import { errorRule, found, type Issue, issue, issueWith, warningRule } from '../../ignition/rule.ts';
import type { Mapping } from '../../formats/mapping.ts';
import { bmcKind } from '../../redfish/bmcAddress.ts';
import {
  type bootModes,
  checkSystemPath,
  type cleaningModes,
  type DeployHost,
  nameIssues,
  rootDeviceMissing,
} from './host.ts';
import {
  checkImageChecksum,
  checkImageSource,
  checkInstall,
  type InstallImage,
  type InstallSettings,
  type PlainConfig,
  renderMetaData,
} from './installation.ts';
import type { StepName } from '../../core/installSteps.ts';
import { hostNameOfMetal3Problem, namespaceProblem, objectNameProblem } from '../../core/objectName.ts';
import { toMetal3Hints } from './rootDeviceHints.ts';

/** For the controller that makes the image of the ramdisk: YAML, and its key in the Secret. */
export interface RamdiskNetwork {
  /** The image-customization-controller reads `nmstate` only. */
  readonly key: 'nmstate' | 'networkData';
  readonly text: string;
}

export interface HostSettings {
  readonly host: DeployHost;
  /** If absent, `kubectl` decides. */
  readonly namespace?: string | undefined;
  /** Name of the Secret with `username` and `password`. It is not written here. */
  readonly bmcCredentials: string;
  readonly method: StepName;
  /** Config for the installed host, written as a Secret. */
  readonly config?: PlainConfig | undefined;
  /** Name of the Secret with the config: a new one, or without `config` an existing one. */
  readonly userData?: string | undefined;
  readonly install: InstallSettings;
  readonly ramdiskNetwork?: RamdiskNetwork | undefined;
  /** OpenStack network_data, for the config drive. */
  readonly networkData?: string | undefined;
  readonly image?: InstallImage | undefined;
  readonly bootMode?: (typeof bootModes)[number] | undefined;
  readonly cleaning?: (typeof cleaningModes)[number] | undefined;
}

export const metal3Name = errorRule(
  'metal3-name',
  'invalid name',
  'use lower-case letters, digits and dashes, e.g. worker-3',
);
const secretNameTwice = errorRule(
  'secret-name-twice',
  'two Secrets of the host have the same name',
  'change {bmcCredentialsName} or {userDataName}',
);
const bmcMissing = errorRule(
  'bmc-missing',
  'the BMC address is missing; Metal3 requires it',
  'pass {bmcAddress}, e.g. redfish-virtualmedia://192.0.2.10/redfish/v1/Systems/1',
);
const macMissing = errorRule(
  'mac-missing',
  'the MAC address of the boot interface is missing; the BMC driver requires it',
  'pass {bootMac}',
);
const macMissingOlder = warningRule(
  'mac-missing-older',
  'older releases of the operator require the MAC address of the host for virtual media',
  'pass {bootMac}',
);
const secureBootUnsupported = errorRule(
  'secure-boot',
  'the BMC driver does not support secure boot',
  'use a redfish address, or the boot mode UEFI',
);
const legacyUnsupported = errorRule(
  'boot-mode',
  'the host does not support the boot mode legacy: aarch64 and UEFI HTTP require UEFI',
  'use the boot mode UEFI',
);
const systemMissing = warningRule(
  'bmc-system',
  'the BMC address has no system path; many BMCs and older releases of the operator require it',
  'add the path: redfish-virtualmedia://HOST/redfish/v1/Systems/1',
);
const methodTakesNothing = errorRule(
  'method-takes-nothing',
  'start_assisted_install ignores this: the assisted service sets it',
  'remove it, or use install_coreos',
);
const userDataMissing = warningRule(
  'user-data-missing',
  'no Ignition config: login to the installed host is not possible',
  'pass {ignition}, or {userDataName} with the name of an existing Secret',
);
const networkDataUnread = warningRule(
  'network-data-unread',
  'CoreOS does not read networkData, neither in the ramdisk nor on the installed host',
  'use --nmstate for the ramdisk, and {copyNetwork} to copy its network',
);

/** Checks the settings. Paths begin with the name of an option. */
export function checkHostSettings(settings: HostSettings): readonly Issue[] {
  const { host, install, image, networkData } = settings;
  return found(
    ...checkNames(settings),
    ...checkSecretNames(settings),
    ...checkBmc(settings),
    ...checkSystemPath(host),
    ...checkBootMode(settings),
    ...toMetal3Hints(host.rootDevice).issues,
    Object.keys(host.rootDevice).length === 0 && issue(rootDeviceMissing, []),
    ...checkMethod(settings),
    ...checkInstall(install),
    ...(image === undefined ? [] : [...checkImageSource(image), ...checkImageChecksum(image)]),
    networkData !== undefined && issue(networkDataUnread, []),
    ...renderSecrets(settings).flatMap(checkSecret),
  );
}

function checkNames({ host, namespace, bmcCredentials, userData }: HostSettings): readonly Issue[] {
  const name = hostNameOfMetal3Problem(host.name);
  // The default name of the Secret begins with the name of the host.
  const isReported = name !== undefined && bmcCredentials.startsWith(host.name);
  return nameIssues(metal3Name, {
    name,
    namespace: namespace === undefined ? undefined : namespaceProblem(namespace),
    bmcCredentialsName: isReported ? undefined : objectNameProblem(bmcCredentials),
    userDataName: userData === undefined ? undefined : objectNameProblem(userData),
  });
}

function checkSecretNames(settings: HostSettings): readonly Issue[] {
  const names = [settings.bmcCredentials, ...listSecrets(settings).map(({ name }) => name)];
  const twice = names.find((name, index) => names.indexOf(name) < index);
  return found(twice !== undefined && issueWith(secretNameTwice, [], twice));
}

function checkBootMode({ host: { architecture, bmc }, bootMode }: HostSettings): readonly Issue[] {
  const needsUefi = architecture === 'aarch64' || bmc?.address.scheme === 'redfish-uefihttp';
  return found(bootMode === 'legacy' && needsUefi && issue(legacyUnsupported, ['bootMode']));
}

function checkBmc({ host: { bmc, bootMac }, bootMode }: HostSettings): readonly Issue[] {
  if (bmc === undefined) return [issue(bmcMissing, [])];
  const { mac, secureBoot, driver } = bmcKind(bmc.address);
  const hasSystem = !['', '/redfish/v1'].includes(bmc.address.path.replace(/\/+$/, ''));
  return found(
    bootMac === undefined && mac === 'required' && issue(macMissing, []),
    bootMac === undefined && mac === 'older' && issue(macMissingOlder, []),
    bootMode === 'UEFISecureBoot' && !secureBoot && issue(secureBootUnsupported, ['bootMode']),
    driver !== 'ipmi' && !hasSystem && issue(systemMissing, []),
  );
}

function checkMethod({ method, config, userData, install, image }: HostSettings): readonly Issue[] {
  if (method === 'install_coreos') {
    return found(config === undefined && userData === undefined && issue(userDataMissing, []));
  }
  const { appendKarg, copyNetwork } = install;
  return ignoredOptions({
    ignition: config,
    userDataName: userData,
    appendKarg: appendKarg?.[0],
    copyNetwork,
    imageSource: image,
  });
}

/** An issue for each option that is given. */
export function ignoredOptions(given: Mapping): readonly Issue[] {
  return Object.entries(given).flatMap(([option, value]) =>
    found(value !== undefined && issue(methodTakesNothing, [option])),
  );
}

/** The manifests in the order to apply them: Secrets first, because a host without its Secret waits. */
export function renderHostManifests(settings: HostSettings) {
  const host = {
    apiVersion: 'metal3.io/v1alpha1',
    kind: 'BareMetalHost',
    metadata: metadataOf(settings, settings.host.name),
    spec: renderSpec(settings),
  };
  return [...renderSecrets(settings), host];
}

export interface ManifestMetadata {
  readonly name: string;
  readonly namespace?: string;
}

export function metadataOf({ namespace }: Pick<HostSettings, 'namespace'>, name: string): ManifestMetadata {
  return { name, ...(namespace !== undefined && { namespace }) };
}

function renderSpec(settings: HostSettings): Mapping {
  const { host, bmcCredentials, method, image, bootMode, cleaning } = settings;
  const { hints } = toMetal3Hints(host.rootDevice);
  return {
    online: true,
    ...(host.bmc !== undefined && {
      bmc: {
        address: host.bmc.address.text,
        credentialsName: bmcCredentials,
        ...(host.bmc.insecure && { disableCertificateVerification: true }),
      },
    }),
    ...(host.bootMac !== undefined && { bootMACAddress: host.bootMac }),
    ...(bootMode !== undefined && { bootMode }),
    ...(host.architecture !== undefined && { architecture: host.architecture }),
    ...(cleaning !== undefined && { automatedCleaningMode: cleaning }),
    ...(Object.keys(hints).length > 0 && { rootDeviceHints: hints }),
    customDeploy: { method },
    ...(image !== undefined && { image: renderImage(image) }),
    ...Object.fromEntries(
      listSecrets(settings).map(({ field, name }) => [
        field,
        field === 'preprovisioningNetworkDataName' ? name : metadataOf(settings, name),
      ]),
    ),
  };
}

function renderImage({ url, checksum = '' }: InstallImage): Readonly<Record<string, string>> {
  const types = new Map([
    [64, 'sha256'],
    [128, 'sha512'],
  ]);
  const checksumType = checksum.includes(':') ? 'auto' : (types.get(checksum.length) ?? 'auto');
  return { url, checksum, checksumType, format: 'raw' };
}

/** A Secret that the host refers to. */
interface HostSecret {
  /** The field of the host that names the Secret. */
  readonly field: 'userData' | 'metaData' | 'networkData' | 'preprovisioningNetworkDataName';
  readonly name: string;
  /** The key that the operator or the image-customization-controller reads. */
  readonly key: string;
  /** Text, or a value to be written as JSON. Undefined for a Secret that already exists. */
  readonly content: string | object | undefined;
}

function listSecrets({ host: { name: host }, userData, ...settings }: HostSettings): readonly HostSecret[] {
  const { config, install, networkData, ramdiskNetwork: network } = settings;
  const secrets: readonly HostSecret[] = [
    { field: 'userData', key: 'userData', name: userData ?? `${host}-user-data`, content: config },
    // The operator reads the meta data as YAML, which includes JSON.
    { field: 'metaData', key: 'metaData', name: `${host}-meta-data`, content: renderMetaData(install) },
    { field: 'networkData', key: 'networkData', name: `${host}-network-data`, content: networkData },
    {
      field: 'preprovisioningNetworkDataName',
      key: network?.key ?? 'nmstate',
      name: `${host}-preprovisioning-network-data`,
      content: network?.text,
    },
  ];
  return secrets.filter(
    ({ field, content }) => content !== undefined || (field === 'userData' && userData !== undefined),
  );
}

function renderSecrets(settings: HostSettings): readonly SecretManifest[] {
  return listSecrets(settings).flatMap(({ name, key, content }) => {
    if (content === undefined) return [];
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    return [secretManifest(metadataOf(settings, name), { [key]: text })];
  });
}

/** Whether the manifests contain Secrets. */
export function containsSecrets(settings: HostSettings): boolean {
  return listSecrets(settings).some(({ content }) => content !== undefined);
}

const secretTooLarge = errorRule(
  'secret-size',
  'the Secret is too large; the limit of Kubernetes is 1 MiB',
  'serve large files of the config over https, and refer to them by URL and hash',
);
const secretNotApplied = warningRule(
  'secret-apply-size',
  'the Secret is too large for kubectl apply, whose annotation is limited to 256 KiB',
  'use kubectl apply --server-side, or kubectl create',
);

const maxBytes = 1024 * 1024;
/** Limit for all annotations of an object; `kubectl apply` stores the whole object in one. */
const maxAnnotationBytes = 256 * 1024;

type SecretManifest = ReturnType<typeof secretManifest>;

export function secretManifest(metadata: ManifestMetadata, stringData: Readonly<Record<string, string>>) {
  return { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', stringData };
}

/** Issues without paths. Messages contain the name of the Secret, never its content. */
export function checkSecret(secret: SecretManifest): readonly Issue[] {
  const bytes = Object.values(secret.stringData).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const prefix = `Secret ${secret.metadata.name}`;
  if (bytes > maxBytes) {
    return [
      { rule: secretTooLarge, path: [], message: `${prefix}: ${secretTooLarge.message}: ${bytes} bytes` },
    ];
  }
  return Buffer.byteLength(JSON.stringify(secret)) > maxAnnotationBytes
    ? [{ rule: secretNotApplied, path: [], message: `${prefix}: ${secretNotApplied.message}` }]
    : [];
}
