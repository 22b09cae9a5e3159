import type { ServiceLocation } from '../../../src/jobs/events';
import type { JobApi } from '../../../src/jobs/ports';
import { ServiceError } from '../../../src/protocol/errors';
import type { WireJob } from '../../../src/protocol/job';
import type { Dice } from '../../support/scale';
import { never, type SimDisk, type WindowProcess } from './simMachine';

/** What can happen to any request. */
export const REQUEST_OUTCOMES = [
  'answered',
  'not connected',
  'lost on the way there',
  'lost on the way back',
  'limit',
  'bad key',
  'refused',
  'fault',
  'late',
] as const;

export type RequestOutcome = (typeof REQUEST_OUTCOMES)[number];

/** The probability of each fate; an absent one never happens. */
export type OutcomeWeights = Partial<Record<RequestOutcome, number>>;

export const ALWAYS_ANSWERED: OutcomeWeights = { answered: 1 };

/** The client's timeout, in milliseconds. */
const DEADLINE_MS = 60_000;

/** Twice the longest time that the disk takes, in milliseconds. */
const A_MOMENT_MS = 160;

/** The service and the network in front of it. It knows the truth: what was received, and what resulted from it. */
export class SimService {
  readonly jobs = new Map<string, WireJob & { prompt: string }>();
  readonly violations: string[] = [];
  weather: OutcomeWeights = ALWAYS_ANSWERED;
  private readonly allowed = new Map<string, number>();
  /** Prompts that must be sent between runs. */
  private readonly patient = new Set<string>();
  /** Monotonic time at which the current run of a job began. */
  private readonly begun = new Map<string, number>();
  private made = 0;

  constructor(
    private readonly disk: SimDisk,
    private readonly roll: Dice,
  ) {}

  /** The user wants this prompt sent once, or once more. */
  allow(prompt: string, afterRun = false): void {
    if (afterRun) {
      this.patient.add(prompt);
    }
    this.allowed.set(prompt, (this.allowed.get(prompt) ?? 0) + 1);
  }

  /** The user wants it sent whatever the job is doing. */
  mayInterrupt(prompt: string): void {
    this.patient.delete(prompt);
  }

  finishAll(): void {
    for (const job of this.jobs.values()) {
      job.status = 'completed';
    }
  }

  /** The connection from one window to the service. */
  apiOf(life: WindowProcess): JobApi {
    return {
      open: async () => {
        // The key is requested from the user interface.
        await life.callsInterface();
        return {
          create: (prompt) => this.post(life, prompt, () => this.make(life, prompt)),
          message: (id, prompt) => this.post(life, prompt, () => this.restart(life, id, prompt)),
        };
      },
      probe: async () => {
        await life.callsInterface();
        const fate = this.draw();
        await this.travel(life, fate);
        if (fate !== 'answered' && fate !== 'limit' && fate !== 'bad key' && fate !== 'refused') {
          throw new ServiceError('unreachable', { effect: fate === 'not connected' ? 'none' : 'unknown' });
        }
      },
      retrieve: async (_location: ServiceLocation, id) => {
        await life.callsInterface();
        const fate = this.draw();
        await this.travel(life, fate);
        throwUnlessAnswered(fate);
        return { ...this.job(id) };
      },
    };
  }

  private async post(life: WindowProcess, prompt: string, act: () => WireJob): Promise<WireJob> {
    const fate = this.draw();
    const arrives = fate !== 'not connected';
    const acts = fate === 'answered' || fate === 'lost on the way back' || fate === 'fault' || fate === 'late';
    if (arrives && !this.disk.holdsPrompt(prompt)) {
      this.violations.push(`“${prompt}” was sent before it was on disk`);
    }
    // A request that may have had an effect uses up the consent; one that provably had none does not.
    if (acts || fate === 'lost on the way there') {
      const left = this.allowed.get(prompt) ?? 0;
      if (left < 1) {
        this.violations.push(`“${prompt}” was sent once too often (${fate})`);
      }
      this.allowed.set(prompt, left - 1);
    }
    const job = acts ? { ...act() } : undefined;
    await this.travel(life, fate);
    throwUnlessAnswered(fate);
    return job ?? never();
  }

  private make(life: WindowProcess, prompt: string): WireJob {
    const job = { id: `j${++this.made}`, status: 'active', prLink: null, prompt };
    this.jobs.set(job.id, job);
    this.begun.set(job.id, life.monotonic());
    return job;
  }

  private restart(life: WindowProcess, id: string, prompt: string): WireJob {
    const found = this.jobs.get(id);
    const age = life.monotonic() - (this.begun.get(id) ?? 0);
    // Two windows that start at the same moment cannot know about each other.
    if (found?.status === 'active' && age > A_MOMENT_MS && this.patient.has(prompt)) {
      this.violations.push(`“${prompt}” interrupted a run`);
    }
    if (found?.status === 'failed' && this.patient.has(prompt)) {
      this.violations.push(`“${prompt}” followed a failed run`);
    }
    const job = this.job(id);
    job.status = 'active';
    this.begun.set(id, life.monotonic());
    return job;
  }

  private job(id: string): WireJob {
    const job = this.jobs.get(id);
    if (job === undefined) {
      throw new ServiceError('notFound', { effect: 'refused', status: 404 });
    }
    if (job.status === 'active' && this.roll() < 0.3) {
      job.status = this.roll() < 0.2 ? 'failed' : 'completed';
    }
    return job;
  }

  private travel(life: WindowProcess, fate: RequestOutcome): Promise<void> {
    const lost = fate === 'late' || (fate.startsWith('lost') && this.roll() < 0.2);
    return life.pass(lost ? DEADLINE_MS : Math.floor(this.roll() * this.roll() * 3000));
  }

  private draw(): RequestOutcome {
    const entries = Object.entries(this.weather) as [RequestOutcome, number][];
    let left = this.roll() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    return entries.find(([, weight]) => (left -= weight) < 0)?.[0] ?? 'answered';
  }
}

function throwUnlessAnswered(fate: RequestOutcome): void {
  switch (fate) {
    case 'answered':
      return;
    case 'not connected':
      throw new ServiceError('unreachable', { effect: 'none', code: 'ECONNREFUSED' });
    case 'lost on the way there':
    case 'lost on the way back':
      throw new ServiceError('unreachable', { effect: 'unknown', code: 'ECONNRESET' });
    case 'limit':
      throw new ServiceError('limit', { effect: 'refused', status: 429, retryAfterMs: 30_000 });
    case 'bad key':
      throw new ServiceError('unauthorized', { effect: 'refused', status: 401 });
    case 'refused':
      throw new ServiceError('rejected', { effect: 'refused', status: 400 });
    case 'fault':
      throw new ServiceError('unreachable', { effect: 'unknown', status: 503 });
    case 'late':
      throw new ServiceError('timeout', { effect: 'unknown' });
  }
}
