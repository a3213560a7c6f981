/** Declares `controller`. */

import { command } from '../../io/commandLine.ts';
import { controllerOptions } from './options.ts';

export const controllerCommand = command({
  description: 'Build the images that Metal3 PreprovisioningImages request',
  options: controllerOptions,
  reference: `
How it works:
  For each PreprovisioningImage (metal3.io/v1alpha1) the controller renders the
  Ignition config of the host, with the network data from the Secret that the
  object names (key nmstate or networkData), and validates it with Ignition's
  own rules. It writes the URL of the image into the status, or the reason why
  it cannot build the image. It replaces OpenShift's
  image-customization-controller.

Replicas:
  All replicas with the same key and settings serve all images: they build an
  image when a client fetches it. One replica is the leader, elected with a
  Lease; it writes the status of the objects.

Settings:
  --settings FILE contains the settings of all hosts, in the form of an
  inventory without hosts: profile, and agent with ironic.apiUrls and so on. In
  a pod, mount a ConfigMap or a Secret with this file, and with the files that
  it names, as a volume. Without --settings, the controller reads the
  environment of image-customization-controller: IRONIC_BASE_URL,
  IRONIC_AGENT_IMAGE, IRONIC_RAMDISK_SSH_KEY, …

Images:
  Without image options, the controller uses DEPLOY_ISO, DEPLOY_INITRD and
  DEPLOY_KERNEL, and the files for other architectures and streams in the same
  folder. The label coreos.openshift.io/stream of an object selects the images
  of a stream: --iso rhel-10/x86_64=FILE. Without the label, it gets the images
  without a stream. A stream without images is an error, unless no image has a
  stream.

Cluster:
  The controller uses --kubeconfig or KUBECONFIG, otherwise the service account
  of the pod, otherwise ~/.kube/config. Manifests with the required roles are in
  deploy/kubernetes.

Reload and shutdown:
  The controller reloads changed settings and images within seconds; SIGHUP
  reloads all of them. On SIGTERM, /readyz fails and the replica releases the
  Lease. After --drain-time it stops when all running downloads are complete, at
  the latest after --grace.

Other paths:
  /, /metrics                  status page and metrics, for operators
  /healthz, /readyz            probes, for all clients
`,
  exitCodes: {
    0: 'success: stopped by a signal',
    1: 'failure: the cluster, the settings or the images cannot be used',
  },
  examples: `
  ironic-coreos controller --settings /settings/ramdisk.yaml \\
    --iso /images/live.iso --namespace metal3 --key-file /keys/url \\
    --listen :8084 --public-url http://ironic-coreos.metal3.svc:8084
  ironic-coreos controller --kubeconfig kind.yaml --settings ramdisk.yaml \\
    --iso live.iso --no-leader-election
`,
  load: async () => (await import('./controller.ts')).controller,
});
