/**
 * Renders the ramdisk settings of Metal3: the `Ironic` resource of ironic-standalone-operator
 * (`ironic.metal3.io/v1alpha1`), and the environment of the BareMetal Operator. The resource contains no other settings,
 * so that it can be merged into an existing one. It contains no SSH key: the operator would pass it as a kernel argument
 * that CoreOS ignores.
 */

import { errorRule, found, type Issue, issue } from '../../../core/rule.ts';
import { metadataOf, metal3Name } from './bareMetalHost.ts';
import { readAsset } from '../../../core/assets.ts';
import { quoteOsloValue } from '../../../formats/osloConfig.ts';
import { fillTemplate } from '../../../formats/template.ts';
import { nameIssues } from './host.ts';
import { fileLinesFor, linesFor, type UsedNames } from './interfaces.ts';
import { checkPodImages, podFields, type PodImages } from './ironicPod.ts';
import { checkRamdisk, checkRamdiskArguments, type Ramdisk } from './node.ts';
import { namespaceProblem, objectNameProblem } from '../../../core/objectName.ts';

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
    nameIssues(metal3Name, {
      name: objectNameProblem(name),
      namespace: namespace === undefined ? undefined : namespaceProblem(namespace),
    }),
    checkKernelArguments(kernelArguments),
    checkPodImages(images),
  );
}

/** For arguments of all nodes. */
function checkKernelArguments(text: string): readonly Issue[] {
  const hasDefault = text.split(' ').includes('%default%');
  return found(checkRamdiskArguments(text), hasDefault && issue(defaultOfNodeOnly, ['kernelAppendParams']));
}

export function checkOperatorEnvironment(
  ramdisk: Ramdisk,
  kernelArguments: string | undefined,
): readonly Issue[] {
  const isUnused = ramdisk.kind === 'iso' && kernelArguments !== undefined;
  return found(checkRamdisk(ramdisk), isUnused && issue(argumentsUnusedByIso, ['kernelAppendParams']));
}

export function renderIronicResource(settings: IronicSettings) {
  const { images, kernelArguments, name } = settings;
  return {
    apiVersion: 'ironic.metal3.io/v1alpha1',
    kind: 'Ironic',
    metadata: metadataOf(settings.namespace, name),
    spec: {
      deployRamdisk: {
        disableDownloader: true,
        ...(kernelArguments !== undefined && { extraKernelParams: kernelArguments }),
      },
      ...podFields(images),
    },
  };
}

/** For `ironic.conf` of the conductor. */
export interface ConfSettings {
  readonly used: UsedNames;
  readonly kernelArguments?: string | undefined;
  readonly ramdisk?: Ramdisk | undefined;
}

const isoNotInConf = errorRule(
  'iso-not-in-conf',
  'ironic.conf has no option for a prebuilt ISO',
  'set it on each node with deploy node --deploy-iso, or use {deployKernel} and {deployRamdisk}',
);

/** Paths begin with the name of an option. */
export function checkIronicConf({ kernelArguments, ramdisk }: ConfSettings): readonly Issue[] {
  return found(
    ramdisk === undefined ? [] : checkRamdisk(ramdisk),
    ramdisk?.kind === 'iso' && issue(isoNotInConf, ['deployIso']),
    kernelArguments === undefined ? [] : checkKernelArguments(kernelArguments),
  );
}

const interfaceUses: ReadonlyMap<string, string> = new Map([
  ['custom-agent', 'custom-agent runs deploy steps such as install_coreos and start_assisted_install.'],
  ['agent', 'agent inspects nodes with the ramdisk, if they have inspect_interface=agent.'],
]);

/** Comments for a line that enables interfaces. */
function usesIn(line: string): readonly string[] {
  return [...interfaceUses].flatMap(([name, use]) => (line.split(',').includes(name) ? [`# ${use}`] : []));
}

/** The lines that differ from the defaults of Ironic, with sections. */
export function formatIronicConf({ used, kernelArguments, ramdisk }: ConfSettings): string {
  const pair = ramdisk?.kind === 'pair' ? ramdisk : undefined;
  const lines = [...linesFor(used), ...fileLinesFor(pair === undefined ? [] : [pair.kernel, pair.ramdisk])];
  const sections = {
    DEFAULT: lines.flatMap(({ section, text }) => (section === 'DEFAULT' ? [...usesIn(text), text] : [])),
    conductor: [
      ...(pair === undefined
        ? []
        : [
            `deploy_kernel = ${quoteOsloValue(pair.kernel)}`,
            `deploy_ramdisk = ${quoteOsloValue(pair.ramdisk)}`,
          ]),
      ...lines.flatMap(({ section, text }) => (section === 'conductor' ? [text] : [])),
    ],
  };
  const texts = Object.entries(sections).flatMap(([name, options]) =>
    options.length === 0 ? [] : [`[${name}]\n${options.join('\n')}\n`],
  );
  if (kernelArguments !== undefined) {
    texts.push(
      fillTemplate(readAsset('templates/boot/ironic.conf'), { arguments: quoteOsloValue(kernelArguments) }),
    );
  }
  return texts.join('\n');
}

/** Environment of the BareMetal Operator. The values have been checked and need no quotes. */
export function formatOperatorEnvironment(ramdisk: Ramdisk): string {
  if (ramdisk.kind === 'iso') return `DEPLOY_ISO_URL=${ramdisk.iso}\n`;
  return `DEPLOY_KERNEL_URL=${ramdisk.kernel}\nDEPLOY_RAMDISK_URL=${ramdisk.ramdisk}\n`;
}
