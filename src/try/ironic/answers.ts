/** Answers of Ironic's API, and its errors in the two forms that a current Ironic (39.0) gives them. */

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** To be sent as JSON; undefined where there is no body. */
  readonly body: unknown;
}

export function answerWith(status: number, body: unknown): ApiAnswer {
  return { status, headers: {}, body };
}

/** An error of the one who asked, or of the service. JSON within JSON: that is what Ironic sends. */
export function fault(status: number, faultstring: string): ApiAnswer {
  const faultcode = status >= 500 ? 'Server' : 'Client';
  return errorMessage(status, { faultcode, faultstring, debuginfo: null });
}

/** For a path or a method that the API does not have. */
export function notRouted(status: 404 | 405, headers: ApiAnswer['headers'] = {}): ApiAnswer {
  const title = status === 404 ? 'Not Found' : 'Method Not Allowed';
  return { ...errorMessage(status, { code: status, title, description: '' }), headers };
}

/** In the way of the inspector, a service of its own until 2024. */
export function inspectorFault(status: number, message: string): ApiAnswer {
  return answerWith(status, { error: { message } });
}

function errorMessage(status: number, error: object): ApiAnswer {
  return answerWith(status, { error_message: JSON.stringify(error) });
}
