/**
 * The ramdisk in an `Ironic` resource (`ironic.metal3.io/v1alpha1`) of ironic-standalone-operator. Its pod serves `/shared/html`,
 * and `/shared` is an empty volume of that pod. So either the images have URLs on another server, or an init container runs
 * `prepare --layout metal3`. The operator passes `spec.overrides` to the pod, and `spec.extraConfig` to ironic.conf.
 */

import type { Architecture } from '../../../core/architecture.ts';
import { objectNameProblem } from '../../../core/objectName.ts';
import { parseImageReference } from '../../../formats/imageReference.ts';
import { escapeInterpolation } from '../../../formats/osloConfig.ts';
import { parseUrl } from '../../../formats/url.ts';
import {
  allowedFileUrl,
  filesFor,
  type LayoutFiles,
  layouts,
  plainArchitecture,
} from '../../../hosts/artifacts/layoutFiles.ts';
import { errorRule, found, type Issue, issue, issueWith, warningRule } from '../../../core/rule.ts';
import { checkReference } from './node.ts';

/** The URLs of one architecture, or of hosts with an unknown architecture. */
export interface AgentImages {
  readonly kernel: string;
  readonly initramfs: string;
  readonly architecture?: Architecture | undefined;
}

/** Images on another server. */
interface RemoteImages {
  readonly kind: 'remote';
  readonly images: readonly AgentImages[];
  /** `overrides` requires a feature gate, but its images are also for machines that Ironic does not know. */
  readonly field: 'overrides' | 'extraConfig';
}

/** Images that an init container prepares. */
export interface PreparedImages {
  readonly kind: 'prepared';
  /** Reference of the container image of this program. */
  readonly container: string;
  /** The object whose keys are environment variables with settings, such as IRONIC_BASE_URL. */
  readonly settings: { readonly kind: 'secret' | 'configmap'; readonly name: string };
  /** Whether the agents trust the CA of the certificate in `spec.tls` of the resource. */
  readonly trustsIronic: boolean;
  /** Each with an http or https URL, or the absolute path in the container image. */
  readonly isos: readonly { readonly source: string; readonly architecture?: Architecture | undefined }[];
}

export type PodImages = RemoteImages | PreparedImages;

const overridesGate = warningRule(
  'overrides-gate',
  'spec.overrides requires the feature gate Overrides of ironic-standalone-operator, which is off by default',
  'start the operator with --feature-gates=Overrides=true, or pass image URLs with {deployKernel}, {deployRamdisk} and {extraConfig}',
);
const agentArchitecture = errorRule(
  'agent-architecture',
  'the Ironic resource supports only x86_64 and aarch64',
  'remove the images of other architectures, and set them on each node with deploy node',
);
const agentImagesTwice = errorRule(
  'agent-images-twice',
  'two values for the same architecture',
  'pass one value for each architecture: ARCH=VALUE',
);
const agentUrl = errorRule(
  'agent-url',
  'not a URL that ironic-standalone-operator supports',
  'use an http, https or file URL, or oci://…@sha256:DIGEST',
);
const agentFileUrl = errorRule(
  'agent-file-url',
  `Ironic reads file URLs only in ${layouts.metal3.fileUrls}`,
  'use an http or https URL',
);
const agentUrlComma = errorRule(
  'agent-url-comma',
  'the URL contains a comma, which separates architectures',
  'write %2C instead of the comma',
);
const containerImage = errorRule(
  'prepare-image',
  'invalid image reference',
  'use the form registry.example.com/ironic-coreos:TAG',
);
const settingsName = errorRule(
  'settings-name',
  'invalid name',
  'use the name of the object, e.g. secret/ramdisk-settings',
);
const isoSource = errorRule(
  'iso-source',
  'not the location of an ISO',
  'use an http or https URL that ends with a file name, or the absolute path in the container image',
);

/** Paths begin with the name of an option. */
export function checkPodImages(ramdisk: PodImages): readonly Issue[] {
  if (ramdisk.kind === 'remote') {
    const { field, images } = ramdisk;
    return found(
      checkArchitectures('deployKernel', images),
      images.flatMap((one) => [
        ...checkImageUrl('deployKernel', one.kernel, one),
        ...checkImageUrl('deployRamdisk', one.initramfs, one),
      ]),
      field === 'overrides' && issue(overridesGate, []),
    );
  }
  const parsed = parseImageReference(ramdisk.container);
  const problem = objectNameProblem(ramdisk.settings.name);
  return found(
    checkArchitectures('liveIso', ramdisk.isos),
    ramdisk.isos.flatMap(({ source }) =>
      found(isoFile(source) === undefined && issue(isoSource, ['liveIso'])),
    ),
    !parsed.ok && issueWith(containerImage, ['prepareImage'], `invalid image reference: ${parsed.reason}`),
    problem !== undefined && issueWith(settingsName, ['settings'], problem),
    issue(overridesGate, []),
  );
}

function checkArchitectures(
  option: string,
  given: readonly { readonly architecture?: Architecture | undefined }[],
): readonly Issue[] {
  const names = given.map(({ architecture }) => architecture);
  return found(
    names.some((name) => name !== undefined && name !== 'x86_64' && name !== 'aarch64') &&
      issue(agentArchitecture, [option]),
    new Set(names).size < names.length && issue(agentImagesTwice, [option]),
  );
}

