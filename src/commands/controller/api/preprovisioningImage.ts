/**
 * PreprovisioningImage of Metal3 (metal3.io/v1alpha1): the request of the operator for an image that boots the agent on a
 * host, and its status. Only the fields of the contract between operator and image builders are read, and other fields are
 * not changed.
 *
 * The finalizer has the name that all image builders use, so that one builder can replace another. No cleanup is required,
 * as images are built when they are fetched.
 */

import { ifWellFormed } from '../../../core/errors.ts';
import { quoteText } from '../../../core/foreignText.ts';
import { asMapping } from '../../../formats/mapping.ts';
import { decodeUtf8 } from '../../../formats/utf8.ts';
import type { ConfigArtifact } from '../../../core/artifacts.ts';
import type { KubernetesObject, ObjectMetadata } from '../../../kube/objects.ts';

/** Its name is that of the BareMetalHost, and the host name of the ramdisk. */
export interface PreprovisioningImage extends Omit<ObjectMetadata, 'labels' | 'deletionTimestamp'> {
  /** The object has a deletion timestamp and waits for its finalizers. */
  readonly isDeleted: boolean;
  /** Another service builds the image of this object. */
  readonly isForeign: boolean;
  /** The value of the label {@link STREAM_LABEL}; undefined without one. */
  readonly stream: string | undefined;
  readonly spec: PreprovisioningImageSpec;
  readonly status: PreprovisioningImageStatus;
}

interface PreprovisioningImageSpec {
  /** A Secret of the same namespace; undefined for a host without network data. */
  readonly networkDataName: string | undefined;
  /** `x86_64`, or any other text; undefined if the object names none. */
  readonly architecture: string | undefined;
  /** `iso`, `initrd`, in the order of preference. */
  readonly acceptFormats: readonly string[];
}

export interface PreprovisioningImageStatus {
  readonly imageUrl: string | undefined;
  readonly kernelUrl: string | undefined;
  readonly extraKernelParams: string | undefined;
  readonly format: string | undefined;
  readonly architecture: string | undefined;
  readonly networkData: NetworkDataVersion | undefined;
  readonly conditions: readonly Condition[];
}

export interface NetworkDataVersion {
  readonly name: string | undefined;
  readonly version: string | undefined;
}

/** As in `metav1.Condition`. */
export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}

/** Label of objects for which the assisted service builds the image. */
const FOREIGN_LABEL = 'infraenvs.agent-install.openshift.io';

/**
 * Label with the stream of the CoreOS images that the host boots, such as `rhel-10`. OpenShift's installer sets it on each
 * BareMetalHost, and the BareMetal Operator copies it to the PreprovisioningImage.
 */
export const STREAM_LABEL = 'coreos.openshift.io/stream';

/** The fields of the object as the API server has them, which has checked them with the schema of the CRD. */
interface Stored extends KubernetesObject {
  readonly spec?: Partial<PreprovisioningImageSpec>;
  readonly status?: Partial<PreprovisioningImageStatus>;
}

/** An empty text counts as missing, as in all Go programs. */
export function readPreprovisioningImage(object: KubernetesObject): PreprovisioningImage {
  const { metadata, spec = {}, status = {} }: Stored = object;
  const { labels, deletionTimestamp, ...kept } = metadata;
  const { name, version } = status.networkData ?? {};
  return {
    ...kept,
    isDeleted: deletionTimestamp !== undefined,
    isForeign: Object.hasOwn(labels, FOREIGN_LABEL),
    stream: labels[STREAM_LABEL] || undefined,
    spec: {
      networkDataName: spec.networkDataName || undefined,
      architecture: spec.architecture || undefined,
      acceptFormats: spec.acceptFormats ?? [],
    },
    status: {
      imageUrl: status.imageUrl || undefined,
      kernelUrl: status.kernelUrl || undefined,
      extraKernelParams: status.extraKernelParams || undefined,
      format: status.format || undefined,
      architecture: status.architecture || undefined,
      networkData: name || version ? { name: name || undefined, version: version || undefined } : undefined,
      conditions: status.conditions ?? [],
    },
  };
}

const FINALIZER = 'preprovisioningimage.metal3.io';

/** The required finalizers of the object; undefined if it already has them. */
export function wantedFinalizers({ finalizers, isDeleted }: PreprovisioningImage): string[] | undefined {
  const isThere = finalizers.includes(FINALIZER);
  if (isDeleted) return isThere ? finalizers.filter((name) => name !== FINALIZER) : undefined;
  return isThere ? undefined : [...finalizers, FINALIZER];
}

/** `initrd` is an initramfs that contains the config. */
export const imageFormats = ['iso', 'initrd'] as const;

export type ImageFormat = (typeof imageFormats)[number];

export const artifactOf = {
  iso: 'iso',
  initrd: 'initramfs',
} as const satisfies Record<ImageFormat, ConfigArtifact>;

/**
 * The keys of a Secret with the network of a host: nmstate, which the contract names, and OpenStack network data, which Metal3's
 * guide puts beside it. The first that is there counts: the image-customization-controller reads nmstate only.
 */
export const networkKeys = ['nmstate', 'networkData'] as const;

type NetworkKey = (typeof networkKeys)[number];

export interface NetworkDescription {
  readonly key: NetworkKey;
  readonly text: string;
  readonly unread: NetworkKey | undefined;
}

/** The other keys of the Secret: `"userData"`, or an empty text. */
export function listOtherKeys(data: unknown): string {
  const others = Object.keys(asMapping(data)).filter((name) => !networkKeys.some((key) => key === name));
  const shown = others.slice(0, MAX_KEYS).map((name) => quoteText(name));
  return [...shown, ...(others.length > shown.length ? ['…'] : [])].join(', ');
}

const MAX_KEYS = 5;

/** Undefined if the Secret has no text in these keys, or if it is not valid UTF-8. The API server returns values as base64. */
export function readNetworkDescription(data: unknown): NetworkDescription | undefined {
  const values = asMapping(data);
  const [key, unread] = networkKeys.filter((name) => Object.hasOwn(values, name));
  const encoded = key && values[key];
  if (key === undefined || typeof encoded !== 'string') return undefined;
  const text = ifWellFormed(() => decodeUtf8(Buffer.from(encoded, 'base64')));
  return text === undefined ? undefined : { key, text, unread };
}
