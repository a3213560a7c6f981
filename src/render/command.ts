/** Declares `render`. Its flags for settings are those of the table of settings. */

import { type Command, Option } from 'commander';
import { profileNames, type RenderOptions, settingFlags } from '../hosts/settings/options.ts';
import { choice, type Context, declareRun, declareShortHelp, repeated } from '../io/commandLine.ts';

/** The options that most users need. */
const common = [
  '--api-url',
  '--ca-file',
  '--insecure',
  '--agent-image',
  '--agent-archive',
  '--pull-secret',
  '--ssh-key',
  '--hostname',
  '--nmstate',
  '--profile',
  '--inventory',
  '--output',
  '--show-settings',
];

const reference = `
Profiles:
  default               this program's own config
  buildpy               that of build.py; --host asks for it, no flag needed
  icc                   that of the image-customization-controller, to the byte
  assisted              the agent's part of assisted-service's discovery config
  configure-coreos-ipa  that of ironic-image's script of this name
  The last three take their settings from the environment of what they stand
  for, and refuse what would come out broken there.

What --host means:
  With --host the Ignition config is the one that build.py makes of the same
  flags: spec 3.0.0, its unit, its two URLs on ports 6385 and 5050, indented
  JSON, and the first ~/.ssh/id_*.pub by name where --ssh-key is not given.
  The flags that build.py has not are added to that document. --api-url,
  --inspection-callback-url and --insecure cannot be combined with --host,
  nor --tls with --api-url, nor --registry with --agent-image.

Environment:
  IRONIC_BASE_URL, IRONIC_INSPECTOR_BASE_URL, IRONIC_AGENT_IMAGE,
  IRONIC_AGENT_PULL_SECRET (its content), IRONIC_AGENT_PULL_SECRET_FILE,
  IRONIC_AGENT_VLAN_INTERFACES,
  IRONIC_RAMDISK_SSH_KEY, IRONIC_CA_BUNDLE; as of configure-coreos-ipa also
  IRONIC_ACCESS_PORT, IRONIC_INSPECTOR_ACCESS_PORT, IRONIC_AGENT_PODMAN_FLAGS,
  IRONIC_INSPECTOR_VLAN_INTERFACES. Beside IRONIC_BASE_URL or
  IRONIC_AGENT_IMAGE, or with --profile, also those that any shell may have:
  HTTP_PROXY, HTTPS_PROXY, NO_PROXY, CA_BUNDLE, REGISTRIES_CONF_PATH,
  IP_OPTIONS, ADDITIONAL_NTP_SERVERS. With --host none counts.

Which one wins:
  A flag beats the environment, the environment beats the inventory. In the
  agent's conf --option beats --conf, and --conf the other flags. A config for
  --merge beats everything.

Many hosts:
  An inventory has settings for all hosts below "agent", by the names that
  --show-settings prints, and a list "hosts" of name, mac, architecture,
  network (nmstate or keyfiles) and overrides of settings. Each host gets
  NAME.ign in the folder --output. A host that is wrong is reported, and the
  others are written. Without the list, --output is one config. Its schema is
  schemas/inventory.json of this package.

Without a registry:
  --agent-archive brings the image along: on the ISO by --iso-file FILE:NAME of
  iso ignition embed (the same NAME), or fetched from --archive-url.

Without Ironic:
  Agents up to 6.6.0 had a mode "standalone". Newer ones have none, but do the
  same if nothing tells them where Ironic is; so --standalone leaves it out.

What would change:
  --diff compares with a config that is deployed: a file, a live ISO or an
  initramfs that holds one, the URL of such, or - for standard input. With an
  inventory of hosts it is the folder that has NAME.ign for each. It tells
  settings by the names that --show-settings prints, and what no setting stands
  for by what it is (file, unit, user). Secrets show as a digest or not at all;
  comments, the order of files and the encoding of contents do not count. With
  --format json it is a list of {setting, deployed, rendered}, for hosts with
  "host". Exit codes are those of diff: 0 nothing would change, 1 something
  would, 2 it cannot be told.
`;

