/** What GRUB and PXELINUX start by their configurations, as far as those of the ramdisk go. */

export interface Started {
  /** A URL; GRUB's `(http,host)/path` is one, too. */
  readonly kernel: string;
  readonly initrds: readonly string[];
  readonly arguments: readonly string[];
}

/**
 * The first entry of a configuration. GRUB's shell as far as bare and quoted words and variables go, and what
 * lib/cmdline.c then does with quotes. `variables` stand where they are unquoted or in double quotes.
 */
export function readGrub(text: string, variables: Readonly<Record<string, string>>): Started {
  const [kernel = '', ...words] = grubWords(lineOf(text, 'linux '), variables);
  const initrds = grubWords(lineOf(text, 'initrd '), variables);
  return { kernel: grubUrl(kernel), initrds: initrds.map(grubUrl), arguments: words };
}

/** The words of a command, up to its end. An unquoted variable that is empty is no word. */
function grubWords(line: string, variables: Readonly<Record<string, string>>): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (const [part] of line.matchAll(/'[^']*'|"[^"]*"|\$\{\w+\}|\s+|[^]/g)) {
    if (/^\s/.test(part)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (part === ';') break;
    else if (part.startsWith("'")) word = (word ?? '') + part.slice(1, -1);
    else if (part.startsWith('${')) word = joined(word, variables[part.slice(2, -1)] ?? '');
    else if (/[{}|&$;<>"\\]/.test(part)) throw new Error(`GRUB takes ${part} for itself`);
    else word = (word ?? '') + part;
  }
  if (word !== undefined) words.push(word);
  return words.map((text) => text.replaceAll(/["'\\]/g, String.raw`\$&`));
}

function joined(word: string | undefined, value: string): string | undefined {
  return word === undefined && value === '' ? undefined : (word ?? '') + value;
}

function grubUrl(path: string): string {
  return path.replace(/^\((\w+),([^)]*)\)/, '$1://$2');
}

/** The default entry. `ipappend 2` adds BOOTIF, whose value is that of the interface. */
export function readPxelinux(text: string, bootif: string): Started {
  const name = lineOf(text, 'default ');
  const labels = text.split(/^label /m);
  const entry = labels.find((label) => label.startsWith(`${name}\n`));
  if (entry === undefined) throw new Error(`no label ${name}`);
  const lines = entry.split('\n').map((line) => line.trim());
  const valueOf = (key: string): string =>
    lines.find((line) => line.startsWith(`${key} `))?.slice(key.length + 1) ?? '';
  const words = valueOf('append').split(' ');
  const initrds =
    words.find((word) => word.startsWith('initrd='))?.slice('initrd='.length) ?? valueOf('initrd');
  return {
    kernel: valueOf('kernel'),
    initrds: initrds.split(','),
    arguments: [
      ...words.filter((word) => !word.startsWith('initrd=')),
      ...(valueOf('ipappend') === '2' ? [`BOOTIF=${bootif}`] : []),
    ],
  };
}

/** The rest of the first line that starts so, behind any blanks and `if`. */
export function lineOf(text: string, start: string): string {
  const lines = text.split('\n').map((line) => line.trim().replace(/^if /, ''));
  const line = lines.find((candidate) => candidate.startsWith(start));
  if (line === undefined) throw new Error(`no line starts with ${start}`);
  return line.slice(start.length);
}
