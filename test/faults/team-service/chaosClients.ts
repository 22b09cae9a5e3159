import { systemClock } from '../../../src/base/async';
import { AgentClient, type Target } from '../../../src/client/agentClient';
import type { ServiceError } from '../../../src/protocol/errors';
import type { WireJob } from '../../../src/protocol/job';
import type { Dice } from '../../support/scale';
import { message } from '../../support/teamFixture';

/** Delay before a request is repeated that was not even sent, in milliseconds. */
const AGAIN_MS = 300;

/** How often a client asks for more than the hourly limit allows. */
const BEYOND = 1;

export interface ChaosClientOptions {
  /** The ports of the API processes. */
  ports: readonly number[];
  key: string;
  dice: Dice;
  jobs: number;
  followUps: number;
  /** Milliseconds between two requests, on average. */
  gapMs: number;
  /** How long an agent works, in milliseconds. */
  workMs: () => number;
  /** Called before a follow-up is sent. */
  beforeFollowUp: (jobId: string) => Promise<void>;
  onJob: (projectId: string, jobId: string) => void;
}

/**
 * Sends messages as the extension does, with its client: only what provably wasn't sent is sent again. Each message has a
 * label, such as `j7/2`: the second one to the job that the client calls `j7`.
 */
export class ChaosClient {
  /** The labels of messages that were accepted. */
  readonly accepted: string[] = [];
  /** The number of messages that exceeded the hourly limit. */
  refused = 0;
  private created = 0;
  private readonly client: AgentClient;

  constructor(
    private readonly name: string,
    private readonly options: ChaosClientOptions,
  ) {
    this.client = new AgentClient({ clock: systemClock, random: options.dice });
  }

  /** Creates its jobs in a project, and sends follow-ups to each, eventually more than the limit allows. */
  async run(projectId: string): Promise<void> {
    const { jobs, followUps, dice, gapMs } = this.options;
    const own: { label: string; id: string }[] = [];
    while (own.length < jobs) {
      const label = `${this.name}${this.created++}`;
      const job = await this.send(`${label}/1`, projectId, (target, text) => this.client.createJob(target, text));
      if (job !== undefined) {
        this.options.onJob(projectId, job.id);
        own.push({ label, id: job.id });
      }
    }
    for (let turn = 2; turn <= followUps + 1 + BEYOND; turn++) {
      for (const { label, id } of own) {
        await pause(dice() * 2 * gapMs);
        await this.options.beforeFollowUp(id);
        await this.send(`${label}/${turn}`, projectId, (target, text) => this.client.sendMessage(target, id, text));
      }
    }
  }

  dispose(): Promise<void> {
    return this.client.dispose();
  }

  /** Returns undefined if it was refused or its fate is unknown. */
  private async send(
    label: string,
    projectId: string,
    post: (target: Target, text: string) => Promise<WireJob>,
  ): Promise<WireJob | undefined> {
    const { ports, key, dice, workMs } = this.options;
    const [job = '', turn = ''] = label.split('/');
    const text = message(job, Number(turn), workMs());
    for (;;) {
      const port = ports[Math.floor(dice() * ports.length)] ?? 0;
      try {
        const answer = await post({ baseUrl: `http://127.0.0.1:${port}`, projectId, apiKey: key }, text);
        this.accepted.push(label);
        return answer;
      } catch (error) {
        const { effect, kind } = error as ServiceError;
        if (kind === 'limit') {
          this.refused += 1;
          return undefined;
        }
        if (effect === 'unknown') {
          return undefined;
        }
        if (effect !== 'none') {
          throw error;
        }
        await pause(AGAIN_MS);
      }
    }
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
