import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Story } from '../../model';

/** Where the reader is in the story; undefined at its newest end, where news are followed. */
export interface StoryScroll {
  readonly top: number | undefined;
  set(top: number | undefined): void;
}

/** So near to the end counts as there, in pixels. */
const NEAR = 24;

/** Stays at the newest end if the reader is there, and else where the reader is. */
export function useStoryScroll(story: Story, scroll: StoryScroll): RefObject<HTMLDivElement | null> {
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
