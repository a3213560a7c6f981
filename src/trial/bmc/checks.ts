/** The result of `boot --check` for one machine: what its BMC supports, and what prevents a boot. */

import { isIP } from 'node:net';
import { formatDuration } from '../../service/status/figures.ts';
import type { BootMethod, Target } from './targets.ts';
import { isLoopbackHost } from '../../formats/hostName.ts';
import { formatSizeInWords } from '../../formats/messageText.ts';
import { urlHost, withoutBrackets } from '../../formats/url.ts';
import { ADVISED_FOR_AGENT } from '../../image/inspection/memoryNeed.ts';
import { protocolOf } from '../../redfish/resources.ts';
import { findUnreachable } from './bmcNetwork.ts';
import type { Survey } from './survey.ts';

interface Verdict {
  readonly status: 'ok' | 'warning' | 'error';
  /** A clause. */
  readonly text: string;
  readonly hint?: string | undefined;
}

export interface MachineCheck extends Verdict {
  /** Stable: `schemas/boot-check.json` and docs/reasons.md list them. */
  readonly id: (typeof bootChecks)[number][0];
}

export interface CheckedMachine {
  readonly target: Target;
  /** Undefined if the BMC cannot be read. */
  readonly survey: Survey | undefined;
  readonly checks: readonly MachineCheck[];
  /** A text of its BMC as it may be shown: without secrets, and not too long. */
  readonly show: (text: string) => string;
}

/** The architecture is that of the image; undefined if it is not known. */
export interface Plan extends Target {
  /** Undefined if it is not known yet. */
  readonly imageUrl: URL | undefined;
  /** The checks of its image; empty if it is not known yet. */
  readonly image: readonly MachineCheck[];
}

export function checkMachine(survey: Survey, plan: Plan): readonly MachineCheck[] {
  return bootChecks.flatMap(([id, check]) =>
    [check(survey, plan) ?? []].flat().map((verdict) => ({ id, ...verdict })),
  );
}

type Check = (survey: Survey, plan: Plan) => Verdict | readonly Verdict[] | undefined;

/** In the order of a boot. */
export const bootChecks = [
  ['bmc', describeBmc],
  ['system', describeSystem],
  ['architecture', checkArchitecture],
  ['memory', checkMemory],
  ['power', describePower],
  ['media', checkMedia],
  ['boot-device', checkBootDevice],
  ['boot-mode', describeMode],
  ['secure-boot', describeSecureBoot],
  ['uefi-http', describeUefiHttp],
  ['image', (_, { image }) => image],
  ['image-url', checkImageUrl],
  ['clock', checkClock],
] as const satisfies readonly (readonly [string, Check])[];

export function isRefused(checks: readonly MachineCheck[]): boolean {
  return checks.some(({ status }) => status === 'error');
}

function ok(text: string): Verdict {
  return { status: 'ok', text };
}

function warn(text: string, hint: string): Verdict {
  return { status: 'warning', text, hint };
}

function refuse(text: string, hint: string): Verdict {
  return { status: 'error', text, hint };
}

function describeBmc({ manager, vendor }: Survey): Verdict {
  const facts = [manager?.model, manager?.firmware].filter((text) => text !== undefined);
  return ok(`${vendor.name}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`);
}

function describeSystem({ macs, system }: Survey, plan: Plan): Verdict {
  const name = [system.manufacturer, system.model].filter((text) => text !== undefined).join(' ');
  const shown = macs.slice(0, 4).join(' ');
  const text = [system.path, name, shown].filter((one) => one !== '').join(', ');
  const [wanted] = plan.macs;
  if (macs.length === 0 && wanted === undefined) {
    return warn(
      `${text}; its MAC addresses are unknown, so calls of its agent cannot be assigned to it`,
      'set the MAC address of the host in the inventory, or pass --mac',
    );
  }
  if (macs.length === 0 || wanted === undefined || macs.includes(wanted)) return ok(text);
  return otherMachine(text, wanted, macs, plan);
}

/** A BMC may not list the interfaces of cards, so this is an error only if it lists an interface of another host. */
function otherMachine(text: string, wanted: string, macs: readonly string[], plan: Plan): Verdict {
  const other = macs.find((mac) => plan.hostNames.has(mac));
  if (other === undefined) {
    return warn(
      `${text}; the BMC does not list the MAC address ${wanted} of ${plan.name}, so it may be the BMC of another machine`,
      'fix the MAC address or the address of the BMC; ignore this if the interface is on a card that the BMC does not list',
    );
  }
  const name = plan.hostNames.get(other);
  return refuse(
    `${text}; this is the BMC of ${name}, because it lists the MAC address ${other}, and not ${wanted}`,
    `fix bmc.address of ${plan.name} in the inventory, or the MAC addresses of ${plan.name} and ${name}`,
  );
}

