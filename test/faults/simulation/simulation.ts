import { Emitter } from '../../../src/base/disposable';
import { LOCAL_SERVICE } from '../../../src/jobs/events';
import { JobEngine } from '../../../src/jobs/jobEngine';
import { GATHER_MS } from '../../../src/jobs/notices';
import type { JobApi, RecordFiles } from '../../../src/jobs/ports';
import { isRunning, type OutgoingPrompt, type TrackedJob } from '../../../src/jobs/trackedJob';
import { type Dice, seededRandom } from '../../support/scale';
import { ManualClock } from '../../support/manualClock';
import { ScriptedNews } from '../../support/scriptedJobApi';
import { awaitsRun, brokenPromises } from './promises';
import type { Action } from './schedules';
import { SimDisk, WindowProcess } from './simMachine';
import { ALWAYS_ANSWERED, SimService } from './simService';

/** A known bug, planted in the simulated environment of the real code. */
export interface Bug {
  files?: (files: RecordFiles, life: WindowProcess) => RecordFiles;
  api?: (api: JobApi) => JobApi;
  /** Calls of a ghost to the user interface return. */
  ghostReaches?: boolean;
  engine?: (engine: JobEngine) => void;
  /** No window ever learns that it has the focus. */
  unnoticed?: boolean;
}

interface SimWindow {
  life: WindowProcess;
  engine: JobEngine;
  cameToFront: Emitter<void>;
}

/** The longest that a notice takes, in milliseconds: ends are collected first, and then the disk may be slow. */
const NOTICE_MS = GATHER_MS + 500;

/** How long the editor waits for the extensions of a window that closes, in milliseconds. */
const END_LIMIT_MS = 5000;

const location = { service: LOCAL_SERVICE, projectId: 'p1' };

/** One machine with several windows, run through a schedule. `check` reports what must never happen. */
export class Simulation {
  readonly violations: string[] = [];
  private readonly clock = new ManualClock();
  private readonly roll: Dice;
  readonly disk: SimDisk;
  readonly service: SimService;
  private windows: SimWindow[] = [];
  /** The focused window; none while the user is away. */
  private front: WindowProcess | undefined;
  readonly told = new Map<string, number>();
  /** Prompts that the user was told have been saved. */
  readonly kept = new Set<string>();
  readonly givenUp = new Set<string>();
  private made = 0;

  constructor(
    seed: number,
    private readonly bug: Bug = {},
  ) {
    this.roll = seededRandom(seed);
    this.disk = new SimDisk(this.roll);
    this.service = new SimService(this.disk, this.roll);
  }

  /** Runs the schedule, then removes all faults, and returns a description of each broken promise. */
  async run(schedule: readonly Action[]): Promise<readonly string[]> {
    await this.open();
    for (const action of schedule) {
      await this.act(action);
      await this.clock.advance(Math.floor(this.roll() * 30));
    }
    await this.recover();
    return [...this.service.violations, ...this.violations];
  }

  private async open(): Promise<SimWindow> {
    const life = new WindowProcess(this.clock);
    const prefix = `w${this.made++}x`;
    let ids = 0;
    const ignore = (): void => undefined;
    const cameToFront = new Emitter<void>(ignore);
    const files = this.disk.filesOf(life);
    const api = this.service.apiOf(life);
    const engine = new JobEngine({
      files: this.bug.files?.(files, life) ?? files,
      budget: this.disk.budgetOf(life),
      leader: this.disk.leaderOf(life),
      news: new ScriptedNews(),
      api: this.bug.api?.(api) ?? api,
      uiProbe: { ping: () => (this.bug.ghostReaches === true ? life.pass(0) : life.callsInterface()) },
      notifier: {
        shouldNotify: () => true,
        isInFront: () => life === this.front && this.bug.unnoticed !== true,
        onDidComeToFront: cameToFront.event,
        show: (jobs) => (life.isGhost ? undefined : jobs.forEach((job) => this.tell(job))),
      },
      clock: life,
      random: this.roll,
      newId: () => `${prefix}${String(ids++).padStart(14, '0')}`,
      log: { info: ignore, warn: ignore, error: ignore },
    });
    this.bug.engine?.(engine);
    this.disk.records.changed.event((key) => {
      life.after(20 + Math.floor(this.roll() * 100), () => void engine.store.reload(key).catch(ignore));
    });
    // A newly opened window has the focus.
    this.front = life;
    const window = { life, engine, cameToFront };
    this.windows.push(window);
    void engine.open().catch(ignore);
    await this.clock.advance(100);
    return window;
  }

  /** As the editor does: waits for the window's extensions to deactivate, but not for long. */
  private close({ engine, life }: SimWindow): void {
    const kill = (): void => life.kill();
    void engine.end().then(kill);
    this.clock.after(END_LIMIT_MS, kill);
  }

  private tell(job: TrackedJob): void {
    const end = `${job.key} ${job.run}`;
    this.told.set(end, (this.told.get(end) ?? 0) + 1);
  }

