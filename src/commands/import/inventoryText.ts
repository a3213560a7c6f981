/** An inventory as YAML, with comments on what it cannot contain. */

import { printable } from '../../core/foreignText.ts';
import { withoutUndefined } from '../../formats/mapping.ts';
import { formatYaml } from '../../formats/yamlText.ts';
import type { Imported, ImportedHost } from './imported.ts';

const NO_AGENT = `# agent: # settings of all hosts; "ironic-coreos render --help-all" has all of them
#   ironic.apiUrls: https://192.0.2.1
#   agent.image: registry.example.com/ironic-agent
`;

/** @param files that it is from, for a comment */
export function formatInventory({ agent, hosts, notes }: Imported, files: readonly string[]): string {
  const head = `# Written by "ironic-coreos import" from ${files.map(printable).join(', ')}.\n`;
  const settings =
    Object.keys(agent).length === 0
      ? NO_AGENT
      : `${formatYaml([{ agent }])}  # ironic.apiUrls: https://192.0.2.1\n  # agent.image: registry.example.com/ironic-agent\n`;
  const list = hosts.length === 0 ? '' : `hosts:\n${hosts.map(formatHost).join('')}`;
  return head + formatNotes(notes) + settings + list;
}

function formatHost({ name, macs, architecture, network, deploy, bmc, notes }: ImportedHost): string {
  const isEmpty = deploy === undefined || Object.keys(deploy).length === 0;
  const host = withoutUndefined({
    name,
    mac: macs[0],
    architecture,
    network,
    deploy: isEmpty ? undefined : deploy,
    bmc,
  });
  const lines = formatYaml([[host]])
    .trimEnd()
    .split('\n')
    .map((line) => (line === '' ? '' : `  ${line}`));
  return `${formatNotes(notes).replaceAll(/^(?=.)/gm, '  ')}${lines.join('\n')}\n`;
}

function formatNotes(notes: readonly string[]): string {
  return notes.map((note) => `# not imported: ${printable(note)}\n`).join('');
}
