/**
 * The outcome of a build, and the resulting status as a merge patch (RFC 7396) of the changed fields. The operator reads the
 * status in this order: it waits until architecture, format and network data version are the requested ones; then it reports
 * the condition Error to the BareMetalHost; then it uses the URL if the condition Ready has the current generation. So a
 * failed build also sets architecture, format and network data version.
 */

import { isDeepStrictEqual } from 'node:util';
import type { CliError } from '../../../core/errors.ts';
import { asMapping, type Mapping } from '../../../formats/mapping.ts';
import type {
  Condition,
  ImageFormat,
  PreprovisioningImageStatus,
  NetworkDataVersion,
  PreprovisioningImage,
} from './preprovisioningImage.ts';

/** The reasons of the reconciler of the BareMetal Operator, which the operator and users expect, and the last one, which is new. */
export const imageReasons = [
  'ImageSuccess',
  'ConfigurationError',
  'MissingNetworkData',
  'ImageBuildInvalid',
  'ControllerError',
] as const;

type ImageReason = (typeof imageReasons)[number];
type FailureReason = Exclude<ImageReason, 'ImageSuccess'>;

export const conditionTypes = ['Ready', 'Error'] as const;

export type Outcome = ReadyOutcome | FailedOutcome;

export interface ReadyOutcome {
  readonly kind: 'ready';
  readonly imageUrl: string;
  /** For `initrd`, if a kernel was given. */
  readonly kernelUrl: string | undefined;
  /** For `initrd`: the kernel arguments that the ramdisk requires. */
  readonly extraKernelParams: string | undefined;
  /** Clauses about what was not used, and warnings, for people. */
  readonly note: string | undefined;
  readonly attempt: Attempt;
}

export interface FailedOutcome {
  readonly kind: 'failed';
  readonly reason: FailureReason;
  /** A clause or several lines, without secrets. */
  readonly message: string;
  /** Undefined if the operator would ignore the result in any case. */
  readonly attempt: Attempt | undefined;
  /** The problem of the controller that prevents the build until it is gone; undefined for a problem of the object. */
  readonly controllerError?: CliError;
}

/** The inputs of a build. The operator ignores a result with other inputs than the requested ones. */
export interface Attempt {
  readonly format: ImageFormat;
  /** As requested; undefined if the object names none. */
  readonly architecture: string | undefined;
  readonly networkData: NetworkDataVersion | undefined;
}

/** `{ status: … }` for the subresource `status`; null removes a field. */
export interface StatusPatch {
  readonly status: Mapping;
}

/** Undefined if the status is already correct. */
export function statusPatch(
  image: PreprovisioningImage,
  outcome: Outcome,
  now: Date,
): StatusPatch | undefined {
  const ready = outcome.kind === 'ready' ? outcome : undefined;
  const wanted = fieldsOf({
    ...image.status,
    imageUrl: ready?.imageUrl,
    kernelUrl: ready?.kernelUrl,
    extraKernelParams: ready?.extraKernelParams,
    ...outcome.attempt,
    conditions: mergeConditions(image, outcome, now),
  });
  const current = fieldsOf(image.status);
  const changed = Object.entries(wanted).filter(
    ([name, value]) => !isDeepStrictEqual(value, current[name]), // the API server sorts the fields of conditions
  );
  return changed.length === 0 ? undefined : { status: Object.fromEntries(changed) };
}

/**
 * Whether the status has an image that was built for the current object.
 * @param version the current resource version of the Secret with the network data
 */
export function isPublished(
  { generation, status }: PreprovisioningImage,
  version: string | undefined,
): boolean {
  const ready = status.conditions.find(({ type }) => type === 'Ready');
  const isCurrent = ready?.status === 'True' && ready.observedGeneration === generation;
  return isCurrent && status.networkData?.version === version;
}

/** The fields of a status in the form of a merge patch: undefined fields are null, as a patch keeps fields that it omits. */
function fieldsOf(status: PreprovisioningImageStatus): Mapping {
  return asMapping(JSON.parse(JSON.stringify(status, (_name, value: unknown) => value ?? null)));
}

/** The complete list, as a merge patch replaces lists; conditions of other controllers are kept. */
function mergeConditions(
  { generation, status: { conditions } }: PreprovisioningImage,
  outcome: Outcome,
  now: Date,
): Condition[] {
  // RFC 3339 in whole seconds, as Kubernetes writes times.
  const time = now.toISOString().replace(/\.\d+Z$/, 'Z');
  const own = conditionsOf(outcome).map((condition) => {
    const before = conditions.find(({ type }) => type === condition.type);
    const isSame = before?.status === condition.status && before.lastTransitionTime !== '';
    return {
      ...condition,
      lastTransitionTime: isSame ? before.lastTransitionTime : time,
      observedGeneration: generation,
    };
  });
  const kept = conditions.map((condition) => own.find(({ type }) => type === condition.type) ?? condition);
  return [...kept, ...own.filter(({ type }) => !conditions.some((condition) => condition.type === type))];
}

interface OwnCondition extends Pick<Condition, 'status' | 'message'> {
  readonly type: (typeof conditionTypes)[number];
  readonly reason: ImageReason;
}

function conditionsOf(outcome: Outcome): readonly OwnCondition[] {
  if (outcome.kind === 'ready') {
    const reason = 'ImageSuccess';
    const message = outcome.note === undefined ? 'Generated image' : `Generated image; ${outcome.note}`;
    return [
      { type: 'Ready', status: 'True', reason, message: message.slice(0, MAX_MESSAGE) },
      { type: 'Error', status: 'False', reason, message: '' },
    ];
  }
  const { reason, message } = outcome;
  return [
    { type: 'Ready', status: 'False', reason, message: '' },
    { type: 'Error', status: 'True', reason, message: message.slice(0, MAX_MESSAGE) },
  ];
}

/** The API server accepts 32 768 characters, but shorter messages are easier to read in tables. */
const MAX_MESSAGE = 4096;
