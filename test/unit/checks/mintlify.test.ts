import { deepStrictEqual, ok } from 'node:assert/strict';
import { checkMintlify } from '../../../src/checks/mintlify';

const MANIFEST = {
  name: 'Lighthouse',
  navigation: {
    tabs: [
      {
        tab: 'Guides',
        groups: [{ group: 'Start', root: 'index', pages: ['quickstart', { group: 'More', pages: ['guides/keys'] }] }],
      },
      {
        tab: 'API',
        openapi: { source: 'api/openapi.json', directory: 'reference' },
        pages: ['GET /lamps', 'api/lamp'],
      },
      { tab: 'Help', href: '/guides/keys' },
    ],
    versions: [{ version: '2', languages: [{ $ref: './fr.json' }] }],
  },
  navbar: { links: [{ label: 'Blog', href: 'https://example.org/blog' }] },
  redirects: [
    { source: '/start', destination: '/quickstart' },
    { source: '/v1/:slug*', destination: '/:slug*' },
    { destination: '/guides/keys#lost-keys', source: '/lost' },
  ],
};

const SITE: Readonly<Record<string, string>> = {
  'site/docs.json': JSON.stringify(MANIFEST, null, 2),
  'site/fr.json': '{ "language": "fr", "pages": ["fr/index"] }',
  'site/fr/index.mdx': '# Bienvenue\n',
  'site/api/openapi.json': JSON.stringify({
    openapi: '3.1.0',
    paths: {
      '/lamps': { get: { summary: 'List lamps', tags: ['Lamps'] } },
      '/lamps/{lampId}': { get: { summary: 'Get a lamp', tags: ['Lamps'] } },
    },
  }),
  'site/api/lamp.mdx': '---\ntitle: A lamp\nopenapi: "api/openapi.json GET /lamps/{id}"\n---\n',
  'site/index.mdx': [
    '[a](/quickstart) [b](/quickstart.md) [c](/start?x=1) [d](/v1/guides/keys) [e](./guides/keys) [f](guides/keys#lost-keys)',
    '[g](/reference/lamps/get-a-lamp#response) [h](/api) [i](/llms.txt) [j](/hidden) [k](/lost) [l](https://example.org/x)',
    '<Card title="Keys" href="/guides/keys">![Map](/images/map.png)</Card>',
    '<Snippet file="old/help.mdx" />',
  ].join('\n'),
  'site/quickstart.mdx':
    '# Start\n\n## Step 2: It’s “on” & fine\n\n[a](#step-2-it’s-“on”-&-fine) [b](#from-a-step) [c](#param-lamp-id) [d](#🔑-last)\n\n<Steps><Step title="From a step">x</Step></Steps>\n\n<ParamField path="lampId" type="string" />\n\n## 🔑 Last\n',
  'site/guides/keys.mdx':
    "import Note from '../snippets/note.mdx';\n\n## Lost keys\n\n## Lost keys\n\n[a](#lost-keys-2) [b](/quickstart#start) [c](#of-the-note)\n",
  'site/hidden.mdx': '---\ntitle: Hidden\n---\nNot in the navigation.\n',
  'site/snippets/note.mdx': '## Of the note\n\n[a](/quickstart) [b](#anywhere)\n',
  'site/snippets/unused.mdx': '[a](./anywhere)\n',
  'site/_snippets/old/help.mdx': 'Help.\n',
  'site/images/map.png': '',
  'site/drafts/a.mdx': '[a](/nowhere)\n',
  'site/.mintignore': '# not yet\ndrafts/\n',
  'site/README.md': '[a](/nowhere)\n',
  'src/docs.json': '{ "navigation": 1',
};

async function check(changes: Readonly<Record<string, (text: string) => string>>) {
  const texts = { ...SITE };
  for (const [path, change] of Object.entries(changes)) {
    texts[path] = change(texts[path] ?? '');
  }
  const files = Object.entries(texts).map(([path, text]) => ({ path, id: path, size: text.length }));
  const contents = async function* (ids: readonly string[]) {
    for (const id of ids) {
      yield await Promise.resolve(new TextEncoder().encode(texts[id]));
    }
  };
  const { findings, pages } = await checkMintlify(files, contents);
  const lineOf = (path: string, line: number): string => texts[path]?.split('\n')[line - 1] ?? '';
  for (const { place, target } of findings) {
    ok(
      lineOf(place.path, place.line)
        .slice(place.column - 1, place.endColumn - 1)
        .includes(target),
    );
  }
  return { pages, said: findings.map(({ place, target, certainty }) => [place.path.slice(5), target, certainty]) };
}

