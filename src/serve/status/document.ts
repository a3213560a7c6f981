/** The same as the status page for programs; the schema is `schemas/serve-status.json`. */

import { formatPath } from '../../core/finding.ts';
import type { Diagnostic } from '../../core/diagnostic.ts';
import type { ImageProgress } from '../answer/imageFetches.ts';
import type { TransferEvent } from '../answer/transfers.ts';
import type { Selection } from './select.ts';
import type { HostStatus, Status } from './status.ts';

/** One JSON object with the selected hosts. */
export function formatStatusDocument(status: Status, selection: Selection): string {
  const { matching, page, pages } = selection;
  const document = {
    service: status.service, // JSON.stringify writes a Date as RFC 3339 has it
    bases: status.bases,
    total: status.hosts.length,
    matching,
    page,
    pages,
    hosts: selection.hosts.map(hostObject),
    shared: status.shared.map((image) => ({ path: image.path, size: image.size, ...progressObject(image) })),
    transfers: status.recent.map(transferObject),
  };
  return `${JSON.stringify(document)}\n`;
}

function hostObject({ name, macs, architecture, findings, progress, images }: HostStatus): object {
  const fetched = new Map(progress().map((image) => [image.path, image]));
  return {
    name,
    macs,
    architecture,
    findings: findings.map(findingObject),
    images: images().map(({ path, artifact, size, url }) => {
      const image = fetched.get(path);
      return { path, artifact, size: size ?? image?.size, url, ...(image && progressObject(image)) };
    }),
  };
}

function findingObject({ severity, rule, code, at, path, message, hint }: Diagnostic): object {
  return { severity, rule, code, ...at, path: path && formatPath(path), message, hint };
}

function progressObject({ bytes, lastFetch, completed, running, clients }: ImageProgress): object {
  return { fetched: bytes, lastFetch, completed, running, clients };
}

function transferObject(event: TransferEvent): object {
  const { id, ended, host, path, artifact, client, userAgent, bytes, seconds, outcome } = event;
  return { id, ended, host, path, artifact, client, userAgent, bytes, seconds, outcome };
}
