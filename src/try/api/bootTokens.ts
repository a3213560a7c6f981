/**
 * Agent tokens that hosts of an inventory bring along, in the conf of the agent or as a kernel argument: Ironic puts them
 * there for virtual media, and then tells them no more. Left out: those in a conf file of the user's own (`agent.confFile`).
 */

import { formatOptionLines } from '../../agent/conf.ts';
import type { SettingName } from '../../agent/settingTable.ts';
import { ipaArgument } from '../../boot/ipaParameter.ts';
import { CliError } from '../../core/errors.ts';
import { parseOsloConfig } from '../../formats/osloConfig.ts';
import type { Io } from '../../io/io.ts';
import { listHosts } from '../../hosts/settings/renderHosts.ts';
import { readInputs, type RenderSource } from '../../hosts/settings/settings.ts';
import type { ServeSource } from '../../serve/source.ts';

/** By the name of the host; hosts without one are not there. */
export function bootTokensOfHosts({ inventory, source }: ServeSource, io: Io): ReadonlyMap<string, string> {
  const hosts = listHosts(inventory.hosts ?? [], source).filter(({ problems }) => problems.length === 0);
  return new Map(
    hosts.flatMap(({ name, readSource }) => {
      const token = tokenOf(readSource(io));
      return token === undefined ? [] : [[name, token] as const];
    }),
  );
}

/** What is wrong is told when it is rendered. */
function tokenOf(source: RenderSource): string | undefined {
  try {
    const { inputs } = readInputs(source);
    const texts = (name: SettingName): string[] => (inputs.get(name) ?? []).map(({ text }) => text);
    // The conf counts, and a kernel argument where it says nothing.
    return (
      tokenOfConf(texts('agent.options')) ??
      tokenOfArguments([
        ...texts('boot.ipaParameters').map(ipaArgument),
        ...texts('boot.kernelArguments').flatMap((text) => text.split(/\s+/)),
      ])
    );
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}

function tokenOfConf(lines: readonly string[]): string | undefined {
  const { document } = parseOsloConfig(formatOptionLines(lines));
  const options = document.entries.filter((entry) => entry.kind === 'option');
  return options.findLast(({ name }) => name === 'agent_token')?.value || undefined;
}

const ARGUMENT = 'ipa-agent-token=';

function tokenOfArguments(list: readonly string[]): string | undefined {
  return list.findLast((text) => text.startsWith(ARGUMENT))?.slice(ARGUMENT.length) || undefined;
}
