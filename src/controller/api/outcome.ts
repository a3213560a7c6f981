/** What has become of the wish for an image, in the words that the operator understands. */

import type { ImageFormat } from './imageFormat.ts';
import type { NetworkDataVersion } from './preprovisioningImage.ts';

/** As the reconciler of the BareMetal Operator has them; the operator and people look for these words. */
type FailureReason = 'ConfigurationError' | 'MissingNetworkData' | 'ImageBuildInvalid';

export type Outcome = ReadyOutcome | FailedOutcome;

export interface ReadyOutcome {
  readonly kind: 'ready';
  readonly imageUrl: string;
  /** For `initrd`, where there is one here. */
  readonly kernelUrl: string | undefined;
  /** For `initrd`: what the ramdisk does not boot without. */
  readonly extraKernelParams: string | undefined;
  readonly attempt: Attempt;
}

export interface FailedOutcome {
  readonly kind: 'failed';
  readonly reason: FailureReason;
  /** A clause or some lines, without secrets. */
  readonly message: string;
  /** Undefined where there is none that the operator would take notice of. */
  readonly attempt: Attempt | undefined;
}

/** What an image was made from, or would have been: the operator takes no notice of a result for something else. */
export interface Attempt {
  readonly format: ImageFormat;
  /** As it was asked for; undefined where nobody said it. */
  readonly architecture: string | undefined;
  readonly networkData: NetworkDataVersion | undefined;
}
