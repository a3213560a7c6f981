/** Findings about a config, as `ironic-coreos validate` reports them. */

import type { Report } from '../core/finding.ts';
import type { LintMode } from '../hosts/input/checkConfig.ts';
import { call, type CallOptions } from './call.ts';
import { bytesOf } from './content.ts';

export interface ValidateOptions extends CallOptions {
  /** Its extension is the format: `.conf` is the agent's configuration file, `.yaml` YAML (default: `config.ign`). */
  readonly file?: string;
  /** `none`: exactly the verdict of ignition-validate; `agent`: lint as a config of the agent (default: as what it is). */
  readonly lint?: Extract<LintMode, 'none' | 'agent'>;
  /** Warnings make the config invalid. */
  readonly strict?: boolean;
  /** The release of ironic-python-agent, e.g. `11.2.0` (default: the newest one). */
  readonly ipaVersion?: string;
  /** The folder of the local files of Butane configs (default: local files are refused). */
  readonly filesDir?: string;
}

/**
 * @param config the text or the bytes of an Ignition config, a Butane config, or the agent's configuration file
 * @throws ReportedError for invalid options, and for YAML that cannot be parsed; other errors of the config are findings
 */
export async function validate(config: string | Uint8Array, options: ValidateOptions = {}): Promise<Report> {
  const { file = 'config.ign', ...others } = options;
  const { result } = await call(options, async (io) => {
    const { checkGiven } = await import('../commands/validate/validate.ts');
    const { report } = await checkGiven(file, bytesOf(config, 'config'), others, io);
    return report;
  });
  return result;
}
