/** The status page and the metrics of the controller: each object of the cluster with its image. */

import { artifactOf, imageFormats, type PreprovisioningImage } from './api/preprovisioningImage.ts';
import type { Finding } from '../../core/finding.ts';
import type { HostStatus, ImageStatus } from '../serve/status/status.ts';
import type { TransferLog } from '../../http/server/answer/transfers.ts';
import { keyText } from '../../kube/objects.ts';
import { Counter, type Registry } from 'prom-client';
import { addGauges } from '../serve/metrics.ts';
import type { Informers } from './informers.ts';
import type { ReconcileLoop } from './reconcileLoop.ts';
import type { Outcome } from './api/outcome.ts';

/** @param images the objects for which the controller builds the image */
export function describeImages(
  images: readonly PreprovisioningImage[],
  transfers: TransferLog,
): readonly HostStatus[] {
  return images
    .map((image) => describeImage(image, transfers))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

function describeImage(image: PreprovisioningImage, transfers: TransferLog): HostStatus {
  const name = keyText(image);
  return {
    name,
    macs: [],
    architecture: image.status.architecture ?? image.spec.architecture,
    stream: image.stream,
    staleSince: undefined,
    messages: messagesOf(image),
    progress: () => transfers.progressOf(name),
    images: () => publishedImage(image),
  };
}

function messagesOf({ status: { conditions } }: PreprovisioningImage): Finding[] {
  const error = conditions.find(({ type, status }) => type === 'Error' && status === 'True');
  if (error === undefined) return [];
  const { message, reason } = error;
  return [{ severity: 'error', rule: reason, path: [], message, hint: hints[reason] }];
}

/** The messages with the other reasons contain their hints. */
const hints: Readonly<Partial<Record<string, string>>> = {
  ConfigurationError: 'pass base images that fit the object, for example --iso aarch64=FILE',
  MissingNetworkData: 'create the Secret, or fix networkDataName of the object',
};

function publishedImage({ status: { imageUrl, format } }: PreprovisioningImage): ImageStatus[] {
  const known = imageFormats.find((it) => it === format);
  if (imageUrl === undefined || known === undefined) return [];
  const path = imageUrl.split('/').slice(-2).join('/');
  return [{ path, artifact: artifactOf[known], url: imageUrl }];
}

export interface ControllerCounters {
  wrote(outcome: Outcome): void;
  failed(): void;
}

/** The values are read at each scrape. */
export function addControllerMetrics(
  registry: Registry,
  isLeader: () => boolean,
  reconcileLoop: Pick<ReconcileLoop, 'load'>,
  informers: Pick<Informers, 'lastContact'>,
): ControllerCounters {
  const outcomes = new Counter({
    name: 'ironic_coreos_statuses_written_total',
    help: 'Number of written PreprovisioningImage statuses, by the reason in their conditions.',
    labelNames: ['reason'],
    registers: [registry],
  });
  const retries = new Counter({
    name: 'ironic_coreos_retries_total',
    help: 'Number of reconcile retries after failed API requests.',
    registers: [registry],
  });
  addGauges(registry, [
    ['ironic_coreos_leader', '1 if this replica is the leader, otherwise 0.', () => (isLeader() ? 1 : 0)],
    [
      'ironic_coreos_cluster_contact_timestamp_seconds',
      'Time of the last watch event or bookmark from the API server, which sends one each minute; 0 if none.',
      () => (informers.lastContact?.getTime() ?? 0) / 1000,
    ],
    [
      'ironic_coreos_queue',
      'Number of PreprovisioningImages in the work queue, by state: waiting, delayed or running.',
      () => ({ ...reconcileLoop.load }),
      'state',
    ],
  ]);
  return {
    wrote: (outcome) => outcomes.inc({ reason: outcome.kind === 'ready' ? 'ImageSuccess' : outcome.reason }),
    failed: () => retries.inc(),
  };
}
