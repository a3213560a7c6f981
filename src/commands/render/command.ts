/** Declares `render`. */

import { renderOptions } from '../../hosts/settings/options.ts';
import { command } from '../../io/commandLine.ts';

export const renderCommand = command({
  description:
    'Render the Ignition config that makes CoreOS run ironic-python-agent. The config is validated before it is ' +
    'written.',
  options: renderOptions,
  reference: `
Profiles:
  default               config of this program
  buildpy               config of build.py; selected by --host
  icc                   config of the image-customization-controller, same bytes
  assisted              agent part of assisted-service's discovery config
  configure-coreos-ipa  config of ironic-image's script configure-coreos-ipa
  Each of the last three profiles replaces a program. It reads the environment
  variables of that program, and rejects settings that the program would render
  incorrectly.

Config of build.py:
  With --host ADDRESS, the config equals the output of build.py for the same
  flags: spec 3.0.0, its unit, its two URLs on ports 6385 and 5050, indented
  JSON, and, without --ssh-key, the first ~/.ssh/id_*.pub by name. Flags
  that build.py does not have are added to that config. You
  cannot combine --host with --api-url, --inspection-callback-url or --insecure,
  or --registry with --agent-image. --tls requires --host.

Environment:
  Variables of the image-customization-controller: IRONIC_BASE_URL,
  IRONIC_INSPECTOR_BASE_URL, IRONIC_AGENT_IMAGE, IRONIC_AGENT_PULL_SECRET
  (content), IRONIC_AGENT_PULL_SECRET_FILE (path),
  IRONIC_AGENT_VLAN_INTERFACES, IRONIC_RAMDISK_SSH_KEY, IRONIC_CA_BUNDLE
  Variables of configure-coreos-ipa: IRONIC_ACCESS_PORT,
  IRONIC_INSPECTOR_ACCESS_PORT, IRONIC_AGENT_PODMAN_FLAGS,
  IRONIC_INSPECTOR_VLAN_INTERFACES
  Variables of ironic-image: IRONIC_EXTERNAL_CALLBACK_URL or
  IRONIC_EXTERNAL_IP, which precede IRONIC_BASE_URL; IRONIC_URL_HOST,
  IRONIC_IP, PROVISIONING_IP, PROVISIONING_INTERFACE or PROVISIONING_MACS
  without one; and IRONIC_SCHEME, IRONIC_CACERT_FILE
  General variables, read only with IRONIC_BASE_URL, IRONIC_AGENT_IMAGE or
  --profile: HTTP_PROXY, HTTPS_PROXY, NO_PROXY, CA_BUNDLE,
  REGISTRIES_CONF_PATH, IP_OPTIONS, ADDITIONAL_NTP_SERVERS
  With --host, no variable is read.

Precedence:
  Flags override the environment, and the environment overrides the inventory.
  In ironic-python-agent.conf, --option overrides --conf, and --conf overrides
  the other flags. A config of --merge overrides everything.

Many hosts:
  An inventory contains the settings of all hosts under "agent", named as
  --show-settings prints them, and a list "hosts" with name, mac, architecture,
  network (nmstate, networkData or keyfiles) and overrides. Each host gets
  NAME.ign in the folder --output. Invalid hosts are reported and skipped.
  --host NAME renders one of them; with --show-settings, it prints the settings
  of this host. Without "hosts", --output is one config.
  Schema: dist/schemas/inventory.json of the npm package

Without a registry:
  With --agent-archive, hosts load the agent image from an archive instead of a
  registry: from the live ISO, where "iso ignition embed --iso-file FILE:NAME"
  writes it (same NAME), or from --archive-url.

Without Ironic:
  With --standalone, ironic-python-agent.conf contains no URL of Ironic, and the
  agent only serves its API. The option "standalone" of the agent was removed
  after 6.6.0.

Changes to a deployed config:
  Render the new config and compare it: "render … | inspect DEPLOYED -", or
  "inspect DEPLOYED-FOLDER NEW-FOLDER" for an inventory with hosts.
`,
  exitCodes: { 1: 'failure: an input is missing or invalid, or the config would be invalid' },
  examples: `
  ironic-coreos render --api-url https://192.0.2.1 --ca-file ironic.crt \\
    --agent-image registry.example.com/ipa --ssh-key ~/.ssh/id_ed25519.pub \\
    --output ironic-agent.ign
  ironic-coreos render --api-url https://192.0.2.1,https://[2001:db8::1] \\
    --agent-image registry.example.com/ipa@sha256:… --pull-secret auth.json
  ironic-coreos render --host 192.168.122.1 --registry 192.168.122.1:5000 \\
    --insecure-registry --option 'collect_lldp = True' > ironic-agent.ign
  ironic-coreos render --inventory ramdisk.yaml -o configs
  ironic-coreos render --profile icc --hostname worker-0 \\
    --nmstate worker-0.yaml -o worker-0.ign
`,
  load: async () => (await import('./render.ts')).render,
});
