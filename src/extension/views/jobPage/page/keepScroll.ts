/** Where the reader is on the page. */
export interface KeptScroll {
  top(): number;
  /** Goes to where the reader was when the page was closed; once. */
  restore(): void;
}

/** In milliseconds after the last movement. */
const PAUSE = 200;

export function keepScroll(kept: number, onChange: () => void): KeptScroll {
  let isRestored = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  window.addEventListener(
    'scroll',
    () => {
      clearTimeout(timer);
      timer = setTimeout(onChange, PAUSE);
    },
    { passive: true },
  );
  return {
    top: () => (isRestored ? Math.round(window.scrollY) : kept),
    restore: () => {
      if (!isRestored) {
        isRestored = true;
        window.scrollTo(0, kept);
      }
    },
  };
}
