/** How much a command says besides its data, and in which colours: the streams that it gets, by the user's choice. */

import type { Io, Output } from '../io.ts';
import type { ErrorDetail } from './errorText.ts';
import { printable } from './printable.ts';
import { colorRemarks, onlyErrors } from './remarkText.ts';

/** Chosen while the command line is read, after the streams were handed out. */
export interface TalkChoice {
  /** `errors` alone, what is `usual`, also why (`everything`), or also where errors were thrown (`stacks`). */
  talk: 'errors' | 'usual' | 'everything' | 'stacks';
  color: 'auto' | 'always' | 'never';
  /** Ids of rules that are turned off; while the command line is read, what it says of them. */
  ignored: readonly string[];
}

export function errorDetail({ talk }: Readonly<TalkChoice>): ErrorDetail {
  if (talk === 'stacks') return 'stacks';
  return talk === 'everything' ? 'causes' : 'nothing';
}

/** The same `io`, except that standard error says what was chosen by the time it is used. */
export function talkAsChosen(io: Io, choice: Readonly<TalkChoice>): Io {
  const { env, cwd, programName, programPath, stdout } = io;
  return {
    get stdin() {
      return io.stdin; // opening it takes time
    },
    stdout,
    get stderr() {
      return chosenOutput(io, choice);
    },
    env,
    cwd,
    programName,
    programPath,
    get note() {
      const wantsNotes = choice.talk === 'everything' || choice.talk === 'stacks';
      return wantsNotes ? notesTo(chosenOutput(io, choice)) : undefined;
    },
    get hasColors() {
      return wantsColor(stdout, choice, env);
    },
    get ignored() {
      return choice.ignored;
    },
  };
}

function notesTo(output: Output): (text: string) => void {
  return (text) => void output.write(`note: ${printable(text)}\n`);
}

function chosenOutput({ stderr, env }: Io, choice: Readonly<TalkChoice>): Output {
  if (choice.talk === 'errors') {
    const paint = wantsColor(stderr, choice, env) ? colorRemarks : (text: string) => text;
    return changedOutput(stderr, (text) => paint(onlyErrors(text)), { isTTY: false }); // nor any progress
  }
  return wantsColor(stderr, choice, env) ? changedOutput(stderr, colorRemarks) : stderr;
}

/** The flag beats NO_COLOR (no-color.org), and that FORCE_COLOR, which Node and many others know. */
function wantsColor({ isTTY }: Output, { color }: Readonly<TalkChoice>, env: Io['env']): boolean {
  if (color !== 'auto') return color === 'always';
  if (isSet(env['NO_COLOR'])) return false;
  if (isSet(env['FORCE_COLOR'])) return env['FORCE_COLOR'] !== '0';
  return isTTY === true && env['TERM'] !== 'dumb';
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}

/** The same stream, except that text is changed on its way; bytes are not. */
function changedOutput(
  output: Output,
  change: (text: string) => string,
  properties: Readonly<Record<string, unknown>> = {},
): Output {
  const write = (chunk: string | Uint8Array, callback?: (error?: Error | null) => void): boolean =>
    output.write(typeof chunk === 'string' ? change(chunk) : chunk, callback);
  const members: Readonly<Record<PropertyKey, unknown>> = { ...properties, write };
  return new Proxy(output, {
    get: (target, key) => {
      if (Object.hasOwn(members, key)) return members[key];
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
