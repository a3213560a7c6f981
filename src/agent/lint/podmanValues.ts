/**
 * Values that podman refuses for its options: those that it compares with a fixed set, switches, mounts and names. The
 * checks are those of `pkg/specgen` and `pkg/specgenutil` of podman. Messages do not contain values, which may be secret.
 */

import { cutText } from '../../formats/goText.ts';
import { nearestName } from '../../formats/messageText.ts';

/** Why podman refuses a value, and a value to use instead. */
interface ValueProblem {
  readonly reason: string;
  /** Without the name of the option: `never`. */
  readonly instead: string;
}

const namespaces = ['host', 'private', 'pod', 'container:', 'ns:'];

/** The values by long name of the option; one that ends in a colon is continued by any text. */
const choices: Readonly<Record<string, readonly string[]>> = {
  cgroups: ['enabled', 'disabled', 'no-conmon', 'split'],
  ipc: ['shareable', 'none', ...namespaces],
  'log-level': ['info', 'trace', 'debug', 'warn', 'warning', 'error', 'fatal', 'panic'],
  pid: namespaces,
  pull: ['always', 'missing', 'never', 'newer', 'ifmissing', 'ifnotpresent', 'ifnewer'],
  restart: ['no', 'none', 'always', 'on-failure', 'unless-stopped', 'on-failure:'],
  sdnotify: ['container', 'conmon', 'healthy', 'ignore'],
  uts: namespaces,
};

const ignoresCase = new Set(['log-level', 'pull']);

/** Go's `strconv.ParseBool`. */
const booleans = /^(?:1|t|T|TRUE|true|True|0|f|F|FALSE|false|False)$/;

/** Undefined if podman accepts the value, or if the value is not checked. `name` is the long name of the option. */
export function findValueProblem(name: string, value: string, isSwitch: boolean): ValueProblem | undefined {
  if (isSwitch) {
    const isTrue = /^(?:t|y|on|en)/i.test(value);
    const reason = 'the value of a switch is neither true nor false';
    return booleans.test(value) ? undefined : { reason, instead: isTrue ? 'true' : 'false' };
  }
  if (name === 'mount') return findMountProblem(value);
  if (name === 'volume') return findVolumeProblem(value);
  if (name === 'name') return findNameProblem(value);
  return findChoiceProblem(ignoresCase.has(name) ? value.toLowerCase() : value, choices[name]);
}

function findChoiceProblem(value: string, values?: readonly string[]): ValueProblem | undefined {
  const isKnown = values?.some((known) => (known.endsWith(':') ? value.startsWith(known) : value === known));
  if (values === undefined || isKnown === true || value === '') return undefined;
  const fixed = values.filter((known) => !known.endsWith(':'));
  const reason = `the value is not one of the allowed values: ${fixed.join(', ')}`;
  return { reason, instead: nearestName(value.toLowerCase(), fixed) ?? fixed[0] ?? '' };
}

const mountTypes = ['artifact', 'bind', 'devpts', 'glob', 'image', 'ramfs', 'tmpfs', 'volume'];

const bindOptions = new Set(
  `type src source dst dest destination target bind rbind bind-nonrecursive bind-propagation chown consistency dev
  exec idmap no-dereference nodev noexec nosuid private readonly relabel ro rprivate rshared rslave runbindable rw
  shared slave subpath suid unbindable volume-subpath U Z z`.split(/\s+/),
);

function findMountProblem(value: string): ValueProblem | undefined {
  if (value.includes('"')) return undefined;
  const fields = value.split(',').map((field) => cutText(field, '='));
  const type = fields.find(([name]) => name === 'type')?.[1];
  if (type === undefined) return undefined;
  const instead = `type=${nearestName(type, mountTypes) ?? 'bind'},src=PATH,dst=PATH`;
  if (!mountTypes.includes(type)) return { reason: 'the type of the mount is unknown', instead };
  if (type !== 'bind') return undefined;
  const unknown = fields.find(([name]) => !bindOptions.has(name))?.[0];
  if (unknown?.trim() === '') {
    return { reason: 'a comma has no option behind it; a blank ends the value', instead };
  }
  if (unknown !== undefined) {
    const shown = /^[\w-]{1,40}$/.test(unknown) ? unknown : 'a part';
    return { reason: `${shown} is not an option of a bind mount`, instead };
  }
  const hasTarget = fields.some(([name]) => /^(?:dst|dest|destination|target)$/.test(name));
  return hasTarget ? undefined : { reason: 'the mount has no path in the container', instead };
}

/** Without a leading slash or dot, the source is the name of a volume, which has no slashes. */
function findVolumeProblem(value: string): ValueProblem | undefined {
  const [source = '', target, ...rest] = value.split(':');
  const instead = '/PATH:/PATH';
  if (rest.length > 1) return { reason: 'the value has more than two colons', instead };
  if (target === undefined) return undefined;
  if (!target.startsWith('/')) return { reason: 'the path in the container is not absolute', instead };
  if (source.startsWith('/') || source.startsWith('.') || !source.includes('/')) return undefined;
  return { reason: 'the path on the host is not absolute', instead };
}

function findNameProblem(value: string): ValueProblem | undefined {
  if (/^[A-Za-z0-9][\w.-]*$/.test(value)) return undefined;
  const reason = 'the name contains other characters than letters, digits, dots, dashes and underscores';
  return { reason, instead: 'ironic-agent' };
}
