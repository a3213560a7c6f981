/**
 * The servers that a machine contacts, as far as its config names them: Ironic, the receiver of inspection data, the registries of
 * the agent's image, proxies, and NTP servers. What Ignition fetches is not in the list, because the initramfs fetches it.
 */

import { parseUrl } from '../../formats/url.ts';
import { connectedServer, isExceptForGo, isExceptForPython } from '../../network/noProxy.ts';
import type { Need } from '../../network/reachability.ts';
import { planPull } from '../imagePull.ts';
import { isLocalName } from '../imageSource.ts';
import { listTimeServers, readVariables } from './addresses.ts';
import { agentPulls, readRegistries } from './images.ts';
import { optionValues } from './podmanCommand.ts';
import { confValues, type LintSubject } from './subject.ts';

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
  const [unit] = subject.agentUnits;
  const isHanded = subject.runs.every(
    ({ podman }) => !optionValues(podman, 'http-proxy').some(({ text }) => text === 'false'),
  );
  const urls = confValues(subject, option)
    .flatMap((value) => value.split(','))
    .flatMap((text) => parseUrl(text.trim()) ?? []); // not `mdns`
  const variables = unit !== undefined && isHanded ? readVariables(unit) : new Map<string, string>();
  return urls.map((url) => connectedServer(purpose, url, variables, isExceptForPython));
}

/** podman tries the sources of an image in their order: a source that follows a reachable one may be unreachable. */
function ofImages(subject: LintSubject): readonly Need[] {
  const registries = readRegistries(subject);
  if (registries === undefined) return [];
  return agentPulls(subject).flatMap(({ command: { podman, setting }, image }) => {
    if (podman.verb !== 'pull' && isLocalName(image)) return [];
    const unit = subject.agentUnits.find(({ name }) => name === setting.unitName);
    const variables = unit === undefined ? new Map<string, string>() : readVariables(unit);
    const { sources = [] } = planPull(image, registries) ?? {};
    const servers = sources
      .filter(({ blocked }) => !blocked)
      .flatMap(({ registry }) => {
        const url = parseUrl(`https://${registry}`);
        return url === undefined ? [] : [connectedServer('registry', url, variables, isExceptForGo)];
      });
    return servers.map((_server, index) => servers.slice(0, index + 1));
  });
}