  private async act(action: Action): Promise<void> {
    switch (action.do) {
      case 'wait':
        return this.clock.advance(action.ms);
      case 'jump':
        this.clock.jump(action.ms);
        return;
      case 'weather':
        this.service.weather = action.weather;
        return;
      case 'full':
        this.disk.isFull = action.full;
        return;
      case 'open':
        if (this.windows.length < 3) {
          await this.open();
        }
        return;
      default:
        this.actInWindow(action);
    }
  }

  private actInWindow(action: Extract<Action, { n: number }>): void {
    const window = this.windows[action.n % Math.max(1, this.windows.length)];
    if (window === undefined) {
      return;
    }
    const { life, engine } = window;
    switch (action.do) {
      case 'kill':
        life.kill();
        this.windows = this.windows.filter((each) => each !== window);
        return;
      case 'close':
        this.close(window);
        this.windows = this.windows.filter((each) => each !== window);
        return;
      case 'ghost':
        // It runs on for the rest of the time, but nobody is using it.
        life.becomeGhost();
        this.windows = this.windows.filter((each) => each !== window);
        return;
      case 'look':
        this.look(window);
        return;
      case 'away':
        this.front = undefined;
        return;
      case 'key':
        engine.keyChanged(location.service);
        return;
      case 'create':
        this.create(engine);
        return;
      default:
        this.actOnJob(action, engine);
    }
  }

  private look({ life, cameToFront }: SimWindow): void {
    this.front = life;
    cameToFront.fire();
  }

  private create(engine: JobEngine): void {
    const prompt = `prompt ${this.made++}`;
    this.service.allow(prompt);
    void engine.outbox.create(location, prompt).then(
      () => this.kept.add(prompt),
      () => undefined,
    );
  }

  private actOnJob(action: Extract<Action, { n: number }>, engine: JobEngine): void {
    const job = engine.store.jobs[action.n % Math.max(1, engine.store.jobs.length)];
    const shown = job?.prompts[action.n % Math.max(1, job.prompts.length)];
    if (job === undefined) {
      return;
    }
    const ignore = (): void => undefined;
    switch (action.do) {
      case 'see':
        void engine.store.append(job.key, { type: 'seen', at: 0 }).catch(ignore);
        return;
      case 'untrack':
        void engine.store.append(job.key, { type: 'untracked', at: 0 }).catch(ignore);
        return;
      case 'followUp':
      case 'later':
        if (job.snapshot !== undefined) {
          const prompt = `prompt ${this.made++}`;
          const afterRun = action.do === 'later';
          this.service.allow(prompt, afterRun);
          void engine.outbox.followUp(job, prompt, { afterRun }).then(() => this.kept.add(prompt), ignore);
        }
        return;
      default:
        if (shown !== undefined) {
          this.actOnPrompt(action.do, engine, job, shown);
        }
    }
  }

  private actOnPrompt(what: Action['do'], engine: JobEngine, job: TrackedJob, shown: OutgoingPrompt): void {
    const ignore = (): void => undefined;
    // The user acts on what the list shows; the commands reject everything else.
    if (shown.state === 'created' || shown.state === 'sending' || shown.state === 'discarded') {
      return;
    }
    if (what === 'discard') {
      this.givenUp.add(shown.text);
      void engine.outbox.discard(job, shown).catch(ignore);
      return;
    }
    const prompt = what === 'change' ? `prompt ${this.made++}` : shown.text;
    // The same prompt, which may now interrupt the run.
    this.service.mayInterrupt(prompt);
    if (what === 'change' || shown.state === 'unconfirmed') {
      this.givenUp.add(shown.text);
      this.service.allow(prompt);
    }
    void engine.outbox.sendAgain(job, shown, prompt).then(() => this.kept.add(prompt), ignore);
  }

  /**
   * The remaining windows continue for a while without faults. Then all close, and one new window reads what is left.
   */
  private async recover(): Promise<void> {
    this.disk.isFull = false;
    this.service.weather = ALWAYS_ANSWERED;
    await this.clock.advance(61_000);
    this.windows.forEach((window) => this.close(window));
    await this.clock.advance(END_LIMIT_MS);
    const last = await this.open();
    last.engine.keyChanged(location.service);
    // Longer than a prompt can be in flight, and than the longest back-off.
    await this.clock.advance(380_000);
    last.engine.keyChanged(location.service);
    await this.finish(last.engine);
    this.violations.push(...brokenPromises(last.engine.store.jobs, this));
    last.engine.dispose();
    last.life.kill();
  }

  /** Ends every run and those that follow from it. Then waits for as long as the last notice takes. */
  private async finish({ store }: JobEngine): Promise<void> {
    const goesOn = (): boolean => awaitsRun(store.jobs) || store.jobs.some(isRunning);
    for (let runs = 0; runs === 0 || (runs < 40 && goesOn()); runs++) {
      this.service.finishAll();
      await this.clock.advance(130_000);
    }
    await this.clock.advance(NOTICE_MS);
  }
}
