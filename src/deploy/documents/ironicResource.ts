/**
 * The ramdisk settings around Ironic where Metal3 runs it: the `Ironic` resource of ironic-standalone-operator
 * (`ironic.metal3.io/v1alpha1`), and the environment of the BareMetal Operator. Left out is everything else of the
 * resource, so that it can be merged into one that is there. An SSH key is left out too: the resource's is handed to the
 * ramdisk as a kernel argument, which CoreOS ignores.
 */

import type { Issue, Rule } from '../../ignition/rule.ts';
import { type ManifestMetadata, metal3Name } from './bareMetalHost.ts';
import { checkRamdisk, checkRamdiskArguments, type Ramdisk } from './node.ts';
import { namespaceProblem, objectNameProblem } from '../../core/objectName.ts';

export interface IronicSettings {
  readonly name: string;
  readonly namespace?: string;
  /** Kernel arguments for the ramdisk of every host. */
  readonly kernelArguments?: string;
  /** What the BareMetal Operator shall boot. */
  readonly ramdisk?: Ramdisk;
}

interface IronicResource {
  readonly apiVersion: 'ironic.metal3.io/v1alpha1';
  readonly kind: 'Ironic';
  readonly metadata: ManifestMetadata;
  readonly spec: {
    readonly deployRamdisk: { readonly disableDownloader: true; readonly extraKernelParams?: string };
  };
}

const argumentsUnusedByIso: Rule = {
  id: 'arguments-unused-by-iso',
  severity: 'error',
  message: 'nothing can add kernel arguments to an ISO that is ready made',
  hint: 'put them into the ISO (iso kargs), or boot from --deploy-kernel and --deploy-ramdisk',
};

/** Paths lead into the settings, those of the ramdisk begin with its own names. */
export function checkIronic({ name, namespace, kernelArguments, ramdisk }: IronicSettings): readonly Issue[] {
  const problems = {
    name: objectNameProblem(name),
    namespace: namespace === undefined ? undefined : namespaceProblem(namespace),
  };
  const issues: Issue[] = Object.entries(problems).flatMap(([setting, problem]) =>
    problem === undefined
      ? []
      : [{ rule: metal3Name, path: [setting], message: `${metal3Name.message}: ${problem}` }],
  );
  if (ramdisk?.kind === 'iso') {
    issues.push(...checkRamdisk(ramdisk));
    if (kernelArguments !== undefined) issues.push({ rule: argumentsUnusedByIso, path: ['arguments'] });
  } else if (ramdisk !== undefined) {
    issues.push(
      ...checkRamdisk({ ...ramdisk, ...(kernelArguments !== undefined && { arguments: kernelArguments }) }),
    );
  } else if (kernelArguments !== undefined) issues.push(...checkRamdiskArguments(kernelArguments));
  return issues;
}

export function renderIronicResource(settings: IronicSettings): IronicResource {
  const { name, namespace, kernelArguments } = settings;
  return {
    apiVersion: 'ironic.metal3.io/v1alpha1',
    kind: 'Ironic',
    metadata: { name, ...(namespace !== undefined && { namespace }) },
    spec: {
      deployRamdisk: {
        disableDownloader: true,
        ...(kernelArguments !== undefined && { extraKernelParams: kernelArguments }),
      },
    },
  };
}

/** Lines for the environment of the BareMetal Operator; the values have been checked and need no quotes there. */
export function formatOperatorEnvironment(ramdisk: Ramdisk): string {
  if (ramdisk.kind === 'iso') return `DEPLOY_ISO_URL=${ramdisk.iso}\n`;
  return `DEPLOY_KERNEL_URL=${ramdisk.kernel}\nDEPLOY_RAMDISK_URL=${ramdisk.ramdisk}\n`;
}
