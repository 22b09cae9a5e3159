import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Story } from '../../model';
import { useTools } from '../context';
import { type News, newsOf } from './news';

/** Between two announcements, in milliseconds. */
const PAUSE = 5000;

/** As many announcements stay; they are out of sight. */
const KEPT = 3;

/** Tells what is new, one thing at a time and seldom; what was passed over stands in the story. */
export function StoryLog({ story }: { story: Story }): JSX.Element {
  const { words } = useTools();
  const [told, tell] = useState<readonly { id: number; text: string }[]>([]);
  const state = useRef<{
    news?: News;
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
    const news = newsOf(story, state.current.news);
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
