/** The state of the controller, for its status page: each object of the cluster with its image. */

import { artifactOf, imageFormats } from './api/imageFormat.ts';
import type { PreprovisioningImage } from './api/preprovisioningImage.ts';
import type { Finding } from '../core/finding.ts';
import type { HostStatus, ImageStatus, Status } from '../serve/status/status.ts';
import type { TransferLog } from '../serve/answer/transfers.ts';
import type { Loaded } from '../serve/serviceState.ts';
import { describeBases } from '../serve/service.ts';
import type { ControllerSnapshot } from './snapshot.ts';
import { ownerOf } from './imageOrder.ts';

export interface ControllerStatusSource {
  readonly snapshot: Loaded<ControllerSnapshot> | undefined;
  readonly problem: string | undefined;
  readonly images: readonly PreprovisioningImage[];
  readonly transfers: TransferLog;
  readonly version: string;
  readonly started: Date;
  readonly connections: number;
}

export function describeController(source: ControllerStatusSource): Status {
  const { connections, images, problem, snapshot, started, transfers, version } = source;
  const bases = [...(snapshot?.factory.bases.values() ?? [])];
  return {
    service: {
      version,
      now: new Date(),
      started,
      loaded: snapshot?.loaded ?? started,
      loadError: problem,
      connections,
      transfers: transfers.running(),
    },
    bases: bases.flatMap(describeBases),
    hosts: images
      .filter(({ isForeign }) => !isForeign)
      .map((image) => describeImage(image, transfers))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    shared: transfers.progressOf(undefined),
    recent: transfers.recent(),
  };
}

function describeImage(image: PreprovisioningImage, transfers: TransferLog): HostStatus {
  const name = ownerOf(image);
  return {
    name,
    macs: [],
    architecture: image.status.architecture ?? image.spec.architecture,
    findings: findingsOf(image),
    progress: () => transfers.progressOf(name),
    images: () => publishedImage(image, transfers),
  };
}

function findingsOf({ status: { conditions } }: PreprovisioningImage): Finding[] {
  const error = conditions.find(({ type, status }) => type === 'Error' && status === 'True');
  if (error === undefined) return [];
  return [{ severity: 'error', rule: error.reason, path: [], message: error.message }];
}

function publishedImage(image: PreprovisioningImage, transfers: TransferLog): ImageStatus[] {
  const { imageUrl, format } = image.status;
  const known = imageFormats.find((it) => it === format);
  if (imageUrl === undefined || known === undefined) return [];
  const path = imageUrl.split('/').slice(-2).join('/');
  const size = transfers.progressOf(ownerOf(image)).find((it) => it.path === path)?.size;
  return [{ path, artifact: artifactOf[known], size, url: imageUrl }];
}
