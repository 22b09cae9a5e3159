import type { Memento } from 'vscode';

/** What the editor remembers, in memory. */
export class MemoryMemento implements Memento {
  private readonly values = new Map<string, unknown>();

  keys(): readonly string[] {
    return [...this.values.keys()];
  }

  get<T>(key: string, fallback?: T): T {
    return (this.values.get(key) ?? fallback) as T;
  }

  async update(key: string, value: unknown): Promise<void> {
    this.values.set(key, value);
  }
}
