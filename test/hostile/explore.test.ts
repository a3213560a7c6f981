import { it } from 'vitest';
import { shapes } from './shapes.ts';
import { readers } from './readers.ts';
import { appendFileSync } from 'node:fs';

const only = process.env['READER'];
it('explore', { timeout: 3_000_000 }, async () => {
  for (const reader of readers) {
    for (const shape of shapes.slice(0, 5)) { try { await reader.read((reader.place ?? String)(shape.make(1000))); } catch {} }
    if (only && !reader.name.includes(only)) continue; if (process.env['FROM'] && readers.indexOf(reader) < readers.findIndex(({ name }) => name === process.env['FROM'])) continue;
    let total = performance.now();
    for (const shape of reader.shapes ?? shapes) {
      const time = async (n: number) => {
        const text = reader.place ? reader.place(shape.make(n)) : shape.make(n);
        const start = process.cpuUsage().user;
        let outcome = 'ok';
        try { await reader.read(text); } catch (e) { outcome = (e as Error).name + ' ' + String((e as Error).message).slice(0, 60); if ((e as Error).name !== 'FormatError' && (e as Error).name !== 'UsageError' && (e as Error).name !== 'CliError' && (e as Error).name !== 'TomlError') outcome = '!!! ' + outcome; }
        return { t: (process.cpuUsage().user - start) / 1000, outcome };
      };
      appendFileSync('/tmp/text-cell.log', reader.name + ' ' + shape.name.slice(0,50) + ' ' + new Date().toISOString() + '\n'); const tiny = await time(10_000);
      const small = tiny.t > 300 ? { t: NaN, outcome: '' } : await time(100_000);
      const large = !(small.t < 1500) ? { t: NaN, outcome: '' } : (process.env['BIG'] || small.t > 60 && small.t / tiny.t > 20) ? await time(1_000_000) : {t: 0, outcome: ''};
      const bad = !(large.t < 400) && !(large.t / small.t < 25) || tiny.outcome.startsWith('!!!') || large.outcome.startsWith('!!!') || large.t > 2500;
      if (bad) appendFileSync('/tmp/text-explore.log', `${reader.name} | ${shape.name.slice(0,80)} | ${tiny.t.toFixed(0)} ${small.t.toFixed(0)} ${large.t.toFixed(0)} ${large.outcome || small.outcome || tiny.outcome}\n`);
    }
    total = performance.now() - total;
    appendFileSync('/tmp/text-explore.log', `== ${reader.name} done in ${total.toFixed(0)} ms\n`);
  }
});
