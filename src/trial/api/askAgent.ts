/**
 * Asks an agent at its callback URL, as Ironic does before it cleans or deploys a node: first for its status and its commands,
 * then for its hardware managers and their clean and deploy steps. The commands of `askSteps` only list the steps. Sources:
 * `agent_client.py` of Ironic; `clean.py`, `deploy.py` and `hardware.py` of ironic-python-agent.
 */

import { asList, asMapping, isMapping, type Mapping, stringOf } from '../../formats/mapping.ts';
import type { AgentStep, ReportedManager } from '../timeline/events.ts';
import type { IronicNode } from '../ironic/nodes.ts';
import { knownMacs } from '../timeline/machines.ts';
import {
  AgentError,
  type AgentRequest,
  type AgentResponse,
  type AskedAgent,
  askWithin,
  readReply,
  statusError,
} from './agentConnection.ts';

/** Milliseconds for both requests together. */
export const STATUS_TIME = 5000;

/** The version of the agent, and its commands with their status: `clean.get_clean_steps: SUCCEEDED`. @throws AgentError */
export async function askAgent(agent: AskedAgent, time = STATUS_TIME) {
  return askWithin(agent, time, async (request) => {
    const get = async (path: string): Promise<Mapping> => {
      const response = await request(path);
      if (response.status !== 200) throw statusError(response, path);
      return readReply(response);
    };
    const { version } = await get('/v1/status');
    const { commands } = await get(commandsPath(agent));
    return {
      version: stringOf(version),
      commands: asList(commands).map((command) => {
        const { command_name: name, command_status: status } = asMapping(command);
        return `${stringOf(name) ?? '(unknown)'}: ${stringOf(status) ?? '(unknown)'}`;
      }),
    };
  });
}

/** With the agent token, which Ironic also sends in the query. */
function commandsPath({ token }: AskedAgent, query: Record<string, string> = {}): string {
  const parameters = new URLSearchParams({ ...query, ...(token !== undefined && { agent_token: token }) });
  return parameters.size === 0 ? '/v1/commands/' : `/v1/commands/?${parameters.toString()}`;
}

export interface AskedNode extends AskedAgent {
  readonly node: Pick<IronicNode, 'machine' | 'uuid'>;
}

/**
 * Milliseconds for both commands together: the default of Ironic for one command (`[agent] command_timeout`). Before the first
 * one, an agent without a disk waits about 30 seconds for it.
 */
export const STEPS_TIME = 60_000;
/** Of one agent. The agents of large vendors have about 50. */
const MAX_STEPS = 200;
const MAX_MANAGERS = 32;

/** @throws AgentError, also if the agent is busy or does not have the commands */
export async function askSteps(agent: AskedNode): Promise<readonly ReportedManager[]> {
  const reported: Reported = new Map();
  await askWithin(agent, STEPS_TIME, async (request) => {
    for (const type of ['clean', 'deploy'] as const) {
      addResult(reported, type, await runCommand(agent, type, request));
    }
  });
  // Hardware managers without steps have only a version; they come last.
  const managers = [...reported.values()].toSorted(
    (a, b) => Number(b.steps.length > 0) - Number(a.steps.length > 0),
  );
  const steps = managers.reduce((sum, manager) => sum + manager.steps.length, 0);
  if (managers.length <= MAX_MANAGERS && steps <= MAX_STEPS) return managers;
  throw new AgentError(
    'steps-answer',
    `it has more than ${MAX_STEPS} steps or ${MAX_MANAGERS} hardware managers`,
  );
}

async function runCommand(
  agent: AskedNode,
  type: AgentStep['type'],
  request: AgentRequest,
): Promise<Mapping> {
  const name = `get_${type}_steps`;
  const { node } = agent;
  const path = commandsPath(agent, { wait: 'true' });
  const body = {
    name: `${type}.${name}`,
    params: {
      node: nodeDocument(node),
      ports: knownMacs(node.machine).map((address) => ({
        address,
        pxe_enabled: true,
        extra: {},
        internal_info: {},
        local_link_connection: {},
      })),
    },
  };
  const response = await request(path, body);
  if (response.status !== 200) throw commandError(response, name, path);
  const { command_error: error, command_result: result } = readReply(response);
  if (isMapping(error)) {
    const reason = [error['details'], error['message']].find(
      (text) => typeof text === 'string' && text !== '',
    );
    const shown = typeof reason === 'string' ? reason : 'no reason given';
    throw new AgentError('steps-failed', `its command ${name} failed: ${shown}`);
  }
  if (!isMapping(result)) throw new AgentError('steps-answer', `its response to ${name} contains no result`);
  return result;
}

/** The members of Ironic's node that hardware managers read, with the values of a new node. */
function nodeDocument({ machine, uuid }: AskedNode['node']): object {
  return {
    uuid,
    name: machine.name ?? null,
    driver: 'redfish',
    driver_info: {},
    driver_internal_info: {},
    properties: {},
    instance_info: {},
    extra: {},
    automated_clean: null,
    raid_config: {},
    target_raid_config: {},
    clean_step: {},
    deploy_step: {},
  };
}

/**
 * An agent responds with 404 without the extension, with 400 if the extension does not have the command, and with 500 for an
 * error of a hardware manager that has no form in JSON.
 */
function commandError(response: AgentResponse, name: string, path: string): AgentError {
  const { faultstring } = asMapping(response.body); // of other servers, the body may be anything
  const text = stringOf(faultstring) ?? '';
  if (response.status === 409 || /agent is busy/i.test(text)) {
    return new AgentError('steps-busy', `it is executing another command (${text})`);
  }
  if (response.status === 404 || /^Invalid command\b/.test(text)) {
    return new AgentError('steps-unsupported', `it does not have the command ${name}`);
  }
  if (response.status === 500 && text !== '') {
    return new AgentError('steps-failed', `its command ${name} failed: ${text}`);
  }
  return statusError(response, path);
}

/** Mutable: each result adds to it. */
interface Manager {
  name: string;
  version: string | undefined;
  readonly steps: AgentStep[];
}

/**
 * By {@link comparable} names. With steps, an agent sends the name of the class, `GenericHardwareManager`; with versions, it
 * sends that, or `generic_hardware_manager`.
 */
type Reported = Map<string, Manager>;

/** @throws AgentError if the result has no list of steps */
function addResult(
  reported: Reported,
  type: AgentStep['type'],
  { hardware_manager_version: versions, [`${type}_steps`]: steps }: Mapping,
): void {
  if (!isMapping(steps)) throw new AgentError('steps-answer', `its response contains no ${type}_steps`);
  const managerOf = (name: string): Manager => {
    const manager = reported.get(comparable(name)) ?? { name, version: undefined, steps: [] };
    reported.set(comparable(name), manager);
    return manager;
  };
  for (const [name, list] of Object.entries(steps)) {
    const manager = managerOf(name);
    manager.name = name;
    for (const step of asList(list)) manager.steps.push(readStep(type, step));
  }
  for (const [name, version] of Object.entries(asMapping(versions))) {
    managerOf(name).version = stringOf(version) ?? '';
  }
}

/** @throws AgentError if the step has no name */
function readStep(type: AgentStep['type'], value: unknown): AgentStep {
  const { interface: driverInterface, priority, step } = asMapping(value);
  const name = stringOf(step);
  if (name === undefined)
    throw new AgentError('steps-answer', `its response contains a ${type} step without a name`);
  const isNumber = typeof priority === 'number' && Number.isFinite(priority);
  return { type, step: name, interface: stringOf(driverInterface), priority: isNumber ? priority : 0 };
}

function comparable(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}
