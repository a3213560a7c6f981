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
export type { OpenImage } from './io/images/imageBytes.ts';
export { openImage } from './io/images/imageFile.ts';

export { bootForms, checkBoot, type BootFormName } from './boot/bootForms.ts';
export type { BootSettings } from './boot/bootSettings.ts';
export { kernelArguments } from './boot/kernelArguments.ts';

export { formatJsonReport } from './io/report/reporter.ts';
export { formatTextReport } from './io/report/text.ts';

export { bareMetalHost } from './deploy/bareMetalHost.ts';
export { configDrive } from './deploy/configDrive.ts';
export { ironic as deployIronic } from './deploy/ironic.ts';
export { node as deployNode } from './deploy/node.ts';
export { steps as deploySteps } from './deploy/steps.ts';
export type {
  BareMetalHostOptions,
  ConfigDriveOptions,
  IronicOptions,
  NodeOptions,
  StepsOptions,
} from './deploy/options.ts';
export { merge as mergeIgnition, type MergeOptions } from './merge/merge.ts';
export { fromButane, type FromButaneOptions } from './merge/merge.ts';
export { translate as translateIgnition, type TranslateOptions } from './merge/merge.ts';
export { embed as embedIgnition, type EmbedOptions } from './iso/ignition.ts';
export { remove as removeIgnition, type RemoveOptions } from './iso/ignition.ts';
export { show as showIgnition, type ShowOptions } from './iso/ignition.ts';
export { createIso, type CreateIsoOptions } from './iso/create.ts';
export { customizeLiveIso as customizeIso, type IsoCustomizeOptions } from './iso/customize.ts';
export { extractMinimalIso, type ExtractMinimalIsoOptions } from './iso/extract.ts';
export { extractPxe, type ExtractPxeOptions } from './iso/extract.ts';
export { modifyKargs, type ModifyKargsOptions } from './iso/kargs.ts';
export { resetKernelArguments as resetKargs } from './iso/kargs.ts';
export { showKargs, type ShowKargsOptions } from './iso/kargs.ts';
export { embedNetwork, type EmbedNetworkOptions } from './iso/network.ts';
export { extractNetwork, type ExtractNetworkOptions } from './iso/network.ts';
export { removeNetwork, type RemoveNetworkOptions } from './iso/network.ts';
export { reset as resetIso, type ResetOptions } from './iso/reset.ts';
export { packMinimal, type PackMinimalIsoOptions } from './pack/minimalIso.ts';
export { customizePxe, type PxeCustomizeOptions } from './pxe/customize.ts';
export { unwrapIgnition, type UnwrapIgnitionOptions } from './pxe/wrap.ts';
export { wrapIgnition, type WrapIgnitionOptions } from './pxe/wrap.ts';
export { kargs, type KargsOptions } from './pxe/kargs.ts';
export { unwrapNetwork, type UnwrapNetworkOptions } from './pxe/wrap.ts';
export { wrapNetwork, type WrapNetworkOptions } from './pxe/wrap.ts';
export { extractInitrd, type ExtractInitrdOptions } from './dev/dev.ts';
export { showInitrd, type ShowInitrdOptions } from './dev/dev.ts';
export { showIso, type ShowIsoOptions } from './dev/dev.ts';
export type { PrepareOptions } from './prepare/options.ts';
export { prepare } from './prepare/prepare.ts';
export { quickstart, type QuickstartOptions } from './quickstart/quickstart.ts';
export type { RenderOptions } from './hosts/settings/options.ts';
export { render } from './render/render.ts';
export { inspect, type InspectOptions } from './inspect/inspect.ts';
export { download, type DownloadOptions } from './download/download.ts';
export { listStream, type ListStreamOptions } from './download/streams.ts';
export type { ControllerOptions } from './controller/settings.ts';
export { controller } from './controller/controller.ts';
export type { ServeOptions } from './serve/options.ts';
export { serve } from './serve/serve.ts';
export { boot } from './bmc/boot.ts';
export type { BootOptions } from './bmc/setup.ts';
export type { TryOptions } from './try/setup.ts';
export { tryRamdisk } from './try/try.ts';
export { explain, type ExplainOptions } from './validate/explain.ts';
export { validate, type ValidateOptions } from './validate/validate.ts';
