/** `deploy ironic`: writes the ramdisk settings of ironic-standalone-operator or of the BareMetal Operator, or ironic.conf. */

import {
  checkIronicConf,
  checkIronic,
  type ConfSettings,
  formatIronicConf,
  ramdiskNotInResource,
  formatOperatorEnvironment,
  type IronicSettings,
  renderIronicResource,
} from './documents/ironicResource.ts';
import { bootInterfaces, deployInterfaces, inspectInterfaces } from './documents/interfaces.ts';
import { UsageError } from '../core/errors.ts';
import type { ExitCode, Io } from '../io/io.ts';
import { formatValue, writeDocument } from './deployDocument.ts';
import { flagContext, reportIssues } from './hostContext.ts';
import { type IronicOptions, ramdiskOf } from './options.ts';
import { found, issue } from '../ignition/rule.ts';
import { flagOf, parseChoice, parseFormat } from '../io/report/choices.ts';

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
  const { name = 'ironic', namespace, kernelAppendParams } = options;
  const ramdisk = ramdiskOf(options, flagOf);
  const settings: IronicSettings = { name, namespace, kernelArguments: kernelAppendParams, ramdisk };
  if (ramdisk === undefined) requireArguments(options, format);
  if (format === 'env' && ramdisk?.kind === 'pair' && kernelAppendParams !== undefined) {
    throw new UsageError('--format env cannot contain kernel arguments', {
      hint: 'remove --kernel-append-params; set IRONIC_KERNEL_PARAMS in the environment of Ironic instead',
    });
  }
  const isLost = format !== 'env' && ramdisk !== undefined;
  const issues = found(...checkIronic(settings), isLost && issue(ramdiskNotInResource, []));
  if (reportIssues(issues, flagContext(io)) !== 0) return 1;
  const text =
    format === 'env' && ramdisk !== undefined
      ? formatOperatorEnvironment(ramdisk)
      : await formatValue(renderIronicResource(settings), format === 'json' ? 'json' : 'yaml');
  await writeDocument(text, options.output, 'public', io);
  return 0;
}

/**
 * The resource disables the download of the default ramdisk, so hosts need another one. Kernel arguments alone are valid
 * for images that Ironic already serves.
 */
function requireArguments({ kernelAppendParams }: IronicOptions, format: string): void {
  if (format !== 'env' && kernelAppendParams !== undefined) return;
  const ofServed =
    format === 'env' ? '' : '; or pass --kernel-append-params for images that Ironic already serves';
  throw new UsageError('no ramdisk image is given', {
    hint: `pass --deploy-iso URL, or --deploy-kernel URL and --deploy-ramdisk URL${ofServed}`,
  });
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
    ramdisk: ramdiskOf(options, flagOf),
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
