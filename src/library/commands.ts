/**
 * `ironic-coreos/commands`: the commands of the command line as functions, whose names are the words of the command. Options have
 * the names of the command line in camel case. A command loads its code when it is called.
 */

import type { BootOptions } from '../commands/boot/setup.ts';
import { type ExitCode, type Io, ioWith } from '../io/io.ts';
import { processIo } from '../io/processIo.ts';

export { CliError, FormatError, UsageError, type ErrorCode } from '../core/errors.ts';
export type { BootOptions } from '../commands/boot/setup.ts';
export type { ControllerOptions } from '../commands/controller/settings.ts';
export type { DeployOptions } from '../commands/deploy/settings.ts';
export type { DownloadOptions } from '../commands/download/download.ts';
export type { ListStreamOptions } from '../commands/download/streams.ts';
export type { FromButaneOptions, MergeOptions, TranslateOptions } from '../commands/ignition/merge.ts';
export type { ImportOptions } from '../commands/import/import.ts';
export type { InitOptions } from '../commands/init/init.ts';
export type { InspectOptions } from '../commands/inspect/inspect.ts';
export type { CreateIsoOptions } from '../commands/iso/create.ts';
export type { IsoCustomizeOptions } from '../commands/iso/customize.ts';
export type { ExtractMinimalIsoOptions, ExtractPxeOptions } from '../commands/iso/extract.ts';
export type { EmbedOptions, RemoveOptions, ShowOptions } from '../commands/iso/ignition.ts';
export type { ModifyKargsOptions, ShowKargsOptions } from '../commands/iso/kargs.ts';
export type {
  EmbedNetworkOptions,
  ExtractNetworkOptions,
  RemoveNetworkOptions,
} from '../commands/iso/network.ts';
export type { ResetOptions } from '../commands/iso/reset.ts';
export type { PrepareOptions } from '../commands/prepare/options.ts';
export type { PxeCustomizeOptions } from '../commands/pxe/customize.ts';
export type { KargsOptions } from '../commands/pxe/kargs.ts';
export type {
  UnwrapIgnitionOptions,
  WrapIgnitionOptions,
  UnwrapNetworkOptions,
  WrapNetworkOptions,
} from '../commands/pxe/wrap.ts';
export type { QuickstartOptions } from '../commands/quickstart/quickstart.ts';
export type { ServeOptions } from '../commands/serve/options.ts';
export type { TryOptions } from '../commands/try/setup.ts';
export type { ExplainOptions } from '../commands/explain/explain.ts';
export type { ValidateOptions } from '../commands/validate/validate.ts';
export type { RenderOptions } from '../hosts/settings/options.ts';
export type { ExitCode, Io, Output, WorkProgress } from '../io/io.ts';

/** The streams, the environment and the folder of this process, changed as needed. */
export function createIo(changes: Partial<Io> = {}): Io {
  return ioWith(processIo({ programName: 'ironic-coreos' }), changes);
}

/** Returns the exit code. @throws CliError if the command fails; the reason of `io.signal` if that ended it */
export type CommandFunction<Options> = (options: Options, io?: Partial<Io>) => Promise<ExitCode>;

