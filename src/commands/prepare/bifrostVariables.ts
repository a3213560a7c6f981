/** `bifrost-variables.yaml`: the variables of Bifrost for the images that `prepare --layout bifrost` writes. */

import { readAsset } from '../../core/assets.ts';
import { CliError } from '../../core/errors.ts';
import { errorRule } from '../../core/rule.ts';
import { fillTemplate } from '../../formats/template.ts';
import { formatYaml } from '../../formats/yamlText.ts';
import { requireContents } from '../../hosts/input/imageContents.ts';
import { bootInputsOf } from '../../hosts/plan/bootInputs.ts';
import { imageParts } from '../../image/bootParts.ts';
import { CONFIG_NAME } from '../../image/embeddedIgnition.ts';
import { report } from '../../io/report/report.ts';
import { checkBoot } from '../../kargs/checkBoot.ts';
import { kernelArguments } from '../../kargs/kernelArguments.ts';
import { type BootForm, checkTexts } from '../../kargs/loaders/form.ts';
import { ironicConf } from '../../kargs/loaders/ironic.ts';
import type { LayoutJob, LayoutPart } from './layoutParts.ts';
import { urlOf } from './run.ts';

/**
 * Writes the variables with which Bifrost writes its own ironic.conf, if the layout has such a file and the URLs are known.
 * @throws CliError if it cannot be written
 */
export async function putBifrostVariables(job: LayoutJob, parts: readonly LayoutPart[]): Promise<void> {
  const { fixed, folder, io, read } = job;
  const { files, variables: path } = fixed;
  if (path === undefined || !imageParts.every((part) => folder.files.has(files[part]))) return;
  const [kernelUrl, initramfsUrl] = [urlOf(job, files.kernel), urlOf(job, files.initramfs)];
  const [rootfsUrl, ignitionUrl] = [urlOf(job, files.rootfs), urlOf(job, files.config)];
  if (kernelUrl === undefined || initramfsUrl === undefined) return;
  const layers = { profile: 'default', files: [read.inventory.agent] } as const;
  const { settings } = bootInputsOf({ rootfsUrl, ignitionUrl }, layers, io);
  const findings = checkBoot(settings, bifrostForm);
  for (const { severity, message, hint } of findings) report(io, { severity, message, hint });
  if (findings.some(({ severity }) => severity === 'error')) {
    throw new CliError('The variables for Bifrost cannot be written', {
      code: 'ERR_SETTING',
      hint: 'fix the errors above',
    });
  }
  const [first] = parts;
  const words = kernelArguments(settings).join(' ');
  const booted = {
    kargs: words,
    checkedKargs: words,
    files: first && new Map([[CONFIG_NAME, first.configs.fetched.document]]),
    build: await first?.base?.build(),
  };
  requireContents(booted, { io, options: {} });
  const inspectionArguments = `${INSPECTION_DEFAULT} ${words}`;
  const text = fillTemplate(readAsset('templates/boot/bifrost'), {
    kernelUrl: asYaml(kernelUrl),
    initramfsUrl: asYaml(initramfsUrl),
    arguments: asYaml(words),
    inspectionArguments: asYaml(inspectionArguments),
  });
  await folder.put({ path, kind: 'script' }, Buffer.from(text));
}

function asYaml(text: string): string {
  return formatYaml([text]).trimEnd();
}

/** The value of inspector_extra_kernel_options in Bifrost's defaults, which the variable replaces. */
const INSPECTION_DEFAULT = 'ipa-inspection-collectors=default,logs';

const ansibleTemplate = errorRule(
  'ansible-template',
  'Ansible would evaluate the argument as a template',
  'remove "{{", "{%" and "{#" from the argument',
);

/** As for ironic.conf, with the arguments that Bifrost adds. An inspection has those of the variables twice. */
const bifrostForm: BootForm = {
  ...ironicConf,
  check: (list, images) => [
    ...ironicConf.check(list, images),
    ...checkTexts(ansibleTemplate, list, (text) => /\{[{%#]/.test(text)),
  ],
  added: (settings) => [
    ...ironicConf.added(settings),
    'nofb nomodeset systemd.journald.forward_to_console=yes console=ttyS0 ipa-insecure=1',
    `${INSPECTION_DEFAULT} ${kernelArguments(settings).join(' ')}`,
  ],
};
