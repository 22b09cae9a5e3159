/** Runs what is given under one name one after the other. */
export class InTurn {
  private readonly last = new Map<string, Promise<unknown>>();

  run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const mine = (this.last.get(name) ?? Promise.resolve()).then(work, work);
    this.last.set(name, mine);
    const forget = (): void => {
      if (this.last.get(name) === mine) {
        this.last.delete(name);
      }
    };
    mine.then(forget, forget);
    return mine;
  }
}
