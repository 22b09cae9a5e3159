// One turn in a process of its own, which a test can kill as a service is killed: `turnProcess.ts TASK`, the task as JSON
// with its folders. Prints what the agent tells of itself, one line of JSON each.
import { AcpAgent } from '../../../../src/service/agents/acpAgent';
import type { AgentTask } from '../../../../src/service/agents/agentDriver';
import { agentTask, SUPERVISOR } from '../../../support/agentTask';

const print = (told: object): void => void process.stdout.write(`${JSON.stringify(told)}\n`);

const { task } = await agentTask({
  ...(JSON.parse(process.argv[2] ?? '') as Partial<AgentTask>),
  onStarted: (started) => print({ started }),
  onSession: (session) => print({ session }),
  onEntry: (entry) => print({ entry }),
});
await new AcpAgent(SUPERVISOR, process.env).run(task);
