/** The command `controller`. */

import type { Command } from 'commander';
import type { ControllerOptions } from './settings.ts';
import { type Context, refuseRepeatedOptions } from '../io/commandLine.ts';
import {
  declareAccessOptions,
  declareIccFlags,
  declareImageOptions,
  declareListenOptions,
} from '../serve/serviceOptions.ts';

const notes = `
Looks after the PreprovisioningImages of Metal3 (metal3.io/v1alpha1), in the
place of OpenShift's image-customization-controller: for each it renders the
config of its host, with the network from the Secret that it names (key
nmstate), checks it as Ignition would, and writes the URL of an image with it
into the status, or the reason why there is none. What is wrong with an object
is also told as an event of Kubernetes.

Any number of replicas with the same key and settings serve all images: what is
asked for is made when it is fetched. One of them leads, by a Lease, and writes.

Settings:
  --settings FILE, configmap/NAME or secret/NAME (in the namespace of the pod)
  has the settings of all hosts in the form of an inventory without hosts:
  profile, and agent with ironic.apiUrls and so on. Of a ConfigMap or Secret it
  is the value ramdisk.yaml; its other values are files beside it. Without
  --settings the environment of the image-customization-controller counts:
  IRONIC_BASE_URL, IRONIC_AGENT_IMAGE, IRONIC_RAMDISK_SSH_KEY, …

Images are those that the options name, else DEPLOY_ISO, DEPLOY_INITRD and
DEPLOY_KERNEL, with those of other architectures beside them.

The cluster is that of --kubeconfig or KUBECONFIG, else that of the pod, else
that of ~/.kube/config. Manifests with the roles that are needed are in
templates/kubernetes.

Changes of settings and images are seen within seconds; SIGHUP has them read
anew. SIGTERM: /readyz fails, the Lease is given up, and after --drain-time the
service ends as soon as running downloads are through, or after --grace.

For all: /healthz, /readyz. For operators: / (status page), /metrics.

Exit codes:
  0  ended by a signal
  1  the cluster, the settings or the images cannot be used
  2  the command line or a variable is wrong

Examples:
  ironic-coreos controller --settings configmap/ramdisk --iso /images/live.iso \\
    --namespace metal3 --key-file /keys/url --listen :8084 \\
    --public-url http://ironic-coreos.metal3.svc:8084
  ironic-coreos controller --kubeconfig kind.yaml --settings ramdisk.yaml \\
    --iso live.iso --no-leader-election
`;

export function declareController(command: Command, context: Context): void {
  command
    .description('Makes the images that PreprovisioningImages of a Kubernetes cluster ask for.')
    .option('--settings <place>', 'file, configmap/NAME or secret/NAME: see below')
    .option('--profile <name>', 'whose configs, as for render')
    .option('--grow', 'make ISOs longer where a config does not fit');
  command
    .optionsGroup('Cluster:')
    .option('--kubeconfig <file>', 'which cluster, and as whom')
    .option('--namespace <name>', 'whose objects (default: WATCH_NAMESPACE, or all)')
    .option('--lease <name>', 'by which one replica leads (default: ironic-coreos-controller)')
    .option('--no-leader-election', 'where there is never another replica')
    .option('--drain-time <time>', 'for load balancers to look elsewhere (default: 5s)');
  declareImageOptions(command);
  declareListenOptions(command);
  declareAccessOptions(command);
  declareIccFlags(command, '--metrics-addr <address>');
  command.addHelpText('after', notes).action(async (options: ControllerOptions) => {
    const { controller } = await import('./controller.ts');
    context.finish(await controller(options, context.io));
  });
  refuseRepeatedOptions(command);
}
