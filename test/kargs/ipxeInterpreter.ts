/**
 * iPXE, as far as boot scripts go, by its sources (core/exec.c, core/settings.c, image/script.c): words at white space,
 * no quotes, `${…}` replaced from the inside out, comments, `||`, `&&` and `;`. Other commands are an error.
 */

export interface IpxeWorld {
  /** What `${…}` stands for: `buildarch`, `mac`, `net0/mac`. */
  readonly settings: Readonly<Record<string, string>>;
  /** A file that is fetched: the text of a script, or anything for another file; undefined where it is not there. */
  readonly fetch: (url: string) => string | undefined;
}

export interface IpxeOutcome {
  /** The last command that counted. */
  readonly end: 'boot' | 'sanboot' | 'poweroff' | 'exit' | 'failure' | 'endless';
  readonly kernel: string;
  readonly arguments: readonly string[];
  readonly initrds: readonly { readonly name: string; readonly url: string }[];
  /** How often a kernel or an ISO was asked for. */
  readonly attempts: number;
  /** In seconds, all together. */
  readonly slept: number;
  readonly iso: string;
}

const mostSteps = 2000;

export function runIpxe(script: string, world: IpxeWorld): IpxeOutcome {
  return new IpxeMachine(world).run(script);
}

class IpxeMachine {
  readonly #world: IpxeWorld;
  readonly #settings: Map<string, string>;
  #steps = 0;
  #kernel: string[] = [];
  #initrds: { name: string; url: string }[] = [];
  #attempts = 0;
  #slept = 0;
  #iso = '';
  #final: 'boot' | 'sanboot' | 'poweroff' | 'endless' | undefined;

  constructor(world: IpxeWorld) {
    this.#world = world;
    this.#settings = new Map(Object.entries(world.settings));
  }

  run(script: string): IpxeOutcome {
    const succeeded = this.#runScript(script);
    const [kernel = '', ...words] = this.#kernel;
    return {
      end: this.#final ?? (succeeded ? 'exit' : 'failure'),
      kernel,
      arguments: words,
      initrds: this.#initrds,
      attempts: this.#attempts,
      slept: this.#slept,
      iso: this.#iso,
    };
  }

  #runScript(text: string): boolean {
    const lines = text.split('\n').map((line) => line.trim());
    for (let next = 0; next < lines.length && this.#final === undefined;) {
      const line = lines[next++] ?? '';
      if (line.startsWith(':')) continue;
      const result = this.#runLine(line);
      if (typeof result === 'object') {
        next = lines.findIndex((candidate) => candidate === `:${result.label}`);
        if (next === -1) return false;
      } else if (result === 'exit') return true;
      else if (!result) return false;
    }
    return true;
  }

  /** A label to go to, the end of the script, or whether the line succeeded. */
  #runLine(line: string): { label: string } | 'exit' | boolean {
    if (++this.#steps > mostSteps) this.#final = 'endless';
    let words = line.split(/\s+/).filter((word) => word !== '');
    let succeeded = true;
    let isWanted = true;
    for (;;) {
      const end = words.findIndex((word) => word.startsWith('#') || ['||', '&&', ';'].includes(word));
      const command = end === -1 ? words : words.slice(0, end);
      if (isWanted) {
        const [name = '', ...rest] = command.map((word) => this.#expand(word));
        if (name === 'goto') return { label: rest[0] ?? '' };
        if (name === 'exit') return rest[0] === undefined || rest[0] === '0' ? 'exit' : false;
        succeeded = this.#execute(name, rest);
      }
      const operator = end === -1 ? '#' : (words[end] ?? '#');
      if (operator.startsWith('#') || this.#final !== undefined) return succeeded;
      isWanted = operator === ';' || (operator === '&&') === succeeded;
      words = words.slice(end + 1);
    }
  }

  #expand(word: string): string {
    const match = /\$\{([^${}]*)\}/.exec(word);
    if (match === null) return word;
    const [name = '', format] = (match[1] ?? '').split(':');
    const value = this.#settings.get(name) ?? '';
    const shown = format === 'hexhyp' ? value.replaceAll(':', '-') : value;
    return this.#expand(word.slice(0, match.index) + shown + word.slice(match.index + match[0].length));
  }

  #execute(name: string, words: readonly string[]): boolean {
    const { options, rest } =
      name === 'echo' ? { options: new Map<string, string>(), rest: words } : takeOptions(words);
    const [first = '', second = ''] = rest;
    switch (name) {
      case '':
      case 'echo':
        return true;
      case 'set':
        this.#settings.set(first.replace(/:.*/, ''), rest.slice(1).join(' '));
        return true;
      case 'inc':
        this.#settings.set(first, String(Number(this.#settings.get(first)) + 1));
        return true;
      case 'isset':
        return first !== '';
      case 'iseq':
        return first === second;
      case 'sleep':
        this.#slept += Number(first);
        return true;
      case 'imgfree':
        [this.#kernel, this.#initrds] = [[], []];
        return true;
      case 'kernel':
        this.#attempts++;
        if (this.#world.fetch(first) === undefined) return false;
        this.#kernel = [...rest];
        return true;
      case 'initrd':
        if (this.#world.fetch(first) === undefined) return false;
        this.#initrds.push({ name: options.get('--name') ?? first.replace(/^.*\//, ''), url: first });
        return true;
      case 'sanboot':
        this.#attempts++;
        if (this.#world.fetch(first) === undefined) return false;
        this.#iso = first;
        this.#final = 'sanboot';
        return true;
      case 'chain': {
        const script = this.#world.fetch(first);
        return script !== undefined && this.#runScript(script);
      }
      case 'boot':
      case 'poweroff':
        this.#final = name;
        return true;
      default:
        throw new Error(`the interpreter does not know ${name}`);
    }
  }
}

function takeOptions(words: readonly string[]): {
  readonly options: ReadonlyMap<string, string>;
  readonly rest: readonly string[];
} {
  const options = new Map<string, string>();
  let rest = [...words];
  while (rest[0]?.startsWith('--')) {
    const hasValue = rest[0] !== '--no-describe';
    options.set(rest[0], hasValue ? (rest[1] ?? '') : '');
    rest = rest.slice(hasValue ? 2 : 1);
  }
  return { options, rest };
}
