/**
 * Checks one kernel argument by its name, wherever it is from: a setting, an edit of an ISO, the settings of a node. The hundreds of
 * arguments of the kernel and its drivers are not checked.
 */

import type { Finding } from '../core/finding.ts';
import { nearestName } from '../core/nearestNames.ts';
import { withoutBrackets } from '../formats/url.ts';
import { errorRules, lintErrors, lintWarnings, type Rule } from '../core/rule.ts';
import { bondModes } from '../network/bondOptions.ts';
import { parseAddress } from '../network/ipAddress.ts';
import { isOneArgument, hasIpxeSetting, type KernelArgument } from './argument.ts';
import { checkConsole } from './console.ts';
import { allCoreosArguments, coreosArguments } from './coreosArguments.ts';
import { readRoute, readIp } from './ip.ts';
import { checkIpaArgument } from './ipaParameter.ts';
import { checkSetenv } from './kernelArguments.ts';
import { checkIssuer, checkPrivacy, checkUrl } from './urlArgument.ts';

export const argumentRules = {
  ...errorRules({
    'argument-characters': [
      'the argument contains whitespace or a quote outside of NAME="VALUE", or characters other than printable ASCII; the kernel would split or change it',
      'use one option per argument, and percent-encode other characters of a URL',
    ],
    'argument-empty': ['the argument has no name', 'use NAME or NAME=VALUE'],
  }),
  ...lintErrors({
    'kernel-argument-quoted': [
      'the program that reads this argument does not remove the quotes: dracut, NetworkManager, Ignition and the agent split at spaces',
      'remove the quotes',
    ],
  }),
  ...lintWarnings({
    'argument-unknown': [
      'neither Ignition nor CoreOS has such an argument',
      'use a name of coreos.inst.*, coreos.live.* or ignition.*, which "ironic-coreos pxe kargs" writes',
    ],
    'argument-stops-boot': [
      'the machine starts a shell or another program instead of the agent',
      'remove the argument; it is only for debugging at the console',
    ],
    'argument-value': ['the initramfs ignores the value', 'use the format that dracut.cmdline(7) describes'],
  }),
};

/** Arguments of dracut (getarg), NetworkManager, Ignition (cmdline.go) and the agent (utils.py), which read words without quotes. */
const UNQUOTED =
  /^(?:ipa-|coreos\.|ignition\.|rd\.(?:neednet|route|bootif)$|(?:ip|bond|bridge|team|vlan|ifname|nameserver)$)/;

/** systemd(1), dracut.cmdline(7): a shell, a target without services, or another init. */
const STOPS_BOOT =
  /^(?:rd\.break(?:=.*)?|init=(?!\/sbin\/init$|(?:\/usr)?\/lib\/systemd\/systemd$).*|-[sb]|s|S|1|single|rescue|emergency|systemd\.unit=(?:rescue|emergency)\.target)$/;

/** Returns the issues of an argument that do not depend on others. */
export function checkArgument(argument: KernelArgument): readonly Finding[] {
  return findIssues(argument).map((issue) => ({ ...issue, path: argument.path }));
}

function findIssues(argument: KernelArgument): readonly Rule[] {
  const { name, text, value = '' } = argument;
  if (!isOneArgument(text)) return [argumentRules['argument-characters']];
  if (name === '') return [argumentRules['argument-empty']];
  if (text.includes('"') && UNQUOTED.test(name)) return [argumentRules['kernel-argument-quoted']];
  if (name.startsWith('ipa-')) return checkIpaArgument(argument);
  const check = valueChecks.get(name);
  if (check !== undefined) return check(value);
  if (STOPS_BOOT.test(text)) return [argumentRules['argument-stops-boot']];
  // CoreOS has more arguments, which are not similar to these.
  const nearest = spelledNames.includes(name) ? undefined : nearestName(name, spelledNames);
  return nearest === undefined ? [] : [{ ...argumentRules['argument-unknown'], hint: `use ${nearest}` }];
}

type ValueCheck = (value: string) => readonly Rule[];

const valueChecks = new Map<string, ValueCheck>(
  Object.entries({
    // coreos-livepxe-rootfs.sh fetches it with curl, and verifies its hash, so the certificate of the server does not matter.
    [coreosArguments.rootfsUrl.name]: (value) => checkUrl(value, ['http', 'https', 'tftp']),
    [coreosArguments.configUrl.name]: (value) => [
      ...checkUrl(value, ['http', 'https', 'tftp', 's3', 'gs']),
      ...checkIssuer(value),
      ...checkPrivacy(value),
    ],
    console: checkConsole,
    ip: (value) => (hasIpxeSetting(value) ? [] : readIp(value).issues),
    'systemd.setenv': checkSetenv,
    bond: ignoredUnless((value) => {
      const [, mode = '0'] = /(?:^|[:,])mode=([^,:]*)/.exec(value) ?? [];
      return bondModes.some((name, number) => mode === name || mode === String(number));
    }, 'use bond=bond0:eno1,eno2:mode=active-backup, or another mode of the kernel'),
    nameserver: ignoredUnless(
      (value) => value.includes('://') || parseAddress(withoutBrackets(value)) !== undefined,
      'use an IP address: nameserver=192.0.2.53',
    ),
    ifname: ignoredUnless(
      (value) => /^[^:/\s]{1,15}:[\da-f]{2}(?::[\da-f]{2}){5}$/i.test(value),
      'use NAME:MAC: ifname=net0:52:54:00:12:34:56',
    ),
    'rd.route': ignoredUnless(
      (value) => readRoute(value).route !== undefined,
      'use NETWORK/PREFIX:GATEWAY:INTERFACE, with IPv6 in brackets: rd.route=198.51.100.0/24:192.0.2.1:eno1',
    ),
    vlan: ignoredUnless((value) => /^[^:]+:[^:]+/.test(value), 'use NAME:INTERFACE: vlan=eno1.5:eno1'),
  } satisfies Record<string, ValueCheck>),
);

function ignoredUnless(isValid: (value: string) => boolean, hint: string): ValueCheck {
  return (value) =>
    hasIpxeSetting(value) || isValid(value) ? [] : [{ ...argumentRules['argument-value'], hint }];
}

/** Arguments that users write, of the programs whose names are misspelled without any message. */
const spelledNames = [
  ...allCoreosArguments.filter(({ isTyped }) => isTyped).map(({ name }) => name),
  'nameserver',
];
