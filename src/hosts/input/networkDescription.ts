/** Descriptions of networks, nmstate and OpenStack network data, which become keyfiles of NetworkManager. */

import { refuseErrors } from './refuse.ts';
import type { InputDocument } from '../../agent/settingInputs.ts';
import type { Diagnostic, Finding, Path } from '../../core/finding.ts';
import { type FilePlace, FormatError, located, only, type Position } from '../../core/errors.ts';
import { type Keyfile, locateLines } from '../../network/convertedKeyfile.ts';
import { asMapping } from '../../formats/mapping.ts';
import { refuseOther } from './contentKind.ts';

export interface NetworkText {
  readonly format: keyof typeof converters;
  readonly text: string;
  readonly file: string;
  /** For messages; default: `file`. */
  readonly name?: string;
  /** Where the file is named. */
  readonly at?: FilePlace | undefined;
  /** The document of which the description is a part. */
  readonly document?: InputDocument | undefined;
}

export const keysOfNetworks: Readonly<Record<'nmstate' | 'networkData', readonly string[]>> = {
  nmstate:
    'interfaces routes route-rules dns-resolver hostname ovs-db ovn capture desired desiredState'.split(' '),
  networkData: ['links', 'networks', 'services'],
};

const nouns = { nmstate: 'an nmstate file', networkData: 'OpenStack network data' } as const;

/** The converters are large, so each is loaded when it is needed. */
const converters = {
  nmstate: async () => (await import('../../network/convertNmstate.ts')).convertNmstate,
  networkData: async () =>
    (await import('../../network/networkData/convertNetworkData.ts')).convertNetworkData,
} as const;

interface DescribedNetwork {
  readonly value: unknown;
  /** Empty if a finding is an error. */
  readonly keyfiles: readonly Keyfile[];
  readonly findings: readonly Finding[];
  readonly placeOf: (path: Path) => FilePlace;
}

/** @throws CliError for text that is not YAML, and for content of another type */
export async function readDescribedNetwork({
  format,
  text,
  file,
  at,
  document,
}: NetworkText): Promise<DescribedNetwork> {
  const context = { file, hint: `fix ${file}`, at };
  const bytes = Buffer.from(text);
  const parse = async () =>
    import('../../formats/yaml.ts')
      .then(({ parseYaml }) => parseYaml(text))
      .catch(
        only(FormatError, async (error) => {
          await refuseOther(nouns[format], file, bytes);
          throw error;
        }),
      );
  const yaml = document ?? (await located(context, parse));
  const keys = Object.keys(asMapping(yaml.value));
  const isNetwork = Object.values(keysOfNetworks).some((known) => keys.some((key) => known.includes(key)));
  if (!isNetwork) await located(context, () => refuseOther(nouns[format], file, bytes));
  const positionOf = (path: Path): Position | undefined => yaml.locate(path);
  const { findings, keyfiles } = (await converters[format]())(yaml.value);
  return {
    value: yaml.value,
    keyfiles: keyfiles.map((keyfile) => ({ ...keyfile, locate: locateLines(keyfile, file, positionOf) })),
    findings,
    placeOf: (path) => ({ file, ...positionOf(path) }),
  };
}

/** Reports all findings but the last error, which is thrown. */
export function refuseNetwork(
  { findings, placeOf }: Pick<DescribedNetwork, 'findings' | 'placeOf'>,
  report: (diagnostic: Diagnostic) => void,
): void {
  const placed = findings.map(({ hint, message, path, severity }) => ({
    severity,
    message,
    hint,
    at: placeOf(path),
  }));
  refuseErrors(placed, 'ERR_FORMAT', report);
}

/**
 * The keyfiles, with the places of their lines.
 * @param report gets all findings but the last error, which is thrown
 * @param runOther converts the text in place of this program
 */
export async function convertNetwork(
  description: NetworkText,
  report: (diagnostic: Diagnostic) => void,
  runOther?: (text: string) => Promise<readonly Keyfile[]>,
): Promise<readonly Keyfile[]> {
  const { file, name = file, at, text } = description;
  const network = await readDescribedNetwork(description);
  const { keyfiles } = network;
  if (runOther !== undefined) {
    return (await runOther(text)).map(
      (keyfile) =>
        keyfiles.find((own) => own.name === keyfile.name && own.text === keyfile.text) ?? {
          ...keyfile,
          locate: () => ({ file }),
        },
    );
  }
  refuseNetwork(network, report);
  if (keyfiles.length === 0) {
    report({
      severity: 'warning',
      message: `${name} contains no connections`,
      hint: 'leave out the description',
      at,
    });
  }
  return keyfiles;
}