function checkImageUrl(option: string, url: string, { architecture }: AgentImages): readonly Issue[] {
  return found(
    /^(?:file|https?|oci):/.test(url) ? checkReference(option, url) : [issue(agentUrl, [option])],
    url.startsWith('file:') &&
      allowedFileUrl(layouts.metal3, parseUrl(url)?.pathname ?? '') === undefined &&
      issue(agentFileUrl, [option]),
    architecture !== undefined && url.includes(',') && issue(agentUrlComma, [option]),
  );
}

/** Fields of `spec`. The images have been checked. */
export function podFields(ramdisk: PodImages) {
  if (ramdisk.kind === 'prepared') return { overrides: preparingPod(ramdisk) };
  const { field, images } = ramdisk;
  return field === 'overrides'
    ? { overrides: { agentImages: images } }
    : { extraConfig: conductorOptions(images) };
}

/** Options of ironic.conf. The operator passes them as environment variables, in which oslo.config replaces `$NAME`, too. */
function conductorOptions(images: readonly AgentImages[]) {
  const lists = [
    ['deploy_kernel', images.map(({ architecture, kernel }) => ({ architecture, url: kernel }))],
    ['deploy_ramdisk', images.map(({ architecture, initramfs }) => ({ architecture, url: initramfs }))],
  ] as const;
  return lists.flatMap(([name, urls]) => {
    const byArchitecture = urls.flatMap(({ architecture, url }) =>
      architecture === undefined ? [] : [`${architecture}:${url}`],
    );
    const values = urls.flatMap(({ architecture, url }) => (architecture === undefined ? [[name, url]] : []));
    if (byArchitecture.length > 0) values.push([`${name}_by_arch`, byArchitecture.join(',')]);
    return values.map(([option, value = '']) => ({
      group: 'conductor',
      name: option,
      value: escapeInterpolation(value),
    }));
  });
}

/** User and group of all containers of the pod, which read the prepared files. */
const ironicUser = { runAsUser: 997, runAsGroup: 994 };

/** In the volume of the pod that all of its containers share, beside the folder that it serves. */
const downloadFolder = `${layouts.metal3.folder}/ironic-coreos`;

/** The volume of the operator with the certificate in `spec.tls`, and its CA. */
const certificate = { name: 'cert-ironic', mountPath: '/certs/ironic', readOnly: true };

/**
 * Init containers that download the ISOs with URLs, and one that runs `prepare`. They use only volumes that the operator
 * defines: releases before 0.11 have no field for others.
 */
function preparingPod({ container, isos, settings, trustsIronic }: PreparedImages) {
  const reference = { name: settings.name };
  const shared = { name: 'ironic-shared', mountPath: layouts.metal3.folder };
  const common = {
    image: container,
    securityContext: {
      ...ironicUser,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    },
  };
  const home = { name: 'HOME', value: '/tmp' }; // The user has no home in the container image.
  const files = isos.map(({ architecture, source }) => ({
    architecture,
    source,
    file: isoFile(source) ?? '',
  }));
  const downloads = files.filter(({ file, source }) => file !== source);
  return {
    agentImages: preparedImages(isos.flatMap(({ architecture }) => architecture ?? [])),
    initContainers: [
      ...downloads.map(({ architecture, source }) => ({
        name: `ironic-coreos-download${architecture === undefined ? '' : `-${architecture.replace('_', '-')}`}`,
        ...common,
        args: ['download', '--image-url', source, '--directory', downloadFolder],
        env: [home],
        volumeMounts: [shared],
      })),
      {
        name: 'ironic-coreos-prepare',
        ...common,
        args: [
          'prepare',
          '--layout',
          'metal3',
          '--profile',
          'default',
          ...files.flatMap(({ architecture, file }) => [
            '--iso',
            architecture === undefined ? file : `${architecture}=${file}`,
          ]),
          '--output',
          layouts.metal3.folder,
        ],
        envFrom: [settings.kind === 'secret' ? { secretRef: reference } : { configMapRef: reference }],
        env: [
          home,
          ...(trustsIronic ? [{ name: 'IRONIC_CA_BUNDLE', value: `${certificate.mountPath}/ca.crt` }] : []),
        ],
        volumeMounts: [shared, ...(trustsIronic ? [certificate] : [])],
      },
    ],
  };
}

/** The path in the init container; undefined if the source is neither a path nor a URL with a file name. */
function isoFile(source: string): string | undefined {
  if (/^\/[^\0-\x20]*[^/\0-\x20]$/.test(source)) return source;
  const [, name] = /^https?:\/\/[^/?#]+\/(?:[^?#]*\/)?([\w.+-]*\w)$/.exec(source) ?? [];
  return name === undefined || parseUrl(source) === undefined ? undefined : `${downloadFolder}/${name}`;
}

/** The file URLs of `prepare`: the images without an architecture are for hosts with an unknown one. */
function preparedImages(architectures: readonly Architecture[]): AgentImages[] {
  const plain = plainArchitecture(architectures);
  return [
    fileUrls(layouts.metal3.files),
    ...architectures.map((architecture) => ({
      ...fileUrls(architecture === plain ? layouts.metal3.files : filesFor(layouts.metal3, architecture)),
      architecture,
    })),
  ];
}

function fileUrls({ kernel, initramfs }: LayoutFiles): AgentImages {
  const start = `file://${layouts.metal3.folder}/`;
  return { kernel: start + kernel, initramfs: start + initramfs };
}
