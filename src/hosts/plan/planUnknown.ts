/** Plans the boot of machines that the inventory does not list: one config for all, and one inspection for each architecture. */

import type { ConfigArtifact } from '../../core/artifacts.ts';
import type { Problem } from '../../core/finding.ts';
import type { AgentSettings } from '../../agent/settings.ts';
import type { BootSettings } from '../../kargs/bootSettings.ts';
import { kernelArguments, withParameters } from '../../kargs/kernelArguments.ts';
import type { RamdiskBoot } from '../../kargs/loaders/loader.ts';
import { CliError } from '../../core/errors.ts';
import type { Io } from '../../io/io.ts';
import { isoArguments, readBootSettings, reportArguments, requireBoot, startOf } from './hostBoot.ts';
import { architecturesOf, chooseImages, type BaseCatalog, streamSetting } from './baseCatalog.ts';
import type { ImageSet } from './baseImages.ts';
import { report } from '../../io/report/report.ts';
import type { Inventory } from '../settings/inventoryDocument.ts';
import { type HostPlaces, type HostPlan, planArtifacts, type PlanJob } from './planHost.ts';
import type { HostConfigs } from './agentArchives.ts';
import type { RenderSource } from '../settings/settings.ts';

/** Whether machines that are not listed get a config. Warns if no machine gets one. */
export function hasUnknown(
  { hosts }: Inventory,
  { discovery = false }: { readonly discovery?: boolean },
  io: Io,
): boolean {
  if (hosts?.length === 0 && !discovery) {
    report(io, {
      severity: 'warning',
      message: 'the list of hosts is empty, so no machine gets a config',
      hint: 'add the hosts; to use the config for all machines, remove the list "hosts" or pass --discovery',
    });
  }
  return hosts === undefined || discovery;
}

/**
 * One plan for each architecture with images, or one plan without images; and the inspections that the boot scripts start. The
 * firmware must boot an ISO instead.
 * @throws CliError if the settings of all hosts do not result in a valid config
 */
export async function planUnknown(
  job: PlanJob,
  { file, images: catalog, publish }: HostPlaces,
  io: Io,
): Promise<{ readonly plans: readonly HostPlan[]; readonly boots: readonly RamdiskBoot[] }> {
  const { archives, source, wanted } = job;
  const rendered: { readonly images: ImageSet | undefined; readonly configs: HostConfigs }[] = [];
  for (const images of catalog.size === 0 ? [undefined] : chooseSets(source, catalog, io)) {
    const configs = await archives.render(source, images?.base.architecture, wanted.configs, publish);
    if (configs === undefined) throw invalidUnknown('config');
    rendered.push({ images, configs });
  }
  // Agent archives differ for each architecture, and so do their configs.
  const isCommon = new Set(rendered.map(({ configs }) => configs.fetched.document.toString())).size === 1;
  const plans: HostPlan[] = [];
  const boots: RamdiskBoot[] = [];
  for (const { images, configs } of rendered) {
    const ramdisk = { ...(await planArtifacts(wanted.configs, configs, images, job)), isCommon };
    const { document, settings: agent, shared } = configs.fetched;
    const pathOf = (artifact: ConfigArtifact): string => file(artifact, ramdisk);
    const settings = await readBootSettings(shared, images, source, pathOf, wanted, io);
    const inspecting = withCallback(settings, agent);
    await requireBoot(kernelArguments(inspecting), document, images, wanted, source.io);
    if (!reportArguments(settings, false, wanted, source.io)) throw invalidUnknown('boot');
    const plan = { ...ramdisk, kargs: isoArguments(settings, wanted) };
    plans.push(plan);
    const start = startOf(plan.architecture, inspecting, (artifact) => file(artifact, plan), wanted);
    if (images !== undefined && start.kind === 'ramdisk') boots.push(start);
  }
  return { plans, boots };
}

function invalidUnknown(what: 'config' | 'boot'): CliError {
  return new CliError(`The ${what} of machines that are not listed is invalid`, {
    code: 'ERR_SETTING',
    hint: 'fix the errors above, or remove --discovery',
  });
}

/**
 * The images of a host without settings of its own, for each architecture.
 * @throws CliError if no architecture has such images
 */
function chooseSets(source: RenderSource, catalog: BaseCatalog<ImageSet>, io: Io): ImageSet[] {
  const stream = streamSetting(source);
  const sets: ImageSet[] = [];
  const problems: Problem[] = [];
  for (const architecture of architecturesOf(catalog)) {
    const chosen = chooseImages({ architecture, stream: stream?.text }, catalog);
    if ('message' in chosen) problems.push(chosen);
    else sets.push(chosen.images);
  }
  for (const { hint, message: problem } of problems) {
    const message = `machines that are not listed: ${problem}`;
    if (sets.length === 0) throw new CliError(message, { code: 'ERR_SETTING', hint, at: stream?.at });
    report(io, { severity: 'warning', message, hint, at: stream?.at });
  }
  return sets;
}

/**
 * Adds the agent parameters that an inspection needs before its config is read, as in the inspection script of Metal3. The agent's
 * configuration file overrides them, except for `ipa-debug`.
 */
function withCallback(settings: BootSettings, agent: AgentSettings): BootSettings {
  const { apiUrls, callbackUrls, debug, verifyIronicTls } = agent;
  const apiUrl = apiUrls.find((url) => url !== 'mdns');
  const callbackUrl =
    callbackUrls[0] ?? (apiUrl === undefined ? undefined : `${apiUrl}/v1/continue_inspection`);
  if (callbackUrl === undefined) return settings;
  return withParameters(settings, [
    `ipa-inspection-callback-url=${callbackUrl}`,
    ...(apiUrl === undefined ? [] : [`ipa-api-url=${apiUrl}`]),
    'ipa-inspection-dhcp-all-interfaces=1',
    'ipa-collect-lldp=1',
    ...(verifyIronicTls ? [] : ['ipa-insecure=1']),
    ...(debug ? ['ipa-debug=1'] : []),
  ]);
}
