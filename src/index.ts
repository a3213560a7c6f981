/**
 * The library. What a command does can be called: domain functions take and give data, commands take options and the
 * streams of `Io`, and answer with an exit code. Errors are `CliError`s, whose messages are meant for the user.
 */

export { CliError, FormatError, UsageError } from './errors.ts';
export { formatPath, type Finding, type Path, type Position, type Report, type Severity } from './report.ts';
export type { ExitCode, Io, Output } from './io/io.ts';

export { formatAgentConfig, renderAgentConfig, renderAgentConf } from './agent/agentConfig.ts';
export { archiveMemory } from './agent/archiveMemory.ts';
export { checkConf, checkConfFile } from './agent/confCheck.ts';
export { type IpaVersion, parseIpaVersion } from './agent/ipaOptions.ts';
export { isAgentConfig, lintConfig, type LintOptions } from './agent/lint/lintConfig.ts';
export { maskSecrets } from './agent/lint/secrets.ts';
export { convertNmstate, type Keyfile } from './agent/network/convertNmstate.ts';
export {
  compareConfigs,
  describeConfig,
  type DescribedSetting,
  type SettingChange,
} from './agent/deployed/describeConfig.ts';
export { listEmbeddedSecrets } from './agent/embeddedSecrets.ts';
export { withDiscovery } from './agent/profiles/assisted.ts';
export {
  defaultSettings,
  type AgentSettings,
  type ProfileName,
  type ProxySettings,
} from './agent/settings.ts';

export type { Config } from './ignition/config.ts';
export {
  type EffectiveConfig,
  type InlinedConfig,
  readEffectiveConfig,
  type ReadEffective,
} from './ignition/effectiveConfig.ts';
export { formatIgnition } from './ignition/ignitionText.ts';
export { mergeConfigs } from './ignition/merge.ts';
export { remarkMerge } from './ignition/mergeRemarks.ts';
export { normalizeConfig } from './ignition/normalize.ts';
export { translateConfig, type Translation } from './ignition/translate.ts';
export { validateConfig } from './ignition/validate.ts';
export { specVersions, type SpecVersion } from './ignition/versions.ts';

export { decodeDataUrl, type DataUrl } from './formats/dataUrl.ts';
export { readContainerArchive, type ContainerArchive } from './formats/containerArchive.ts';
export { decodeXz } from './formats/xz/decode.ts';
export { encodeXz } from './formats/xz/encode.ts';

export { embedIgnition as planIgnition, readIgnition, type Embedding } from './image/embeddedIgnition.ts';
export type { Growth } from './image/growth.ts';
export { changedImage, type ImageChange } from './image/imageChange.ts';
export { listInitrd, readInitrd, readInitrdFrom, sourceOfImage, writeInitrd } from './image/initrd.ts';
export type { ByteSource } from './formats/byteSource.ts';
export { inspectInitrd } from './image/inspection/inspectInitrd.ts';
export { inspectIso } from './image/inspection/inspectIso.ts';
export { editKargs, type KargsEdits } from './image/kargsEdit.ts';
export { openLiveIso, type IsoContents, type LiveIso } from './image/liveIso.ts';
export { listNetworkSettings, type NetworkFile } from './image/networkSettings.ts';
export { repairIso as planRepair, resetIso as planReset } from './image/resetIso.ts';
export { bytesAccess, chunksOf, overlay, type ByteRange, type Patch } from './image/overlay.ts';
export type { RandomAccess } from './image/randomAccess.ts';
export { writeSampleIso, type SampleIso } from './image/sampleIso.ts';
export type { OpenImage } from './io/imageBytes.ts';
export { openImage } from './io/imageFile.ts';

export { bootForms, checkBoot, type BootFormName } from './boot/bootForms.ts';
export type { BootSettings } from './boot/bootSettings.ts';
export { kernelArguments } from './boot/kernelArguments.ts';

export { formatJsonReport } from './reporters/json.ts';
export { formatTextReport } from './reporters/text.ts';