function checkArchitecture({ architecture: own }: Survey, { architecture: wanted }: Plan): Verdict {
  if (own === undefined || wanted === undefined || own === wanted) return ok(own ?? 'unknown');
  return refuse(
    `the machine has the architecture ${own}, but its image is for ${wanted}`,
    `pass an image for ${own}: --iso FILE, and set architecture: ${own} for the host in the inventory`,
  );
}

function checkMemory({ system: { memory } }: Survey): Verdict {
  if (memory === undefined) return ok('unknown');
  const size = formatSizeInWords(memory);
  if (memory >= ADVISED_FOR_AGENT) return ok(size);
  return warn(
    `${size}, but ${formatSizeInWords(ADVISED_FOR_AGENT)} are recommended for the live system and the container image of the agent`,
    'add memory to the machine',
  );
}

function describePower({ system: { power, reset } }: Survey): Verdict {
  if (reset !== undefined) return ok(power ?? 'unknown');
  return refuse(
    'the BMC cannot power the machine on',
    'use an account of the BMC with the role Administrator, or update the firmware of the BMC',
  );
}

function checkMedia(
  { mediaProblem, slots, vendor }: Survey,
  { imageUrl, method }: Plan,
): Verdict | undefined {
  if (method !== 'virtual-media') return undefined;
  const license =
    vendor.license === undefined ? '' : `; ${vendor.name} requires the license ${vendor.license}`;
  if (mediaProblem !== undefined || slots.length === 0) {
    return refuse(
      `${mediaProblem?.message ?? 'no virtual media slot takes a CD'}${license}`,
      mediaProblem?.hint ?? 'install the license of the BMC, or boot with --method uefi-http',
    );
  }
  const supported =
    imageUrl === undefined ? slots : slots.filter((slot) => protocolOf(imageUrl.href, slot) !== undefined);
  if (supported.length === 0) {
    const protocols = [...new Set(slots.flatMap(({ parameters }) => parameters.protocols))].join(', ');
    return refuse(
      `the virtual media slots support only images by ${protocols}, but the URL is ${imageUrl?.protocol}//…`,
      'use the URL of an image on a server with one of these protocols: --iso https://… or --iso http://…; otherwise boot with --method uefi-http',
    );
  }
  const names = slots.map(({ id }) => id).join(', ');
  const used = slots.filter(({ isInserted }) => isInserted).map(({ id }) => id);
  if (used.length === 0) return ok(`slots: ${names}`);
  return warn(
    `slots: ${names}; media is inserted in ${used.join(', ')}`,
    'boot ejects this media and does not insert it again',
  );
}

/** The boot target of the method; undefined if the BMC does not allow it. */
export function bootTarget({ system: { boot }, vendor }: Survey, method: BootMethod): string | undefined {
  const wanted = method === 'uefi-http' ? 'UefiHttp' : (vendor.bootTarget ?? 'Cd');
  if (boot.targets.length === 0 || boot.targets.includes(wanted)) return wanted;
  return method === 'virtual-media' && boot.targets.includes('Cd') ? 'Cd' : undefined;
}

function checkBootDevice(survey: Survey, { method }: Plan): Verdict {
  const { manager, system, vendor } = survey;
  if (method === 'virtual-media' && vendor.bootRequest === 'dell') {
    if (manager?.importSettings !== undefined) return ok('virtual CD, by a settings import of the iDRAC');
    return refuse(
      'the iDRAC does not support the import of settings, which sets the virtual CD as the boot device',
      'use an account with the role Administrator, or update the firmware of the iDRAC',
    );
  }
  const target = bootTarget(survey, method);
  if (target !== undefined) return ok(`${target}, once`);
  return refuse(
    `the BMC allows only the boot devices ${system.boot.targets.join(', ')}`,
    method === 'uefi-http'
      ? 'use --method virtual-media'
      : 'use --method uefi-http, or set the boot order in the firmware',
  );
}

function describeMode({ system: { boot } }: Survey, { method }: Plan): Verdict {
  if (boot.mode === 'Legacy' && method === 'uefi-http') {
    return refuse(
      'the machine boots in BIOS mode, but UEFI HTTP boot requires UEFI',
      'set the boot mode UEFI in the firmware, or use --method virtual-media',
    );
  }
  return ok(boot.mode ?? 'unknown');
}

