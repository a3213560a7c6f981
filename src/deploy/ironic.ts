/** `deploy ironic`: writes the ramdisk settings of ironic-standalone-operator, or of the BareMetal Operator. */

import {
  checkIronic,
  checkOperatorEnvironment,
  formatOperatorEnvironment,
  renderIronicResource,
} from './documents/ironicResource.ts';
import type { AgentImages, PodImages, PreparedImages } from './documents/ironicPod.ts';
import type { Architecture } from '../core/architecture.ts';
import { UsageError } from '../core/errors.ts';
import type { ExitCode, Io } from '../io/io.ts';
import { formatValue, writeDocument } from './deployDocument.ts';
import { flagContext, reportIssues } from './hostContext.ts';
import { type IronicOptions, ramdiskOf } from './options.ts';
import { splitArchitecture } from '../hosts/plan/imageInputs.ts';
import { flagOf, parseFormat } from '../io/report/choices.ts';

/**
 * Writes the resource as YAML or JSON, or with the format `env` the environment of the BareMetal Operator. Reports all errors
 * in the options; the exit code is then 1.
 */
export async function ironic(options: IronicOptions, io: Io): Promise<ExitCode> {
  const format = parseFormat<'yaml' | 'json' | 'env'>(options.format, ['yaml', 'json', 'env']);
  if (format === 'env') return operatorEnvironment(options, io);
  const { name = 'ironic', namespace, kernelAppendParams } = options;
  const settings = { name, namespace, kernelArguments: kernelAppendParams, images: podImagesOf(options) };
  if (reportIssues(checkIronic(settings), flagContext(io)) !== 0) return 1;
  const text = await formatValue(renderIronicResource(settings), format);
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
  const ofAll = (given: readonly { architecture: Architecture | undefined }[]): string =>
    given
      .map(({ architecture = 'other' }) => architecture)
      .toSorted()
      .join();
  if (ofAll(kernels) !== ofAll(ramdisks)) {
    throw new UsageError('--deploy-kernel and --deploy-ramdisk require each other', {
      hint: 'pass both for each architecture',
    });
  }
  return kernels.map(({ architecture, name: kernel }) => ({
    kernel,
    initramfs: ramdisks.find((ramdisk) => ramdisk.architecture === architecture)?.name ?? '',
    ...(architecture !== undefined && { architecture }),
  }));
}

/** `secret/NAME` or `configmap/NAME`, as for the controller. @throws UsageError for other texts */
function parseSettingsObject(text: string): PreparedImages['settings'] {
  const [, kind, name = ''] = /^(secret|configmap)\/(.+)$/.exec(text) ?? [];
  if (kind === 'secret' || kind === 'configmap') return { kind, name };
  throw new UsageError(`invalid value ${JSON.stringify(text)} for --settings`, {
    hint: 'use secret/NAME or configmap/NAME',
  });
}

/** The environment has one ramdisk for all architectures. */
async function operatorEnvironment(options: IronicOptions, io: Io): Promise<ExitCode> {
  const { deployIso, kernelAppendParams } = options;
  const unused = [...prepareOptions, 'ironicCa' as const, 'extraConfig' as const].find(
    (option) => options[option] !== undefined,
  );
  if (unused !== undefined) {
    throw new UsageError(`${flagOf(unused)} cannot be combined with --format env`, {
      hint: 'remove it; the environment of the BareMetal Operator contains only URLs',
    });
  }
  const [pair, ...others] = agentImagesOf(options);
  if (others.length > 0) {
    throw new UsageError('--format env supports only one kernel and one ramdisk', {
      hint: 'remove --format env, to write the images of several architectures to the Ironic resource',
    });
  }
  const given = {
    ...(deployIso !== undefined && { deployIso }),
    ...(pair !== undefined && { deployKernel: pair.kernel, deployRamdisk: pair.initramfs }),
  };
  const ramdisk = ramdiskOf(given, flagOf);
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
