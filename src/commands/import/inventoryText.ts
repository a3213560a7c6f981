/** An inventory as YAML, with comments on what it cannot contain. */

import { printable } from '../../core/foreignText.ts';
import { asMapping, withoutUndefined } from '../../formats/mapping.ts';
import { formatYaml } from '../../formats/yamlText.ts';
import type { Imported, ImportedHost } from './imported.ts';

/** Settings that every host needs, with examples. */
const needed = { 'ironic.apiUrls': 'https://192.0.2.1', 'agent.image': 'registry.example.com/ironic-agent' };

/** What the user adds to the inventory: settings that every host needs, and the template that takes the values of hosts. */
export function missingParts({ agent, hosts }: Imported): readonly string[] {
  return [
    ...(Object.keys(needed).some((key) => !(key in agent)) ? ['the settings of the agent'] : []),
    ...(valueNames(hosts).length > 0 ? ['the network template'] : []),
  ];
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
  return head + formatNotes(notes) + settings + formatTemplate(hosts) + list;
}

/** The names of the values that hosts have for a network template. */
function valueNames(hosts: readonly ImportedHost[]): readonly string[] {
  return [...new Set(hosts.flatMap(({ network }) => Object.keys(asMapping(network?.['values']))))];
}

/** An example of the template for the values of hosts; empty without values. */
function formatTemplate(hosts: readonly ImportedHost[]): string {
  const names = valueNames(hosts).map(printable);
  const [first] = names;
  if (first === undefined) return '';
  const address = names.find((name) => /^ip|addr/i.test(name)) ?? first;
  const vlan = names.find((name) => /vlan/i.test(name) && name !== address);
  const lines =
    vlan === undefined
      ? []
      : [
          `- name: 'eth0.{${vlan}}'`,
          '  type: vlan',
          '  state: up',
          `  vlan: { base-iface: eth0, id: {${vlan}} }`,
        ];
  const ofVlan = lines.map((line) => `#       ${line}\n`).join('');
  const placeholders = ['name', 'mac', ...names].map((name) => `{${name}}`);
  return `# networkTemplate: # the network of all hosts, with the placeholders ${placeholders.join(', ')}
#   nmstate:
#     interfaces:
#       - name: eth0
#         type: ethernet
#         state: up
#         identifier: mac-address
#         mac-address: '{mac}'
${ofVlan}#         ipv4: { enabled: true, dhcp: false, address: [{ ip: '{${address}}', prefix-length: 24 }] }
`;
}

function formatHost(host: ImportedHost): string {
  const { name, bootMac, architecture, network, deploy, credentialsFile, notes } = host;
  const { method, ...others } = deploy ?? {};
  const settings = method === 'install_coreos' ? others : { ...deploy }; // without the default step
  const entry = withoutUndefined({
    name,
    mac: bootMac,
    architecture,
    network,
    deploy: Object.keys(settings).length === 0 ? undefined : settings,
    bmc: credentialsFile && { credentialsFile },
  });
  const lines = formatYaml([[entry]])
    .trimEnd()
    .split('\n')
    .map((line) => (line === '' ? '' : `  ${line}`));
  return `${formatNotes(notes).replaceAll(/^(?=.)/gm, '  ')}${lines.join('\n')}\n`;
}

function formatNotes(notes: readonly string[]): string {
  return notes.map((note) => `# not imported: ${printable(note)}\n`).join('');
}
