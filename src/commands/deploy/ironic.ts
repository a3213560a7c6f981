/** `deploy ironic`: writes the ramdisk settings of ironic-standalone-operator or of the BareMetal Operator, or ironic.conf. */

import { quoteText } from '../../core/foreignText.ts';
import {
  checkIronicConf,
  checkIronic,
  checkOperatorEnvironment,
  type ConfSettings,
  formatIronicConf,
  formatOperatorEnvironment,
  renderIronicResource,
} from './documents/ironicResource.ts';
import type { AgentImages, PodImages, PreparedImages } from './documents/ironicPod.ts';
import { bootInterfaces, deployInterfaces, inspectInterfaces } from './documents/interfaces.ts';
import type { Ramdisk } from './documents/node.ts';
import type { Architecture } from '../../core/architecture.ts';
import { UsageError } from '../../core/errors.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { formatValue, writeDocument } from './deployDocument.ts';
import { flagContext, reportIssues } from './hostContext.ts';
import { type IronicOptions, ramdiskOf } from './options.ts';
import { splitArchitecture } from '../../hosts/plan/imageInputs.ts';
import { flagOf, parseChoice, parseFormat } from '../../io/report/choices.ts';

/**
 * Writes the resource as YAML or JSON, or with the format `env` the environment of the BareMetal Operator. Reports all errors
 * in the options; the exit code is then 1.
 */
export async function ironic(options: IronicOptions, io: Io): Promise<ExitCode> {
  const format = parseFormat<'yaml' | 'json' | 'env' | 'conf'>(options.format, [
    'yaml',
    'json',
    'env',
    'conf',
  ]);
  if (format === 'conf') return ironicConf(options, io);
  const named = interfaceOptions.find((option) => options[option] !== undefined);
  if (named !== undefined) {
    throw new UsageError(`${flagOf(named)} requires --format conf`, {
      hint: 'the Ironic resource has no such setting: ironic-image enables what Metal3 uses',
    });
  }
  if (format === 'env') return operatorEnvironment(options, io);
  const { name = 'ironic', namespace, kernelAppendParams } = options;
  const settings = { name, namespace, kernelArguments: kernelAppendParams, images: podImagesOf(options) };
  if (reportIssues(checkIronic(settings), flagContext(io)) !== 0) return 1;
  const text = formatValue(renderIronicResource(settings), format);
  await writeDocument(text, options.output, 'public', io);
  return 0;
}

/** @throws UsageError for options that cannot be combined or are incomplete */
function podImagesOf(options: IronicOptions): PodImages {
  if (options.deployIso !== undefined) {
    throw new UsageError('the Ironic resource has no field for an ISO', {
      hint: 'write the environment of the BareMetal Operator with --format env, or pass kernel and ramdisk',
    });
  }
  const images = agentImagesOf(options);
  const prepareOption = [...prepareOptions, 'ironicCa' as const].find(
    (option) => options[option] !== undefined,
  );
  if (prepareOption === undefined) {
    if (images.length === 0) throw noRamdisk('or --prepare-image IMAGE to prepare the images in the pod');
    return { kind: 'remote', images, field: options.extraConfig === true ? 'extraConfig' : 'overrides' };
  }
  const other = images.length > 0 ? 'deployKernel' : options.extraConfig === true ? 'extraConfig' : undefined;
  if (other !== undefined) {
    throw new UsageError(`${flagOf(prepareOption)} cannot be combined with ${flagOf(other)}`, {
      hint: 'pass either the URLs of the images, or the options of the init container',
    });
  }
  const { liveIso = [], prepareImage: container, settings: place } = options;
  const settings = place === undefined ? undefined : parseSettingsObject(place);
  if (container === undefined || settings === undefined || liveIso.length === 0) {
    const missing = prepareOptions.filter((option) => options[option] === undefined).map(flagOf);
    throw new UsageError(`${flagOf(prepareOption)} requires ${missing.join(' and ')}`, {
      hint: 'pass the container image of this program, the settings and the live ISO',
    });
  }
  return {
    kind: 'prepared',
    container,
    settings,
    trustsIronic: options.ironicCa === true,
    isos: liveIso.map(splitArchitecture).map(({ architecture, name }) => ({ architecture, source: name })),
  };
}

const prepareOptions = ['prepareImage', 'settings', 'liveIso'] as const;

function noRamdisk(more: string): UsageError {
  return new UsageError('no ramdisk image is given', {
    hint: `pass --deploy-kernel URL and --deploy-ramdisk URL, ${more}`,
  });
}

