/** The answer for `/` of `serve` and `controller`: their hosts, images and transfers. */

import { formatCount } from '../../formats/messageText.ts';
import type { TransferEvent } from '../../http/server/answer/transfers.ts';
import type { PageAnswer } from '../../http/server/pages.ts';
import { hostRow, hostStateNames, progressObject } from './hostRows.ts';
import { pageAnswer } from './page.ts';
import type { Status } from './status.ts';

/**
 * The answer contains signed URLs, so only operators may see it.
 * @param accept the `Accept` header, or an empty string
 */
export function statusAnswer(status: Status, query: URLSearchParams, accept: string): PageAnswer {
  const { baseImages, command, hosts, inputs, loadError, recent, service, shared } = status;
  return pageAnswer(
    {
      heading: `ironic-coreos ${command}`,
      summary: `${formatCount(service.transfers, 'transfer')}, ${formatCount(hosts.length, 'host')}`,
      names: hostStateNames,
      rows: hosts.map((host) => hostRow(host, service.now)),
      service: { ...service, inputs },
      loadError,
      more: {
        baseImages,
        shared: shared.map((image) => ({ path: image.path, size: image.size, ...progressObject(image) })),
        transfers: recent.map(transferObject),
      },
    },
    query,
    accept,
  );
}

function transferObject(event: TransferEvent): object {
  const { id, ended, host, path, artifact, client, userAgent, bytes, seconds, outcome } = event;
  return { id, ended, host, path, artifact, client, userAgent, bytes, seconds, outcome };
}
