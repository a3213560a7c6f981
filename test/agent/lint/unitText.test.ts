import { describe, expect, it } from 'vitest';
import { render, summary, withUnit } from './support.ts';

const percent = ['agent-unit-percent $.systemd.units.0.contents'];
const quotes = ['agent-unit-quotes $.systemd.units.0.contents'];

describe('texts in units', () => {
  it.each([
    ['an escape in the URL of a proxy', 'Environment=FTP_PROXY=http://u:p%40ss@h:1', percent],
    ['a specifier in the URL of a proxy', 'Environment="FTP_PROXY=http://u:%word@h:1"', percent],
    ['a doubled percent sign', 'Environment="FTP_PROXY=http://u:p%%40ss@h:1"', []],
    ['an odd one behind a doubled one', 'Environment=A=%%%x', percent],
    ['a specifier that is meant', 'Environment=A=%t/%n.pid', []],
    ['a specifier that systemd does not know', 'Environment=A=100%x', percent],
    ['a percent sign at the end', 'Environment=A=100%', percent],
    ['an escape in a URL', 'ExecStartPost=/bin/curl http://192.0.2.1/a%C3%A4', percent],
    ['the name of the host in a URL', 'ExecStartPost=/bin/curl http://192.0.2.1/%H', []],
    ['other settings', 'SyslogIdentifier=100%', []],
    ['a quote that is not closed', 'Environment="A=b', quotes],
    ['a quote that is not closed behind a closed one', 'Environment="A=b""', quotes],
    ['a quote that is not closed in a command', `SyslogIdentifier=x\nExecStartPost=-/bin/sh -c 'a`, quotes],
    ['parts of a word in quotes', 'Environment="A=b"c"d"', []],
    ['parts of a word in both quotes', `ExecStartPost=/bin/echo 'a '"b"' c'`, []],
    ['a part that systemd escapes', `ExecStartPost=/bin/sh -c 'grep '^b' /etc/hosts'`, []],
    ['an option with a value in quotes', 'ExecStartPost=/bin/echo --label="a b"c', []],
    ['an escaped quote', 'Environment="A=b\\"c\\"d"', []],
    ['a comment between continued lines', "ExecStartPost=/bin/a \\\n# don't 100%x\n b=c", []],
    ['quotes around values', 'Environment="A=b c" \'B=d\'', []],
  ])('%s', (_title, line, expected) => {
    expect(summary(withUnit(['TimeoutStartSec=0\n', `TimeoutStartSec=0\n${line}\n`]))).toEqual(expected);
  });

  it('checks a value of three megabytes', () => {
    // Ignition refuses longer lines, but a value may continue over many of them.
    const lines = `${'a'.repeat(2000)}\\\n`.repeat(1500);
    const contents = `[Service]\nEnvironment="A=${lines}""b\n`;
    const config = render();
    const units = [...(config.systemd?.units ?? []), { name: 'a.service', contents }];
    expect(summary({ ...config, systemd: { units } })).toEqual([
      'agent-unit-quotes $.systemd.units.1.contents',
    ]);
  });
});
