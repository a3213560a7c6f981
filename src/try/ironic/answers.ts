/** Answers of Ironic's API: its versions, its errors in the two forms that a current Ironic (39.0) has, and their reasons. */

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

/** Why Ironic refuses a request of a ramdisk: what a cause that is called proven rests on, so each says one thing. */

export type RefusalReason =
  /** The version of the API that the request names does not have what it asks for, or does not exist. */
  | 'api-version'
  /** The request names no version of the API, and the oldest one, which counts then, does not have what it asks for. */
  | 'no-api-version'
  /** A query or a body that is not as the API defines it. */
  | 'arguments'
  | 'body-too-large'
  /** The body did not arrive as a whole. */
  | 'body-cut'
  | 'not-json'
  /** There is a list of MAC addresses or interfaces, and no usable MAC address in it. */
  | 'no-macs'
  /** Its MAC addresses are those of several nodes. */
  | 'several-nodes'
  /** It names a node that does not exist. */
  | 'unknown-node'
  | 'token-missing'
  | 'token-wrong'
  | 'no-callback-url'
  /** The node has sent another callback URL since it was booted. */
  | 'callback-changed'
  /** The callback URL is plain HTTP. */
  | 'callback-without-tls'
  /** Neither the version of the agent nor its status is in the heartbeat. */
  | 'no-agent-version'
  /** Too much is known or on its way: nothing is wrong with the request. */
  | 'busy';

/** Which version of the API a request is answered in. */
export interface ApiVersion {
  readonly minor: number;
  /** Whether the request names it; else it is the oldest one. */
  readonly isNamed: boolean;
}

/** Why a request is refused whose version does not have what it asks for. */
export function versionReason({ isNamed }: ApiVersion): 'api-version' | 'no-api-version' {
  return isNamed ? 'api-version' : 'no-api-version';
}

/** The clause for it: `it names version 1.21 of the API, which has no lookup`. */
export function versionProblem({ isNamed, minor }: ApiVersion, missing: string): string {
  return isNamed
    ? `it names version 1.${minor} of the API, which has no ${missing}`
    : `it names no version of the API (X-OpenStack-Ironic-API-Version), and version 1.${minor} has no ${missing}`;
}

/** The newest one of Ironic 39.0; agents ask for the newest that both sides know. */
const latestMinor = 115;
/** What is spoken with clients that name none. */
const leastMinor = 1;

const leastVersion = `1.${leastMinor}`;
const latestVersion = `1.${latestMinor}`;

const versionHeader = 'X-OpenStack-Ironic-API-Version';

const rangeHeaders = {
  'X-OpenStack-Ironic-API-Minimum-Version': leastVersion,
  'X-OpenStack-Ironic-API-Maximum-Version': latestVersion,
};

export type Negotiation =
  | { readonly kind: 'agreed'; readonly version: ApiVersion }
  /** `named` is what the request asks for. */
  | { readonly kind: 'refused'; readonly named: string; readonly answer: ApiAnswer };

/** Headers by names in small letters. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Which version a request wants to be answered in. */
export function negotiateVersion(headers: RequestHeaders): Negotiation {
  const named = wantedVersion(headers);
  const wanted = named ?? leastVersion;
  const text = wanted.toLowerCase() === 'latest' ? latestVersion : wanted;
  const [, major, minor] = /^([1-9][0-9]{0,4})\.([0-9]{1,5})$/.exec(text) ?? [];
  if (minor === undefined) {
    return { kind: 'refused', named: text, answer: fault(406, `Invalid value for ${versionHeader} header`) };
  }
  const range = `The supported version range is: [${leastVersion}, ${latestVersion}].`;
  if (major !== '1') {
    return outOfRange(
      text,
      `Mutually exclusive versions requested. Version ${text} requested but not supported by this service. ${range}`,
    );
  }
  if (Number(minor) < leastMinor || Number(minor) > latestMinor) {
    return outOfRange(
      text,
      `Version ${text} was requested but the minor version is not supported by this service. ${range}`,
    );
  }
  return { kind: 'agreed', version: { minor: Number(minor), isNamed: named !== undefined } };
}

/** The header that all services of OpenStack share comes before Ironic's own. */
function wantedVersion(headers: RequestHeaders): string | undefined {
  const shared = [headers['openstack-api-version'] ?? []].flat().flatMap((value) => value.split(','));
  const ironics = shared.map((value) => /^\s*baremetal\s+(\S+)\s*$/.exec(value)?.[1]);
  return ironics.findLast((value) => value !== undefined) ?? [headers[versionHeader.toLowerCase()]].flat()[0];
}

function outOfRange(named: string, message: string): Negotiation {
  return { kind: 'refused', named, answer: { ...fault(406, message), headers: rangeHeaders } };
}

/** The answer, with the headers that say which version it is in. */
export function inVersion(minor: number, answer: ApiAnswer): ApiAnswer {
  return { ...answer, headers: { ...rangeHeaders, [versionHeader]: `1.${minor}`, ...answer.headers } };
}

/** For `/`. `url` is that of the service as the client names it, without a slash at its end. */
export function rootAnswer(url: string): ApiAnswer {
  const version = versionDocument(url);
  return answerWith(200, {
    name: 'OpenStack Ironic API',
    description:
      'Ironic is an OpenStack project which enables the provision and management of baremetal machines.',
    default_version: version,
    versions: [version],
  });
}

/** For `/v1`, of whose many collections only those of ramdisks are there. */
export function v1Answer(url: string, minor: number): ApiAnswer {
  const collections = ramdiskCollections.filter(({ since }) => minor >= since);
  return answerWith(200, {
    id: 'v1',
    links: [{ href: `${url}/v1/`, rel: 'self' }],
    media_types: { base: 'application/json', type: 'application/vnd.openstack.ironic.v1+json' },
    version: versionDocument(url),
    ...Object.fromEntries(collections.map(({ name }) => [name, collectionLinks(url, name)])),
  });
}

const ramdiskCollections = [
  { name: 'lookup', since: 22 },
  { name: 'heartbeat', since: 22 },
  { name: 'continue_inspection', since: 84 },
];

function collectionLinks(url: string, name: string): object[] {
  return [
    { href: `${url}/v1/${name}/`, rel: 'self' },
    { href: `${url}/${name}/`, rel: 'bookmark' },
  ];
}

function versionDocument(url: string): object {
  return {
    id: 'v1',
    links: [{ href: `${url}/v1/`, rel: 'self' }],
    status: 'CURRENT',
    min_version: leastVersion,
    version: latestVersion,
  };
}
