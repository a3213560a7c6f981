/** What `init` takes, and the jobs that it knows. */

import { choice, file, type OptionsOf, freeText, withDefault } from '../../io/commandLine.ts';

/** The jobs of `init`, named as their pages in `docs/`. Each has a file in `templates/init/`. */
export const jobs: Readonly<Record<string, string>> = {
  'virtual-media': 'hosts that boot the agent from an ISO',
  'network-boot': 'many hosts that boot from the network (PXE, iPXE, HTTP)',
  deploy: 'hosts for an installation by Ironic or Metal3',
  'hosts-without-dhcp': 'hosts with static addresses',
};

export const jobNames = Object.keys(jobs);

export const initOptions = {
  '[JOB]': choice(jobNames, `what the hosts do: ${jobNames.join(', ')}`),
  '--api-url <urls>': freeText('URLs of Ironic (default: https://192.0.2.1, an example)'),
  '--agent-image <image>': freeText(
    'agent container image (default: registry.example.com/ironic-agent, an example)',
  ),
  '--ssh-key <text|file>': file('public SSH key for SSH login as core'),
  '-o, --output <file>': withDefault(
    'ramdisk.yaml',
    file('file to write, which must not exist, or - for standard output'),
  ),
};

export type InitOptions = OptionsOf<typeof initOptions>;
