/** Contacts an agent at its callback URL, as Ironic does before it sends commands, and reads its status and its commands. */

import { isMapping, type Mapping } from '../../formats/mapping.ts';
import {
  type AgentConnection,
  type AskedAgent,
  askWithin,
  parseAnswer,
  requestAgent,
  statusError,
} from './agentConnection.ts';

export interface AgentReply {
  readonly version: string | undefined;
  /** Names with their status: `clean.get_clean_steps: SUCCEEDED`. */
  readonly commands: readonly string[];
}

/** Milliseconds for both requests together. */
export const STATUS_TIME = 5000;

/** @throws AgentError */
export async function askAgent(agent: AskedAgent): Promise<AgentReply> {
  return askWithin(agent, STATUS_TIME, async (connection) => {
    const { version } = await get(connection, '/v1/status');
    const { commands } = await get(connection, commandsPath(agent));
    return {
      version: typeof version === 'string' ? version : undefined,
      commands: Array.isArray(commands) ? commands.slice(0, MAX_COMMANDS).map(describeCommand) : [],
    };
  });
}

/** With the agent token, which Ironic also sends in the query. */
export function commandsPath(
  { token }: Pick<AskedAgent, 'token'>,
  query: Record<string, string> = {},
): string {
  const parameters = new URLSearchParams({ ...query, ...(token !== undefined && { agent_token: token }) });
  return parameters.size === 0 ? '/v1/commands/' : `/v1/commands/?${parameters.toString()}`;
}

const MAX_COMMANDS = 100;

function describeCommand(command: unknown): string {
  const { command_name: name, command_status: status } = isMapping(command) ? command : {};
  return `${textOf(name, 80)}: ${textOf(status, 20)}`;
}

function textOf(value: unknown, longest: number): string {
  return typeof value === 'string' ? value.slice(0, longest) : '(unknown)';
}

async function get(connection: AgentConnection, path: string): Promise<Mapping> {
  const response = await requestAgent(connection, { path });
  if (response.status !== 200) throw statusError(response, { path });
  return parseAnswer(response);
}
