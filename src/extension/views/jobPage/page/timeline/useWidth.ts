import type { Ref } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** How wide an element is, in pixels; 0 before it is known. */
export function useWidth(): [Ref<HTMLDivElement>, number] {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) {
      return undefined;
    }
    const measure = (): void => setWidth(Math.floor(element.clientWidth));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [box, width];
}
