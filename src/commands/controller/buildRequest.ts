/** The request to build the image of an object: image format, architecture, and network data. */

import { quoteText } from '../../core/foreignText.ts';
import { objectNameProblem } from '../../core/objectName.ts';
import { isMapping } from '../../formats/mapping.ts';
import { keyText, type ObjectKey } from '../../kube/objects.ts';
import { chooseImage, firstAccepted, type ImageChoice, type PossibleImages } from './api/imageChoice.ts';
import {
  imageFormats,
  listOtherKeys,
  type PreprovisioningImage,
  type NetworkDescription,
  networkKeys,
  readNetworkDescription,
} from './api/preprovisioningImage.ts';
import type { Attempt, FailedOutcome } from './api/outcome.ts';

export interface HostRequest extends ObjectKey {
  readonly choice: ImageChoice;
  /** Undefined for a host without a network of its own. */
  readonly network: HostNetwork | undefined;
}

export interface BuildRequest extends HostRequest {
  readonly kind: 'checked';
  readonly attempt: Attempt;
}

/** In YAML or JSON. */
export interface HostNetwork extends NetworkDescription {
  /** `Secret metal3/worker-0-network`, for messages. */
  readonly place: string;
}

/** Reads a Secret; undefined if it does not exist. Throws ApiError. */
export type ReadSecret = (
  key: ObjectKey,
) => Promise<
  { readonly metadata: { readonly resourceVersion: string }; readonly data?: unknown } | undefined
>;

export async function buildRequestOf(
  image: PreprovisioningImage,
  possible: PossibleImages,
  readSecret: ReadSecret,
): Promise<BuildRequest | FailedOutcome> {
  const { namespace, name, spec } = image;
  const { acceptFormats, architecture, networkDataName } = spec;
  const choice = chooseImage(image, possible);
  const key = networkDataName === undefined ? undefined : { namespace, name: networkDataName };
  const problem = key && objectNameProblem(key.name);
  const secret = key !== undefined && problem === undefined ? await readSecret(key) : undefined;
  const networkData = key && secret && { name: key.name, version: secret.metadata.resourceVersion };
  if ('kind' in choice) {
    // The operator ignores an error for a format that it does not accept.
    const format = firstAccepted(acceptFormats, imageFormats);
    return { ...choice, attempt: format && { format, architecture, networkData } };
  }
  const attempt = { format: choice.format, architecture, networkData };
  const request = { kind: 'checked', namespace, name, choice, attempt, network: undefined } as const;
  if (key === undefined) return request;
  const place = `Secret ${keyText(key)}`;
  if (secret === undefined) {
    const message =
      problem === undefined
        ? `${place} not found`
        : `networkDataName ${quoteText(key.name)} is not a valid name of a Secret: ${problem}`;
    return { kind: 'failed', reason: 'MissingNetworkData', message, attempt: undefined };
  }
  const { data } = secret;
  const description = readNetworkDescription(data);
  if (description !== undefined) return { ...request, network: { place, ...description } };
  // An empty Secret means no network of its own, as for the image-customization-controller.
  if (data === undefined || (isMapping(data) && Object.keys(data).length === 0)) return request;
  const others = listOtherKeys(data);
  const message = `${place} has no text in the key ${networkKeys.join(' or ')}${others === '' ? '' : `; it has the keys ${others}`}`;
  return { kind: 'failed', reason: 'ImageBuildInvalid', message, attempt };
}
