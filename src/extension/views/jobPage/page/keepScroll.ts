import type { PageState } from './host';
import type { StoryScroll } from './story/storyScroll';

/** Where the reader is on the page and in its story. */
export interface KeptScroll {
  readonly story: StoryScroll;
  state(): Pick<PageState, 'scroll' | 'storyScroll'>;
  /** Goes to where the reader was when the page was closed; once. */
  restore(): void;
}

/** In milliseconds after the last movement. */
const PAUSE = 200;

export function keepScroll(kept: Pick<PageState, 'scroll' | 'storyScroll'>, onChange: () => void): KeptScroll {
  let isRestored = false;
  let storyTop = kept.storyScroll;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const changed = (): void => {
    clearTimeout(timer);
    timer = setTimeout(onChange, PAUSE);
  };
  window.addEventListener('scroll', changed, { passive: true });
  return {
    story: {
      get top() {
        return storyTop;
      },
      set: (top) => {
        storyTop = top;
        changed();
      },
    },
    state: () => ({ scroll: isRestored ? Math.round(window.scrollY) : kept.scroll, storyScroll: storyTop }),
    restore: () => {
      if (!isRestored) {
        isRestored = true;
        window.scrollTo(0, kept.scroll);
      }
    },
  };
}
