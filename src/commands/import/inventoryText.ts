/** An inventory as YAML, with comments on what it cannot contain. */

import { printable } from '../../core/foreignText.ts';
import { withoutUndefined } from '../../formats/mapping.ts';
import { formatYaml } from '../../formats/yamlText.ts';
import type { Imported, ImportedHost } from './imported.ts';

/** Settings that every host needs, with examples. */
const needed = { 'ironic.apiUrls': 'https://192.0.2.1', 'agent.image': 'registry.example.com/ironic-agent' };

/** Whether an inventory with these settings of all hosts needs others, too. */
export function lacksSettings(agent: Imported['agent']): boolean {
  return Object.keys(needed).some((key) => !(key in agent));
}

/** @param files that it is from, for a comment */
export function formatInventory({ agent, hosts, notes }: Imported, files: readonly string[]): string {
  const head = `# Written by "ironic-coreos import" from ${files.map(printable).join(', ')}.\n`;
  const isEmpty = Object.keys(agent).length === 0;
  const start = isEmpty
    ? '# agent: # settings of all hosts; "ironic-coreos render --help-all" has all of them\n'
    : formatYaml([{ agent }]);
  const missing = Object.entries(needed).filter(([key]) => !(key in agent));
  const examples = missing.map(([key, value]) => `${isEmpty ? '#   ' : '  # '}${key}: ${value}\n`);
  const settings = start + examples.join('');
  const list = hosts.length === 0 ? '' : `hosts:\n${hosts.map(formatHost).join('')}`;
  return head + formatNotes(notes) + settings + list;
}

function formatHost({ name, macs, architecture, network, deploy, login, notes }: ImportedHost): string {
  const isEmpty = deploy === undefined || Object.keys(deploy).length === 0;
  const host = withoutUndefined({
    name,
    mac: macs[0],
    architecture,
    network,
    deploy: isEmpty ? undefined : deploy,
    bmc: login && { credentialsFile: login.path },
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
