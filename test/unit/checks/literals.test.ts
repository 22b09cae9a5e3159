import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { formsOf, literalsOf, normalizeLiteral, sameLiteral } from '../../../src/checks/literals';

describe('a literal', () => {
  const FORMS: Readonly<Record<string, readonly string[]>> = {
    '5': ['5', '5.0', '`5`', '"5"', '5L', '5u32', 'int64(5)', 'Some(5)', '+5'],
    '1000': ['1_000', '1,000', '1e3', '0x3E8', '0o1000'],
    '30000ms': ['30s', '30 s', '30 seconds', '30_000 ms', '30 * time.Second', 'time.Second * 30', '30 * 1000ms'],
    '300000ms': ['5m', '5m0s', '5 min', 'Duration.ofMinutes(5)', 'Duration::from_secs(300)', 'timedelta(minutes=5)'],
    '60000ms': ['1.minute', 'TimeSpan.FromSeconds(60)', 'MINUTES.toMillis(1)', '1 minute', '60-second'],
    '10485760B': ['10MB', '10 MiB', '10 * units.MiB', 'DataSize.ofMegabytes(10)', '10240 KB'],
    '10485760': ['10 * 1024 * 1024', '10485760'],
    '50%': ['50%', '50 %'],
    true: ['true', 'True', '`true`'],
    info: ['info', '"info"', "'info'", '`"info"`'],
    'localhost:8080': ['localhost:8080'],
    './dist': ['./dist'],
  };
  for (const [normal, texts] of Object.entries(FORMS)) {
    it(`is ${normal} in any notation`, () =>
      deepStrictEqual(
        texts.map(normalizeLiteral),
        texts.map(() => normal),
      ));
  }

  const NOTHING = [
    '',
    '-',
    '—',
    'null',
    'None',
    'nil',
    'unset',
    'required',
    '""',
    '[]',
    '{}',
    '[a, b]',
    'the value of x',
  ];
  for (const text of [...NOTHING, '${HOME}/x', '<path>', 'a...b', '5 times', 'x + 1', 'x'.repeat(100)]) {
    it(`isn't ${JSON.stringify(text.slice(0, 20))}`, () => strictEqual(normalizeLiteral(text), undefined));
  }

  it('is the same as another, is not, or cannot be compared', () => {
    const same: readonly (readonly [string, string])[] = [
      ...([
        ['5', '5.0'],
        ['30s', '30'],
        ['30s', '30000'],
        ['30 s', '30000ms'],
        ['10MB', '10'],
        ['10MB', '10000000'],
      ] as const),
      ...([
        ['10MB', '10485760'],
        ['50%', '0.5'],
        ['info', 'LogLevel.INFO'],
        ['exactMatch', 'Mode::ExactMatch'],
      ] as const),
    ];
    const different: readonly (readonly [string, string])[] = [
      ...([
        ['5', '6'],
        ['30s', '31s'],
        ['30s', '60'],
        ['10MB', '20MB'],
        ['info', 'warn'],
        ['true', 'false'],
      ] as const),
      ...([
        ['on', 'false'],
        ['true', 'auto'],
        ['5', 'auto'],
        ['info', 'LogLevel.WARN'],
      ] as const),
    ];
    const undecided: readonly (readonly [string, string])[] = [
      ...([
        ['on', 'true'],
        ['0', 'false'],
        ['5', 'Defaults.RETRIES'],
        ['info', 'INFO'],
        ['5s', '5MB'],
      ] as const),
      ...([
        ['./dist', 'dist/'],
        ['5', 'null'],
      ] as const),
    ];
    deepStrictEqual(
      same.filter(([a, b]) => sameLiteral(a, b) !== true || sameLiteral(b, a) !== true),
      [],
    );
    deepStrictEqual(
      different.filter(([a, b]) => sameLiteral(a, b) !== false || sameLiteral(b, a) !== false),
      [],
    );
    deepStrictEqual(
      undecided.filter(([a, b]) => sameLiteral(a, b) !== undefined),
      [],
    );
  });
});

describe('the spellings of a name that may have a default', () => {
  const has = (name: string, ...forms: string[]) =>
    deepStrictEqual(
      forms.filter((each) => !formsOf(name).includes(each)),
      [],
    );
  it('are those of all languages, with and without “default”', () =>
    has(
      '--retry-max',
      'retry-max',
      'retryMax',
      'RetryMax',
      'retry_max',
      'RETRY_MAX',
      'defaultRetryMax',
      'DEFAULT_RETRY_MAX',
      'RETRY_MAX_DEFAULT',
      'default_retry_max',
      'DefaultRetryMax',
    ));
  it('are those of the last key of a path, or of the last two if it is a plain word', () => {
    has('pool.maxSize', 'maxSize', 'max_size', 'pool.maxSize', 'MAX_SIZE');
    has('HTTPServer::timeout', 'http_server_timeout', 'httpServerTimeout');
    strictEqual(formsOf('HTTPServer::timeout').includes('timeout'), false);
  });
});

