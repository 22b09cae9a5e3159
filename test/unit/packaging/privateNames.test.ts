import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transform } from 'esbuild';
import { checkoutRoot } from '../../support/vscode/paths';

const SOURCE = `
  export class Counter {
    private count = 1;
    private readonly seen: number[] = [];
    private told?: string;
    public log = 'open';
    constructor(private readonly step: number, private readonly shown: number, readonly name = 'n' + step) {
      this.told = this.name + this.step;
    }
    private get twice(): number { return this.count * 2; }
    private set twice(value: number) { this.count = value / 2; }
    private static made = 0;
    private async later(): Promise<number> { return Promise.resolve().then(() => this.count); }
    private *all(): Generator<number> { yield* this.seen; }
    private known = 5;
    private asked = 6;
    private taken = 7;
    async run(other: Counter): Promise<unknown> {
      this.twice += 2 * this.step;
      this.seen.push(this.count);
      Counter.made++;
      const { taken } = this;
      const inner = new (class { private count = 'inner'; read(): string { return this.count; } })();
      return [await this.later(), [...this.all()], other.known, this['asked'], taken, Counter.made, this.told, this.shown, inner.read()];
    }
  }
  export class Wrong extends Error {
    constructor(private readonly code: number) { super('wrong'); }
    get text(): string { return this.message + this.code; }
  }
`;

interface Source {
  Counter: new (step: number, shown: number) => { run(other: unknown): Promise<unknown>; log: string };
  Wrong: new (code: number) => Error & { text: string };
}

describe('private members in the bundle', () => {
  let withPrivateNames: (text: string) => string;

  before(async () => {
    const path = pathToFileURL(join(checkoutRoot, 'privateNames.mjs')).href;
    ({ withPrivateNames } = (await import(path)) as { withPrivateNames: typeof withPrivateNames });
  });

  const load = async (source: string): Promise<Source> => {
    const { code } = await transform(source, { loader: 'ts', format: 'esm', minify: true });
    return (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as Source;
  };

  it('do what they do in the source, and are there for their class alone', async () => {
    const wanted = [2, [2], 5, 6, 7, 1, 'n11', 3, 'inner'];
    for (const source of [SOURCE, withPrivateNames(SOURCE)]) {
      const { Counter, Wrong } = await load(source);
      deepStrictEqual(await new Counter(1, 3).run(new Counter(1, 3)), wanted);
      strictEqual(new Wrong(4).text, 'wrong4');
    }
    const { Counter } = await load(withPrivateNames(SOURCE));
    deepStrictEqual(Object.keys(new Counter(1, 3)).toSorted(), ['asked', 'count', 'known', 'log', 'name', 'taken']);
  });

  it('stay as they are where nothing is private', () => {
    const source = 'export class A { readonly b = 1; c(): number { return this.b; } }';
    strictEqual(withPrivateNames(source), source);
  });
});
