import type { Following } from '../../../client/storyFollower';
import { type AgentStory, foldStory } from '../../../jobs/agentStory';
import type { StoryEvent } from '../../../shared/protocol/story';
import type { Clock } from '../../../shared/util/clock';
import type { Disposable } from '../../../shared/util/disposable';

/** How often a story that grows is told, in milliseconds: more often nobody can read. */
const TELL_MS = 200;

export interface StoryFollowingOptions {
  /** What is known of the story by now. */
  story: AgentStory;
  /** Whether the job runs now, as far as its record knows. */
  isRunning: () => boolean;
  /** Begins to follow; resolves when that is over. */
  start: (following: Pick<Following, 'after' | 'stays' | 'onEvents' | 'signal'>) => Promise<void>;
  /** Never called before the constructor has returned. */
  onStory: (story: AgentStory) => void;
  onError: (error: unknown) => void;
  clock: Clock;
}

/** Follows the story of one job: stays while the job runs, and else reads what there is, until its record changes. */
export class StoryFollowing implements Disposable {
  private story: AgentStory;
  private round: { gone: AbortController; stays: boolean } | undefined;
  private toldAt = -Infinity;
  private timer: Disposable | undefined;

  constructor(private readonly options: StoryFollowingOptions) {
    this.story = options.story;
    this.begin();
    if (this.story.last > 0) {
      this.tellSoon();
    }
  }

  /** The record has changed: begins anew where the job has begun or ended. */
  refresh(): void {
    if (this.round !== undefined && this.round.stays !== this.options.isRunning()) {
      this.round.gone.abort();
      this.begin();
      this.tellSoon();
    }
  }

  dispose(): void {
    this.round?.gone.abort();
    this.round = undefined;
    this.timer?.dispose();
  }

  private begin(): void {
    const { start, isRunning, onError } = this.options;
    const gone = new AbortController();
    const round = { gone, stays: isRunning() };
    this.round = round;
    const onEvents = (events: readonly StoryEvent[]): void => {
      if (this.round === round) {
        this.story = foldStory(this.story, events);
        this.tellSoon();
      }
    };
    start({ after: this.story.last, stays: () => round.stays, onEvents, signal: gone.signal }).catch(
      (error: unknown) => {
        if (!gone.signal.aborted) {
          onError(error);
        }
      },
    );
  }

  private tellSoon(): void {
    const { clock, onStory } = this.options;
    const wait = Math.max(0, this.toldAt + TELL_MS - clock.monotonic());
    this.timer ??= clock.after(wait, () => {
      this.timer = undefined;
      this.toldAt = clock.monotonic();
      if (this.round !== undefined) {
        onStory(this.story);
      }
    });
  }
}
