/** The program on a real terminal: tmux emulates it and shows what a user would see. */

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { quoteShellWord } from '../../src/formats/shell.ts';
import { program } from './packageFolder.ts';

export interface Terminal {
  /** The lines of the screen, without empty ones at its end. */
  readonly screen: () => readonly string[];
  /** The screen and all lines above it. */
  readonly history: () => string;
  /** All bytes that the program has written, with control sequences. */
  readonly raw: () => string;
  /** As tmux names keys: `C-c`, `Enter`. */
  readonly press: (...keys: readonly string[]) => void;
  /** Sends a signal to the program alone. */
  readonly signal: (name: string) => void;
  /** The program gets SIGWINCH after the terminal has its new size; what it draws before that has the old one. */
  readonly resize: (columns: number, rows: number) => Promise<void>;
  /** Waits until the screen contains the text; lines that the terminal has wrapped are one. */
  readonly shows: (text: string | RegExp) => Promise<void>;
  /** The exit code; waits until the program has ended, or was ended by a signal: then 128 and its number. */
  readonly ended: () => Promise<number>;
  readonly close: () => void;
}

interface Place {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Default: 80 × 24. */
  readonly columns?: number;
  readonly rows?: number;
  /** A command of the shell, in which `eval "$PROGRAM ARGUMENTS"` runs the program; default: the program itself. */
  readonly shell?: string;
}

/** Milliseconds; on a machine with a load of 8, a program takes a minute to load 8,000 hosts. */
const PATIENCE = 60_000;
const POLL = 100;

/** Whether it is so in time. */
async function until(isSo: () => boolean): Promise<boolean> {
  for (let time = 0; time < PATIENCE; time += POLL) {
    if (isSo()) return true;
    await setTimeout(POLL);
  }
  return false;
}

/** Starts the program with these arguments on a terminal of its own. */
export function startOnTerminal(args: readonly string[], place: Place): Terminal {
  const { columns = 80, cwd, env = {}, rows = 24 } = place;
  const folder = mkdtempSync(join(tmpdir(), 'terminal-'));
  writeFileSync(
    join(folder, 'conf'),
    'set -g remain-on-exit on\nset -g status off\nset -g history-limit 9999\n',
  );
  writeFileSync(join(folder, 'raw'), '');
  const socket = ['-S', join(folder, 'socket'), '-f', join(folder, 'conf')];
  const tmux = (...words: readonly string[]): string =>
    execFileSync('tmux', [...socket, ...words], { encoding: 'utf8' });
  const { CI: _, HOME = '/', NO_COLOR: __, PATH = '', ...others } = process.env;
  const variables = Object.entries({
    PROGRAM: [process.execPath, program].map(quoteShellWord).join(' '),
    ...env,
  });
  const words = [process.execPath, program, ...args].map(quoteShellWord).join(' ');
  // The program starts when its output is recorded.
  const command = `read -r _; ${variables.map(([name, value]) => `export ${name}=${quoteShellWord(value)};`).join(' ')} trap : INT; ${place.shell ?? words}; echo $? > ${quoteShellWord(join(folder, 'code'))}`;
  execFileSync(
    'tmux',
    [...socket, 'new-session', '-d', '-x', String(columns), '-y', String(rows), 'sh', '-c', command],
    { cwd, env: { HOME, PATH, LANG: others['LANG'] ?? 'C.UTF-8' } },
  );
  tmux('pipe-pane', '-o', `cat >> ${quoteShellWord(join(folder, 'raw'))}`);
  tmux('send-keys', 'Enter');
  const screen = (): readonly string[] => tmux('capture-pane', '-p').trimEnd().split('\n');
  // Not of tmux, which sometimes does not notice the end of its child.
  const signal = (name: string): void =>
    void spawnSync('pkill', [`-${name}`, '-P', tmux('display-message', '-p', '#{pane_pid}').trim()]);
  const code = (): string =>
    existsSync(join(folder, 'code')) ? readFileSync(join(folder, 'code'), 'utf8') : '';
  return {
    screen,
    history: () => tmux('capture-pane', '-p', '-J', '-S', '-').trimEnd(),
    raw: () => readFileSync(join(folder, 'raw'), 'utf8'),
    press: (...keys) => void tmux('send-keys', ...keys),
    signal,
    resize: async (width, height) => {
      const tty = tmux('display-message', '-p', '#{pane_tty}').trim();
      tmux('resize-window', '-x', String(width), '-y', String(height));
      await until(
        () => execFileSync('stty', ['-F', tty, 'size'], { encoding: 'utf8' }) === `${height} ${width}\n`,
      );
    },
    shows: async (text) => {
      const isShown = (): boolean => {
        const shown = tmux('capture-pane', '-p', '-J').replaceAll(/ +$/gm, '');
        return typeof text === 'string' ? shown.includes(text) : text.test(shown);
      };
      if (!(await until(isShown)))
        throw new Error(`the terminal does not show ${String(text)}:\n${screen().join('\n')}`);
    },
    ended: async () => {
      if (!(await until(() => code().endsWith('\n'))))
        throw new Error(`the program has not ended:\n${screen().join('\n')}`);
      return Number(code());
    },
    close: () => {
      // Services outlive their terminal: SIGHUP means to them that files have changed. The shell would write the exit code of a program
      // that is killed before it, into the folder that is removed.
      const shell = tmux('display-message', '-p', '#{pane_pid}').trim();
      const { stdout } = spawnSync('pgrep', ['-P', shell], { encoding: 'utf8' });
      spawnSync('kill', ['-KILL', shell, ...stdout.split('\n').filter((pid) => pid !== '')]);
      spawnSync('tmux', [...socket, 'kill-server']);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
