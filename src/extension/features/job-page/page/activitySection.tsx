import type { JSX, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { fill } from '../../../presentation/format';
import type { Activity, ActivityStep, ActivityTurn, Changes } from '../model';
import { getAnnouncement } from './announcements';
import { post, save, saved, useTools } from './host';
import { FoldedText, Icon, type Sign, Time } from './parts';

interface ActivitySectionProps {
  activity: Activity;
  changes: Changes | undefined;
}

/** It has its own scroll area, so that updates never move the rest of the page. */
export function ActivitySection({ activity, changes }: ActivitySectionProps): JSX.Element {
  const { words, format } = useTools();
  const { plan, turns, earlier } = activity;
  const canOpen = new Set(changes?.canOpen === true ? changes.files.map(({ path }) => path) : []);
  const box = useScroll(activity);
  return (
    <section class="activity" aria-labelledby="activity" hidden={plan.length + turns.length === 0}>
      <h2 id="activity">{words.activity}</h2>
      {plan.length === 0 ? null : <Plan steps={plan} />}
      {earlier > 0 ? (
        <p class="note">{earlier === 1 ? words.oneEarlier : fill(words.earlier, format.number(earlier))}</p>
      ) : null}
      {turns.length === 0 ? null : (
        <div ref={box} class="scroll" role="group" tabIndex={0} aria-labelledby="activity">
          {turns.map((turn) => (
            <Turn key={turn.turn} {...{ turn, canOpen }} />
          ))}
        </div>
      )}
      <Announcer activity={activity} />
    </section>
  );
}

const PLAN_ICONS = {
  pending: { sign: 'pending', tone: 'plain' },
  in_progress: { sign: 'running', tone: 'running' },
  completed: { sign: 'good', tone: 'good' },
} as const;

function Plan({ steps }: { steps: Activity['plan'] }): JSX.Element {
  const { words } = useTools();
  return (
    <div class="plan">
      <h3 id="plan">{words.plan}</h3>
      <ol aria-labelledby="plan">
        {steps.map(({ text, state }, index) => (
          <li key={index} class={state}>
            <Icon {...PLAN_ICONS[state]} />
            <div>
              <bdi>{text}</bdi> <span class="what">{words.stepStates[state]}</span>
            </div>
          </li>
        ))}
      </ol>
    </div>
  );
}

interface TurnProps {
  turn: ActivityTurn;
  /** Files whose changes can be shown. */
  canOpen: ReadonlySet<string>;
}

function Turn({ turn: { turn, steps }, canOpen }: TurnProps): JSX.Element {
  const { words, format } = useTools();
  return (
    <div class="turn">
      <h3>
        {fill(words.turn, format.number(turn))} <Time at={steps[0]?.at ?? NaN} />
      </h3>
      <ol>
        {steps.map((step) => (
          <Step key={step.id} {...{ step, canOpen }} />
        ))}
      </ol>
    </div>
  );
}

function Step({ step, canOpen }: { step: ActivityStep; canOpen: ReadonlySet<string> }): JSX.Element {
  const { id, at, kind, tone, text, files } = step;
  const time = `step-${id}`;
  return (
    <li class={`step of-${kind}`} data-step={id}>
      <Icon sign={signOf(step)} tone={tone} />
      <div>
        {kind === 'message' ? <FoldedText text={text} fold={time} describedBy={time} /> : <bdi>{text}</bdi>}
        {files.length === 0 ? null : (
          <ul class="files">
            {files.map((path) => (
              <li key={path}>{canOpen.has(path) ? <FileLink path={path} /> : <code dir="ltr">{path}</code>}</li>
            ))}
          </ul>
        )}
      </div>
      <Time at={at} id={time} />
    </li>
  );
}

function FileLink({ path }: { path: string }): JSX.Element {
  return (
    <button type="button" class="link" onClick={() => post({ type: 'openFile', path })}>
      <code dir="ltr">{path}</code>
    </button>
  );
}

/** A failed or running step shows its state; other steps show their kind. */
function signOf({ kind, tone }: ActivityStep): Sign {
  return tone === 'warning' || tone === 'running' ? tone : kind;
}

/** Interval between two announcements, in milliseconds. */
const PAUSE = 5000;

/** Announces updates to screen readers, one at a time and rarely. What it skips can be read in the log. */
function Announcer({ activity }: { activity: Activity }): JSX.Element {
  const { words } = useTools();
  const [spoken, speak] = useState<string>();
  const { current: state } = useRef<{
    /** The newest step that was announced, or that existed before; undefined until the log was live. */
    seen?: number;
    next?: string | undefined;
    timer?: ReturnType<typeof setTimeout> | undefined;
  }>({});
  const speakNext = (): void => {
    state.timer = undefined;
    if (state.next !== undefined) {
      speak(state.next);
      state.next = undefined;
      state.timer = setTimeout(speakNext, PAUSE);
    }
  };
  useEffect(() => {
    const { turns, summary } = activity;
    const listed = turns.flatMap((turn) => turn.steps);
    const steps = summary === undefined ? listed : [...listed, summary].toSorted((a, b) => a.id - b.id);
    const found = state.seen === undefined ? undefined : getAnnouncement(steps, state.seen);
    if (state.seen !== undefined || activity.isLive) {
      state.seen = steps.at(-1)?.id ?? 0;
    }
    if (found !== undefined) {
      state.next = found;
      if (state.timer === undefined) {
        speakNext();
      }
    }
  }, [activity]);
  useEffect(() => () => clearTimeout(state.timer), []);
  return (
    <div class="unseen" role="log" aria-label={words.activity}>
      <p key={spoken} dir="auto">
        {spoken}
      </p>
    </div>
  );
}

/** Within this many pixels of the end counts as the end. */
const NEAR = 24;

/** Follows the newest entry if the reader is there; otherwise keeps the scroll position. */
function useScroll(activity: Activity): RefObject<HTMLDivElement | null> {
  const box = useRef<HTMLDivElement>(null);
  const isEmpty = activity.turns.length === 0;
  useLayoutEffect(() => {
    if (box.current !== null) {
      box.current.scrollTop = saved.activityScroll ?? box.current.scrollHeight;
    }
  }, [activity]);
  useEffect(() => {
    const { current } = box;
    const onScroll = (): void => {
      if (current !== null) {
        const isAtEnd = current.scrollHeight - current.clientHeight - current.scrollTop <= NEAR;
        save({ activityScroll: isAtEnd ? undefined : Math.round(current.scrollTop) });
      }
    };
    current?.addEventListener('scroll', onScroll, { passive: true });
    return () => current?.removeEventListener('scroll', onScroll);
  }, [isEmpty]);
  return box;
}
