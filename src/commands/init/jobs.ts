/** The jobs of `init`, named as their pages in `docs/`. Each has a file in `templates/init/`. */
export const jobs: Readonly<Record<string, string>> = {
  'virtual-media': 'hosts that boot the agent from an ISO',
  'network-boot': 'many hosts that boot from the network (PXE, iPXE, HTTP)',
  deploy: 'hosts for an installation by Ironic or Metal3',
  'hosts-without-dhcp': 'hosts with static addresses',
};