export { bareMetalHost } from './commands/deploy/bareMetalHost.ts';
export type { BareMetalHostOptions } from './commands/deploy/hostSettings.ts';
export { configDrive } from './commands/deploy/configDrive.ts';
export type { ConfigDriveOptions } from './commands/deploy/configDriveDocument.ts';
export { ironic as deployIronic, type IronicOptions } from './commands/deploy/ironic.ts';
export { node as deployNode } from './commands/deploy/node.ts';
export type { NodeOptions } from './commands/deploy/nodeDocument.ts';
export { steps as deploySteps } from './commands/deploy/steps.ts';
export type { StepsOptions } from './commands/deploy/stepsDocument.ts';
export { merge as mergeIgnition, type MergeOptions } from './commands/ignition/merge.ts';
export { translate as translateIgnition, type TranslateOptions } from './commands/ignition/translate.ts';
export { embed as embedIgnition, type EmbedOptions } from './commands/iso/ignition/embed.ts';
export { remove as removeIgnition, type RemoveOptions } from './commands/iso/ignition/remove.ts';
export { show as showIgnition, type ShowOptions } from './commands/iso/ignition/show.ts';
export { createIso, type CreateIsoOptions } from './commands/iso/create.ts';
export { customize as customizeIso, type IsoCustomizeOptions } from './commands/iso/customize.ts';
export { extractMinimalIso, type ExtractMinimalIsoOptions } from './commands/iso/extract/minimalIso.ts';
export { extractPxe, type ExtractPxeOptions } from './commands/iso/extract/pxe.ts';
export { modifyKargs, type ModifyKargsOptions } from './commands/iso/kargs/modify.ts';
export { resetKargs } from './commands/iso/kargs/reset.ts';
export { showKargs, type ShowKargsOptions } from './commands/iso/kargs/show.ts';
export { embedNetwork, type EmbedNetworkOptions } from './commands/iso/network/embed.ts';
export { extractNetwork, type ExtractNetworkOptions } from './commands/iso/network/extract.ts';
export { removeNetwork, type RemoveNetworkOptions } from './commands/iso/network/remove.ts';
export { reset as resetIso, type ResetOptions } from './commands/iso/reset.ts';
export { packMinimal, type PackMinimalIsoOptions } from './commands/pack/minimalIso.ts';
export { customize as customizePxe, type PxeCustomizeOptions } from './commands/pxe/customize.ts';
export { unwrapIgnition, type UnwrapIgnitionOptions } from './commands/pxe/ignition/unwrap.ts';
export { wrapIgnition, type WrapIgnitionOptions } from './commands/pxe/ignition/wrap.ts';
export { kargs, type KargsOptions } from './commands/pxe/kargs.ts';
export { unwrapNetwork, type UnwrapNetworkOptions } from './commands/pxe/network/unwrap.ts';
export { wrapNetwork, type WrapNetworkOptions } from './commands/pxe/network/wrap.ts';
export { extractInitrd, type ExtractInitrdOptions } from './commands/dev/extract/initrd.ts';
export { showInitrd, type ShowInitrdOptions } from './commands/dev/show/initrd.ts';
export { showIso, type ShowIsoOptions } from './commands/dev/show/iso.ts';
export type { PrepareOptions } from './commands/prepare/options.ts';
export { prepare } from './commands/prepare/prepare.ts';
export { quickstart, type QuickstartOptions } from './commands/quickstart.ts';
export type { RenderOptions } from './commands/render/options.ts';
export { render } from './commands/render/render.ts';
export { inspect, type InspectOptions } from './commands/inspect/inspect.ts';
export { download, type DownloadOptions } from './commands/download.ts';
export { listStream, type ListStreamOptions } from './commands/listStream.ts';
export type { ControllerOptions } from './commands/controller/options.ts';
export { controller } from './commands/controller/controller.ts';
export type { ServeOptions } from './commands/serve/options.ts';
export { serve } from './commands/serve/serve.ts';
export type { TryOptions } from './commands/try/options.ts';
export { tryRamdisk } from './commands/try/try.ts';
export { explain, type ExplainOptions } from './commands/explain.ts';
export { validate, type ValidateOptions } from './commands/validate.ts';
