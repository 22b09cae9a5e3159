/** Runs tasks with the same key one after the other, in the order in which they were added. */
export class KeyedQueue {
  private readonly last = new Map<string, Promise<unknown>>();

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const mine = (this.last.get(key) ?? Promise.resolve()).then(work, work);
    this.last.set(key, mine);
    const forget = (): void => {
      if (this.last.get(key) === mine) {
        this.last.delete(key);
      }
    };
    mine.then(forget, forget);
    return mine;
  }
}
