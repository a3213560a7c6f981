/**
 * Makes the calls that ironic-python-agent makes, over a real socket, in its order: versions, inventory, lookup,
 * heartbeat. And the API of the agent itself, for whoever asks back.
 */

import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { json } from 'node:stream/consumers';
import { listenLocally } from './listening.ts';
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
    disks: [{ name: '/dev/sda', model: 'test', size: 500_107_862_016, rotational: false, hctl: null }],
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

/** The response to a command, such as `clean.get_clean_steps`. */
export type AgentCommand = (
  name: string,
  params: unknown,
) => { readonly status: number; readonly body: object };

const commandSteps: Readonly<Record<string, object>> = {
  'clean.get_clean_steps': {
    clean_steps: {
      GenericHardwareManager: [
        {
          step: 'erase_devices',
          priority: 10,
          interface: 'deploy',
          reboot_requested: false,
          abortable: true,
        },
        { step: 'erase_devices_metadata', priority: 99, interface: 'deploy', reboot_requested: false },
        { step: 'delete_configuration', priority: 0, interface: 'raid', reboot_requested: false },
      ],
    },
  },
  'deploy.get_deploy_steps': {
    deploy_steps: {
      GenericHardwareManager: [
        { step: 'write_image', priority: 0, interface: 'deploy', reboot_requested: false },
      ],
    },
  },
};

/** An agent with two hardware managers, one of them without steps. */
export const genericAgent: AgentCommand = (name) => ({
  status: 200,
  body: {
    command_name: name.split('.')[1],
    command_status: 'SUCCEEDED',
    command_error: null,
    command_result: {
      ...commandSteps[name],
      hardware_manager_version: { generic_hardware_manager: '1.2', ContainerHardwareManager: '2' },
    },
  },
});

/** The API of an agent that has not executed a command. @param token undefined to accept any token */
export function agentListener(command: AgentCommand, token?: string): RequestListener {
  return (request, response) => {
    const url = new URL(request.url ?? '', 'http://agent');
    const send = (status: number, body: object): void => {
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    };
    const isKnown = token === undefined || url.searchParams.get('agent_token') === token;
    if (url.pathname === '/v1/status') send(200, { started_at: 1, version: '11.0.0' });
    else if (!isKnown) send(401, { faultcode: 'Client', faultstring: '401 Unauthorized: Token invalid.' });
    else if (request.method !== 'POST') send(200, { commands: [] });
    else {
      void json(request).then((sent) => {
        const { name, params } = isMapping(sent) ? sent : {};
        const { status, body } = command(String(name), params);
        send(status, body);
      });
    }
  };
}

/** Serves the API of an agent over TLS. */
export async function startAgentApi(
  command: AgentCommand = genericAgent,
): Promise<{ readonly url: string; readonly close: () => void }> {
  const server = createServer(
    { cert: tlsText('server'), key: tlsText('server-key') },
    agentListener(command),
  );
  const port = await listenLocally(server);
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `https://127.0.0.1:${port}`, close };
}
