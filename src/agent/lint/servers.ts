/**
 * The servers that a machine needs, as far as its config names them: Ironic, the receiver of inspection data, the registries of
 * the agent's image, proxies, and NTP servers. What Ignition fetches is not in the list, because the initramfs fetches it.
 */

import { parseUrl } from '../../formats/url.ts';
import { connectedServer } from '../../network/noProxy.ts';
import type { Need } from '../../network/reachability.ts';
import { type ServerAccess, agentContact, imageContacts } from '../contacts.ts';
import { listTimeServers } from './addresses.ts';
import type { LintSubject } from './subject.ts';

export function listNeeds(subject: LintSubject): readonly Need[] {
  const timeServers = listTimeServers(subject).map(({ host }) => ({ purpose: 'NTP server', host }));
  return [
    ofAgent(subject, 'api_url', 'Ironic'),
    ofAgent(subject, 'inspection_callback_url', 'inspector'),
    ...ofImages(subject),
    timeServers.filter(({ host }) => host !== ''),
  ].filter((servers) => servers.length > 0);
}

/** The agent tries all URLs and uses the first that answers. */
function ofAgent(subject: LintSubject, option: string, purpose: string): Need {
  const { access, urls } = agentContact(subject, option);
  return urls.map((url) => serverOf(purpose, url, access));
}

/** podman tries the sources of an image in their order: a source that follows a reachable one may be unreachable. */
function ofImages(subject: LintSubject): readonly Need[] {
  return imageContacts(subject).flatMap(({ sources }) => {
    const servers = sources.flatMap(({ access, registry }) => {
      const url = parseUrl(`https://${registry}`);
      return url === undefined ? [] : [serverOf('registry', url, access)];
    });
    return servers.map((_server, index) => servers.slice(0, index + 1));
  });
}

/** The server, or the proxy in front of it. */
export function serverOf(purpose: string, url: URL, { isExcept, variables }: ServerAccess) {
  return connectedServer(purpose, url, variables, isExcept);
}
