/** What the service tells of itself: pages for persons, figures for Prometheus, and whether it lives and is ready. */

/** A page under a path of its own; it comes before what the catalog has there. */
export interface Page {
  /** Whether it is for everybody; else for operators. */
  readonly isPublic: boolean;
  answer(request: PageRequest): PageAnswer | Promise<PageAnswer>;
}

interface PageRequest {
  readonly query: URLSearchParams;
  /** The header of this name, or nothing. */
  readonly accept: string;
  /** Whether the service ends. */
  readonly isDraining: boolean;
}

interface PageAnswer {
  readonly status: number;
  /** With `Content-Type`; `Content-Length` is added. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const plain = { 'Content-Type': 'text/plain; charset=utf-8' };

/** For `healthz`: answering at all is the message. */
export const healthPage: Page = {
  isPublic: true,
  answer: () => ({ status: 200, headers: plain, body: 'ok\n' }),
};

/**
 * For `readyz`.
 * @param problem why nothing can be served yet, as a clause without secrets; undefined when it can
 */
export function createReadyPage(problem: () => string | undefined): Page {
  return {
    isPublic: true,
    answer: ({ isDraining }) => {
      const reason = isDraining ? 'the service ends' : problem();
      return reason === undefined
        ? { status: 200, headers: plain, body: 'ready\n' }
        : { status: 503, headers: plain, body: `503: ${reason}\n` };
    },
  };
}
