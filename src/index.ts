/**
 * The library. What a command does can be called: domain functions take and give data, commands take options and the
 * streams of `Io`, and answer with an exit code. Errors are `CliError`s, whose messages are meant for the user.
 */

export { CliError, FormatError, UsageError } from './core/errors.ts';
export {
  formatPath,
  type Finding,
  type Path,
  type Position,
  type Report,
  type Severity,
} from './core/finding.ts';
export type { ExitCode, Io, Output } from './io/io.ts';

export { formatAgentConfig, renderAgentConfig, renderAgentConf } from './agent/agentConfig.ts';
export { archiveMemory } from './agent/agentArchive.ts';
export { checkConf, checkConfFile } from './agent/confCheck.ts';
export { type IpaVersion, parseIpaVersion } from './ipa/ipaOptions.ts';
export { isAgentConfig, lintConfig, type LintOptions } from './agent/lint/lintConfig.ts';
export { maskSecrets } from './agent/lint/secrets.ts';
export { convertNmstate, type Keyfile } from './network/convertNmstate.ts';
export { convertNetworkData } from './network/networkData/convertNetworkData.ts';
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
export { remarkMerge } from './ignition/mergeRemarks.ts';
export { mergeConfigs, normalizeConfig } from './ignition/merge.ts';
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
export type { ByteSource } from './formats/byteFeed.ts';
export { inspectInitrd, inspectIso } from './image/inspection/inspectImage.ts';
export { editKargs, type KargsEdits } from './image/kargsEdit.ts';
export { openLiveIso, type IsoContents, type LiveIso } from './image/liveIso.ts';
export { listNetworkSettings, type NetworkFile } from './image/networkSettings.ts';
export { repairIso as planRepair, resetIso as planReset } from './image/liveIso.ts';
export { bytesAccess, chunksOf, overlay, type ByteRange, type Patch } from './image/overlay.ts';
export type { RandomAccess } from './image/overlay.ts';
export { writeSampleIso, type SampleIso } from './image/sampleIso.ts';
export type { OpenImage } from './imagefile/imageBytes.ts';
export { openImage } from './imagefile/imageFile.ts';

export { bootForms, checkBoot, type BootFormName } from './kargs/bootForms.ts';
export type { BootSettings } from './kargs/bootSettings.ts';
export { kernelArguments } from './kargs/kernelArguments.ts';

export { formatJsonReport } from './io/report/reporter.ts';
export { formatTextReport } from './io/report/text.ts';

export { bareMetalHost } from './commands/deploy/bareMetalHost.ts';
export { configDrive } from './commands/deploy/configDrive.ts';
export { ironic as deployIronic } from './commands/deploy/ironic.ts';
export { node as deployNode } from './commands/deploy/node.ts';
export { steps as deploySteps } from './commands/deploy/steps.ts';
export type {
  BareMetalHostOptions,
  ConfigDriveOptions,
  IronicOptions,
  NodeOptions,
  StepsOptions,
} from './commands/deploy/options.ts';
export { merge as mergeIgnition, type MergeOptions } from './commands/ignition/merge.ts';
export { fromButane, type FromButaneOptions } from './commands/ignition/merge.ts';
export { translate as translateIgnition, type TranslateOptions } from './commands/ignition/merge.ts';
export { embed as embedIgnition, type EmbedOptions } from './commands/iso/ignition.ts';
export { remove as removeIgnition, type RemoveOptions } from './commands/iso/ignition.ts';
export { show as showIgnition, type ShowOptions } from './commands/iso/ignition.ts';
export { createIso, type CreateIsoOptions } from './commands/iso/create.ts';
export { customizeLiveIso as customizeIso, type IsoCustomizeOptions } from './commands/iso/customize.ts';
export { extractMinimalIso, type ExtractMinimalIsoOptions } from './commands/iso/extract.ts';
export { extractPxe, type ExtractPxeOptions } from './commands/iso/extract.ts';
export { modifyKargs, type ModifyKargsOptions } from './commands/iso/kargs.ts';
export { resetKernelArguments as resetKargs } from './commands/iso/kargs.ts';
export { showKargs, type ShowKargsOptions } from './commands/iso/kargs.ts';
export { embedNetwork, type EmbedNetworkOptions } from './commands/iso/network.ts';
export { extractNetwork, type ExtractNetworkOptions } from './commands/iso/network.ts';
export { removeNetwork, type RemoveNetworkOptions } from './commands/iso/network.ts';
export { reset as resetIso, type ResetOptions } from './commands/iso/reset.ts';
export { packMinimal, type PackMinimalIsoOptions } from './commands/pack/minimalIso.ts';
export { customizePxe, type PxeCustomizeOptions } from './commands/pxe/customize.ts';
export { unwrapIgnition, type UnwrapIgnitionOptions } from './commands/pxe/wrap.ts';
export { wrapIgnition, type WrapIgnitionOptions } from './commands/pxe/wrap.ts';
export { kargs, type KargsOptions } from './commands/pxe/kargs.ts';
export { unwrapNetwork, type UnwrapNetworkOptions } from './commands/pxe/wrap.ts';
export { wrapNetwork, type WrapNetworkOptions } from './commands/pxe/wrap.ts';
export { extractInitrd, type ExtractInitrdOptions } from './commands/dev/dev.ts';
export { showInitrd, type ShowInitrdOptions } from './commands/dev/dev.ts';
export { showIso, type ShowIsoOptions } from './commands/dev/dev.ts';
export type { PrepareOptions } from './commands/prepare/options.ts';
export { prepare } from './commands/prepare/prepare.ts';
export { quickstart, type QuickstartOptions } from './commands/quickstart/quickstart.ts';
export type { RenderOptions } from './hosts/settings/options.ts';
export { render } from './commands/render/render.ts';
export { inspect, type InspectOptions } from './commands/inspect/inspect.ts';
export { download, type DownloadOptions } from './commands/download/download.ts';
export { listStream, type ListStreamOptions } from './commands/download/streams.ts';
export type { ControllerOptions } from './commands/controller/settings.ts';
export { controller } from './commands/controller/controller.ts';
export type { ServeOptions } from './commands/serve/options.ts';
export { serve } from './commands/serve/serve.ts';
export { boot } from './commands/boot/boot.ts';
export type { BootOptions } from './commands/boot/setup.ts';
export type { TryOptions } from './commands/try/setup.ts';
export { tryRamdisk } from './commands/try/try.ts';
export { explain, type ExplainOptions } from './commands/validate/explain.ts';
export { validate, type ValidateOptions } from './commands/validate/validate.ts';
