import { Component, type JSX, type RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Changes, Story, StoryStep, StoryTurn } from '../model';
import { fill } from '../../../presentation/format';
import { useTools } from './host';
import { type Announcements, getAnnouncements } from './announcements';
import { FoldedText, Icon, type Sign, Time } from './parts';

interface StepsProps {
  steps: readonly StoryStep[];
  turn: number;
  /** Files whose changes can be shown. */
  canOpen: ReadonlySet<string>;
}

export function Steps({ steps, turn, canOpen }: StepsProps): JSX.Element {
  return (
    <ol>
      {steps.map((step) => (
        <Step key={step.id} {...{ step, turn, canOpen }} />
      ))}
    </ol>
  );
}

interface StepProps {
  step: StoryStep;
  turn: number;
  canOpen: ReadonlySet<string>;
}

/** Every model contains all steps, so a step is rendered only when it has changed. */
class Step extends Component<StepProps> {
  override shouldComponentUpdate({ step, turn, canOpen }: StepProps): boolean {
    const isOther = (file: string): boolean => canOpen.has(file) !== this.props.canOpen.has(file);
    return turn !== this.props.turn || !isSame(step, this.props.step) || step.files.some(isOther);
  }

  override render({ step, turn, canOpen }: StepProps): JSX.Element {
    const { id, at, kind, tone, text, files } = step;
    const time = `step-${turn}-${id}`;
    return (
      <li class={`step of-${kind}`} data-step={id}>
        <Icon sign={signOf(step)} tone={tone} />
        <div>
          {kind === 'message' ? (
            <FoldedText text={text} fold={`step ${turn} ${id}`} describedBy={time} />
          ) : (
            <bdi>{text}</bdi>
          )}
          {files.length === 0 ? null : <Files {...{ files, canOpen }} />}
        </div>
        <Time at={at} id={time} />
      </li>
    );
  }
}

function Files({ files, canOpen }: { files: readonly string[]; canOpen: ReadonlySet<string> }): JSX.Element {
  const { post } = useTools();
  return (
    <ul class="files">
      {files.map((file) => (
        <li key={file}>
          {canOpen.has(file) ? (
            <button type="button" class="link" onClick={() => post({ type: 'openFile', path: file })}>
              <code dir="ltr">{file}</code>
            </button>
          ) : (
            <code dir="ltr">{file}</code>
          )}
        </li>
      ))}
    </ul>
  );
}

/** A failed or running step shows its state; other steps show their kind. */
function signOf({ kind, tone }: StoryStep): Sign {
  if (kind === 'state') {
    return tone === 'running' ? 'state' : tone;
  }
  return tone === 'bad' || tone === 'warning' || (tone === 'running' && kind === 'tool') ? tone : kind;
}

function isSame(one: StoryStep, other: StoryStep): boolean {
  const fields = ['id', 'at', 'kind', 'tone', 'text'] as const;
  return (
    fields.every((field) => one[field] === other[field]) &&
    one.files.length === other.files.length &&
    one.files.every((file, index) => file === other.files[index])
  );
}

interface StorySectionProps {
  story: Story;
  changes: Changes | undefined;
  scroll: StoryScroll;
}

/** The agent's activity. It has its own scroll area, so that updates never move the rest of the page. */
export function StorySection({ story, changes, scroll }: StorySectionProps): JSX.Element {
  const { words, format } = useTools();
  const canOpen = new Set(changes?.canOpen === true ? changes.files.map(({ path }) => path) : []);
  const box = useStoryScroll(story, scroll);
  return (
    <section class="story" aria-labelledby="story">
      <h2 id="story">{words.story}</h2>
      <Plan steps={story.plan} />
      {story.earlier > 0 ? (
        <p class="note">{story.earlier === 1 ? words.oneEarlier : fill(words.earlier, format.number(story.earlier))}</p>
      ) : null}
      {story.turns.length === 0 ? null : (
        <div ref={box} class="scroll" role="group" tabIndex={0} aria-labelledby="story">
          {story.turns.map((turn) => (
            <Turn key={turn.turn} {...{ turn, canOpen }} />
          ))}
        </div>
      )}
      <StoryLog story={story} />
    </section>
  );
}

