/**
 * The outcome of a request for an image, and the status of the object after it, as a merge patch (RFC 7396) of what is
 * different. The operator reads the status in this order: it waits as long as architecture, format and version of the
 * network data are not those that it asked for, then reports the condition Error to the BareMetalHost, then takes the URL
 * if the condition Ready is of this generation. So an image that could not be made is reported together with what it would
 * have been made from.
 */

import type {
  Condition,
  ImageFormat,
  PreprovisioningImageStatus,
  NetworkDataVersion,
  PreprovisioningImage,
} from './preprovisioningImage.ts';

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

/** `{ status: … }` for the subresource of this name; null takes a field away. */
export interface StatusPatch {
  readonly status: Readonly<Record<string, unknown>>;
}

/** Undefined where the status says it already. */
export function statusPatch(
  image: PreprovisioningImage,
  outcome: Outcome,
  now: Date,
): StatusPatch | undefined {
  const { imageUrl, kernelUrl, extraKernelParams }: Place = outcome.kind === 'ready' ? outcome : nowhere;
  const wanted = fieldsOf({
    ...image.status,
    imageUrl,
    kernelUrl,
    extraKernelParams,
    ...outcome.attempt,
    conditions: mergeConditions(image, outcome, now),
  });
  const current = fieldsOf(image.status);
  const changed = Object.entries(wanted).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(current[name]),
  );
  return changed.length === 0 ? undefined : { status: Object.fromEntries(changed) };
}

type Place = Pick<PreprovisioningImageStatus, 'imageUrl' | 'kernelUrl' | 'extraKernelParams'>;

const nowhere: Place = { imageUrl: undefined, kernelUrl: undefined, extraKernelParams: undefined };

/** As a merge patch has them. */
function fieldsOf(status: PreprovisioningImageStatus): Readonly<Record<string, unknown>> {
  const { imageUrl, kernelUrl, extraKernelParams, format, architecture, networkData, conditions } = status;
  return {
    imageUrl: imageUrl ?? null,
    kernelUrl: kernelUrl ?? null,
    extraKernelParams: extraKernelParams ?? null,
    format: format ?? null,
    architecture: architecture ?? null,
    // One by one: of what it does not name, it leaves the fields.
    networkData:
      networkData === undefined
        ? null
        : { name: networkData.name ?? null, version: networkData.version ?? null },
    conditions,
  };
}

/** The whole list, as it is put in the place of the old one: conditions of others stay. */
function mergeConditions(
  { generation, status: { conditions } }: PreprovisioningImage,
  outcome: Outcome,
  now: Date,
): Condition[] {
  const own = conditionsOf(outcome).map((condition) => {
    const before = conditions.find(({ type }) => type === condition.type);
    const isSame = before?.status === condition.status && before.lastTransitionTime !== '';
    return {
      ...condition,
      lastTransitionTime: isSame ? before.lastTransitionTime : formatTime(now),
      observedGeneration: generation,
    };
  });
  const kept = conditions.map((condition) => own.find(({ type }) => type === condition.type) ?? condition);
  return [...kept, ...own.filter(({ type }) => !conditions.some((condition) => condition.type === type))];
}

type OwnCondition = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;

function conditionsOf(outcome: Outcome): readonly OwnCondition[] {
  if (outcome.kind === 'ready') {
    const reason = 'ImageSuccess';
    return [
      { type: 'Ready', status: 'True', reason, message: 'Generated image' },
      { type: 'Error', status: 'False', reason, message: '' },
    ];
  }
  const { reason, message } = outcome;
  return [
    { type: 'Ready', status: 'False', reason, message: '' },
    { type: 'Error', status: 'True', reason, message: message.slice(0, MAX_MESSAGE) },
  ];
}

/** What the API server takes is 32 768; what a person reads in a table is less. */
const MAX_MESSAGE = 4096;

/** RFC 3339 in whole seconds, as Kubernetes writes times. */
function formatTime(time: Date): string {
  return time.toISOString().replace(/\.\d+Z$/, 'Z');
}