function describeSecureBoot({ secureBoot }: Survey): Verdict {
  if (secureBoot !== true) return ok(secureBoot === false ? 'disabled' : 'unknown');
  return ok('enabled; live ISOs of CoreOS contain a signed boot loader');
}

function describeUefiHttp({ system: { boot } }: Survey, { method }: Plan): Verdict | undefined {
  if (method !== 'virtual-media') return undefined;
  if (boot.targets.length === 0) return ok('unknown');
  return ok(boot.targets.includes('UefiHttp') ? 'supported' : 'not supported');
}

function checkImageUrl({ network, vendor }: Survey, { host: bmcHost, imageUrl }: Plan): Verdict | undefined {
  if (imageUrl === undefined) return undefined;
  const { hostname, protocol } = imageUrl;
  const scheme = protocol === 'https:' ? 'https' : 'http';
  const host = urlHost(imageUrl);
  const shown = `${scheme}://${hostname}`;
  if (vendor.protocols?.includes(scheme) === false) {
    return refuse(
      `${vendor.name} supports only ${vendor.protocols.join(', ')} for images, but the URL is ${shown}/…`,
      'use the URL of an image on an HTTPS server: --iso https://…',
    );
  }
  if (isLoopbackHost(host) && !isLoopbackHost(bmcHost)) {
    return refuse(
      `the BMC cannot reach ${shown}/…: this address is only for programs on this machine`,
      'use --serve-listen :8084 --public-url http://ADDRESS:8084',
    );
  }
  const unreachable = findUnreachable(network, imageUrl);
  if (unreachable !== undefined) {
    return refuse(
      `the BMC cannot reach ${shown}/…: ${unreachable}`,
      'set a gateway or a DNS server in the BMC, or use an image server in its network',
    );
  }
  const [family, own] = [isIP(withoutBrackets(bmcHost)), isIP(host)];
  if (family !== 0 && own !== 0 && family !== own) {
    return warn(
      `the image URL has an IPv${own} address, but the address of the BMC is IPv${family}`,
      `use an IPv${family} address in --public-url, unless the BMC has both`,
    );
  }
  if (own === 0 && network.nameServers === undefined) {
    return warn(
      `the image URL contains the name ${host}, which the BMC must resolve`,
      'use an address in --public-url, unless the BMC has a DNS server',
    );
  }
  return checkUrlText(imageUrl) ?? ok(`${shown}/…`);
}

/**
 * The limits of BMCs of several vendors: 255 characters, no query, the suffix .iso (openshift/assisted-service:
 * docs/enhancements/short-image-urls.md; openshift/assisted-image-service, issue 183: Dell iDRAC; openstack/ironic:
 * doc/source/admin/drivers/redfish.rst). They name no limit for each vendor, so these are warnings.
 */
function checkUrlText({ href, pathname, search }: URL): Verdict | undefined {
  if (pathname === '/') return undefined; // that of this machine, which is short and ends with .iso
  const problems = [
    ...(href.length > LONGEST_URL
      ? [`has ${href.length} characters; some BMCs accept only ${LONGEST_URL}`]
      : []),
    ...(search === '' ? [] : ['contains a query (?); some BMCs reject it']),
    ...(/\.iso$/i.test(pathname) ? [] : ['does not end with .iso; some BMCs require it']),
  ];
  if (problems.length === 0) return undefined;
  return warn(
    `the image URL ${problems.join(', and it ')}`,
    `use a URL that ends with .iso, has no query and at most ${LONGEST_URL} characters`,
  );
}

const LONGEST_URL = 255;

/** Milliseconds. A certificate is often valid from the minute in which it was created. */
const MAX_OFFSET = 3_600_000;

function checkClock({ clockOffset }: Survey): Verdict {
  if (clockOffset === undefined) return ok('unknown');
  const { direction, isLarge, shown } = describeOffset(clockOffset);
  if (!isLarge) return ok(`differs by ${shown}`);
  return warn(
    `the clock of the BMC is ${shown} ${direction}, so it may reject certificates of HTTPS servers`,
    'set the time or an NTP server in the BMC',
  );
}

/** How much the clock of another machine is ahead of this one. @param offset milliseconds */
export function describeOffset(offset: number) {
  const seconds = Math.abs(offset) / 1000;
  const days = seconds / 86_400;
  return {
    shown: days >= 2 ? `${Math.round(days)} days` : formatDuration(seconds),
    direction: offset > 0 ? 'ahead' : 'behind',
    /** Certificates may be not valid yet, or expired. */
    isLarge: Math.abs(offset) >= MAX_OFFSET,
  };
}
