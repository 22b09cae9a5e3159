import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { defaultsOnPage } from '../../../src/checks/defaultsOnPage';
import { readPage } from '../../../src/checks/pages/readPage';
import type { PageFormat } from '../../../src/checks/paths';

function claims(text: string, format: PageFormat = 'markdown'): string[] {
  const page = readPage(text, format);
  return defaultsOnPage(page, 'docs/page.md').map(({ kind, name, literal, shown, place }) => {
    const shownThere = (page.lines[place.line - 1] ?? '').slice(place.column - 1, place.endColumn - 1);
    strictEqual(shownThere, shown);
    return `${kind} ${name} ${literal}`;
  });
}

describe('the defaults on a page', () => {
  const FOUND: Readonly<Record<string, readonly string[]>> = {
    '| Option | Default |\n| --- | --- |\n| `retries` | `5` |\n| `--log-level` | info |': [
      'identifier retries 5',
      'flag --log-level info',
    ],
    '| Default value | Name | |\n| --- | --- | --- |\n| **30 seconds** | maxDelay | x |': [
      'identifier maxDelay 30000ms',
    ],
    '### `cache.maxSize`\n\n|  |  |\n| --: | :-- |\n| Type: | `number` |\n| Default: | `10MB` |': [
      'keyPath cache.maxSize 10485760B',
    ],
    '- `retries`: how often (default: `5`)': ['identifier retries 5'],
    '- `--retries`: how often (default 5)': ['flag --retries 5'],
    '* `retries` (`number`, default: 5) - how often': ['identifier retries 5'],
    '- **`retries`** - How often. Defaults to 5.': ['identifier retries 5'],
    '- `retries` - how often\n  it is sent. Default is `5`.': ['identifier retries 5'],
    '- `first`: if set, `retries` defaults to `5`': ['identifier retries 5'],
    'Set `retries` to send again. The default value is 30 s.': ['identifier retries 30000ms'],
    'The default of `retries` is `5`.': ['identifier retries 5'],
    'The default value for the `retries` option is 5, if not set.': ['identifier retries 5'],
    'The `retries` option is `5` by default.': ['identifier retries 5'],
    'Send again with `--retries=5` (default).': ['flag --retries 5'],
    '- `color`: `always`, `auto` (default), or `never`': ['identifier color auto'],
    '### `retries`\n\nHow often.\n\n- Type: `number`\n- Default: `5`': ['identifier retries 5'],
    '- `color`:\n  - `auto` (default)\n  - `always`': ['identifier color auto'],
    '### retries\n\nHow often.\n\n**Default**: `5`': ['identifier retries 5'],
    '#### --retries <n>, -r <n>\n\nDefaults to `5`.': ['flag --retries 5'],
    '`retries`\n\n- Default: 5': ['identifier retries 5'],
    '- `retries`\n  - Type: number\n  - Default: info': ['identifier retries info'],
    '```yaml\n# How often. Default: 5\nretries: 3\ndelay: 1s # defaults to 2s\nother: 1\n```': [
      'identifier retries 5',
      'identifier delay 2000ms',
    ],
    '```ts\ninterface Options {\n  /** @default 5 */\n  retries?: number;\n}\n```': ['identifier retries 5'],
    '```yaml\n[ retries: <int> | default = 5 ]\n```': ['identifier retries 5'],
    '```\n  -r, --retries int   how often (default 5)\n      --keep-going    [default: false]\n```': [
      'flag --retries 5',
      'flag --keep-going false',
    ],
    '```\n  --retries <n>\n      how often\n      [default: 5]\n```': ['flag --retries 5'],
    '```\nusage: tool [<flags>]\n\nFlags:\n  --retries=5       How often.\n  --file=FILE       Which.\n```': [
      'flag --retries 5',
    ],
  };
  for (const [text, expected] of Object.entries(FOUND)) {
    it(`are found in ${JSON.stringify(text)}`, () => deepStrictEqual(claims(text), expected));
  }

  it('are attributes of components', () => {
    deepStrictEqual(
      claims('<ParamField path="retries" type="number" default="5">\n  How often.\n</ParamField>', 'mdx'),
      ['identifier retries 5'],
    );
    deepStrictEqual(claims('<ResponseField\n  name="retries"\n  default={5}\n>\n', 'mdx'), ['identifier retries 5']);
  });

  it('are in directives and terms of reStructuredText, and in AsciiDoc', () => {
    deepStrictEqual(claims('.. confval:: retries\n   :type: int\n   :default: ``5``\n', 'restructuredText'), [
      'identifier retries 5',
    ]);
    deepStrictEqual(claims('.. py:data:: MAX_RETRIES\n\n    How often.\n\n    Default: ``5``\n', 'restructuredText'), [
      'variable MAX_RETRIES 5',
    ]);
    deepStrictEqual(claims('``retries``\n    How often. Defaults to 5.\n', 'restructuredText'), [
      'identifier retries 5',
    ]);
    deepStrictEqual(claims('* `retries`: how often (defaults to `5`)\n', 'asciidoc'), ['identifier retries 5']);
  });

  const NONE: readonly string[] = [
    '- `retries`: how often (default: none)',
    '- `retries`: how often (default: the value of `other`)',
    '- `retries`: defaults to `5` on Windows',
    '- `retries`: defaults to `5` or `6`',
    '- `retries`: defaults to `js`, `cjs`, and `mjs`',
    '- `retries`: defaults to 2 times the number of cores',
    '- `retries`: defaults to `${OTHER}`',
    '- `retries`: the default is used if it is `5`',
    'Choose `first`, `second` (default), or `third`.',
    'If no `output` is given, we default to `json`.',
    '- `first` (default)\n- `second`',
    'Port 80 (the default port) of `retries` and `delay`',
    '## Retries\n\nDefaults to `5`.',
    '## Retries of requests\n\n- Default: `5`',
    '### `retries`\n\nHow often.\n\nThe number of attempts, with a default of `5`.',
    '### `retries`\n\n## Other\n\n- Default: `5`',
    '## Removed options\n\n- `retries`: how often (default: `5`)',
    '- `retries`: was removed (default: `5`)',
    '```sh\ntool --retries=5\n```',
    '```yaml\n# Default: 5\n\n- other\nretries: 3\n```',
    '| Option | Type |\n| --- | --- |\n| `retries` | `5` |',
    '| Case | Default |\n| --- | --- |\n| if none is given | `5` |',
    '| Option | Default |\n| --- | --- |\n| `retries` | `5` on Windows, `6` elsewhere |',
  ];
  for (const text of NONE) {
    it(`aren't found in ${JSON.stringify(text)}`, () => deepStrictEqual(claims(text), []));
  }
});
