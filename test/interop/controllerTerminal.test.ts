/**
 * `controller` on a real terminal, which tmux emulates, with a real API server: the machine that is stuck and the object without an image
 * are on its first screen, among 20, and Ctrl-C is answered.
 */

import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { haveKubernetes } from '../support/kubernetes.ts';
import { imageEnv } from '../support/agentImage.ts';
import { have, oracleNote } from '../support/programs.ts';
import { startOnTerminal, type Terminal } from '../support/terminal.ts';
import { controllerCluster, hasFailed, isReady } from './kubernetes/controllerCluster.ts';

const COUNT = 20;
const note = oracleNote('kube-apiserver', 'tmux');

describe.skipIf(!haveKubernetes || !have('tmux'))(`controller on a terminal${note}`, () => {
  const cluster = controllerCluster();
  let terminal: Terminal | undefined;
  afterEach(() => terminal?.close());

  it('shows the stuck and the failed object among 20, and the rest of its work at Ctrl-C', async () => {
    writeFileSync(cluster.path('tokens'), '0123456789abcdef0123456789abcdef\n', { mode: 0o600 });
    const line =
      'controller --namespace metal3 --settings configmap/ironic-coreos-settings --iso live.iso --key-file key --listen 127.0.0.1:0 --drain-time 20 --token-file tokens --kubeconfig';
    terminal = startOnTerminal([...line.split(' '), cluster.kubeconfig()], {
      cwd: cluster.folder,
      env: imageEnv,
    });
    await terminal.shows('leader=');
    const names = Array.from({ length: COUNT }, (_, index) => `worker-${index}`);
    for (const name of names) {
      const networkDataName = name === 'worker-13' ? { networkDataName: 'worker-13-network' } : {};
      await cluster.create(name, { acceptFormats: ['initrd'], ...networkDataName });
    }
    const urls = new Map<string, string | undefined>();
    for (const name of names) {
      const isDone = name === 'worker-13' ? hasFailed('MissingNetworkData', '') : isReady;
      urls.set(name, (await cluster.until(name, isDone)).status?.imageUrl);
    }
    const headers = { Range: 'bytes=0-99' };
    await (await fetch(urls.get('worker-3') ?? '', { headers })).arrayBuffer();
    await (await fetch(urls.get('worker-5') ?? '')).arrayBuffer();
    await terminal.shows('20 hosts: 1 failed, 2 on the way, 17 no activity');

    // A machine that does not go on with an interrupted transfer within a minute is stuck.
    await sleep(60_000);
    await terminal.shows('20 hosts: 1 failed, 1 stuck, 1 on the way, 17 no activity');
    await expect(liveRows(terminal)).toMatchFileSnapshot('../golden/terminal/controller.txt');
    for (const [columns, rows] of [
      [200, 50],
      [80, 24],
    ] as const) {
      await terminal.resize(columns, rows);
      await sleep(2500);
      const screen = terminal.screen();
      expect(screen.filter((text) => text.startsWith('status page:'))).toHaveLength(1);
      expect(screen.filter((text) => /^metal3\/worker-(?:13 +failed|3 +stuck) /.test(text))).toHaveLength(2);
      expect(screen.length).toBeLessThan(rows);
    }
    terminal.press('C-c');
    await terminal.shows(
      'waiting 20 s for load balancers and then for transfers; press Ctrl-C again to stop at once',
    );
    await sleep(500); // an earlier second signal is a duplicate of the first
    const pressed = Date.now();
    terminal.press('C-c');
    expect([await terminal.ended(), Date.now() - pressed < 10_000]).toEqual([0, true]);
    expect(terminal.screen().join('\n')).not.toContain('no activity');
    expect(terminal.history()).toMatch(/info stopped aborted=0/);
  });
});

/** Without what differs from run to run. */
function liveRows(terminal: Terminal): string {
  const screen = terminal.screen();
  const rows = screen.slice(screen.findLastIndex((line) => line.startsWith('status page:')));
  const text = `${rows.join('\n')}\n`.replaceAll(/127\.0\.0\.1:\d+/g, '192.0.2.1:8084');
  return text.replaceAll(/\b\d+ s ago|\b1 min ago/g, '1 min ago');
}
