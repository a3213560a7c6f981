/** Kubernetes events (events.k8s.io/v1), which `kubectl describe` shows for an object. */

import { randomBytes } from 'node:crypto';
import type { KubernetesClient } from './kubernetesClient.ts';
import { formatMicroTime, apiVersionOf, events, type ObjectReference, type ApiResource } from './objects.ts';

export interface RecordedEvent {
  readonly resource: ApiResource;
  readonly object: ObjectReference;
  readonly type: 'Normal' | 'Warning';
  /** The reason: `ImageBuildInvalid`. */
  readonly reason: string;
  /** The action: `BuildImage`. */
  readonly action: string;
  /** Truncated after 1024 bytes. */
  readonly message: string;
}

/** Who reports the events. */
interface EventReporter {
  /** `metal3.io/ironic-coreos` */
  readonly controller: string;
  /** The name of the pod. */
  readonly instance: string;
}

export async function recordEvent(
  client: KubernetesClient,
  { controller, instance }: EventReporter,
  { action, message, object, reason, resource, type }: RecordedEvent,
  signal?: AbortSignal,
): Promise<void> {
  const { namespace, name, uid, resourceVersion } = object;
  const stem = name.slice(0, 230).replace(/[.-]+$/, '');
  const event = {
    metadata: { name: `${stem}.${randomBytes(8).toString('hex')}`, namespace },
    eventTime: formatMicroTime(new Date()),
    reportingController: controller,
    reportingInstance: instance,
    type,
    reason,
    action,
    note: cutToBytes(message, 1024),
    regarding: {
      apiVersion: apiVersionOf(resource),
      kind: resource.kind,
      namespace,
      name,
      uid,
      resourceVersion,
    },
  };
  await client.create(events, namespace, event, signal);
}

function cutToBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return text;
  const kept = bytes.subarray(0, limit - Buffer.byteLength('…'));
  return `${new TextDecoder().decode(kept, { stream: true })}…`; // without a part of a character
}
