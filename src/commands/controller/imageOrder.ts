/** What has to be known to make the image of an object: which one, and the network of the host. */

import { keyText, type ObjectKey } from '../../io/kubernetes/objects.ts';
import { chooseImage, type ImageChoice, type PossibleImages } from '../../preprovisioning/imageChoice.ts';
import { readNetworkState, type SecretData } from '../../preprovisioning/networkData.ts';
import type { Attempt, FailedOutcome } from '../../preprovisioning/outcome.ts';
import type { PreprovisioningImage } from '../../preprovisioning/preprovisioningImage.ts';

export interface ImageOrder extends ObjectKey {
  readonly choice: ImageChoice;
  /** Undefined for a host that has none of its own. */
  readonly network: NetworkState | undefined;
}

export interface NetworkState {
  /** `Secret metal3/worker-0-network`, for messages. */
  readonly place: string;
  /** A description for nmstate, in YAML or JSON. */
  readonly text: string;
}

/** An order that can be carried out. */
export interface CheckedOrder {
  readonly kind: 'checked';
  readonly order: ImageOrder;
  readonly attempt: Attempt;
}

/** A Secret, or undefined where there is none. Throws ApiError. */
export type ReadSecret = (key: ObjectKey) => Promise<StoredSecret | undefined>;

export interface StoredSecret extends SecretData {
  readonly metadata: { readonly resourceVersion: string };
}

/** Whose image it is: the same in tokens, logs and figures. */
export function ownerOf(key: ObjectKey): string {
  return keyText({ namespace: key.namespace, name: key.name });
}

/** @throws ApiError where the Secret cannot be read now */
export async function orderImage(
  image: PreprovisioningImage,
  possible: PossibleImages,
  readSecret: ReadSecret,
): Promise<CheckedOrder | FailedOutcome> {
  const { namespace, name, spec } = image;
  const choice = chooseImage(spec, possible);
  if ('kind' in choice) return choice;
  const attempt = { format: choice.format, architecture: spec.architecture, networkData: undefined };
  const order = { namespace, name, choice, network: undefined };
  if (spec.networkDataName === undefined) return { kind: 'checked', order, attempt };

  const key = { namespace, name: spec.networkDataName };
  const place = `Secret ${keyText(key)}`;
  const secret = await readSecret(key);
  if (secret === undefined) {
    const message = `there is no ${place}`;
    return { kind: 'failed', reason: 'MissingNetworkData', message, attempt: undefined };
  }
  const version = { name: key.name, version: secret.metadata.resourceVersion };
  const versioned = { ...attempt, networkData: version };
  const text = readNetworkState(secret);
  if (text === undefined) {
    const message = `${place} has no text under the key nmstate`;
    return { kind: 'failed', reason: 'ImageBuildInvalid', message, attempt: versioned };
  }
  return { kind: 'checked', order: { ...order, network: { place, text } }, attempt: versioned };
}