interface TurnProps {
  turn: StoryTurn;
  canOpen: ReadonlySet<string>;
}

function Turn({ turn: { turn, from, steps }, canOpen }: TurnProps): JSX.Element {
  const { words, format } = useTools();
  return (
    <div class="turn">
      <h3>
        {fill(words.turn, format.number(turn))} <Time at={from} />
      </h3>
      <Steps {...{ steps, turn, canOpen }} />
    </div>
  );
}

const LOOK = {
  pending: { sign: 'pending', tone: 'plain' },
  in_progress: { sign: 'running', tone: 'running' },
  completed: { sign: 'good', tone: 'good' },
} as const satisfies Record<Story['plan'][number]['state'], { sign: Sign; tone: string }>;

/** The agent's current plan. */
export function Plan({ steps }: { steps: Story['plan'] }): JSX.Element | null {
  const { words } = useTools();
  return steps.length === 0 ? null : (
    <div class="plan">
      <h3 id="plan">{words.plan}</h3>
      <ol aria-labelledby="plan">
        {steps.map(({ text, state }, index) => (
          <li key={index} class={state}>
            <Icon {...LOOK[state]} />
            <div>
              <bdi>{text}</bdi> <span class="what">{words.stepStates[state]}</span>
            </div>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** Interval between two announcements, in milliseconds. */
const PAUSE = 5000;

/** Number of announcements kept in the DOM, where they are visually hidden. */
const KEPT = 3;

/** Announces updates to screen readers, one at a time and rarely. What it skips can be read in the log. */
export function StoryLog({ story }: { story: Story }): JSX.Element {
  const { words } = useTools();
  const [told, tell] = useState<readonly { id: number; text: string }[]>([]);
  const state = useRef<{
    news?: Announcements;
    waiting?: readonly string[] | undefined;
    timer?: ReturnType<typeof setTimeout>;
  }>({});
  const speak = (): void => {
    const { waiting } = state.current;
    delete state.current.timer;
    if (waiting !== undefined) {
      state.current.waiting = undefined;
      state.current.timer = setTimeout(speak, PAUSE);
      tell((all) => {
        const next = (all.at(-1)?.id ?? 0) + 1;
        return [...all, ...waiting.map((text, index) => ({ id: next + index, text }))].slice(-KEPT);
      });
    }
  };
  useEffect(() => {
    const news = getAnnouncements(story, state.current.news);
    state.current.news = news;
    if (news.texts.length > 0) {
      state.current.waiting = news.texts;
      if (state.current.timer === undefined) {
        speak();
      }
    }
  }, [story]);
  useEffect(() => () => clearTimeout(state.current.timer), []);
  return (
    <div class="unseen" role="log" aria-label={words.story}>
      {told.map(({ id, text }) => (
        <p key={id} dir="auto">
          {text}
        </p>
      ))}
    </div>
  );
}

/** Scroll position in the activity log; undefined at the newest entry, where updates are followed. */
export interface StoryScroll {
  readonly top: number | undefined;
  set(top: number | undefined): void;
}

/** Within this many pixels of the end counts as the end. */
const NEAR = 24;

/** Follows the newest entry if the reader is there; otherwise keeps the scroll position. */
function useStoryScroll(story: Story, scroll: StoryScroll): RefObject<HTMLDivElement | null> {
  const box = useRef<HTMLDivElement>(null);
  const element = box.current;
  useLayoutEffect(() => {
    if (box.current !== null) {
      box.current.scrollTop = scroll.top ?? box.current.scrollHeight;
    }
  }, [story, scroll]);
  useEffect(() => {
    const current = box.current;
    if (current === null) {
      return undefined;
    }
    const note = (): void => {
      const isAtEnd = current.scrollHeight - current.clientHeight - current.scrollTop <= NEAR;
      scroll.set(isAtEnd ? undefined : Math.round(current.scrollTop));
    };
    current.addEventListener('scroll', note, { passive: true });
    return () => current.removeEventListener('scroll', note);
  }, [element, scroll]);
  return box;
}
