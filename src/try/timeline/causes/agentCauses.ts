/** Causes between the config and the first call: the host's network, the container, the agent's conf, the way to Ironic. */

import type { Stage } from '../stages.ts';
import { type Cause, lacksConfig } from './cause.ts';

/** From here on nothing is to be seen until the agent calls. */
const beforeFirstCall: readonly Stage[] = ['image', 'initramfs', 'config', 'rootfs', 'agent image'];

const causes: readonly Cause[] = [
  {
    id: 'container-pull',
    short: 'the container pull',
    text: 'The container image of the agent cannot be pulled: the registry is not reached, by DNS, route or proxy.',
    check: 'on the machine `journalctl -b -u ironic-agent`, and `curl -I https://REGISTRY/v2/`',
    fix: '`render --https-proxy` and `--no-proxy`, `--registries-conf` with a mirror, or no registry at all: `--agent-archive`',
    usual: 'most',
  },
  {
    id: 'ironic-address',
    short: 'the Ironic address',
    text: 'The agent runs, but does not reach Ironic: another address or port, a firewall, or no route from this network.',
    check:
      'on the machine `grep api_url /etc/ironic-python-agent.conf`, `curl -k URL`, and `sudo podman logs ironic-agent`; on the machine of Ironic `ss -ltn` and the firewall',
    fix: '`render --api-url` with an address that machines reach and the port of Ironic (6385), and open that port',
    usual: 'most',
  },
  {
    id: 'pull-secret',
    short: 'the pull secret',
    text: 'The registry wants a login, and the pull secret is missing, expired or for another registry.',
    check: '`journalctl -b -u ironic-agent` (`unauthorized`, `authentication required`)',
    fix: '`render --pull-secret` with a file that has the registry of `--agent-image` in its `auths`',
  },
  {
    id: 'registry-ca',
    short: 'the certificate of the registry',
    text: 'The machine does not trust the certificate of the registry.',
    check: '`journalctl -b -u ironic-agent` (`x509: certificate signed by unknown authority`)',
    fix: '`render --ca-file` with the authority of the registry, or `--insecure-registry`',
  },
  {
    id: 'container-image',
    short: 'the reference of the container image',
    text: 'There is no such container image, or none for the architecture of the machine.',
    check: '`journalctl -b -u ironic-agent` (`manifest unknown`, `exec format error`)',
    fix: '`render --agent-image` with a tag or digest that the registry has for this architecture',
  },
  {
    id: 'host-network',
    short: "the host's network settings",
    text: 'The running system has no network: nmstate or keyfiles name another interface or MAC address, or DHCP does not answer.',
    check: 'on the console `nmcli device`, `ip address`, `journalctl -b -u NetworkManager`',
    fix: 'find interfaces by MAC address in `--nmstate` or `--keyfile` (in the inventory `network`), not by a name that may differ',
    usual: 'often',
  },
  {
    id: 'proxy',
    short: 'a proxy in between',
    text: 'The calls to Ironic go to the proxy, which does not get there.',
    check: '`systemctl show ironic-agent -p Environment` on the machine, and the log of the proxy',
    fix: "`render --no-proxy` with all names of Ironic; those of `--api-url` are always in it, but other generators' configs may lack them",
  },
  {
    id: 'clock',
    short: 'the clock of the machine',
    text: 'The clock of the machine is wrong, so that certificates are not valid yet, or any more.',
    check: '`timedatectl` on the machine (`not yet valid`, `has expired` in `journalctl -b -u ironic-agent`)',
    fix: '`render --ntp-server`, and the clock in the firmware',
  },
  {
    id: 'dns',
    short: 'name resolution',
    text: 'The machine cannot resolve the name of Ironic or of the registry.',
    check: '`getent hosts NAME` on the machine; `resolvectl status`',
    fix: 'a DNS server by DHCP or in `--nmstate`, or an address in `--api-url`',
  },
  {
    id: 'ip-family',
    short: 'IPv4 or IPv6',
    text: 'Ironic is reached by the other family of addresses only.',
    check: '`ip -4 route` and `ip -6 route` on the machine; what `--api-url` names',
    fix: 'name both: `render --api-url https://192.0.2.1,https://[2001:db8::1]`',
  },
  {
    id: 'container-ends',
    short: 'the container',
    text: 'The container does not start, or the agent ends at once; the unit tries again every five seconds.',
    check:
      '`systemctl status ironic-agent`, `journalctl -b -u ironic-agent`, `sudo podman logs ironic-agent`',
    fix: 'what these say; leave out `--podman-arg` and `--podman-mount` of your own to see whether it is they',
    after: [...beforeFirstCall, 'inspection', 'api'],
  },
  {
    id: 'conf-refused',
    short: "the agent's conf",
    text: 'The agent refuses its conf: an unknown value, a number out of its range, a URL without scheme.',
    check: '`ironic-coreos validate FILE` with the config or the image; `sudo podman logs ironic-agent`',
    fix: 'mend the `--option` or the line in `--conf` that `validate` names',
  },
  {
    id: 'dhcp-wait',
    short: 'waiting for DHCP on all interfaces',
    text: 'The agent waits up to a minute until every interface has an address, before it sends the inventory.',
    check: '`sudo podman logs ironic-agent` (`Not all network interfaces received IP addresses`)',
    fix: 'wait; or `render --option "inspection_dhcp_all_interfaces = False"`, or a shorter `inspection_dhcp_wait_timeout`',
  },
];

/** All of these are possible from the same stages on, and not where the machine has no config. */
export const agentCauses: readonly Cause[] = causes.map((cause) => ({
  after: beforeFirstCall,
  isRefuted: lacksConfig,
  ...cause,
}));
