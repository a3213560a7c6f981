/** The configs that a rendered one is merged with: a discovery config of assisted-service below it, the user's above. */

import { assistedUnitName, withDiscovery } from '../../agent/profiles/assisted.ts';
import { iccSpecVersion } from '../../agent/profiles/icc.ts';
import type { Inputs } from '../../agent/settingInputs.ts';
import type { SettingName } from '../../agent/settingTable.ts';
import { findMergeConflicts } from '../../agent/mergeConflicts.ts';
import { CliError } from '../../core/errors.ts';
import type { Config } from '../../ignition/config.ts';
import { mergeConfigs } from '../../ignition/merge.ts';
import { remarkMerge } from '../../ignition/mergeRemarks.ts';
import { translateConfig } from '../../ignition/translate.ts';
import { type SpecVersion, specVersions } from '../../ignition/versions.ts';
import type { Io } from '../../io/io.ts';
import {
  type ConfigDocument,
  readConfigDocuments,
  tellFindings,
  translateDocument,
} from '../input/configDocuments.ts';
import { pathIn } from './reading.ts';

/** Throws CliError for configs that are missing, not valid, or of a version that cannot be merged. */
export async function mergeGivenConfigs(rendered: Config, inputs: Inputs, io: Io): Promise<Config> {
  const [discovery] = filesOf(inputs, 'ignition.discovery');
  const merge = filesOf(inputs, 'ignition.merge');
  const base = discovery === undefined ? rendered : await mergeDiscovery(rendered, discovery, io);
  let config = base;
  for (const document of await readConfigDocuments(merge, io)) {
    tellFindings(findMergeConflicts(base, document.config), document, io);
    config = mergeOver(config, document, io);
  }
  return config;
}

function filesOf(inputs: Inputs, name: SettingName): string[] {
  return (inputs.get(name) ?? []).map((value) => pathIn(value, value.text));
}

async function mergeDiscovery(rendered: Config, path: string, io: Io): Promise<Config> {
  const [document] = await readConfigDocuments([path], io);
  if (document === undefined) return rendered;
  const discovery = translateDocument(document, iccSpecVersion, io);
  const hasService = discovery.systemd?.units?.some(({ name }) => name === assistedUnitName) === true;
  if (!hasService) {
    throw new CliError(`--discovery: ${path} has no unit ${assistedUnitName}`, {
      hint: 'give the discovery config of assisted-service; any other config goes to --merge',
    });
  }
  return withDiscovery(rendered, discovery);
}

/** In the newer of the two versions, so that neither loses anything. */
function mergeOver(parent: Config, document: ConfigDocument, io: Io): Config {
  const own = specVersions.find((known) => known === parent.ignition?.version) ?? iccSpecVersion;
  const version = newer(own, document.version);
  const below = translateConfig(parent, { from: own, to: version });
  const above = translateDocument(document, version, io);
  if (below.status === 'refused') {
    throw new CliError(`what was rendered cannot be written in the version ${version}`, {
      hint: `write ${document.name} in the version ${own}`,
    });
  }
  tellFindings(remarkMerge(below.config, above, version), document, io);
  return mergeConfigs(below.config, above, version);
}

function newer(one: SpecVersion, other: SpecVersion): SpecVersion {
  return specVersions.indexOf(one) < specVersions.indexOf(other) ? other : one;
}
