/** Causes between the config and the first request: the network of the host, the container, the agent configuration, the connection to Ironic. */

import type { Stage } from '../stage.ts';
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
    text: 'The machine cannot connect to the registry: another address or port, no route, or the machine must use a proxy.',
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
    text: 'The agent cannot connect to Ironic: incorrect address or port, a firewall, or no route from this network.',
    check:
      'on the machine, run `grep api_url /etc/ironic-python-agent.conf`, `curl -k URL` and `sudo podman logs ironic-agent`; on the Ironic server, run `ss -ltn` and check the firewall',
    fix: 'in `render --api-url`, use an address that the machine can reach and the Ironic port (6385); open that port in the firewall',
    frequency: 'very common',
  },
  'pull-secret': {
    short: 'the pull secret',
    text: 'The registry refuses access to the container image: the pull secret is missing, has an invalid password, has expired or is for another registry, or the repository does not exist.',
    check: 'look for `unauthorized` or `authentication required` in `journalctl -b -u ironic-agent`',
    fix: 'in `render --pull-secret`, pass a file whose `auths` contains the registry of `--agent-image`, and with which `podman pull --authfile FILE IMAGE` succeeds',
    after: beforeContainer,
  },
  'registry-ca': {
    short: 'the registry certificate',
    text: 'The machine does not trust the certificate of the registry: its certificate authority is unknown.',
    check: 'look for `x509: certificate signed by unknown authority` in `journalctl -b -u ironic-agent`',
    fix: 'pass the certificate authority of the registry with `render --ca-file`, or use `--insecure-registry`',
    after: beforeContainer,
  },
  'registry-plain-http': {
    short: 'a registry without TLS',
    text: 'The registry does not use TLS, but the machine uses HTTPS.',
    check: 'run `curl -I http://REGISTRY/v2/` in the network of the machine',
    fix: 'use `render --insecure-registry`, or configure TLS on the registry',
    after: beforeContainer,
  },
  'container-image': {
    short: 'the container image reference',
    text: 'The container image does not exist in the registry, or its reference is invalid.',
    check: 'look for `manifest unknown` in `journalctl -b -u ironic-agent`',
    fix: 'in `render --agent-image`, use a tag or digest that the registry has',
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
    text: 'The agent sends its requests for Ironic to a proxy, and the connection through it fails: the proxy is unreachable, or cannot reach Ironic.',
    check: 'run `systemctl show ironic-agent -p Environment` on the machine; read the log of the proxy',
    fix: 'add all host names and addresses of Ironic to `render --no-proxy`, or fix the URL of the proxy; the hosts of `--api-url` are always in it, but configs of other generators may lack them',
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
    text: 'The agent exits or does not start; the unit restarts it every five seconds.',
    check: 'run `systemctl status ironic-agent` and `journalctl -b -u ironic-agent` on the machine',
    fix: 'fix the error that these commands report; remove your own `--podman-arg` and `--podman-mount` options to rule them out',
    after: [...beforeFirstCall, 'inspection', 'api'],
    isResult: true,
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

/** Only a line on the console shows these. */
const causesOfLines: CauseRows = {
  'pull-failed': {
    short: 'the container image pull',
    text: 'The pull of the agent container image failed for the reason in the line.',
    check: 'look for `Error:` in `journalctl -b -u ironic-agent`',
    fix: 'fix the reason in the line; or use `--agent-archive`, which needs no registry',
  },
  'pull-timeout': {
    short: 'a registry that does not answer',
    text: 'The registry did not answer in time: a firewall drops the packets, or the machine must use a proxy.',
    check: 'on the machine, run `curl -I https://REGISTRY/v2/`',
    fix: 'set a proxy with `render --https-proxy`, open the port in the firewall, set a mirror with `--registries-conf`, or use `--agent-archive`',
  },
  'pull-transfer': {
    short: 'an interrupted pull',
    text: 'The connection to the registry ended during the pull, or the data differ from their digest.',
    check:
      'on the machine, run `sudo podman pull IMAGE` again; read the log of the registry and of the proxy',
    fix: 'fix the network (MTU, packet loss), or the proxy that ends the connection',
  },
  'pull-secret-invalid': {
    short: 'the file of the pull secret',
    text: 'The machine cannot read the credentials for the registry: the file of the pull secret is damaged.',
    check:
      'run `sudo python3 -m json.tool AUTHFILE` on the machine with the file in the line; run `ironic-coreos validate FILE` with the config',
    fix: 'pass the unchanged file with `render --pull-secret`, which validates it',
  },
  'pull-rate-limit': {
    short: 'the rate limit of the registry',
    text: 'The registry refuses the pull because too many were made.',
    check: 'run `sudo podman pull IMAGE` later',
    fix: 'use an account with `render --pull-secret`, a mirror with `--registries-conf`, or `--agent-archive`',
  },
  'pull-policy': {
    short: 'the signature policy',
    text: 'The policy of the machine rejects the container image: it has no signature that the policy accepts.',
    check: 'run `cat /etc/containers/policy.json` on the machine',
    fix: 'sign the image with the key of the policy; or change the rule of the registry in `/etc/containers/policy.json` with a file in the config',
  },
  'registry-blocked': {
    short: 'a blocked registry',
    text: 'The file registries.conf blocks the registry of the container image.',
    check:
      'run `grep -rn blocked /etc/containers/registries.conf /etc/containers/registries.conf.d` on the machine',
    fix: 'remove `blocked = true` in `render --registries-conf`, or use a registry that is not blocked in `--agent-image`',
  },
  'registries-conf': {
    short: 'the file registries.conf',
    text: 'The machine cannot read the file registries.conf.',
    check: 'run `ironic-coreos validate FILE` with the config; read the line for its position',
    fix: 'fix the file of `render --registries-conf`',
  },
  'registry-error': {
    short: 'an error of the registry',
    text: 'The registry answers with a server error.',
    check: 'run `curl -I https://REGISTRY/v2/`; read the log of the registry',
    fix: 'fix the registry; the unit pulls again by itself',
  },
  'registry-answer': {
    short: 'a server that is not a registry',
    text: 'The server does not answer like a container registry.',
    check: 'run `curl -i https://REGISTRY/v2/` in the network of the machine',
    fix: 'correct the host and the port of the registry in `render --agent-image`; remove the proxy or portal that answers in its place',
  },
  'registry-name': {
    short: 'the name in the certificate of the registry',
    text: 'The certificate of the registry is not for the host name or address that the machine uses.',
    check: 'run `openssl s_client -connect REGISTRY:443 | openssl x509 -noout -ext subjectAltName`',
    fix: 'use a name that the certificate contains in `render --agent-image`, or create a certificate with this name',
  },
  'registry-expired': {
    short: 'an expired certificate of the registry',
    text: 'The certificate of the registry has expired: the clock of the machine is correct.',
    check: 'run `openssl s_client -connect REGISTRY:443 | openssl x509 -noout -dates`',
    fix: 'replace the certificate of the registry',
  },
  'registry-tls': {
    short: 'TLS with the registry',
    text: 'The TLS handshake with the registry failed.',
    check: 'run `openssl s_client -connect REGISTRY:443 -tls1_2` in the network of the machine',
    fix: 'use a current TLS server for the registry; remove proxies that inspect TLS',
  },
  'container-architecture': {
    short: 'an image for another architecture',
    text: 'The container image is not for the architecture of the machine.',
    check: 'run `podman manifest inspect IMAGE` on a workstation to list its architectures',
    fix: 'build the image for the architecture of the machine, or use its tag in `render --agent-image`',
  },
  'unit-exec': {
    short: 'a program that systemd cannot start',
    text: 'A program of the unit of the agent cannot be started: it is missing, or a file that it requires is missing.',
    check: 'run `systemctl status ironic-agent` and `systemctl cat ironic-agent` on the machine',
    fix: 'correct the path in the unit; `render` writes a unit with the paths of CoreOS',
  },
  'unit-invalid': {
    short: 'the unit of the agent',
    text: 'The unit of the agent is invalid.',
    check:
      'run `systemd-analyze verify ironic-agent.service` on the machine; run `ironic-coreos validate FILE` with the config',
    fix: 'fix the unit, or use the one that `render` writes',
  },
  'agent-unit-failed': {
    short: 'the unit of the agent',
    text: 'The unit of the agent failed: its lines on the console or in the journal say why.',
    check: 'run `systemctl status ironic-agent` and `journalctl -b -u ironic-agent` on the machine',
    fix: 'fix the error that these commands report',
    isResult: true,
  },
  'container-start': {
    short: 'podman',
    text: 'The program podman failed for the reason in the line, so the agent does not run.',
    check: 'run `journalctl -b -u ironic-agent` on the machine',
    fix: 'fix the reason in the line; remove your own `--podman-arg` and `--podman-mount` options to rule them out',
  },
  'ironic-timeout': {
    short: 'an Ironic that does not answer',
    text: 'Ironic did not answer the agent in time: a firewall drops the packets, or the route back is missing.',
    check: 'on the machine, run `curl -k -m 10 URL`; on the Ironic server, run `tcpdump port 6385`',
    fix: 'open the Ironic port (6385) in the firewall; use an address that the machine can reach in `render --api-url`',
  },
  'ironic-connection': {
    short: 'the connection to Ironic',
    text: 'The server at the Ironic URL closes the connection without an answer.',
    check: 'on the machine, run `curl -vk URL`; read the log of Ironic and of a proxy in front of it',
    fix: 'use `https://` if the port uses TLS; remove the proxy in between',
  },
  'inspection-url': {
    short: 'the inspection URL',
    text: 'The agent has sent its inventory to the URL in the line several times: nothing answers there, or the server fails.',
    check:
      'on the machine, run `curl -k -X POST URL` with the URL in the line, and `grep -E "api_url|inspection_callback_url" /etc/ironic-python-agent.conf`',
    fix: 'in `render --api-url`, and in `--inspection-callback-url` or `--inspector-url` if you set it (`inspection_callback_url`), use an address of Ironic that the machine can reach',
    isResult: true,
  },
  'ironic-name': {
    short: "the name in Ironic's certificate",
    text: "Ironic's certificate is not for the host name or address that the agent uses.",
    check: 'run `openssl s_client -connect IRONIC:6385 | openssl x509 -noout -ext subjectAltName`',
    fix: 'in `render --api-url`, use a name or address that the certificate contains',
  },
  'node-not-found': {
    short: 'the node in Ironic',
    text: 'Ironic finds no node for the machine: no node has its MAC addresses, or the node is in a state without a lookup.',
    check: 'compare the MAC addresses in the line with `baremetal port list`',
    fix: 'enroll the node with its MAC addresses (`deploy node`), and manage it: Ironic ignores the lookup of nodes in other states',
  },
  'ironic-error': {
    short: 'an error of Ironic',
    text: 'Ironic answers the agent with a server error.',
    check: 'read the log of the Ironic API at the time of the request',
    fix: 'fix the error in that log; the agent repeats the request',
  },
  'root-device': {
    short: 'the root device',
    text: 'The agent finds no disk for the installation: none matches the root device hints, or a driver is missing.',
    check:
      'compare `lsblk -d -o NAME,SIZE,SERIAL,WWN` on the machine with `root_device` in `baremetal node show NODE`',
    fix: 'correct the hints of the node',
  },
};

/** Those of the first table are possible at the same stages, unless the machine has no config. */
export const agentCauses = [
  ...causesOf(causes, { after: beforeFirstCall, isRefuted: lacksConfig }),
  ...causesOf(causesOfLines),
];
