/** The pages of the service: status page, metrics, health and readiness probes. */

import { plainHeaders, type TextAnswer } from './textResponse.ts';

/** A page with a fixed path, which overrides the catalog. */
export interface Page {
  /** Whether all clients have access; otherwise only operators. */
  readonly isPublic: boolean;
  answer(request: PageRequest): TextAnswer | Promise<TextAnswer>;
}

interface PageRequest {
  /** For the status page: `q`, `show`, `page`, `refresh`, `format`. */
  readonly query: URLSearchParams;
  /** The `Accept` header, or an empty string. */
  readonly accept: string;
  readonly isDraining: boolean;
}

/** For `healthz`: any answer means that the service is alive. */
export const healthPage: Page = {
  isPublic: true,
  answer: () => ({ status: 200, headers: plainHeaders, body: 'ok\n' }),
};

/**
 * For `readyz`. The first line is `ready` as long as the service has something to serve. A degraded service is ready, too: if
 * all replicas have the same invalid inventory, a load balancer would otherwise remove all of them.
 * @param problem why the service is not ready, as a clause without secrets; undefined if it is ready
 * @param degradations what a ready service does not serve as requested, as clauses without secrets
 */
export function createReadyPage(
  problem: () => Promise<string | undefined> | string | undefined,
  degradations: () => readonly string[] = () => [],
): Page {
  return {
    isPublic: true,
    answer: async ({ isDraining }) => {
      const reason = isDraining ? 'the service is stopping' : await problem();
      if (reason !== undefined) return { status: 503, headers: plainHeaders, body: `503: ${reason}\n` };
      const found = degradations();
      const degraded = found.length === 0 ? '' : `degraded: ${found.join(', ')}\n`;
      return { status: 200, headers: plainHeaders, body: `ready\n${degraded}` };
    },
  };
}
