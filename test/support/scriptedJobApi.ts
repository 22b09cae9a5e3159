import type { ServiceLocation } from '../../src/jobs/events';
import type { JobApi, ServiceConnection } from '../../src/jobs/ports';
import type { WireJob } from '../../src/protocol/job';

type Answer = WireJob | Error | Promise<WireJob>;

/** A service with scripted answers: each queue is consumed in order, and its last answer repeats. */
export class ScriptedJobApi implements JobApi {
  readonly calls: string[] = [];
  creates: Answer[] = [];
  messages: Answer[] = [];
  retrieves: Answer[] = [];

  /** Set to make the connection fail before anything is sent. */
  openError: Error | undefined;
  /** Delays opening the connection until it resolves. */
  opening: Promise<void> = Promise.resolve();

  async open(): Promise<ServiceConnection> {
    await this.opening;
    if (this.openError !== undefined) {
      throw this.openError;
    }
    return {
      create: (prompt) => {
        this.calls.push(`create ${prompt}`);
        return next(this.creates);
      },
      message: (jobId, prompt) => {
        this.calls.push(`message ${jobId} ${prompt}`);
        return next(this.messages);
      },
    };
  }

  /** Delays a probe until it resolves. */
  probing: Promise<void> = Promise.resolve();

  async probe(): Promise<void> {
    this.calls.push('probe');
    await this.probing;
    if (this.openError !== undefined) {
      throw this.openError;
    }
  }

  retrieve(_home: ServiceLocation, jobId: string): Promise<WireJob> {
    this.calls.push(`retrieve ${jobId}`);
    return next(this.retrieves);
  }

  count(what: 'create' | 'message' | 'retrieve' | 'probe'): number {
    return this.calls.filter((call) => call.startsWith(what)).length;
  }
}

async function next(answers: Answer[]): Promise<WireJob> {
  const answer = answers.length > 1 ? answers.shift() : answers[0];
  if (answer === undefined) {
    throw new Error('the script has no answer');
  }
  if (answer instanceof Error) {
    throw answer;
  }
  return answer;
}
