/** What the controller shows of the objects of the cluster: the status page and the metrics. */

import type { Outcome } from './api/outcome.ts';
import { artifactOf, imageFormats, type PreprovisioningImage } from './api/preprovisioningImage.ts';
import { addGauges, type HostCounts } from '../../service/metrics.ts';
import type { Informers } from './informers.ts';
import type { ReconcileLoop } from './reconcileLoop.ts';
import type { HostStatus } from '../../service/status/hostStatus.ts';
import type { TransferLog } from '../../http/server/answer/transfers.ts';
import { keyText } from '../../kube/objects.ts';
import { Counter, type Registry } from 'prom-client';

export function describeImages(
  images: Iterable<PreprovisioningImage>,
  transfers: TransferLog,
): readonly HostStatus[] {
  const own = [...images].filter(({ isForeign }) => !isForeign);
  const rows = own.map((image): HostStatus => {
    const { conditions, format, imageUrl } = image.status;
    const name = keyText(image);
    const error = conditions.find(({ type, status }) => type === 'Error' && status === 'True');
    const known = imageFormats.find((it) => it === format);
    return {
      name,
      macs: [],
      architecture: image.status.architecture ?? image.spec.architecture,
      stream: image.stream,
      staleSince: undefined,
      messages:
        error === undefined
          ? []
          : [
              {
                severity: 'error',
                rule: error.reason,
                path: [],
                message: error.message,
                hint: hints[error.reason],
              },
            ],
      progress: () => transfers.progressOf(name),
      images: () => {
        if (imageUrl === undefined || known === undefined) return [];
        const path = imageUrl.split('/').slice(-2).join('/');
        return [{ path, artifact: artifactOf[known], url: imageUrl }];
      },
    };
  });
  return rows.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

const hints: Readonly<Partial<Record<string, string>>> = {
  ConfigurationError: 'pass base images that fit the object, for example --iso aarch64=FILE',
  MissingNetworkData: 'create the Secret, or fix networkDataName of the object',
};

export function countImages(images: Iterable<PreprovisioningImage>): HostCounts {
  const own = [...images].filter(({ isForeign }) => !isForeign);
  const valid = own.filter(({ status }) => status.imageUrl !== undefined).length;
  return { valid, stale: 0, invalid: own.length - valid };
}

/** The values are read at each scrape. */
export function addControllerMetrics(
  registry: Registry,
  isLeader: () => boolean,
  reconcileLoop: ReconcileLoop,
  informers: Informers,
) {
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
    wrote: (outcome: Outcome): void =>
      outcomes.inc({ reason: outcome.kind === 'ready' ? 'ImageSuccess' : outcome.reason }),
    failed: (): void => retries.inc(),
  };
}
