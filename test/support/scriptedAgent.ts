/**
 * Makes the calls that ironic-python-agent makes, over a real socket, in its order: versions, inventory, lookup,
 * heartbeat. And the API of the agent itself, for whoever asks back.
 */

import { createServer } from 'node:https';
import { ask, tlsText } from './serveFixtures.ts';

export interface AgentOptions {
  /** Of Ironic, without a final slash. */
  readonly api: string;
  readonly mac: string;
  /** PEM; what it trusts for https. */
  readonly ca?: string;
  readonly callbackUrl?: string;
}

interface Reply {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ScriptedAgent {
  readonly root: () => Promise<Reply>;
  readonly inspect: () => Promise<Reply>;
  /** Keeps node and token for heartbeats. */
  readonly lookup: () => Promise<Reply>;
  readonly heartbeat: (token?: string) => Promise<Reply>;
  /** All four; the last one is what is given. */
  readonly callHome: () => Promise<Reply>;
}

export function scriptedAgent({ api, ca, callbackUrl, mac }: AgentOptions): ScriptedAgent {
  let node = '';
  let token = '';
  const call = async (method: string, path: string, body?: unknown): Promise<Reply> => {
    const reply = await ask(api, path, {
      method,
      headers: { 'Content-Type': 'application/json', ...versionOf(path) },
      ...(ca !== undefined && { ca }),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: reply.status, body: parse(reply.text) };
  };
  const agent: Omit<ScriptedAgent, 'callHome'> = {
    root: () => call('GET', '/'),
    inspect: () => call('POST', '/v1/continue_inspection', { inventory: inventoryOf(mac) }),
    lookup: async () => {
      const reply = await call('GET', `/v1/lookup?addresses=${mac}`);
      const { config, node: found } = reply.body;
      if (isMapping(found)) node = String(found['uuid']);
      if (isMapping(config)) token = String(config['agent_token']);
      return reply;
    },
    heartbeat: (given = token) =>
      call('POST', `/v1/heartbeat/${node}`, {
        callback_url: callbackUrl ?? 'https://127.0.0.1:1',
        agent_verify_ca: tlsText('ca'),
        agent_token: given,
        agent_version: '11.0.0',
      }),
  };
  return {
    ...agent,
    callHome: async () => {
      await agent.root();
      await agent.inspect();
      await agent.lookup();
      return agent.heartbeat();
    },
  };
}

/** An inventory is sent without. */
function versionOf(path: string): Readonly<Record<string, string>> {
  return path.includes('continue') ? {} : { 'X-OpenStack-Ironic-API-Version': '1.68' };
}

function inventoryOf(mac: string): object {
  return {
    interfaces: [{ name: 'eth0', mac_address: mac, ipv4_address: '127.0.0.1', has_carrier: true }],
    cpu: { model_name: 'test', count: 4, architecture: 'x86_64', flags: [] },
    disks: [{ name: '/dev/sda', model: 'test', size: 500_107_862_016, rotational: false }],
    memory: { total: 8_589_934_592, physical_mb: 8192 },
    bmc_address: '192.0.2.99',
    system_vendor: { product_name: 'Test', serial_number: '1', manufacturer: 'Example' },
    boot: { current_boot_mode: 'uefi', pxe_interface: mac },
    hostname: 'agent',
  };
}

function parse(text: string): Readonly<Record<string, unknown>> {
  if (text === '') return {};
  const value: unknown = JSON.parse(text);
  return isMapping(value) ? value : {};
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Answers as an agent does that has not been told to do anything. */
export async function startAgentApi(): Promise<{ readonly url: string; readonly close: () => void }> {
  const server = createServer(
    { cert: tlsText('server'), key: tlsText('server-key') },
    (request, response) => {
      const isStatus = request.url?.startsWith('/v1/status') === true;
      const body = isStatus ? { started_at: 1, version: '11.0.0' } : { commands: [] };
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    },
  );
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve());
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `https://127.0.0.1:${port}`, close };
}
