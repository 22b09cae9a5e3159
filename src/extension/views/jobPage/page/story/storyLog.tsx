import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Story } from '../../model';
import { useTools } from '../context';
import { newsOf } from './news';

/** Between two announcements, in milliseconds. */
const PAUSE = 5000;

/** As many announcements stay; they are out of sight. */
const KEPT = 3;

/** Tells what is new, one thing at a time and seldom; what was passed over stands in the story. */
export function StoryLog({ story }: { story: Story }): JSX.Element {
  const { words } = useTools();
  const [told, tell] = useState<readonly { id: number; text: string }[]>([]);
  const state = useRef<{
    seen?: readonly string[];
    waiting?: string | undefined;
    timer?: ReturnType<typeof setTimeout>;
  }>({});
  const speak = (): void => {
    const { waiting } = state.current;
    delete state.current.timer;
    if (waiting !== undefined) {
      state.current.waiting = undefined;
      state.current.timer = setTimeout(speak, PAUSE);
      tell((all) => [...all, { id: (all.at(-1)?.id ?? 0) + 1, text: waiting }].slice(-KEPT));
    }
  };
  useEffect(() => {
    const { seen, text } = newsOf(story, state.current.seen);
    state.current.seen = seen;
    if (text !== undefined) {
      state.current.waiting = text;
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
