export interface Disposable {
  dispose(): void;
}

/**
 * Owns what is added to it and disposes all in reverse order. What is added after the end is disposed at once, so that
 * a late arrival (a promise that resolves after the window closed) leaks nothing.
 */
export class DisposableStore implements Disposable {
  private readonly items: Disposable[] = [];
  private disposed = false;

  add<T extends Disposable>(item: T): T {
    if (this.disposed) {
      item.dispose();
    } else {
      this.items.push(item);
    }
    return item;
  }

  /** Disposes all, though one of them may throw; throws the first error then. */
  dispose(): void {
    this.disposed = true;
    const errors: unknown[] = [];
    for (const item of this.items.splice(0).reverse()) {
      try {
        item.dispose();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) {
      throw errors[0] as Error;
    }
  }
}

export type Event<T> = (listener: (value: T) => void) => Disposable;

/** Tells each listener, in the order in which they came; one that throws stops none of the others. */
export class Emitter<T> {
  private readonly listeners = new Set<(value: T) => void>();

  constructor(private readonly onListenerError: (error: unknown) => void) {}

  readonly event: Event<T> = (listener) => {
    const own = (value: T): void => listener(value);
    this.listeners.add(own);
    return { dispose: () => this.listeners.delete(own) };
  };

  fire(value: T): void {
    for (const listener of [...this.listeners]) {
      try {
        listener(value);
      } catch (error) {
        this.onListenerError(error);
      }
    }
  }
}
