/** Causes between the config and the first request: the network of the host, the container, the agent configuration, the connection to Ironic. */

import type { Stage } from '../stages.ts';
import { type CauseRows, causesOf, lacksConfig } from './cause.ts';

/** Between these stages and the start of the agent container, there are no events except lines on the console. */
const beforeContainer: readonly Stage[] = [
  'image',
  'initramfs',
  'config',
  'rootfs',
  'agent archive',
  'live system',
];
const beforeFirstCall: readonly Stage[] = [...beforeContainer, 'agent container'];

const causes: CauseRows = {
  'container-pull': {
    short: 'the container image pull',
    text: 'The machine cannot pull the agent container image: the registry is unreachable (DNS, route or proxy).',
    check: 'on the machine, run `journalctl -b -u ironic-agent` and `curl -I https://REGISTRY/v2/`',
    fix: 'set a proxy with `render --https-proxy` and `--no-proxy`, set a mirror with `--registries-conf`, or use `--agent-archive`, which needs no registry',
    after: beforeContainer,
    frequency: 'very common',
  },
  'pull-proxy': {
    short: 'the proxy for the container image pull',
    text: 'The machine cannot pull the agent container image through its proxy: the proxy is unreachable, or refuses the registry.',
    check:
      'run `systemctl show ironic-agent -p Environment` on the machine; run `curl -x PROXY -I https://REGISTRY/v2/` in the network of the machine',
    fix: 'fix the URL in `render --https-proxy`, with its user and password if the proxy requires them; or add the registry to `--no-proxy`',
    after: beforeContainer,
  },
  'ironic-address': {
    short: 'the Ironic URL',
    text: 'The agent runs but cannot reach Ironic: incorrect address or port, a firewall, or no route from this network.',
    check:
      'on the machine, run `grep api_url /etc/ironic-python-agent.conf`, `curl -k URL` and `sudo podman logs ironic-agent`; on the Ironic server, run `ss -ltn` and check the firewall',
    fix: 'in `render --api-url`, use an address that the machine can reach and the Ironic port (6385); open that port in the firewall',
    frequency: 'very common',
  },
  'pull-secret': {
    short: 'the pull secret',
    text: 'The registry refuses access to the container image: the pull secret is missing, expired or for another registry, or the repository does not exist.',
    check: 'look for `unauthorized` or `authentication required` in `journalctl -b -u ironic-agent`',
    fix: 'in `render --pull-secret`, pass a file whose `auths` contains the registry of `--agent-image`',
    after: beforeContainer,
  },
  'registry-ca': {
    short: 'the registry certificate',
    text: 'The machine does not trust the certificate of the registry: its certificate authority is unknown, or it is for another name.',
    check: 'look for `x509: certificate signed by unknown authority` in `journalctl -b -u ironic-agent`',
    fix: 'pass the certificate authority of the registry with `render --ca-file`, use a name that the certificate contains in `--agent-image`, or use `--insecure-registry`',
    after: beforeContainer,
  },
  'registry-plain-http': {
    short: 'a registry without TLS',
    text: 'The registry answers in plain HTTP, but the machine uses HTTPS.',
    check: 'run `curl -I http://REGISTRY/v2/` in the network of the machine',
    fix: 'use `render --insecure-registry`, or configure TLS on the registry',
    after: beforeContainer,
  },
  'container-image': {
    short: 'the container image reference',
    text: 'The container image does not exist, or it does not exist for the architecture of the machine.',
    check: 'look for `manifest unknown` or `exec format error` in `journalctl -b -u ironic-agent`',
    fix: 'in `render --agent-image`, use a tag or digest that the registry has for this architecture',
    after: beforeContainer,
  },
  'host-network': {
    short: 'the network configuration of the host',
    text: 'The live system has no network: nmstate or a keyfile names another interface or MAC address, or DHCP does not answer.',
    check: 'on the console, run `nmcli device`, `ip address` and `journalctl -b -u NetworkManager`',
    fix: 'in `--nmstate`, `--keyfile` or `network` of the inventory, match interfaces by MAC address and not by name',
    frequency: 'common',
  },
  proxy: {
    short: 'a proxy',
    text: 'The agent sends its requests for Ironic to a proxy that cannot reach Ironic.',
    check: 'run `systemctl show ironic-agent -p Environment` on the machine; read the log of the proxy',
    fix: 'add all host names and addresses of Ironic to `render --no-proxy`; the hosts of `--api-url` are always in it, but configs of other generators may lack them',
  },
  clock: {
    short: 'the clock of the machine',
    text: 'By the clock of the machine, a certificate is not yet valid or has expired: the clock is incorrect, or the certificate is too old.',
    check:
      'run `timedatectl` on the machine; look for `not yet valid` or `has expired` in `journalctl -b -u ironic-agent`',
    fix: 'set a time server with `render --ntp-server`, and set the clock in the firmware; or replace the certificate',
  },
  dns: {
    short: 'name resolution',
    text: 'The machine cannot resolve the host name of Ironic or of the registry.',
    check: 'run `getent hosts NAME` and `resolvectl status` on the machine',
    fix: 'set a DNS server by DHCP or in `--nmstate`, or use an IP address in `--api-url`',
  },
  'ip-family': {
    short: 'IPv4 or IPv6',
    text: 'Ironic is reachable only by the other IP version (IPv4 or IPv6).',
    check: 'compare `ip -4 route` and `ip -6 route` on the machine with the addresses in `--api-url`',
    fix: 'pass both addresses: `render --api-url https://192.0.2.1,https://[2001:db8::1]`',
  },
  'container-ends': {
    short: 'the agent container',
    text: 'The agent container does not start, or the agent exits immediately; the unit restarts it every five seconds.',
    check: 'run `systemctl status ironic-agent` and `journalctl -b -u ironic-agent` on the machine',
    fix: 'fix the error that these commands report; remove your own `--podman-arg` and `--podman-mount` options to rule them out',
    after: [...beforeFirstCall, 'inspection', 'api'],
  },
  'conf-refused': {
    short: 'the agent configuration',
    text: 'The agent does not accept its configuration file: an invalid value, a number out of range, or a URL without a scheme.',
    check:
      'run `ironic-coreos validate FILE` with the config or the image; run `journalctl -b -u ironic-agent` on the machine',
    fix: 'fix the `--option`, or the line in the `--conf` file, that `validate` reports',
  },
  'dhcp-wait': {
    short: 'waiting for DHCP on all interfaces',
    text: 'The agent waits up to one minute for an address on every interface before it sends the inventory.',
    check: 'look for `Not all network interfaces received IP addresses` in `sudo podman logs ironic-agent`',
    fix: 'wait; or use `render --option "inspection_dhcp_all_interfaces = False"`, or set a shorter `inspection_dhcp_wait_timeout`',
  },
};

/** All of these are possible at the same stages, unless the machine has no config. */
export const agentCauses = causesOf(causes, { after: beforeFirstCall, isRefuted: lacksConfig });
