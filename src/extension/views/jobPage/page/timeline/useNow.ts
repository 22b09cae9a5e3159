import { useEffect, useState } from 'preact/hooks';

const SECOND = 1000;

/** The time, once a second while something runs and the page is seen. */
export function useNow(isRunning: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isRunning) {
      return undefined;
    }
    let timer: ReturnType<typeof setInterval> | undefined;
    const tick = (): void => setNow(Date.now());
    const follow = (): void => {
      clearInterval(timer);
      timer = undefined;
      if (document.visibilityState === 'visible') {
        tick();
        timer = setInterval(tick, SECOND);
      }
    };
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', follow);
    };
  }, [isRunning]);
  return now;
}
