/** Declares `import`. */

import { command } from '../../io/commandLine.ts';
import { importOptions } from './options.ts';

export const importCommand = command({
  description:
    'Write an inventory from objects of Metal3 and OpenShift, nodes of Ironic, or a table of hosts',
  options: importOptions,
  details: `
Files, in any order and number; - is standard input:
  Objects of Kubernetes, YAML or JSON, also several documents or a list:
    BareMetalHost with its Secrets, NMStateConfig,
    NodeNetworkConfigurationPolicy, AgentConfig, ImageDigestMirrorSet,
    ImageTagMirrorSet, ImageContentSourcePolicy, and Secrets and ConfigMaps with
    a pull secret or certificates
  install-config.yaml of OpenShift
  Nodes of Ironic: "baremetal node list --long -f json", with
    "baremetal port list --long -f json" for the MAC addresses; answers of the
    API, and documents for "baremetal create"
  CSV: the first line has the names of the columns name, mac, architecture,
    bmc_address, username, password, or other usual names such as bmc_ip; other
    columns are values of the network, but for those that may contain a secret

Hosts with a common MAC address, or else with the same name, are one host, such
as a BareMetalHost and its NMStateConfig. Two objects of one kind, or two lines
of a table, that contradict each other are two hosts; "validate" reports them.
What an inventory cannot contain is a comment beside its host. Credentials,
configs and certificates are written to the folder NAME-files beside NAME.yaml,
and Secrets with mode 0600.
`,
  examples: `
  kubectl get baremetalhosts,secrets -n metal3 -o yaml \\
    | ironic-coreos import -o ramdisk.yaml -
  ironic-coreos import install-config.yaml agent-config.yaml
  ironic-coreos import nodes.json ports.json
  ironic-coreos import hosts.csv --api-url https://192.0.2.1 \\
    --agent-image registry.example.com/ironic-agent
`,
  load: async () => (await import('./import.ts')).importHosts,
});
