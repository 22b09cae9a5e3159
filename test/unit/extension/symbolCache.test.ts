import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { SymbolCache } from '../../../src/extension/features/code-actions/symbolNamedAt';

function asked(symbols: readonly string[]): { kept: SymbolCache<Sample, string>; times: () => number } {
  let times = 0;
  const kept = new SymbolCache<Sample, string>(() => {
    times += 1;
    return Promise.resolve(symbols);
  });
  return { kept, times: () => times };
}

interface Sample {
  version: number;
  lineCount: number;
}

describe('symbols for the lightbulb', () => {
  it('are requested once per document version, however often the cursor moves', async () => {
    const { kept, times } = asked(['send']);
    const document = { version: 1, lineCount: 10 };
    deepStrictEqual(await kept.of(document), ['send']);
    deepStrictEqual(await kept.of(document), ['send']);
    strictEqual(times(), 1);
    document.version = 2;
    await kept.of(document);
    await kept.of({ version: 2, lineCount: 10 });
    strictEqual(times(), 3);
  });

  it('are requested again while there are none yet', async () => {
    const { kept, times } = asked([]);
    const document = { version: 1, lineCount: 10 };
    await kept.of(document);
    await kept.of(document);
    strictEqual(times(), 2);
  });

  it('are skipped for a huge document, after at most one request', async () => {
    const { kept, times } = asked(Array.from({ length: 20_000 }, String));
    const document = { version: 1, lineCount: 10 };
    deepStrictEqual([await kept.of(document), await kept.of(document)], [[], []]);
    strictEqual(times(), 1);
    deepStrictEqual(await kept.of({ version: 1, lineCount: 1_000_000 }), []);
    strictEqual(times(), 1);
  });
});
