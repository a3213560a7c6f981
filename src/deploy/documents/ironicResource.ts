/**
 * Renders the ramdisk settings of Metal3: the `Ironic` resource of ironic-standalone-operator
 * (`ironic.metal3.io/v1alpha1`), and the environment of the BareMetal Operator. The resource contains no other settings,
 * so that it can be merged into an existing one. It contains no SSH key: the operator would pass it as a kernel argument
 * that CoreOS ignores.
 */

import { errorRule, found, type Issue, issue } from '../../ignition/rule.ts';
import { metadataOf, metal3Name } from './bareMetalHost.ts';
import { nameIssues } from './host.ts';
import { checkPodImages, podFields, type PodImages } from './ironicPod.ts';
import { checkRamdisk, checkRamdiskArguments, type Ramdisk } from './node.ts';
import { namespaceProblem, objectNameProblem } from '../../core/objectName.ts';

export interface IronicSettings {
  readonly name: string;
  readonly namespace?: string | undefined;
  /** Kernel arguments for the ramdisk of every host. */
  readonly kernelArguments?: string | undefined;
  readonly images: PodImages;
}

const argumentsUnusedByIso = errorRule(
  'arguments-unused-by-iso',
  'Ironic cannot add kernel arguments to an ISO',
  'add the arguments to the ISO with iso kargs modify, or use --deploy-kernel and --deploy-ramdisk',
);

const defaultOfNodeOnly = errorRule(
  'ramdisk-argument-default',
  'Ironic replaces %default% only in the settings of a node',
  'remove %default%: these arguments are added to those that Ironic always uses',
);

/** Paths begin with the name of an option. */
export function checkIronic({
  name,
  namespace,
  kernelArguments = '',
  images,
}: IronicSettings): readonly Issue[] {
  return found(
    ...nameIssues(metal3Name, {
      name: objectNameProblem(name),
      namespace: namespace === undefined ? undefined : namespaceProblem(namespace),
    }),
    ...checkRamdiskArguments(kernelArguments),
    kernelArguments.split(' ').includes('%default%') && issue(defaultOfNodeOnly, ['kernelAppendParams']),
    ...checkPodImages(images),
  );
}

export function checkOperatorEnvironment(
  ramdisk: Ramdisk,
  kernelArguments: string | undefined,
): readonly Issue[] {
  const isUnused = ramdisk.kind === 'iso' && kernelArguments !== undefined;
  return found(...checkRamdisk(ramdisk), isUnused && issue(argumentsUnusedByIso, ['kernelAppendParams']));
}

export function renderIronicResource(settings: IronicSettings) {
  const { images, kernelArguments, name } = settings;
  return {
    apiVersion: 'ironic.metal3.io/v1alpha1',
    kind: 'Ironic',
    metadata: metadataOf(settings, name),
    spec: {
      deployRamdisk: {
        disableDownloader: true,
        ...(kernelArguments !== undefined && { extraKernelParams: kernelArguments }),
      },
      ...podFields(images),
    },
  };
}

/** Environment of the BareMetal Operator. The values have been checked and need no quotes. */
export function formatOperatorEnvironment(ramdisk: Ramdisk): string {
  if (ramdisk.kind === 'iso') return `DEPLOY_ISO_URL=${ramdisk.iso}\n`;
  return `DEPLOY_KERNEL_URL=${ramdisk.kernel}\nDEPLOY_RAMDISK_URL=${ramdisk.ramdisk}\n`;
}