function late<Options>(
  load: () => Promise<(options: Options, io: Io) => Promise<ExitCode>>,
): CommandFunction<Options> {
  return async (options, changes = {}) => {
    const { signal } = changes;
    signal?.throwIfAborted();
    try {
      return await (
        await load()
      )(options, createIo(changes));
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  };
}

export const controller = late(async () => (await import('../commands/controller/controller.ts')).controller);
export const deployBaremetalhost = late(
  async () => (await import('../commands/deploy/bareMetalHost.ts')).bareMetalHost,
);
export const deployConfigdrive = late(
  async () => (await import('../commands/deploy/configDrive.ts')).configDrive,
);
export const deployNode = late(async () => (await import('../commands/deploy/node.ts')).node);
export const deploySteps = late(async () => (await import('../commands/deploy/steps.ts')).steps);
export const download = late(async () => (await import('../commands/download/download.ts')).download);
export const explain = late(async () => (await import('../commands/explain/explain.ts')).explain);
export const ignitionFromButane = late(
  async () => (await import('../commands/ignition/merge.ts')).fromButane,
);
export const ignitionMerge = late(async () => (await import('../commands/ignition/merge.ts')).merge);
export const ignitionTranslate = late(async () => (await import('../commands/ignition/merge.ts')).translate);
export const importHosts = late(async () => (await import('../commands/import/import.ts')).importHosts);
export const init = late(async () => (await import('../commands/init/init.ts')).init);
export const inspect = late(async () => (await import('../commands/inspect/inspect.ts')).inspect);
export const isoCreate = late(async () => (await import('../commands/iso/create.ts')).createIso);
export const isoCustomize = late(async () => (await import('../commands/iso/customize.ts')).customizeLiveIso);
export const isoExtractMinimalIso = late(
  async () => (await import('../commands/iso/extract.ts')).extractMinimalIso,
);
export const isoExtractPxe = late(async () => (await import('../commands/iso/extract.ts')).extractPxe);
export const isoIgnitionEmbed = late(async () => (await import('../commands/iso/ignition.ts')).embed);
export const isoIgnitionRemove = late(async () => (await import('../commands/iso/ignition.ts')).remove);
export const isoIgnitionShow = late(async () => (await import('../commands/iso/ignition.ts')).show);
export const isoKargsModify = late(async () => (await import('../commands/iso/kargs.ts')).modifyKargs);
export const isoKargsReset = late(
  async () => (await import('../commands/iso/kargs.ts')).resetKernelArguments,
);
export const isoKargsShow = late(async () => (await import('../commands/iso/kargs.ts')).showKargs);
export const isoNetworkEmbed = late(async () => (await import('../commands/iso/network.ts')).embedNetwork);
export const isoNetworkExtract = late(
  async () => (await import('../commands/iso/network.ts')).extractNetwork,
);
export const isoNetworkRemove = late(async () => (await import('../commands/iso/network.ts')).removeNetwork);
export const isoReset = late(async () => (await import('../commands/iso/reset.ts')).reset);
export const listStream = late(async () => (await import('../commands/download/streams.ts')).listStream);
export const prepare = late(async () => (await import('../commands/prepare/prepare.ts')).prepare);
export const pxeCustomize = late(async () => (await import('../commands/pxe/customize.ts')).customizePxe);
export const pxeIgnitionUnwrap = late(async () => (await import('../commands/pxe/wrap.ts')).unwrapIgnition);
export const pxeIgnitionWrap = late(async () => (await import('../commands/pxe/wrap.ts')).wrapIgnition);
export const pxeKargs = late(async () => (await import('../commands/pxe/kargs.ts')).kargs);
export const pxeNetworkUnwrap = late(async () => (await import('../commands/pxe/wrap.ts')).unwrapNetwork);
export const pxeNetworkWrap = late(async () => (await import('../commands/pxe/wrap.ts')).wrapNetwork);
export const quickstart = late(async () => (await import('../commands/quickstart/quickstart.ts')).quickstart);
export const render = late(async () => (await import('../commands/render/render.ts')).render);
export const serve = late(async () => (await import('../commands/serve/serve.ts')).serve);
export const tryRamdisk = late(async () => (await import('../commands/try/try.ts')).tryRamdisk);
export const validate = late(async () => (await import('../commands/validate/validate.ts')).validate);

/** `hosts` are names of hosts of the inventory. */
export const boot = late(async () => {
  const { boot: run } = await import('../commands/boot/boot.ts');
  return ({ hosts, ...options }: BootOptions & { readonly hosts: readonly string[] }, io) =>
    run(hosts, options, io);
});
