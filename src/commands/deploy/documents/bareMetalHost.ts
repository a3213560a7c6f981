/**
 * Renders a BareMetalHost (`metal3.io/v1alpha1`) that installs CoreOS with a custom deploy step or as an image, or boots a live ISO,
 * and the Secrets that it refers to. The BMC credentials are only a reference. The operator's webhook
 * (`baremetalhost_validation.go`) checks how the fields fit together when the manifest is applied.
 */

import type { Finding } from '../../../core/finding.ts';
import { errorRule, found, issue, warningRule } from '../../../core/rule.ts';
import { asMapping, type Mapping, withoutUndefined } from '../../../formats/mapping.ts';
import type { DeployOptions } from '../options.ts';
import { type DeployHost, noRootDevice } from './host.ts';
import { checkDeployment } from './deployment.ts';
import { checkImageChecksum, checkInstall, renderMetaData } from './installation.ts';
import { checksumType } from '../../../core/installSteps.ts';
import { toMetal3Hints } from '../../../ipa/rootDeviceHints.ts';

/** For the controller that makes the image of the ramdisk: YAML, and its key in the Secret. */
export interface RamdiskNetwork {
  /** The image-customization-controller reads `nmstate` only. */
  readonly key: 'nmstate' | 'networkData';
  readonly text: string;
}

/** A host, and the contents of the files that its options name. */
export interface HostSettings {
  readonly host: DeployHost;
  readonly options: DeployOptions;
  /** Config for the installed host, written as a Secret. */
  readonly config?: Mapping | undefined;
  readonly ramdiskNetwork?: RamdiskNetwork | undefined;
  /** OpenStack network_data, for the config drive. */
  readonly networkData?: string | undefined;
}

const bmcMissing = errorRule(
  'bmc-missing',
  'the BMC address is missing; Metal3 requires it',
  'pass {bmcAddress}, e.g. redfish-virtualmedia://192.0.2.10/redfish/v1/Systems/1',
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
  const { host, networkData, options } = settings;
  const { bmcAddress, bootIso, method, rootDevice = [] } = options;
  const spec = asMapping(options.spec);
  const hasRootDevice = rootDevice.length > 0 || 'rootDeviceHints' in spec || 'raid' in spec;
  return found(
    bmcAddress === undefined && !('bmc' in spec) && issue(bmcMissing, []),
    toMetal3Hints(host.rootDevice).issues,
    !hasRootDevice &&
      bootIso === undefined &&
      method !== 'none' &&
      noRootDevice(options, 'Metal3 takes /dev/sda'),
    checkMethod(settings),
    checkInstall(options),
    checkHostDeployment(options),
    networkData !== undefined && issue(networkDataUnread, []),
    renderSecrets(settings).flatMap(checkSecret),
  );
}

/** Whether the operator is asked for a custom deploy step; otherwise for an image. */
function isCustomDeploy({ bootIso, deployInterface, method }: DeployOptions): boolean {
  if (method === 'none') return false;
  return deployInterface === 'custom-agent' || (deployInterface === undefined && bootIso === undefined);
}

/** A custom deploy step has the same rules as on a node, except that the webhook requires a checksum for each image. */
function checkHostDeployment(options: DeployOptions): readonly Finding[] {
  const { deployInterface = 'direct', imageChecksum, imageSource, method } = options;
  if (isCustomDeploy(options)) {
    return [
      ...checkDeployment({ ...options, deployInterface: 'custom-agent' }),
      ...checkImageChecksum(imageChecksum, imageSource !== undefined),
    ];
  }
  // Without a deploy step, the operator lets Ironic write the image.
  const isWritten = method === 'none' && imageSource !== undefined;
  return checkDeployment(isWritten ? { ...options, deployInterface } : options);
}

function checkMethod({ config, options }: HostSettings): readonly Finding[] {
  const { appendKarg, copyNetwork, imageSource, method, userDataName } = options;
  const [firstKarg] = appendKarg ?? [];
  if (!isCustomDeploy(options)) {
    return found(
      firstKarg !== undefined && issue(needsInstallStep, ['appendKarg']),
      copyNetwork !== undefined && issue(needsInstallStep, ['copyNetwork']),
    );
  }
  if (method === 'start_assisted_install')
    return ignoredOptions({
      ignition: config,
      userDataName,
      appendKarg: firstKarg,
      copyNetwork,
      imageSource,
    });
  return found(config === undefined && userDataName === undefined && issue(userDataMissing, []));
}

