/** Calls `then` whenever what it is told turns from false to true, and not when it is told the same again. */
export function risingEdge(before: boolean, then: () => void): (now: boolean) => void {
  let last = before;
  return (now) => {
    const rises = now && !last;
    last = now;
    if (rises) {
      then();
    }
  };
}
