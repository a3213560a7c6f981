/** The request to build the image of an object: image format, architecture, and network data. */

import { objectNameProblem } from '../core/objectName.ts';
import { isMapping } from '../formats/mapping.ts';
import { keyText, type ObjectKey } from './kube/objects.ts';
import { chooseImage, firstAccepted, type ImageChoice, type PossibleImages } from './api/imageChoice.ts';
import {
  type ImageFormat,
  imageFormats,
  type PreprovisioningImageSpec,
  listOtherKeys,
  type PreprovisioningImage,
  type NetworkDescription,
  networkKeys,
  readNetworkDescription,
  type SecretData,
} from './api/preprovisioningImage.ts';
import type { Attempt, FailedOutcome } from './api/outcome.ts';

/** A host and its image. */
export interface HostRequest extends ObjectKey {
  readonly choice: ImageChoice;
  /** Undefined for a host without a network of its own. */
  readonly network: HostNetwork | undefined;
}

/** A valid request. */
export interface BuildRequest extends HostRequest {
  readonly kind: 'checked';
  readonly attempt: Attempt;
}

/** In YAML or JSON. */
export interface HostNetwork extends NetworkDescription {
  /** `Secret metal3/worker-0-network`, for messages. */
  readonly place: string;
}

/** Characters of an invalid name in a message. */
const MAX_SHOWN = 80;

/** Reads a Secret; undefined if it does not exist. Throws ApiError. */
export type ReadSecret = (key: ObjectKey) => Promise<StoredSecret | undefined>;

interface StoredSecret extends SecretData {
  readonly metadata: { readonly resourceVersion: string };
}

/** @throws ApiError if the Secret cannot be read at the moment */
export async function buildRequestOf(
  image: PreprovisioningImage,
  possible: PossibleImages,
  readSecret: ReadSecret,
): Promise<BuildRequest | FailedOutcome> {
  const { namespace, name, spec } = image;
  const choice = chooseImage(spec, possible);
  const network = await readNetwork(image, readSecret);
  if ('kind' in choice) {
    // The operator ignores an error for a format that it does not accept.
    const format = firstAccepted(spec.acceptFormats, imageFormats);
    return { ...choice, attempt: format && attemptOf(spec, format, network) };
  }
  const attempt = attemptOf(spec, choice.format, network);
  const request = { kind: 'checked', namespace, name, choice, attempt } as const;
  if (network === undefined) return { ...request, network };
  const { place, secret } = network;
  if (secret === undefined) {
    const problem = objectNameProblem(network.name);
    const message =
      problem === undefined
        ? `${place} not found`
        : `networkDataName ${JSON.stringify(network.name.slice(0, MAX_SHOWN))} is not a valid name of a Secret: ${problem}`;
    return { kind: 'failed', reason: 'MissingNetworkData', message, attempt: undefined };
  }
  const description = readNetworkDescription(secret);
  if (description !== undefined || isEmpty(secret)) {
    return { ...request, network: description && { place, ...description } };
  }
  const others = listOtherKeys(secret);
  const message = `${place} has no text in the key ${networkKeys.join(' or ')}${others === '' ? '' : `; it has the keys ${others}`}`;
  return { kind: 'failed', reason: 'ImageBuildInvalid', message, attempt };
}

/** The Secret that an object names; it may not exist. */
interface NamedSecret {
  readonly name: string;
  readonly place: string;
  readonly secret: StoredSecret | undefined;
}

async function readNetwork(
  { namespace, spec: { networkDataName: name } }: PreprovisioningImage,
  readSecret: ReadSecret,
): Promise<NamedSecret | undefined> {
  if (name === undefined) return undefined;
  const key = { namespace, name };
  const secret = objectNameProblem(name) === undefined ? await readSecret(key) : undefined;
  return { name, place: `Secret ${keyText(key)}`, secret };
}

/** An empty Secret means no network of its own, as for the image-customization-controller. */
function isEmpty({ data }: StoredSecret): boolean {
  return data === undefined || (isMapping(data) && Object.keys(data).length === 0);
}

function attemptOf(
  { architecture }: PreprovisioningImageSpec,
  format: ImageFormat,
  network: NamedSecret | undefined,
): Attempt {
  const version = network?.secret?.metadata.resourceVersion;
  const networkData = network && version !== undefined ? { name: network.name, version } : undefined;
  return { format, architecture, networkData };
}
