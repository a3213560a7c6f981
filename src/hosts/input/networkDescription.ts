/** Descriptions of networks, nmstate and OpenStack network data, which become keyfiles of NetworkManager. */

import type { InputDocument } from '../../agent/settingInputs.ts';
import type { Diagnostic, Finding, Path } from '../../core/finding.ts';
import { CliError, type FilePlace, FormatError, type Position } from '../../core/errors.ts';
import { type Keyfile, locateLines } from '../../network/convertedKeyfile.ts';
import { readNetworkDocument } from './pastedPart.ts';

interface NetworkDescription {
  readonly format: keyof typeof converters;
  readonly text: string;
  /** The file that contains the text. */
  readonly file: string;
  /** For messages; default: `file`. */
  readonly name?: string;
  /** Where the file is named. */
  readonly at?: FilePlace | undefined;
  /** The document of which the description is a part. */
  readonly document?: InputDocument | undefined;
}

/** The converters are large, so each is loaded when it is needed. */
export const converters = {
  nmstate: async () => (await import('../../network/convertNmstate.ts')).convertNmstate,
  networkData: async () =>
    (await import('../../network/networkData/convertNetworkData.ts')).convertNetworkData,
} as const;

/**
 * The keyfiles, with the places of their lines.
 * @param report gets all findings but the last error, which is thrown
 * @param runOther converts the text in place of this program
 */
export async function convertNetwork(
  { format, text, file, name = file, at, document }: NetworkDescription,
  report: (diagnostic: Diagnostic) => void,
  runOther?: (text: string) => Promise<readonly Keyfile[]>,
): Promise<readonly Keyfile[]> {
  const refuse = (error: unknown): never => {
    if (!(error instanceof FormatError)) throw error;
    const { hint = `fix ${file}`, message } = error;
    throw new CliError(`${name}: ${message}`, { code: 'ERR_FORMAT', hint, at, cause: error });
  };
  const part = await readNetworkDocument(format, text, file).catch(refuse);
  for (const warning of part.warnings) report(warning);
  const yaml =
    document !== undefined && part.path === undefined ? document : await part.parse().catch(refuse);
  const positionOf = (path: Path): Position | undefined =>
    document === undefined ? yaml.locate(path) : document.locate([...(part.path ?? []), ...path]);
  const { findings, keyfiles } = (await converters[format]())(yaml.value);
  const located = keyfiles.map((keyfile) => ({ ...keyfile, locate: locateLines(keyfile, file, positionOf) }));
  if (runOther !== undefined) {
    return (await runOther(part.text)).map(
      (keyfile) =>
        located.find((own) => own.name === keyfile.name && own.text === keyfile.text) ?? {
          ...keyfile,
          locate: () => ({ file }),
        },
    );
  }
  const last = findings.findLast(({ severity }) => severity === 'error');
  const placed = ({ hint, message, path, severity }: Finding) => ({
    severity,
    message,
    hint,
    at: { file, ...positionOf(path) },
  });
  for (const finding of findings) if (finding !== last) report(placed(finding));
  if (last !== undefined) throw new CliError(last.message, { ...placed(last), code: 'ERR_FORMAT' });
  if (keyfiles.length === 0) {
    report({
      severity: 'warning',
      message: `${name} contains no connections`,
      hint: 'leave out the description',
      at,
    });
  }
  return located;
}
