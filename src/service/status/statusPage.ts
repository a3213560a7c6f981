/** The answer for `/` of `serve` and `controller`: their hosts, images and transfers. */

import { formatCount } from '../../formats/messageText.ts';
import type { TextAnswer } from '../../http/server/textResponse.ts';
import type { ServiceFacts, StatusPage } from './document.ts';
import { hostRow, hostStateNames } from './hostRows.ts';
import type { HostStatus } from './hostStatus.ts';
import { pageAnswer } from './page.ts';

export interface Status extends Omit<StatusPage, 'heading' | 'summary' | 'names' | 'rows'> {
  readonly command: string;
  readonly service: ServiceFacts & { readonly transfers: number };
  /** In display order. */
  readonly hosts: readonly HostStatus[];
}

/**
 * The answer contains signed URLs, so only operators may see it.
 * @param accept the `Accept` header, or an empty string
 */
export function statusAnswer(
  { command, hosts, ...page }: Status,
  query: URLSearchParams,
  accept: string,
): TextAnswer {
  const { now, transfers } = page.service;
  return pageAnswer(
    {
      ...page,
      heading: `ironic-coreos ${command}`,
      summary: `${formatCount(transfers, 'transfer')}, ${formatCount(hosts.length, 'host')}`,
      names: hostStateNames,
      rows: hosts.map((host) => hostRow(host, now)),
    },
    query,
    accept,
  );
}
