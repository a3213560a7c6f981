/** Findings in texts that a YAML file contains have the line of the file: in Butane, YAML configs and inventories. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runCli } from '../../support/runCli.ts';

const folder = mkdtempSync(join(tmpdir(), 'inner places '));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const keyfile = `[connection]
id=eth0
type=ethernet
interface-name=eth0
[ethernet]
mtu=many
[ipv4]
method=manual
address1=192.0.2.5/24,198.51.100.1
dns=192.0.2.53
`;
const unit = `[Unit]
# a comment
Description=a \\
  b
[Service]
ExecStart=/usr/bin/podman run https://a.example.com
`;
const indent = (text: string, blanks: number): string => text.replaceAll(/^(?=.)/gm, ' '.repeat(blanks));

const butane = `variant: fcos
version: 1.5.0
storage:
  files:
    - path: /etc/NetworkManager/system-connections/eth0.nmconnection
      mode: 0600
      contents:
        inline: |
${indent(keyfile, 10)}    - path: /etc/containers/registries.conf
      overwrite: true
      contents:
        inline: |2
            # two more blanks
          unqualified-search-registries = nothing
    - path: /etc/ironic-python-agent.conf
      contents:
        inline: |-
          [DEFAULT]
          api_url = https://192.0.2.1:6385
          lookup_timeout = soon
    - path: /usr/local/bin/script
      mode: 0755
      contents:
        inline: |

          echo late
systemd:
  units:
    - name: ironic-agent.service
      contents: |
${indent(unit, 8)}    - name: ironic-agent@b.service
      contents: "[Service]\\nExecStart=/usr/bin/podman run https://b.example.com\\n"
`;

const lineOf = (source: string, text: string): number =>
  source.split('\n').findIndex((line) => line.includes(text)) + 1;

describe('a finding in a text of a Butane config', () => {
  it.each<readonly [rule: string, detail: string, line: string]>([
    ['agent-network', 'mtu in [ethernet]', 'mtu=many'],
    ['agent-network', 'the gateway', 'address1='],
    ['agent-registries-conf', 'registries.conf', 'nothing'],
    ['agent-image-reference', 'ironic-agent.service', 'ExecStart=/usr/bin/podman run'],
    ['agent-image-reference', 'ironic-agent@b.service', 'contents: "[Service]'],
    ['conf-value', 'lookup_timeout', 'soon'],
  ])('%s about %s is at its line', async (rule, detail, text) => {
    writeFileSync(join(folder, 'a.bu'), butane);
    const { stdout } = await runCli(['validate', '--lint', 'agent', '--format', 'json', 'a.bu'], {
      cwd: folder,
    });
    const { messages } = JSON.parse(stdout);
    const found = messages.filter(
      (one: Record<string, string>) => one['rule'] === rule && one['message']?.includes(detail),
    );
    expect(found.map(({ line }: { line: number }) => line)).toEqual([lineOf(butane, text)]);
    const [{ column, line }] = found;
    const written = butane.split('\n')[line - 1] ?? '';
    expect(written.slice(column - 1).startsWith(text.replace('contents: ', ''))).toBe(true);
  });
});

it('a finding in a keyfile of an inventory is at its line', async () => {
  const inventory = `agent: {ironic.apiUrls: https://192.0.2.1}
hosts:
  - name: a
    network:
      keyfiles:
        eth0.nmconnection: |
${indent(keyfile, 10)}`;
  writeFileSync(join(folder, 'hosts.yaml'), inventory);
  const { stderr } = await runCli(['render', '--inventory', 'hosts.yaml', '-o', 'out'], {
    cwd: folder,
  });
  expect(stderr).toContain(`hosts.yaml:${lineOf(inventory, 'mtu=many')}:11: `);
  expect(stderr).toContain(`hosts.yaml:${lineOf(inventory, 'address1=')}:11: the gateway`);
});
