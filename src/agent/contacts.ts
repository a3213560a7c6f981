/**
 * The servers that a machine contacts, as far as its config names them, and how its programs do: through which proxy, with which
 * CA certificates, and with which login. Nothing is contacted here.
 */

import { parseUrl } from '../formats/url.ts';
import { parseOsloBoolean } from '../ipa/confValues.ts';
import { connectedServer, type ProxyReader, proxyReaders } from '../network/noProxy.ts';
import type { Need } from '../network/reachability.ts';
import type { PullSource } from './imagePull.ts';
import { listTimeServers } from './lint/addresses.ts';
import { planPulls, trustedCas } from './lint/images.ts';
import { bindMounts, getsTrustStore, optionValues, type PodmanCommand } from './lint/podmanCommand.ts';
import { listLoginFiles, readLogins } from './lint/pullSecret.ts';
import {
  confUrls,
  confValues,
  type LintedFile,
  type LintSubject,
  listResources,
  readInlineText,
} from './lint/subject.ts';
import { authorizationOf, findLogin } from './pullSecret.ts';

export interface ServerAccess {
  readonly isVerified: boolean;
  /** Whether it trusts the public CAs, too. */
  readonly hasPublicCas: boolean;
  /** PEM. */
  readonly cas: readonly string[];
  /** Its environment, with names in lower case. */
  readonly variables: ReadonlyMap<string, string>;
  readonly reader: ProxyReader;
}

/** URLs of which the program uses the first that answers, or all. */
export interface Contact {
  readonly urls: readonly URL[];
  readonly access: ServerAccess;
}

export interface RegistrySource extends PullSource {
  readonly access: ServerAccess;
  /** The key of the entry of the pull secret, and its header `Authorization`. */
  readonly login: { readonly key: string; readonly authorization: string } | undefined;
}

/** An image that podman pulls from the first of the sources that has it. */
export interface ImageContact {
  readonly image: string;
  readonly sources: readonly RegistrySource[];
}

/**
 * The agent uses only the certificates of `cafile`, or else those of Python, or of the host if its container has the trust store.
 */
export function agentContact(subject: LintSubject, option: string): Contact {
  const [unit] = subject.agentUnits;
  const commands = subject.runs.map(({ podman }) => podman);
  const isHanded = commands.every(
    (podman) => !optionValues(podman, 'http-proxy').some(({ text }) => text === 'false'),
  );
  const mounts = commands.flatMap(bindMounts);
  const files = confValues(subject, 'cafile').flatMap((path) => {
    const source = mounts.find(({ target }) => target === path)?.source ?? path;
    return readInlineText(subject.filesByPath.get(source)?.file.contents) ?? [];
  });
  return {
    urls: confUrls(subject, option),
    access: {
      isVerified: !confValues(subject, 'insecure').some((text) => parseOsloBoolean(text) === true),
      hasPublicCas: files.length === 0,
      cas: files.length === 0 && commands.some(getsTrustStore) ? certificatesIn(trustedCas(subject)) : files,
      variables: (isHanded && unit?.variables) || new Map(),
      reader: proxyReaders.requests,
    },
  };
}

function certificatesIn(files: readonly LintedFile[]): readonly string[] {
  return files.flatMap(({ file }) => readInlineText(file.contents) ?? []);
}

/** What Ignition fetches for the config, also by TFTP. */
export function ignitionContact({ config }: LintSubject): Contact {
  const { proxy, security } = config.ignition ?? {};
  const { httpProxy = '', httpsProxy = '', noProxy = [] } = proxy ?? {};
  const variables = { http_proxy: httpProxy, https_proxy: httpsProxy, no_proxy: noProxy.join(',') };
  return {
    urls: listResources(config).flatMap(({ resource: { source = '' } }) =>
      /^(?:https?|tftp):/i.test(source) ? (parseUrl(source) ?? []) : [],
    ),
    access: {
      isVerified: true,
      hasPublicCas: true,
      cas: (security?.tls?.certificateAuthorities ?? []).flatMap((one) => readInlineText(one) ?? []),
      variables: new Map(Object.entries(variables)),
      reader: proxyReaders.go,
    },
  };
}

/** The images of the agent. None if another config may add registries. */
export function imageContacts(subject: LintSubject): readonly ImageContact[] {
  return planPulls(subject).map(({ command: { podman, setting }, image, tried }) => {
    const unit = subject.agentUnits.find(({ name }) => name === setting.unitName);
    const { variables = new Map<string, string>() } = unit ?? {};
    const isUnverified = optionValues(podman, 'tls-verify').some(({ text }) => text === 'false');
    const sources = tried.map((source): RegistrySource => {
      const insecure = source.insecure || isUnverified;
      const cas = certificatesIn(trustedCas(subject, source.registry));
      const access = { isVerified: !insecure, hasPublicCas: true, cas, variables, reader: proxyReaders.go };
      return { ...source, insecure, access, login: loginOf(source.name, podman, subject) };
    });
    return { image, sources };
  });
}

/** Live systems have no credential helpers. */
function loginOf(name: string, podman: PodmanCommand, subject: LintSubject): RegistrySource['login'] {
  for (const file of listLoginFiles(podman, subject)) {
    const logins = readLogins(file);
    if (logins === undefined) continue;
    const login = findLogin(name, logins.credentials);
    if (login === undefined || 'helper' in login || login.state !== 'usable') continue;
    return { key: login.key, authorization: authorizationOf(logins.json, login.key) };
  }
  return undefined;
}

/**
 * The servers that a machine needs: Ironic, the receiver of inspection data, the registries of the agent's image, proxies, and NTP
 * servers. What Ignition fetches is not in the list, because the initramfs fetches it.
 */
export function listNeeds(subject: LintSubject): readonly Need[] {
  const timeServers = listTimeServers(subject).map(({ host }) => ({ purpose: 'NTP server', host }));
  return [
    // The agent tries all URLs and uses the first that answers.
    serversOf('Ironic', agentContact(subject, 'api_url')),
    serversOf('inspector', agentContact(subject, 'inspection_callback_url')),
    ...ofImages(subject),
    timeServers,
  ].filter((servers) => servers.length > 0);
}

/** The servers from which Ignition fetches contents, in the initramfs. */
export function listFetched(subject: LintSubject): readonly Need[] {
  return serversOf('contents for Ignition', ignitionContact(subject)).map((server) => [server]);
}

/** The servers of the URLs, or the proxies in front of them. */
function serversOf(purpose: string, { access: { reader, variables }, urls }: Contact): Need {
  return urls.map((url) => connectedServer(purpose, url, variables, reader));
}

/** podman tries the sources of an image in their order: a source that follows a reachable one may be unreachable. */
function ofImages(subject: LintSubject): readonly Need[] {
  return imageContacts(subject).flatMap(({ sources }) => {
    const servers = sources.flatMap(({ access, registry }) => {
      const url = parseUrl(`https://${registry}`);
      return serversOf('registry', { access, urls: url === undefined ? [] : [url] });
    });
    return servers.map((_server, index) => servers.slice(0, index + 1));
  });
}
