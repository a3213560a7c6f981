/** `pxe kargs`: writes the kernel arguments of the ramdisk, or a boot script that contains them, for network boot. */

import { type KernelArgument, parseArgument, parseArguments } from '../../kargs/argument.ts';
import { type BootFormName, bootForms } from '../../kargs/bootForms.ts';
import type { BootSettings } from '../../kargs/bootSettings.ts';
import { checkBoot } from '../../kargs/checkBoot.ts';
import { isNetworkArgument } from '../../kargs/connections.ts';
import { argumentSecrets, bootArguments } from '../../kargs/kernelArguments.ts';
import { bootImages } from '../../kargs/loaders/form.ts';
import { argumentServers } from '../../kargs/networkChecks.ts';
import { findInexpressible, staticArguments } from '../../kargs/staticArguments.ts';
import { CliError, type InputSource, only, UsageError } from '../../core/errors.ts';
import { readEffectiveConfig } from '../../ignition/effectiveConfig.ts';
import { CONFIG_NAME } from '../../image/embeddedIgnition.ts';
import type { Connection } from '../../network/connection.ts';
import type { Keyfile } from '../../network/convertedKeyfile.ts';
import { readConnections } from '../../network/keyfile/readKeyfile.ts';
import { modeForSecrets } from '../../imagefile/imageOutput.ts';
import { writeOutput } from '../../io/files/newFile.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { writeStdout } from '../../io/stdout.ts';
import { type Diagnostic, type Finding, hasErrors, type Path } from '../../core/finding.ts';
import { collectDiagnostics, report, withoutRepeats } from '../../io/report/report.ts';
import { type BootInputs, readBootInputs } from '../../hosts/plan/bootInputs.ts';
import { createRenderer, type RenderedConfig } from '../../hosts/settings/renderConfig.ts';
import { inputOf } from '../../hosts/settings/reading.ts';
import { readInventoryLayers } from '../../hosts/settings/inventory.ts';
import { type BootContents, requireContents } from '../../hosts/input/imageContents.ts';
import { listServers } from '../../hosts/input/imageNetwork.ts';
import { refuseFindings } from '../../hosts/input/refuse.ts';
import { readNetwork } from '../../hosts/settings/hostNetwork.ts';
import { checkKeyfiles, reportConnections } from '../../hosts/input/networkFiles.ts';
import type { KargsOptions } from './options.ts';

const scriptForms: ReadonlySet<BootFormName> = new Set(['ipxe', 'grub', 'pxelinux']);

/** Reports all findings of the options, and returns 1 if one of them is an error. */
export async function kargs(options: KargsOptions, io: Io): Promise<ExitCode> {
  const { format } = options;
  const inputs = await readBootInputs(options, io);
  const settings = options.static === true ? await withNetwork(inputs) : inputs.settings;
  if (scriptForms.has(format)) bootImages(settings);
  const form = bootForms[format];
  const findings = checkBoot(settings, form);
  const reported = report(io, withoutRepeats(findings.map((finding) => describe(finding, inputs))));
  if (hasErrors(reported)) return 1;
  const added = form.added(settings).flatMap(parseArguments);
  requireContents(await contentsOf(bootArguments(settings), added, inputs, options, io), { io, options: {} });
  const { output = '-' } = options;
  const text = form.render(settings);
  if (output === '-') await writeStdout(io, [Buffer.from(text)]);
  else await writeOutput(output, text, io, modeForSecrets(argumentSecrets(settings), io));
  return 0;
}

/** The config of the inventory decides what the network must reach; without one, only the URLs of Ironic are known. */
async function contentsOf(
  list: readonly KernelArgument[],
  added: readonly KernelArgument[],
  { reading }: BootInputs,
  options: KargsOptions,
  io: Io,
): Promise<BootContents> {
  const line = lineOf(list);
  const isConfigNeeded = [...list, ...added].some(
    (argument) => isNetworkArgument(argument) || argument.name === 'ipa-insecure',
  );
  const config =
    isConfigNeeded && options.inventory !== undefined ? await renderConfig(options, io) : undefined;
  const urls = inputOf(reading, 'ironic.apiUrls')?.text ?? '';
  const read = config && readEffectiveConfig(config.document);
  return {
    kargs: line,
    checkedKargs: line,
    addedKargs: lineOf(added),
    files: config && new Map([[CONFIG_NAME, config.document]]),
    needs:
      read?.status === 'read'
        ? listServers(read.config)
        : [argumentServers(parseArgument(`ipa-api-url=${urls}`), list)],
  };
}

function lineOf(list: readonly KernelArgument[]): string {
  return list.map(({ text }) => text).join(' ');
}

/** The config of the inventory, without a report: `render` reports its problems. Undefined if it is invalid. */
async function renderConfig(options: KargsOptions, io: Io): Promise<RenderedConfig | undefined> {
  const { io: silent } = collectDiagnostics(io);
  const { files, profile } = await readInventoryLayers(options, silent);
  return createRenderer()({ options: { profile }, io: silent, files }).catch(only(CliError, () => undefined));
}

async function withNetwork({ reading, settings }: BootInputs): Promise<BootSettings> {
  const { keyfiles } = (await readNetwork(reading)).settings;
  if (keyfiles.length === 0) {
    throw new UsageError('--static: the network of the host is missing', {
      hint: 'pass --nmstate FILE, --network-data FILE or --keyfile FILE, or --inventory FILE and --host NAME of a host with a network',
    });
  }
  const files = checkKeyfiles(keyfiles, {}, reading.io);
  reportConnections(files, reading.io);
  const connections = readConnections(files);
  const added = staticArguments(connections);
  refuseInexpressible(connections, keyfiles, reading.io);
  return { ...settings, extraArguments: [...settings.extraArguments, ...added] };
}

function refuseInexpressible(connections: readonly Connection[], keyfiles: readonly Keyfile[], io: Io): void {
  const started = connections.filter(({ isAutoconnected }) => isAutoconnected);
  const problems = started.flatMap((connection) => {
    const keyfile = keyfiles.find(({ name }) => name === connection.file);
    return findInexpressible(connection).map(({ line, ...problem }) => ({
      ...problem,
      code: 'ERR_SETTING' as const,
      at: keyfile?.locate?.(line),
    }));
  });
  refuseFindings(problems, { code: 'ERR_SETTING', options: {}, io });
}

/** One error in `--base-url` results in the same message for three URLs. */
function describe({ severity, path, rule, message, hint }: Finding, inputs: BootInputs): Diagnostic {
  const source = inputs.sourceOf(path);
  const subject = source === undefined ? '' : subjectOf(source, path, inputs);
  return { severity, rule, at: source?.at, message: `${subject}${message}`, hint };
}

/** The setting of a finding with its value. Arguments and URLs may contain secrets, so at most their names are shown. */
function subjectOf({ name }: InputSource, path: Path, { settings }: BootInputs): string {
  const [setting = '', index = 0] = path;
  switch (setting) {
    case 'ip':
    case 'consoles':
      return `${name} ${shown(settings[setting][Number(index)] ?? '')}: `;
    case 'ipaParameters':
    case 'extraArguments':
      return `${name} ${shown(parseArgument(settings[setting][Number(index)] ?? '').name)}: `;
    default:
      return `${name}: `;
  }
}

/** A value of the user for a message: quoted unless it is a plain word, so that the message is one line. */
function shown(value: string): string {
  return /^[A-Za-z0-9_.,:=/+-]+$/.test(value) ? value : JSON.stringify(value);
}
