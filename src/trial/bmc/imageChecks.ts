/** What prevents the agent in an image from calling home, as far as the image shows. Read before a machine is changed. */

import { CliError, only } from '../../core/errors.ts';
import type { Architecture } from '../../core/architecture.ts';
import { type Diagnostic, diagnosticOf } from '../../core/finding.ts';
import { applyIgnored } from '../../io/report/ignored.ts';
import { parseImageOption } from '../../hosts/plan/imageInputs.ts';
import { findArchitecture } from '../../image/bootParts.ts';
import { openIsoTree } from '../../image/isoTree.ts';
import { isRemote } from '../../http/client/httpUrl.ts';
import { readImage, withoutStdin } from '../../imagefile/imageFile.ts';
import type { Io } from '../../io/io.ts';
import { formatSentence } from '../../io/report/diagnosticText.ts';
import { collectDiagnostics } from '../../io/report/report.ts';
import { reportDiagnostics } from '../../io/report/text.ts';
import { createLinks } from '../../hosts/plan/links.ts';
import type { ServiceOptions } from '../../service/options.ts';
import { createSnapshots } from '../../service/snapshot.ts';
import type { ServeSource } from '../../service/source.ts';
import { type ImageConfig, readImageConfig } from '../emulation/guestAddress.ts';
import { createIronicChange, type IronicOfHosts, ironicOfHosts } from '../api/ironicAddress.ts';
import { type ApiEndpoint, hasPortOf, mayReachApi } from '../api/apiEndpoint.ts';
import { checkIfImage } from '../../hosts/input/checkImage.ts';
import type { MachineCheck } from './checks.ts';

/**
 * Checks an ISO that contains its config, like `validate`.
 * @param file a path or a URL
 * @param endpoint undefined if the address of the mock Ironic is not known yet
 * @returns at least one check, and the architecture if it is known. Throws CliError if a file cannot be read.
 */
export async function checkConfiguredIso(
  file: string,
  endpoint: ApiEndpoint | undefined,
  io: Io,
): Promise<{ readonly checks: readonly MachineCheck[]; readonly architecture?: Architecture | undefined }> {
  try {
    const checks = await checkReadable(file, endpoint, io);
    return { checks, architecture: await isoArchitecture([file], io) };
  } catch (error) {
    if (!(error instanceof CliError) || !isRemote(file)) throw error;
    const text = `the ISO cannot be read from this machine, so its config is not checked: ${error.message}`;
    const hint = 'ignore this if the BMC can read the URL';
    return { checks: [{ id: 'image', status: 'warning', text, hint }] };
  }
}

/** Undefined if there is no ISO or several, or if its architecture is unknown. */
export async function isoArchitecture(
  values: readonly string[] | undefined,
  io: Io,
): Promise<Architecture | undefined> {
  const [value, ...others] = values ?? [];
  if (value === undefined || others.length > 0) return undefined;
  const { architecture, name } = parseImageOption(value);
  if (architecture !== undefined) return architecture;
  // Another check reports an image that cannot be read.
  return readImage(name, withoutStdin(io), async (image) => findArchitecture(await openIsoTree(image))).catch(
    () => undefined,
  );
}

async function checkReadable(
  file: string,
  endpoint: ApiEndpoint | undefined,
  io: Io,
): Promise<readonly MachineCheck[]> {
  const config = await readImageConfig(file, io);
  if (config instanceof CliError) return [checkOf(diagnosticOf(config))];
  const options = { lint: 'auto', now: new Date() } as const;
  const checked = await checkIfImage(file, undefined, options, io).catch(only(CliError, () => undefined));
  // Another live system than CoreOS may contain an agent, too.
  if (checked === undefined) return [(await findDamage(file, io)) ?? known(config)];
  const found = reportDiagnostics(applyIgnored(checked.report.findings, io), { ...checked, name: file }).map(
    checkOf,
  );
  if (config.urls.length > 0 && endpoint !== undefined && !mayReachApi(config.urls, endpoint)) {
    const hint = `use --listen and --tls for that URL, or render the config with --api-url ${endpoint.scheme}://ADDRESS:${endpoint.port}`;
    found.push(otherIronic(file, config.urls, hint));
  }
  return found.length > 0 ? found : [known(config)];
}

/** The problem of a file that is not an ISO or is incomplete, such as an interrupted download. */
async function findDamage(file: string, io: Io): Promise<MachineCheck | undefined> {
  try {
    await readImage(file, withoutStdin(io), openIsoTree);
    return undefined;
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== 'ERR_IMAGE') throw error;
    return { id: 'image', status: 'error', text: error.message, hint: error.hint };
  }
}

function otherIronic(who: string, urls: readonly string[], hint: string): MachineCheck {
  const text = `${who} contains the Ironic URL ${urls.join(', ')}, which is not the mock Ironic`;
  return { id: 'image', status: 'warning', text, hint };
}

function known({ reason, urls }: ImageConfig): MachineCheck {
  return { id: 'image', status: 'ok', text: reason ?? `the agent calls ${urls.join(', ')}` };
}

/**
 * Checks the configs and images of an inventory, like `serve` before its first request.
 * @param ironicUrl replaces the Ironic URL of the inventory
 * @param endpoint undefined if the address of the mock Ironic is not known yet
 * @returns for each host of the inventory at least one check. Throws CliError if an image or a setting for all hosts is invalid.
 */
export async function checkHostImages(
  options: ServiceOptions,
  ironicUrl: string | undefined,
  endpoint: ApiEndpoint | undefined,
  io: Io,
): Promise<ReadonlyMap<string, readonly MachineCheck[]>> {
  const change = createIronicChange(ironicUrl, undefined);
  let listed: IronicOfHosts = new Map();
  const changeSource = (read: ServeSource): ServeSource => {
    const changed = change(read);
    listed = ironicOfHosts(changed, io);
    return changed;
  };
  // An address of --ironic-url may be that of a proxy or of a port forwarding.
  const isReached = (urls: readonly string[], api: ApiEndpoint): boolean =>
    ironicUrl === undefined ? mayReachApi(urls, api) : hasPortOf(ironicUrl, api);
  const snapshot = await createSnapshots(
    options,
    0,
    changeSource,
    collectDiagnostics(io).io,
  )(createLinks('http://localhost', undefined));
  await snapshot.close();
  return new Map(
    snapshot.hosts.map(({ messages, name }) => {
      const urls = listed.get(name) ?? [];
      const found = messages.map(checkOf);
      if (endpoint !== undefined && urls.length > 0 && !isReached(urls, endpoint)) {
        const hint = `use --ironic-url ${endpoint.scheme}://ADDRESS:${endpoint.port} to set the address of the mock Ironic in the configs`;
        found.push(otherIronic('its config', urls, hint));
      }
      return [name, found.length > 0 ? found : [{ id: 'image', status: 'ok', text: 'its config is valid' }]];
    }),
  );
}

function checkOf(diagnostic: Diagnostic): MachineCheck {
  const { hint, severity } = diagnostic;
  return {
    id: 'image',
    status: severity === 'info' ? 'ok' : severity,
    text: formatSentence({ ...diagnostic, path: undefined }),
    hint,
  };
}
