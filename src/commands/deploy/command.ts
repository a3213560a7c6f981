/** Declares the `deploy` commands. */

import { command, type CommandGroup } from '../../io/commandLine.ts';
import { bareMetalHostOptions, configDriveOptions, nodeOptions, stepsOptions } from './options.ts';

const HARDWARE_NOTES = `
Hardware:
  --hardware FILE or FOLDER compares the host with its machine: the disk that
  the root device hints select, the boot MAC address, the interfaces of the
  network, the architecture. Files are those of "baremetal node inventory save",
  "try --save" or "kubectl get baremetalhosts,hardwaredata -o yaml". A machine
  has the name of its object or file, or the boot MAC address of the host.
`;

const INVENTORY_NOTES = `
Many hosts:
  --inventory reads the same file as "render --inventory". Its key "deploy", of
  a host or of all hosts, contains the options under their names in camel case:
  bmcAddress, deployIso, …; appendKargs is a list, rootDeviceHints a mapping.
  In these values and in options, the command replaces {name}, {mac},
  {mac:hexhyp} and {architecture} with the values of the host. The MAC address,
  the architecture and the network come from the entry of the host. Options
  override the inventory, and settings of a host override those of all hosts.
  All hosts are written to one document, or with -o FOLDER to one file per host.
  Invalid hosts are reported and skipped.

    deploy:
      deployIso: http://192.0.2.1/{name}.iso
      rootDeviceHints: {minSizeGigabytes: 100, rotational: false}
    hosts:
    - name: worker-0
      mac: 52:54:00:12:34:56
      deploy:
        bmcAddress: redfish-virtualmedia://192.0.2.10/redfish/v1/Systems/1
`;

const steps = command({
  summary: 'Write deploy steps for Ironic',
  description: 'Write deploy steps for "baremetal node deploy", and the config drive that they read',
  options: stepsOptions,
  details: `
Deploy steps contain only the name of the step. install_coreos reads the
Ignition config, the kernel arguments and whether to copy the network from the
config drive. It reads the URL of another image from the node.

The deploy interface custom-agent runs the steps, and is off by default: a
message names the line for ironic.conf. With an image and its checksum, direct
also runs install_coreos: then a second step leaves out that Ironic writes the
image itself.

The steps are those of the hardware manager ironic_coreos_install in the agent
image. To check that your image has them, boot it with the mock Ironic:
ironic-coreos try --require-step install_coreos
${INVENTORY_NOTES}`,
  examples: `
  ironic-coreos deploy steps --ignition worker-3.ign \\
    --config-drive worker-3.json > steps.json
  ironic-coreos deploy steps --format command --node worker-3 \\
    --ignition worker-3.ign --config-drive worker-3.json
  baremetal node deploy worker-3 --deploy-steps steps.json \\
    --config-drive worker-3.json
  ironic-coreos deploy steps --inventory ramdisk.yaml --format command \\
    --config-drive drives/{name}.json
`,
  load: async () => (await import('./steps.ts')).steps,
});

const configDrive = command({
  summary: 'Write the config drive of an installation',
  description: 'Write the config drive that install_coreos reads, as JSON for the API of Ironic',
  options: configDriveOptions,
  details: INVENTORY_NOTES,
  examples: `
  ironic-coreos deploy configdrive --ignition worker-3.ign \\
    --append-karg console=ttyS0,115200n8 --copy-network -o worker-3.json
  ironic-coreos deploy configdrive --inventory ramdisk.yaml -o drives
`,
  load: async () => (await import('./configDrive.ts')).configDrive,
});

const bareMetalHost = command({
  summary: 'Write a BareMetalHost for Metal3, and its Secrets',
  description:
    'Write a BareMetalHost that installs CoreOS with a deploy step, and the Secrets that it refers to',
  options: bareMetalHostOptions,
  reference: `
BMC credentials:
  The Secret with the BMC credentials is not written. Create it with:
  kubectl create secret generic worker-3-bmc-secret \\
    --from-literal=username=… --from-file=password=…
${HARDWARE_NOTES}${INVENTORY_NOTES}`,
  examples: `
  ironic-coreos deploy baremetalhost --name worker-3 \\
    --bmc-address redfish-virtualmedia://192.0.2.13/redfish/v1/Systems/1 \\
    --boot-mac 52:54:00:12:34:56 --root-device name=/dev/nvme0n1 \\
    --ignition worker-3.ign | kubectl apply -f -
  ironic-coreos deploy baremetalhost --inventory ramdisk.yaml -o manifests
`,
  load: async () => (await import('./bareMetalHost.ts')).bareMetalHost,
});

const node = command({
  summary: 'Write a node for Ironic',
  description: 'Write a node for Ironic: commands that create or change it, or its description',
  options: nodeOptions,
  reference: `
Interfaces:
  The conductor chooses interfaces that are not given, among those that it
  enables. If it must enable one that is off by default in Ironic, a message
  names the line for ironic.conf.
${HARDWARE_NOTES}${INVENTORY_NOTES}`,
  details: `
BMC credentials are not written: the commands read BMC_USERNAME and
BMC_PASSWORD. Pass the output of --format json or yaml to
"baremetal create FILE".
`,
  examples: `
  ironic-coreos deploy node --name worker-3 --boot-mac 52:54:00:12:34:56 \\
    --bmc-address idrac-virtualmedia://192.0.2.13 --root-device "size=>= 100" \\
    --deploy-iso http://192.0.2.1/worker-3.iso
  ironic-coreos deploy node --name worker-3 --set \\
    --deploy-kernel http://192.0.2.1/ipa.kernel \\
    --deploy-ramdisk http://192.0.2.1/worker-3.initramfs \\
    --kernel-append-params "$(ironic-coreos pxe kargs --embedded \\
      --rootfs-url http://192.0.2.1/ipa.rootfs)"
  ironic-coreos deploy node --inventory ramdisk.yaml --format json > nodes.json
  ironic-coreos deploy node --inventory ramdisk.yaml \\
    --serve-url http://192.0.2.1:8084 --key-file serve.key > nodes.sh
`,
  load: async () => (await import('./node.ts')).node,
});

export const deploy: CommandGroup = {
  commands: { steps, configdrive: configDrive, baremetalhost: bareMetalHost, node },
};