const notes = `
Exit codes:
  0  the config is written
  1  an input or a host is missing or wrong, or the config would not be valid
  2  the command line or a variable is wrong

Examples:
  ironic-coreos render --api-url https://192.0.2.1 --ca-file ironic.crt \\
    --ssh-key ~/.ssh/id_ed25519.pub --output ironic-agent.ign
  ironic-coreos render --api-url https://192.0.2.1,https://[2001:db8::1] \\
    --agent-image registry.example.com/ipa@sha256:… --pull-secret auth.json
  ironic-coreos render --host 192.168.122.1 --registry 192.168.122.1:5000 \\
    --insecure-registry --option 'collect_lldp = True' > ironic-agent.ign
  ironic-coreos render --inventory ramdisk.yaml -o configs
  ironic-coreos render --inventory ramdisk.yaml --diff configs
  ironic-coreos render --profile icc --hostname worker-0 \\
    --nmstate worker-0.yaml -o worker-0.ign
`;

export function declareRender(command: Command, context: Context): void {
  command.description(
    'Renders the Ignition config that makes CoreOS run ironic-python-agent, from the address of Ironic. ' +
      'The config is checked before it is written.',
  );
  declareSettings(command, 'Ironic:', 'ironic');
  declareSettings(command, 'Agent:', 'agent');
  declareHost(command);
  declareSettings(command, 'Proxies:', 'proxy');
  declareSettings(command, 'Ignition:', 'ignition');
  declareOutput(command);
  declareBuildpy(command);
  const run = async (options: RenderOptions) => (await import('./render.ts')).render(options, context.io);
  declareShortHelp(command, common, reference);
  declareRun(command, notes, run, context);
}

function declareSettings(command: Command, group: string, section: string): void {
  command.optionsGroup(group);
  for (const { alias, choices, flag, help, kind } of settingFlags(section)) {
    const isRepeated = kind === 'texts' || kind === 'files';
    const option = isRepeated ? repeated(flag, help) : plain(flag, help);
    if (choices !== undefined) option.argChoices = [...choices];
    command.addOption(option);
    if (alias !== undefined) command.addOption(aliasOf(alias, option.attributeName()));
  }
}

function declareHost(command: Command): void {
  declareSettings(command, 'Host:', 'host');
  command
    .addOption(plain('--no-ssh-key', 'nobody can log in by SSH'))
    .addOption(plain('--no-copy-network', 'the installed system finds its network itself'))
    .option('--nmstatectl <path>', 'the program that converts --nmstate (default: on PATH, or none)');
}

function declareOutput(command: Command): void {
  command
    .optionsGroup('Output:')
    .addOption(choice('--profile <name>', 'whose config: see below', profileNames))
    .option('--inventory <file>', 'settings and hosts, as YAML or JSON: see below')
    .option('--fail-fast', 'stop at the first host that is wrong')
    .option('-o, --output <file>', 'write here, whole or not at all, instead of to standard output')
    .option('--diff <deployed>', 'say what would change there, by setting, and write nothing: see below')
    .addOption(
      choice('--format <form>', 'of --diff and --show-settings: text (default) or json', ['text', 'json']),
    )
    .option('--pretty', 'indent the JSON (always so with --host)')
    .option('--show-settings', 'print what counts and where it comes from, secrets masked, and stop');
}

function declareBuildpy(command: Command): void {
  command
    .optionsGroup('As build.py (with --insecure-registry and --option):')
    .option('--host <host>', 'name or address of Ironic')
    .option('--registry <registry>', 'the agent image is <registry>/ironic-agent')
    .addOption(
      new Option('--tls <mode>', 'off (http), on (https), or insecure: https without verifying').choices([
        'off',
        'on',
        'insecure',
      ]),
    );
}

/** An option of its own, although its name begins with `no-`, which commander takes for the negation of another. */
function plain(flags: string, description: string): Option {
  const option = new Option(flags, description);
  option.negate = false;
  return option;
}

function aliasOf(flags: string, attribute: string): Option {
  const option = new Option(flags).hideHelp();
  option.attributeName = () => attribute;
  return option;
}
