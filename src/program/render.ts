/** Declares `render`. */

import { type Command, Option } from 'commander';
import type { RenderOptions } from '../commands/render/options.ts';
import type { Context } from './context.ts';

const notes = `
What --host means:
  With --host the Ignition config is the one that build.py makes of the same
  flags: spec 3.0.0, its unit, its two URLs on ports 6385 and 5050, indented
  JSON, and the first ~/.ssh/id_*.pub by name where --ssh-key is not given.
  The flags that build.py has not are added to that document. --api-url,
  --inspection-callback-url and --insecure cannot be combined with --host,
  nor --tls with --api-url, nor --registry with --agent-image.

Which option wins:
  --option over --conf over the other flags.

Exit codes:
  0  the config is written
  1  an input is missing or wrong, or the config would not be valid
  2  the command line is wrong

Examples:
  ironic-coreos render --api-url https://192.0.2.1 --ca-file ironic.crt \\
    --ssh-key ~/.ssh/id_ed25519.pub --output ironic-agent.ign
  ironic-coreos render --api-url https://192.0.2.1,https://[2001:db8::1] \\
    --agent-image registry.example.com/ipa@sha256:… --pull-secret auth.json
  ironic-coreos render --host 192.168.122.1 --registry 192.168.122.1:5000 \\
    --insecure-registry --option 'collect_lldp = True' > ironic-agent.ign
`;

export function declareRender(program: Command, context: Context): void {
  const command = program
    .command('render')
    .summary('render the Ignition config that runs ironic-python-agent')
    .description(
      'Renders the Ignition config that makes CoreOS run ironic-python-agent, from the address of Ironic. ' +
        'The config is checked before it is written.',
    );
  declareIronic(command);
  declareAgent(command);
  declareHost(command);
  declareOutput(command);
  declareBuildpy(command);
  command.addHelpText('after', notes).action(async (options: RenderOptions) => {
    const { render } = await import('../commands/render/render.ts');
    context.finish(await render(options, context.io));
  });
}

function declareIronic(command: Command): void {
  command
    .optionsGroup('Ironic:')
    .option(
      '--api-url <urls>',
      'where Ironic is: URLs with commas between them, port 6385 unless they name one; or "mdns"',
    )
    .option(
      '--inspection-callback-url <url>',
      'where inspection data go (default: the agent derives it); also --inspector',
    )
    .addOption(alias('--inspector <url>', 'inspectionCallbackUrl'))
    .option('--ca-file <file>', 'PEM certificates to trust, for Ironic and for the registry')
    .option('--insecure', "do not verify Ironic's TLS certificate");
}

function declareAgent(command: Command): void {
  command
    .optionsGroup('Agent:')
    .option('--agent-image <ref>', 'container image (default: quay.io/metal3-io/ironic-agent)')
    .option('--pull-secret <file>', 'credentials for the registry: JSON with "auths", or its base64')
    .option('--insecure-registry', "do not verify the registry's TLS certificate")
    .addOption(
      repeated('--option <line>', "line of the agent's conf: 'key = value' or '[section]'; repeatable"),
    )
    .option('--conf <file>', "an ironic-python-agent.conf of your own, merged over the program's");
}

function declareHost(command: Command): void {
  command
    .optionsGroup('Host:')
    .addOption(repeated('--ssh-key <key|file>', 'public key(s) for the user core; repeatable'))
    .addOption(plain('--no-ssh-key', 'nobody can log in'))
    .option('--hostname <name>', 'name of the host')
    .addOption(repeated('--ntp-server <host>', 'time server; repeatable'))
    .option('--http-proxy <url>', 'proxy for http:// URLs')
    .option('--https-proxy <url>', 'proxy for https:// URLs')
    .addOption(
      plain(
        '--no-proxy <hosts>',
        'reached without proxy, with commas between them; the Ironic hosts always are',
      ),
    );
}

function declareOutput(command: Command): void {
  command
    .optionsGroup('Output:')
    .option('-o, --output <file>', 'write here, whole or not at all, instead of to standard output')
    .option('--pretty', 'indent the JSON (always so with --host)');
}

function declareBuildpy(command: Command): void {
  command
    .optionsGroup('As build.py (with --insecure-registry and --option):')
    .option('--host <host>', 'name or address of Ironic')
    .option('--registry <registry>', 'the agent image is <registry>/ironic-agent')
    .addOption(
      new Option('--tls <mode>', 'http, https, or https without verifying').choices([
        'off',
        'on',
        'insecure',
      ]),
    );
}

function repeated(flags: string, description: string): Option {
  const option = new Option(flags, description);
  return option.argParser((value: string, values: readonly string[] | undefined) => [
    ...(values ?? []),
    value,
  ]);
}

/** An option of its own, although its name begins with `no-`, which commander takes for the negation of another. */
function plain(flags: string, description: string): Option {
  const option = new Option(flags, description);
  option.negate = false;
  return option;
}

function alias(flags: string, attribute: string): Option {
  const option = new Option(flags).hideHelp();
  option.attributeName = () => attribute;
  return option;
}
