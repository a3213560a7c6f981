/** What the service tells of itself, by path: whether it lives and is ready, its state, and figures for Prometheus. */

import { createReadyPage, healthPage, type Page } from './http/pages.ts';
import type { Status } from './status/status.ts';
import { statusAnswer } from './status/statusPage.ts';
import type { Metrics } from './metrics.ts';

export interface PageSources {
  /** Why nothing can be served yet, as a clause; undefined when it can. */
  readonly problem: () => string | undefined;
  readonly metrics: Pick<Metrics, 'render'>;
  readonly describe: () => Status;
}

export function servicePages({ problem, metrics, describe }: PageSources): ReadonlyMap<string, Page> {
  const ready = createReadyPage(problem);
  const status: Page = {
    isPublic: false,
    answer: (request) => ({ status: 200, ...statusAnswer(describe(), request) }),
  };
  const figures: Page = {
    isPublic: false,
    answer: async ({ accept }) => {
      const { body, contentType } = await metrics.render(accept);
      return { status: 200, headers: { 'Content-Type': contentType }, body };
    },
  };
  return new Map([
    ['healthz', healthPage],
    ['readyz', ready],
    ['', status],
    ['metrics', figures],
  ]);
}
