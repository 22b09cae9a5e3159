import { AcpAgent } from './acpAgent';
import type { AgentDriver } from './agentDriver';
import { CommandAgent } from './commandAgent';

/** The ways in which an agent is spoken to. */
export type AgentProtocol = 'acp' | 'stdin';

/** The drivers of agents, one a protocol. */
export class Agents {
  private readonly drivers: Record<AgentProtocol, AgentDriver>;

  /**
   * @param supervisor program and arguments by which the service starts itself as a supervisor
   * @param environment the service's own
   */
  constructor(supervisor: readonly string[], environment: NodeJS.ProcessEnv) {
    this.drivers = {
      acp: new AcpAgent(supervisor, environment),
      stdin: new CommandAgent(supervisor, environment),
    };
  }

  driver(protocol: AgentProtocol): AgentDriver {
    return this.drivers[protocol];
  }
}