/** Pairs of kernel and initramfs, in the order of the kernels. @throws UsageError for one without the other */
function agentImagesOf({ deployKernel = [], deployRamdisk = [] }: IronicOptions): AgentImages[] {
  const kernels = deployKernel.map(splitArchitecture);
  const ramdisks = deployRamdisk.map(splitArchitecture);
  if (listArchitectures(kernels) !== listArchitectures(ramdisks)) {
    throw new UsageError('--deploy-kernel and --deploy-ramdisk require each other', {
      hint: 'pass --deploy-kernel and --deploy-ramdisk for each architecture',
    });
  }
  return kernels.map(({ architecture, name: kernel }) => ({
    kernel,
    initramfs: ramdisks.find((ramdisk) => ramdisk.architecture === architecture)?.name ?? '',
    ...(architecture !== undefined && { architecture }),
  }));
}

function listArchitectures(given: readonly { readonly architecture: Architecture | undefined }[]): string {
  const names = given.map(({ architecture = 'unknown' }) => architecture);
  return names.toSorted().join();
}

/** `secret/NAME` or `configmap/NAME`, as for the controller. @throws UsageError for other texts */
function parseSettingsObject(text: string): PreparedImages['settings'] {
  const [, kind, name = ''] = /^(secret|configmap)\/(.+)$/.exec(text) ?? [];
  if (kind === 'secret' || kind === 'configmap') return { kind, name };
  throw new UsageError(`invalid value ${quoteText(text)} for --settings`, {
    hint: 'use secret/NAME or configmap/NAME',
  });
}

/** @throws UsageError for options of the resource only, or for images of several architectures */
function oneRamdiskOf(options: IronicOptions, format: 'env' | 'conf'): Ramdisk | undefined {
  const ofResource = ['name', 'namespace', 'ironicCa', 'extraConfig'] as const;
  const unused = [...prepareOptions, ...ofResource].find((option) => options[option] !== undefined);
  if (unused !== undefined) {
    throw new UsageError(`${flagOf(unused)} cannot be combined with --format ${format}`, {
      hint: `remove ${flagOf(unused)}; it is a setting of the Ironic resource`,
    });
  }
  const [pair, ...others] = agentImagesOf(options);
  if (others.length > 0) {
    throw new UsageError(`--format ${format} supports only one kernel and one ramdisk`, {
      hint: `remove --format ${format}, to write the images of several architectures to the Ironic resource`,
    });
  }
  const { deployIso } = options;
  const given = {
    ...(deployIso !== undefined && { deployIso }),
    ...(pair !== undefined && { deployKernel: pair.kernel, deployRamdisk: pair.initramfs }),
  };
  return ramdiskOf(given, flagOf);
}

async function operatorEnvironment(options: IronicOptions, io: Io): Promise<ExitCode> {
  const { kernelAppendParams } = options;
  const ramdisk = oneRamdiskOf(options, 'env');
  if (ramdisk === undefined) throw noRamdisk('or --deploy-iso URL');
  if (ramdisk.kind === 'pair' && kernelAppendParams !== undefined) {
    throw new UsageError('--format env cannot contain kernel arguments', {
      hint: 'remove --kernel-append-params; set IRONIC_KERNEL_PARAMS in the environment of Ironic instead',
    });
  }
  if (reportIssues(checkOperatorEnvironment(ramdisk, kernelAppendParams), flagContext(io)) !== 0) return 1;
  await writeDocument(formatOperatorEnvironment(ramdisk), options.output, 'public', io);
  return 0;
}

const interfaceOptions = ['deployInterface', 'inspectInterface', 'bootInterface'] as const;

/** Writes the lines for ironic.conf that differ from the defaults of Ironic. */
async function ironicConf(options: IronicOptions, io: Io): Promise<ExitCode> {
  const { deployInterface = ['custom-agent'], inspectInterface = ['agent'], bootInterface = [] } = options;
  for (const name of deployInterface) parseChoice('--deploy-interface', name, deployInterfaces);
  for (const name of inspectInterface) parseChoice('--inspect-interface', name, inspectInterfaces);
  for (const name of bootInterface) parseChoice('--boot-interface', name, bootInterfaces);
  const usesIdrac = [...inspectInterface, ...bootInterface].some((name) => name.startsWith('idrac-'));
  const settings: ConfSettings = {
    used: {
      driver: usesIdrac ? ['idrac'] : [],
      deploy: deployInterface,
      inspect: inspectInterface,
      boot: bootInterface,
    },
    kernelArguments: options.kernelAppendParams,
    ramdisk: oneRamdiskOf(options, 'conf'),
  };
  if (reportIssues(checkIronicConf(settings), flagContext(io)) !== 0) return 1;
  const text = formatIronicConf(settings);
  if (text === '') {
    throw new UsageError('Ironic enables these interfaces by default; there is nothing to write', {
      hint: 'name other interfaces, or pass --deploy-kernel and --deploy-ramdisk',
    });
  }
  await writeDocument(text, options.output, 'public', io);
  return 0;
}
