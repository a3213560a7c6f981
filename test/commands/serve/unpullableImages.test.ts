/** An image that podman cannot pull is an error in every command that gets the settings of registries, with the file of the setting. */

import { describe, expect, it } from 'vitest';
import { inputsNameImage } from '../../support/agentImage.ts';
import { place } from './support.ts';

const { run, serve, write } = place(inputsNameImage);

const table: readonly (readonly [title: string, registriesConf: string, image: string, message: string])[] = [
  [
    'a blocked registry',
    '[[registry]]\nlocation = "registry.example.com"\nblocked = true\n',
    'registry.example.com/ironic-agent',
    'podman cannot pull the image registry.example.com/ironic-agent: registries.conf blocks registry.example.com (agent-image-registries)\n',
  ],
  [
    'a location that is no name of an image',
    '[[registry]]\nprefix = "registry.example.com"\nlocation = "docker.io"\n',
    'registry.example.com/ironic-agent',
    'the entry "registry.example.com" of registries.conf rewrites the image registry.example.com/ironic-agent to "docker.io/ironic-agent:latest", which podman refuses (agent-image-registries)\n',
  ],
  [
    'a name without a registry, and two registries to search',
    'unqualified-search-registries = ["a.example.com", "b.example.com"]\nshort-name-mode = "enforcing"\n',
    'team/ironic-agent',
    'the image team/ironic-agent has no registry, and podman cannot select one (agent-image-unpullable)\n',
  ],
];

const base = ['--iso', 'live.iso', '--base-url', 'http://192.0.2.9'];
const commands: readonly (readonly [name: string, args: readonly string[]])[] = [
  ['render', ['render', '--inventory', 'hosts.yaml', '-o', 'configs']],
  ['prepare', ['prepare', '--inventory', 'hosts.yaml', ...base, '-o', 'prepared']],
  [
    'try',
    [
      'try',
      '--inventory',
      'hosts.yaml',
      '--iso',
      'live.iso',
      '--listen',
      '127.0.0.1:0',
      '--serve-listen',
      '127.0.0.1:0',
    ],
  ],
];

describe.each(table)('%s', (_title, registriesConf, image, message) => {
  const settings = `agent: {ironic.apiUrls: https://192.0.2.1, agent.image: ${image}, agent.registriesConf: r.conf}\n`;
  const writeInputs = (): void => {
    write('r.conf', registriesConf);
    write('hosts.yaml', `${settings}hosts: [{name: a, mac: 52:54:00:12:34:56}]\n`);
  };

  it.each(commands)('%s', async (_name, args) => {
    await serve().then((running) => running.stop()); // it writes live.iso
    writeInputs();
    const { code, stderr } = await run(...args);
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
  });

  it('serve', async () => {
    writeInputs();
    const running = await serve({ inventory: 'hosts.yaml' });
    expect(running.said()).toContain(
      JSON.stringify(message.replace(/ \(agent-[a-z-]+\)\n$/, '')).slice(1, -1),
    );
  });

  it('validate, of a config in which it was ignored', async () => {
    writeInputs();
    const [, rule = ''] = /\((agent-[a-z-]+)\)\n$/.exec(message) ?? [];
    await run('render', '--inventory', 'hosts.yaml', '--ignore', rule, '-o', 'ignored');
    const { code, stdout } = await run('validate', 'ignored/a.ign');
    expect([code, stdout]).toEqual([1, expect.stringContaining(rule)]);
  });
});
