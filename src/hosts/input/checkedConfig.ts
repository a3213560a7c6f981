/** Reads the Ignition config to embed, and checks it with Ignition's rules. */

import { CliError } from '../../core/errors.ts';
import { readStdin, readUserFile } from '../../io/files/files.ts';
import type { Io } from '../../io/io.ts';
import { nameInput, isYamlFile } from './nameInput.ts';
import type { CheckedDocument, CheckOptions } from './checkConfig.ts';

export interface ConfigOptions {
  /** Path of the config (default: standard input). */
  readonly ignitionFile?: string | undefined;
  /** False accepts any bytes. */
  readonly validate?: boolean;
}

const CONFIG = { what: 'Ignition config', maxBytes: 64 * 1024 * 1024 };

/**
 * Returns the config unchanged, or the JSON of a YAML file (`*.yaml`, `*.yml`). Findings are reported on standard error.
 * @throws CliError if the config cannot be read, or if Ignition would reject it
 */
export async function readCheckedConfig(options: ConfigOptions, io: Io): Promise<Uint8Array> {
  const { ignitionFile } = options;
  const name = ignitionFile ?? 'standard input';
  const bytes = await (ignitionFile === undefined ? readStdin(io, CONFIG) : readConfigFile(ignitionFile, io));
  if (ignitionFile !== undefined && isYamlFile(ignitionFile)) {
    const { checkYamlConfig, parseYamlConfig } = await import('./yamlConfig.ts');
    const config = await nameInput(name, () => parseYamlConfig(bytes));
    if (wantsCheck(options, io)) await requireValid(await checkYamlConfig(config, checkOptions()), name, io);
    return config.json;
  }
  if (wantsCheck(options, io)) {
    const { checkConfig, explainContent, noteChecked } = await import('./checkConfig.ts');
    const checked = await explainContent(name, bytes, await checkConfig(bytes, checkOptions()));
    await requireValid(checked, name, io);
    await noteChecked(name, bytes, checkOptions(), io);
  } else {
    io.note?.(`config not validated: ${reasonNotTo(options, io)}`);
  }
  return bytes;
}

/** As in coreos-installer, `-` is a file name. */
async function readConfigFile(path: string, io: Io): Promise<Uint8Array> {
  return readUserFile(path, io, CONFIG).catch((error: unknown) => {
    if (path !== '-' || !(error instanceof CliError) || error.code !== 'ERR_FILE_MISSING') throw error;
    const { code, message: problem } = error;
    const hint = 'omit the option to read the config from standard input';
    throw new CliError(problem, { code, hint, cause: error });
  });
}

export function wantsCheck(options: Pick<ConfigOptions, 'validate'>, io: Io): boolean {
  return reasonNotTo(options, io) === undefined;
}

/** Under the name coreos-installer, nothing is checked: scripts may rely on that. */
function reasonNotTo({ validate }: Pick<ConfigOptions, 'validate'>, io: Io): string | undefined {
  if (validate === false) return '--no-validate';
  if (io.env['IRONIC_COREOS_VALIDATE'] === '0') return 'IRONIC_COREOS_VALIDATE=0 in the environment';
  return io.programName === 'coreos-installer' ? 'the program was started as coreos-installer' : undefined;
}

function checkOptions(): Omit<CheckOptions, 'strict'> {
  return { lint: 'auto', now: new Date(), isEmbedded: true };
}

/** Only errors of Ignition's rules are fatal. Findings of lint rules are reported. */
async function requireValid(checked: CheckedDocument, name: string, io: Io): Promise<void> {
  const { reportChecked } = await import('./reportChecked.ts');
  reportChecked(checked, name, io);
  if (checked.report.valid) return;
  throw new CliError('The Ignition config is invalid; nothing was written', {
    code: 'ERR_CONFIG_INVALID',
    hint: 'fix the config, or use --no-validate to embed it anyway',
  });
}