const adds = (text: string) => (before: string) => `${before}\n${text}\n`;
const json = (change: (manifest: typeof MANIFEST) => void) => () => {
  const manifest = structuredClone(MANIFEST);
  change(manifest);
  return JSON.stringify(manifest, null, 2);
};

describe('Mintlify sites', () => {
  it('finds nothing in a site that is right', async () => {
    const { pages, said } = await check({});
    deepStrictEqual(said, []);
    ok(pages.has('site/hidden.mdx') && !pages.has('site/README.md') && !pages.has('site/drafts/a.mdx'));
  });

  const broken: readonly (readonly [path: string, target: string, change: (text: string) => string])[] = [
    ['quickstart.mdx', './nope', adds('[x](./nope)')],
    ['quickstart.mdx', '/guides/key', adds('[x](/guides/key)')],
    ['quickstart.mdx', '/recal/searching', adds('<Card title="x" href="/recal/searching">x</Card>')],
    ['quickstart.mdx', '#step-2:-its-on-fine', adds('[x](#step-2:-its-on-fine)')],
    ['quickstart.mdx', '/guides/keys#found-keys', adds('[x](/guides/keys#found-keys)')],
    ['quickstart.mdx', '/snippets/nope.mdx', adds("\nimport Nope from '/snippets/nope.mdx';")],
    ['quickstart.mdx', 'nope.mdx', adds('\n<Snippet file="nope.mdx"/>')],
    ['quickstart.mdx', '/reference/lamps/dim-a-lamp', adds('[x](/reference/lamps/dim-a-lamp)')],
    ['api/lamp.mdx', 'api/openapi.json PUT /lamps/{id}', (text) => text.replace('GET', 'PUT')],
    ['api/lamp.mdx', 'GET /lights', (text) => text.replace('api/openapi.json GET /lamps/{id}', 'GET /lights')],
    ['fr.json', 'fr/start', (text) => text.replace('fr/index', 'fr/start')],
    ['docs.json', 'POST /lamps', json(({ navigation }) => (navigation.tabs[1]!.pages = ['POST /lamps']))],
    ['docs.json', 'gone', json(({ navigation }) => (navigation.tabs[0]!.groups![0]!.root = 'gone'))],
    ['docs.json', '/keys', json(({ navigation }) => (navigation.tabs[2]!.href = '/keys'))],
    ['docs.json', '/gone', json(({ redirects }) => (redirects[2]!.destination = '/gone'))],
    ['docs.json', 'api/gone.json', json(({ navigation }) => (navigation.tabs[1]!.openapi!.source = 'api/gone.json'))],
  ];
  for (const [path, target, change] of broken) {
    it(`finds ${target} in ${path}`, async () => {
      const { said } = await check({ [`site/${path}`]: change });
      deepStrictEqual(said, [[path, target, 'certain']]);
    });
  }

  it('finds an image that is missing', async () => {
    deepStrictEqual((await check({ 'site/hidden.mdx': adds('![x](/images/nope.png)') })).said, [
      ['hidden.mdx', '/images/nope.png', 'certain'],
    ]);
  });

  it('resolves links in snippets from the pages that show them', async () => {
    const link = (target: string, shown = '') =>
      check({ 'site/snippets/note.mdx': adds(`[x](${target})`), 'site/hidden.mdx': adds(shown) });
    deepStrictEqual((await link('../quickstart')).said, []);
    deepStrictEqual((await link('./nope')).said, [['snippets/note.mdx', './nope', 'certain']]);
    const alsoThere = "\nimport Note from '/snippets/note.mdx';";
    deepStrictEqual((await link('./keys', alsoThere)).said, [['snippets/note.mdx', './keys', 'likely']]);
  });

  it('says nothing about pages of an API description that is elsewhere', async () => {
    const change = json(({ navigation }) => (navigation.tabs[1]!.openapi!.source = 'https://example.org/openapi.json'));
    const { said } = await check({ 'site/docs.json': change, 'site/hidden.mdx': adds('[x](/reference/lamps/dim)') });
    deepStrictEqual(said, []);
  });
});
