/** Converts a build request to a host in the form that all commands render. */

import type { InventoryHost } from '../hosts/settings/inventoryDocument.ts';
import type { Inputs } from '../agent/settingInputs.ts';
import { CliError, FormatError } from '../core/errors.ts';
import { parseYaml, type ParsedYaml } from '../formats/yaml.ts';
import { hostSource, type RenderHost } from '../hosts/settings/renderHosts.ts';
import type { RenderSource } from '../hosts/settings/settings.ts';
import { keyText } from './kube/objects.ts';
import { type BuildRequest, type HostNetwork } from './buildRequest.ts';

/** Reading its inputs throws CliError if the network data is not valid YAML. */
export function hostFromRequest(request: BuildRequest, source: RenderSource): RenderHost {
  const { choice, name, network } = request;
  const inventory: InventoryHost = {
    name,
    architecture: choice.architecture,
    findings: [],
    readInputs: () => (network === undefined ? new Map() : networkInputs(network)),
  };
  const place = `PreprovisioningImage ${keyText(request)}`;
  return {
    name,
    at: { file: place },
    problems: [],
    inventory,
    readSource: hostSource(inventory, place, source),
  };
}

/** In place of any network that all hosts have. */
function networkInputs(network: HostNetwork): Inputs {
  const { key, place, text } = network;
  const { value, locate } = parseNetwork(network);
  const input = {
    text,
    place,
    origin: 'file',
    isContent: true,
    document: { name: place, value, locate },
  } as const;
  return new Map([
    ['host.nmstate', key === 'nmstate' ? [input] : []],
    ['host.networkData', key === 'networkData' ? [input] : []],
  ]);
}

function parseNetwork({ key, place, text }: HostNetwork): ParsedYaml {
  try {
    return parseYaml(text);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new CliError(`${place}: ${error.message}`, {
      code: 'ERR_FORMAT',
      hint: error.hint ?? `fix the key ${key} of the Secret`,
    });
  }
}
