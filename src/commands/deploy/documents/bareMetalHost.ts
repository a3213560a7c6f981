/**
 * Renders a BareMetalHost (`metal3.io/v1alpha1`) that installs CoreOS with a custom deploy step or as an image, or boots a live ISO,
 * and the Secrets that it refers to. The BMC credentials are only a reference. The operator's webhook
 * (`baremetalhost_validation.go`) checks how the fields fit together when the manifest is applied.
 */

import type { Finding } from '../../../core/finding.ts';
import { errorRule, found, issue, issueWith, warningRule } from '../../../core/rule.ts';
import { type Mapping, withoutUndefined } from '../../../formats/mapping.ts';
import { bmcKind } from '../../../redfish/bmcAddress.ts';
import { type DeployHost, nameIssues, rootDeviceMissing } from './host.ts';
import { checkDeployment, type Deployment } from './deployment.ts';
import { checkImageChecksum, checkInstall, type InstallSettings, renderMetaData } from './installation.ts';
import { checksumType, type StepName } from '../../../core/installSteps.ts';
import { hostNameOfMetal3Problem, namespaceProblem, objectNameProblem } from '../../../core/objectName.ts';
import { toMetal3Hints } from '../../../ipa/rootDeviceHints.ts';

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
  /** `none`: the host is only registered. */
  readonly method: StepName | 'none';
  /** Config for the installed host, written as a Secret. */
  readonly config?: Mapping | undefined;
  /** Name of the Secret with the config: a new one, or without `config` an existing one. */
  readonly userData?: string | undefined;
  readonly install: InstallSettings;
  readonly ramdiskNetwork?: RamdiskNetwork | undefined;
  /** OpenStack network_data, for the config drive. */
  readonly networkData?: string | undefined;
  readonly deployment: Deployment;
  readonly labels?: Mapping | undefined;
  /** Fields of `spec`, valid by the resource definition. They override those of the other settings. */
  readonly spec?: Mapping | undefined;
}

