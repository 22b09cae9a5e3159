export interface Disposable {
  dispose(): void;
}

/**
 * Owns the items added to it and disposes them in reverse order. An item added after disposal is disposed at once, so
 * that a late arrival (a promise that resolves after the window closed) leaks nothing.
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

  /** Disposes all items even if some of them throw, then rethrows the first error. */
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

/** Notifies listeners in the order they subscribed. A listener that throws does not stop the others. */
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