/** The literals given to “retries” at its first place in the code. */
function given(code: string): string[] {
  const at = code.search(/(?<![A-Za-z])retries|RETRIES|Retries/);
  return literalsOf(code, at, at + 'retries'.length);
}

describe('the default that code gives to a name', () => {
  const FIVE: readonly string[] = [
    'const retries = 5;',
    'retries: 5,',
    '  "retries": 5',
    "  'retries' => 5,",
    'def connect(retries=5, delay=1):',
    '    retries: int = 5',
    'retries := 5',
    'retries = 5 # how often',
    'function connect({ retries = 5, delay = 1 }) {',
    'export const DEFAULT_RETRIES: number = 5;',
    'private static final int RETRIES = 5;',
    'const DefaultRetries uint32 = 5',
    'pub const RETRIES: u32 = 5;',
    'public int Retries { get; set; } = 5;',
    'v.SetDefault("retries", 5)',
    'fs.IntVar(&c.n, "retries", 5, "how often")',
    'fs.IntVarP(&c.n, "retries", "r", 5, "how often")',
    'flag.Int(\n  "retries",\n  5,\n  "how often")',
    'int(os.getenv("RETRIES", "5"))',
    'ENV.fetch("RETRIES", 5)',
    'ENV["RETRIES"] || 5',
    "process.env.RETRIES || '5'",
    'const n = options.retries ?? 5;',
    'this.n = options.retries || 5;',
    'val n = config.retries ?: 5',
    'let n = args.get("retries").unwrap_or(5);',
    'N=${RETRIES:-5}',
    '@Value("${client.retries:5}") int n;',
    "@click.option('-r', '--retries', type=int, default=5)",
    'parser.add_argument(\n    "--retries",\n    type=int,\n    default=5,\n)',
    "program.option('-r, --retries <n>', 'how often', 5)",
    "yargs.option('retries', { type: 'number', default: 5 })",
    'retries: z\n  .number()\n  .default(5),',
    'retries: {\n  type: Number,\n  default: 5,\n},',
    'retries:\n  type: integer\n  default: 5',
    '"retries": { "type": "integer", "default": 5 }',
    'retries: int = Field(5, description="how often")',
    'retries: int = field(default=5)',
    'Retries int `json:"retries" default:"5"`',
    '#[arg(long, default_value = "5")]\nretries: u32,',
    '#[arg(long, default_value_t = 5)]\n#[serde(x)]\nretries: u32,',
    '[DefaultValue(5)]\npublic int Retries { get; set; }',
    'app.Flag("retries", "how often").\n  Default("5").Int()',
    'fn default_retries() -> u32 {\n    5\n}',
    'int getRetries() {\n  return 5;\n}',
    'def default_retries():\n    return 5',
    'int retries() default 5;',
    'retries = columns.Integer(default=5)',
    'option :retries, default: 5',
    'n = cmp.Or(config.Retries, 5)',
    'n: {{ .Values.retries | default 5 }}',
  ];
  for (const code of FIVE) {
    it(`is found in ${JSON.stringify(code)}`, () => deepStrictEqual(given(code), ['5']));
  }

  const OTHERS: Readonly<Record<string, readonly string[]>> = {
    'const retries: Duration = Duration::from_secs(5)': ['Duration::from_secs(5)'],
    'retries = 5 * time.Second': ['5 * time.Second'],
    "retries: 'info',": ['info'],
    'retries: info': ['info'],
    'retries=info': ['info'],
    'retries: "a".to_string(),': ['a'],
    'retries = LogLevel.INFO': ['LogLevel.INFO'],
    'retries: Filter::AtLeast(Level::Info),': ['Filter::AtLeast(Level::Info)'],
  };
  for (const [code, expected] of Object.entries(OTHERS)) {
    it(`is found in ${JSON.stringify(code)}`, () => deepStrictEqual(given(code), expected));
  }

  const NONE: readonly string[] = [
    '// retries = 5',
    '# retries: 5',
    'if (retries == 5) {',
    'if (retries >= 5) {',
    'retries += 5',
    '  for item in items:\n    retries = 5',
    'retries: number;',
    'retries: RetryPolicy',
    'retries: Type,',
    'retries = other',
    'retries = 5 + other',
    'retries = "a" + other',
    'retries: null',
    "level: 'a', retries: 'a' | 'b'",
    'retries: object,\ndefault: 5',
    'retries: int\n\ndefault = 5',
    'retries: {\n  properties: {\n    other: { default: 5 } } }',
    'retries:\n  properties:\n    other:\n      default: 5',
    'parser.add_argument("--retries", help="how often (default: 5)")',
    ".option('--retries', 'how often').option('--other', 'x', 5)",
    'print("retries", 5)',
    'tool --retries=5',
    'retries=retries',
    'x := f.Flag("retries", "how often").Int()\ny := f.Flag("other", "x").Default("5").Int()',
    'retries: int, delay: int = 5',
    'x ? retries : 5',
  ];
  for (const code of NONE) {
    it(`isn't found in ${JSON.stringify(code)}`, () => deepStrictEqual(given(code), []));
  }
});