/** An issue for each option that is given. */
export function ignoredOptions(given: Mapping): readonly Finding[] {
  return Object.entries(given).flatMap(([option, value]) =>
    found(value !== undefined && issue(methodTakesNothing, [option])),
  );
}

/** The manifests in the order to apply them: Secrets first, because a host without its Secret waits. */
export function renderHostManifests(settings: HostSettings) {
  const { host, options } = settings;
  const {
    bmcCredentialsName = `${host.name}-bmc-secret`,
    labels,
    method = 'install_coreos',
    namespace,
  } = options;
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
          credentialsName: bmcCredentialsName,
          ...(host.bmc.insecure && { disableCertificateVerification: true }),
        },
        bootMACAddress: host.bootMac,
        architecture: host.architecture,
        rootDeviceHints: Object.keys(hints).length > 0 ? hints : undefined,
        customDeploy: isCustomDeploy(options) ? { method } : undefined,
        image: renderImage(options),
      }),
      ...Object.fromEntries(references),
      ...asMapping(options.spec),
    },
  };
  return [...renderSecrets(settings), manifest];
}

function metadataOf(namespace: string | undefined, name: string) {
  return { name, ...(namespace !== undefined && { namespace }) };
}

function renderImage(options: DeployOptions): Mapping | undefined {
  const { bootIso, imageChecksum: checksum, imageFormat: format, imageSource: url } = options;
  if (bootIso !== undefined) return { url: bootIso, format: 'live-iso' };
  if (url === undefined) return undefined;
  return {
    url,
    ...(checksum !== undefined && { checksum, checksumType: checksumType(checksum) }),
    ...(isCustomDeploy(options) ? { format: 'raw' } : format !== undefined && { format }),
  };
}

interface HostSecret {
  /** The field of the host that names the Secret. */
  readonly field: 'userData' | 'metaData' | 'networkData' | 'preprovisioningNetworkDataName';
  readonly name: string;
  /** The key that the operator or the image-customization-controller reads. */
  readonly key: string;
  /** Text, or a value to be written as JSON. Undefined for a Secret that already exists. */
  readonly content: string | object | undefined;
}

function listSecrets({ host: { name: host }, options, ...settings }: HostSettings): readonly HostSecret[] {
  const { config, networkData, ramdiskNetwork: network } = settings;
  const { userDataName } = options;
  const secrets: readonly HostSecret[] = [
    { field: 'userData', key: 'userData', name: userDataName ?? `${host}-user-data`, content: config },
    // The operator reads the meta data as YAML, which includes JSON.
    { field: 'metaData', key: 'metaData', name: `${host}-meta-data`, content: renderMetaData(options) },
    { field: 'networkData', key: 'networkData', name: `${host}-network-data`, content: networkData },
    {
      field: 'preprovisioningNetworkDataName',
      key: network?.key ?? 'nmstate',
      name: `${host}-preprovisioning-network-data`,
      content: network?.text,
    },
  ];
  return secrets.filter(
    ({ field, content }) => content !== undefined || (field === 'userData' && userDataName !== undefined),
  );
}

function renderSecrets(settings: HostSettings): readonly SecretManifest[] {
  return listSecrets(settings).flatMap(({ name, key, content }) => {
    if (content === undefined) return [];
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    return [secretManifest(metadataOf(settings.options.namespace, name), { [key]: text })];
  });
}

const secretNotApplied = warningRule(
  'secret-apply-size',
  'the Secret is too large for kubectl apply, whose annotation is limited to 256 KiB',
  'use kubectl apply --server-side, or kubectl create',
);

/** Limit for all annotations of an object; `kubectl apply` stores the whole object in one. */
const MAX_ANNOTATION_BYTES = 256 * 1024;

type SecretManifest = ReturnType<typeof secretManifest>;

function secretManifest(
  metadata: ReturnType<typeof metadataOf>,
  stringData: Readonly<Record<string, string>>,
) {
  return { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', stringData };
}

/** The message contains the name of the Secret, never its content. */
function checkSecret(secret: SecretManifest): readonly Finding[] {
  if (Buffer.byteLength(JSON.stringify(secret)) <= MAX_ANNOTATION_BYTES) return [];
  const message = `Secret ${secret.metadata.name}: ${secretNotApplied.message}`;
  return [{ ...secretNotApplied, path: [], message }];
}
