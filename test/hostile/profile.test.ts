import { it } from 'vitest';
import { Session } from 'node:inspector/promises';
import { shapes } from './shapes.ts';
import { readers } from './readers.ts';
it('profile', { timeout: 600_000 }, async () => {
  const reader = readers.find(({ name }) => name === process.env['READER'])!;
  const shape = shapes.find(({ name }) => name.startsWith(process.env['SHAPE']!))!;
  const text = (reader.place ?? String)(shape.make(Number(process.env['SIZE'] ?? 50_000)));
  try { await reader.read((reader.place ?? String)(shape.make(1000))); } catch {}
  const session = new Session(); session.connect();
  await session.post('Profiler.enable'); await session.post('Profiler.setSamplingInterval', { interval: 500 }); await session.post('Profiler.start');
  const t = performance.now();
  try { await reader.read(text); } catch (e) { console.log(String(e).slice(0, 200)); }
  console.log('ms', performance.now() - t);
  const { profile } = await session.post('Profiler.stop');
  const self = new Map<string, number>(); const byId = new Map(profile.nodes.map((n) => [n.id, n]));
  profile.samples!.forEach((id, i) => { const n = byId.get(id)!; const pos = n.positionTicks?.toSorted((a, b) => b.ticks - a.ticks)[0]?.line; const key = `${n.callFrame.functionName} ${n.callFrame.url.split('/').slice(-2).join('/')}:${n.callFrame.lineNumber + 1} hot ${pos}`; self.set(key, (self.get(key) ?? 0) + profile.timeDeltas![i]! / 1000); });
  for (const [k, v] of [...self].toSorted((a, b) => b[1] - a[1]).slice(0, 8)) console.log(v.toFixed(0), k);
});
