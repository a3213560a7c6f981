/** Reports kernel arguments that turn off the verification of certificates in the agent of a config. */

import { checkInsecureArgument } from '../../agent/insecureArgument.ts';
import { readEffectiveConfig } from '../../ignition/effectiveConfig.ts';
import { findingOf } from '../../ignition/rule.ts';
import type { Io } from '../../io/io.ts';
import { report } from '../../io/report/report.ts';
import { withoutIgnored } from '../../io/report/ruleBook.ts';

/** @param document undefined if the config is unknown */
export function reportInsecureArgument(
  kernelArguments: readonly string[],
  document: Uint8Array | undefined,
  io: Io,
): void {
  const config = document === undefined ? undefined : readEffectiveConfig(document);
  const issues = checkInsecureArgument(
    kernelArguments,
    config?.status === 'read' ? config.config : undefined,
  );
  for (const { hint, message, rule, severity } of withoutIgnored(issues.map(findingOf), io)) {
    report(io, { severity, rule, message, hint });
  }
}
