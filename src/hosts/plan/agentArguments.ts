/** Checks the kernel arguments of a machine against its config: verification that is off, and the installer instead of the agent. */

import { checkInsecureArgument } from '../../agent/insecureArgument.ts';
import type { KernelArgument } from '../../kargs/argument.ts';
import { readEffectiveConfig } from '../../ignition/effectiveConfig.ts';
import { diagnosticAt } from '../../core/finding.ts';
import { refuseForImage } from '../input/imageRequirements.ts';
import type { Io } from '../../io/io.ts';
import { report } from '../../io/report/report.ts';

/**
 * @param document undefined if the config is unknown
 * @throws CliError if the installer starts instead of the agent
 */
export function checkAgentArguments(
  kernelArguments: readonly KernelArgument[],
  document: Uint8Array | undefined,
  io: Io,
): void {
  const config = document === undefined ? undefined : readEffectiveConfig(document);
  const issues = checkInsecureArgument(
    kernelArguments,
    config?.status === 'read' ? config.config : undefined,
  );
  report(
    io,
    issues.map((issue) => diagnosticAt(issue)),
  );
  refuseForImage(document, { kargs: kernelArguments.map(({ text }) => text).join(' ') }, { io, options: {} });
}
