/** An inventory of two hosts, of which the second has a secret. */

const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK9zIsVJMfhacIuKONUMGEmrH10rGh7UkLGfneQkUQH0 a@b';

/** The secret is in `auth.json` beside it. */
export const inventory = `agent:
  ironic.apiUrls: https://192.0.2.1
  host.sshKeys: ['${key}']
hosts:
- name: worker-0
  mac: '52:54:00:12:34:56'
- name: worker-1
  mac: '52:54:00:12:34:57'
  overrides: {agent.pullSecret: auth.json, host.consoles: ['ttyS0,115200n8']}
`;