const metal3Name = errorRule(
  'metal3-name',
  'invalid name',
  'use lower-case letters, digits and dashes, e.g. worker-3',
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
const methodTakesNothing = errorRule(
  'method-takes-nothing',
  'start_assisted_install ignores this: the assisted service sets it',
  'remove it, or use install_coreos',
);
const needsInstallStep = errorRule(
  'needs-install-coreos',
  'only the deploy step install_coreos reads this',
  'remove it, or use {deployInterface} custom-agent',
);
const userDataMissing = warningRule(
  'user-data-missing',
  'no Ignition config: login to the installed host is not possible',
  'use {ignition}, or {userDataName} with the name of an existing Secret',
);
const networkDataUnread = warningRule(
  'network-data-unread',
  'the operator writes networkData only to the config drive, from which neither Ignition nor install_coreos reads it',
  'use --nmstate for the ramdisk, and {copyNetwork} to copy its network',
);

/** Checks the settings. Paths begin with the name of an option. */
export function checkHostSettings(settings: HostSettings): readonly Finding[] {
  const { host, install, networkData, deployment, spec = {} } = settings;
  const hasRootDevice =
    Object.keys(host.rootDevice).length > 0 || 'rootDeviceHints' in spec || 'raid' in spec;
  return found(
    checkNames(settings),
    host.bmc === undefined && !('bmc' in spec) && issue(bmcMissing, []),
    host.bmc !== undefined &&
      host.bootMac === undefined &&
      bmcKind(host.bmc.address).mac === 'required' &&
      issue(macMissing, []),
    toMetal3Hints(host.rootDevice).issues,
    !hasRootDevice &&
      deployment.bootIso === undefined &&
      settings.method !== 'none' &&
      issueWith(rootDeviceMissing, [], 'Metal3 takes /dev/sda'),
    checkMethod(settings),
    checkInstall(install),
    checkHostDeployment(settings),
    networkData !== undefined && issue(networkDataUnread, []),
    renderSecrets(settings).flatMap(checkSecret),
  );
}

/** Whether the operator is asked for a custom deploy step; otherwise for an image. */
function isCustomDeploy({ deployment: { deployInterface, bootIso }, method }: HostSettings): boolean {
  if (method === 'none') return false;
  return deployInterface === 'custom-agent' || (deployInterface === undefined && bootIso === undefined);
}

/** A custom deploy step has the same rules as on a node, except that the webhook requires a checksum for each image. */
function checkHostDeployment(settings: HostSettings): readonly Finding[] {
  const { deployment } = settings;
  if (!isCustomDeploy(settings)) return checkDeployment(deployment);
  const { image } = deployment;
  return [
    ...checkDeployment({ ...deployment, deployInterface: 'custom-agent' }),
    ...(image === undefined ? [] : checkImageChecksum(image, true)),
  ];
}

function checkNames({ host, namespace, bmcCredentials, userData }: HostSettings): readonly Finding[] {
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

function checkMethod(settings: HostSettings): readonly Finding[] {
  const { method, config, userData, install, deployment } = settings;
  if (!isCustomDeploy(settings)) {
    return found(
      install.appendKarg?.[0] !== undefined && issue(needsInstallStep, ['appendKarg']),
      install.copyNetwork !== undefined && issue(needsInstallStep, ['copyNetwork']),
    );
  }
  if (method === 'install_coreos') {
    return found(config === undefined && userData === undefined && issue(userDataMissing, []));
  }
  const { appendKarg, copyNetwork } = install;
  return ignoredOptions({
    ignition: config,
    userDataName: userData,
    appendKarg: appendKarg?.[0],
    copyNetwork,
    imageSource: deployment.image,
  });
}

/** An issue for each option that is given. */
export function ignoredOptions(given: Mapping): readonly Finding[] {
  return Object.entries(given).flatMap(([option, value]) =>
    found(value !== undefined && issue(methodTakesNothing, [option])),
  );
}

/** The manifests in the order to apply them: Secrets first, because a host without its Secret waits. */
export function renderHostManifests(settings: HostSettings) {
  const { host, bmcCredentials, method, deployment, labels, namespace, spec } = settings;
  const { hints } = toMetal3Hints(host.rootDevice);
  const references = listSecrets(settings).map(
    ({ field, name }) =>
      [field, field === 'preprovisioningNetworkDataName' ? name : metadataOf(namespace, name)] as const,
  );
  const manifest = {
    apiVersion: 'metal3.io/v1alpha1',
    kind: 'BareMetalHost',
    metadata: { ...metadataOf(namespace, host.name), ...(labels !== undefined && { labels }) },
    spec: {
      online: true,
      ...withoutUndefined({
        bmc: host.bmc && {
          address: host.bmc.address.text,
          credentialsName: bmcCredentials,
          ...(host.bmc.insecure && { disableCertificateVerification: true }),
        },
        bootMACAddress: host.bootMac,
        architecture: host.architecture,
        rootDeviceHints: Object.keys(hints).length > 0 ? hints : undefined,
        customDeploy: isCustomDeploy(settings) ? { method } : undefined,
        image: renderImage(deployment),
      }),
      ...Object.fromEntries(references),
      ...spec,
    },
  };
  return [...renderSecrets(settings), manifest];
}

function metadataOf(namespace: string | undefined, name: string) {
  return { name, ...(namespace !== undefined && { namespace }) };
}

function renderImage({ image, bootIso, deployInterface }: Deployment): Mapping | undefined {
  if (bootIso !== undefined) return { url: bootIso, format: 'live-iso' };
  if (image === undefined) return undefined;
  const { url, checksum, format } = image;
  const isInstalled = deployInterface === undefined || deployInterface === 'custom-agent';
  return {
    url,
    ...(checksum !== undefined && { checksum, checksumType: checksumType(checksum) }),
    ...(isInstalled ? { format: 'raw' } : format !== undefined && { format }),
  };
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
    return [secretManifest(metadataOf(settings.namespace, name), { [key]: text })];
  });
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

const MAX_BYTES = 1024 * 1024;
/** Limit for all annotations of an object; `kubectl apply` stores the whole object in one. */
const MAX_ANNOTATION_BYTES = 256 * 1024;

type SecretManifest = ReturnType<typeof secretManifest>;

export function secretManifest(
  metadata: ReturnType<typeof metadataOf>,
  stringData: Readonly<Record<string, string>>,
) {
  return { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', stringData };
}

/** Issues without paths. Messages contain the name of the Secret, never its content. */
export function checkSecret(secret: SecretManifest): readonly Finding[] {
  const bytes = Object.values(secret.stringData).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const prefix = `Secret ${secret.metadata.name}`;
  if (bytes > MAX_BYTES) {
    return [{ ...secretTooLarge, path: [], message: `${prefix}: ${secretTooLarge.message}: ${bytes} bytes` }];
  }
  return Buffer.byteLength(JSON.stringify(secret)) > MAX_ANNOTATION_BYTES
    ? [{ ...secretNotApplied, path: [], message: `${prefix}: ${secretNotApplied.message}` }]
    : [];
}
