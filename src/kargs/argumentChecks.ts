/**
 * Checks one kernel argument by its name, wherever it is from: a setting, an edit of an ISO, the settings of a node. The hundreds of
 * arguments of the kernel and its drivers are not checked.
 */

import { nearestName } from '../core/nearestNames.ts';
import { errorRule, type Issue, lintError, lintWarning } from '../ignition/rule.ts';
import { checkConsole, checkIp, checkNetworkArgument } from './argumentValues.ts';
import { isOneArgument } from './argumentText.ts';
import { argumentName, argumentValue } from './bootSettings.ts';
import { checkIpaArgument } from './ipaParameter.ts';
import { checkSetenv } from './kernelArguments.ts';
import { checkIssuer, checkPrivacy, checkUrl, rootfsUrlIssues } from './urlArgument.ts';
import { allCoreosArguments, coreosArguments } from './coreosArguments.ts';

const argumentCharacters = errorRule(
  'argument-characters',
  'the argument contains whitespace or a quote outside of NAME="VALUE", or characters other than printable ASCII; the kernel would split or change it',
  'use one option per argument, and percent-encode other characters of a URL',
);
const argumentEmpty = errorRule('argument-empty', 'the argument has no name', 'use NAME or NAME=VALUE');
const argumentQuoted = lintError(
  'kernel-argument-quoted',
  'the program that reads this argument does not remove the quotes: dracut, NetworkManager, Ignition and the agent split at spaces',
  'remove the quotes',
);

/** Arguments of dracut (getarg), NetworkManager, Ignition (cmdline.go) and the agent (utils.py), which read words without quotes. */
const UNQUOTED =
  /^(?:ipa-|coreos\.|ignition\.|rd\.(?:neednet|route|bootif)$|(?:ip|bond|bridge|team|vlan|ifname|nameserver)$)/;

const argumentUnknown = lintWarning(
  'argument-unknown',
  'neither Ignition nor CoreOS has such an argument',
  'use a name of coreos.inst.*, coreos.live.* or ignition.*, which "ironic-coreos pxe kargs" writes',
);
const argumentStops = lintWarning(
  'argument-stops-boot',
  'the machine starts a shell or another program instead of the agent',
  'remove the argument; it is only for debugging at the console',
);

export const argumentRules = { argumentQuoted, argumentUnknown, argumentStops };
/** Schemes that Ignition supports. */
const ignitionSchemes = ['http', 'https', 'tftp', 's3', 'gs'];

/** Returns the issues of an argument that do not depend on others. */
export function checkArgument(text: string): readonly Issue[] {
  if (!isOneArgument(text)) return [{ rule: argumentCharacters, path: [] }];
  const name = argumentName(text);
  const value = argumentValue(text) ?? '';
  if (name === '') return [{ rule: argumentEmpty, path: [] }];
  if (text.includes('"') && UNQUOTED.test(name)) return [{ rule: argumentQuoted, path: [] }];
  if (name.startsWith('ipa-')) return checkIpaArgument(text);
  switch (name) {
    case coreosArguments.rootfsUrl.name:
      return rootfsUrlIssues(value);
    case coreosArguments.configUrl.name:
      return [...checkUrl(value, ignitionSchemes), ...checkIssuer(value), ...checkPrivacy(value)];
    case 'console':
      return checkConsole(value);
    case 'ip':
      return checkIp(value);
    case 'systemd.setenv':
      return checkSetenv(value);
    default:
      if (STOPS_BOOT.test(text)) return [{ rule: argumentStops, path: [] }];
      return [...checkSpelling(name), ...checkNetworkArgument(name, value)];
  }
}

/** systemd(1), dracut.cmdline(7): a shell, a target without services, or another init. */
const STOPS_BOOT =
  /^(?:rd\.break(?:=.*)?|init=(?!\/sbin\/init$|\/usr\/lib\/systemd\/systemd$).*|-[sb]|s|S|1|single|rescue|emergency|systemd\.unit=(?:rescue|emergency)\.target)$/;

/** Arguments that users write, of the programs whose names are misspelled without any message. */
const spelledNames = [
  ...allCoreosArguments.filter(({ isTyped }) => isTyped).map(({ name }) => name),
  'nameserver',
];

/** CoreOS has more arguments, which are not similar to these. */
function checkSpelling(name: string): readonly Issue[] {
  const nearest = spelledNames.includes(name) ? undefined : nearestName(name, spelledNames);
  return nearest === undefined ? [] : [{ rule: argumentUnknown, path: [], hint: `use ${nearest}` }];
}
