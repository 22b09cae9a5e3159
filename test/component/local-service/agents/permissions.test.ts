import assert from 'node:assert/strict';
import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { join, posix, resolve, sep, win32 } from 'node:path';
import fc from 'fast-check';
import { type PathLocation, classifyPath, locatePath } from '../../../../src/local-service/agents/pathLocation';
import { decide, optionFor } from '../../../../src/local-service/agents/permissions';
import { ToolCalls } from '../../../../src/local-service/agents/toolCalls';
import { inEnglish } from '../../../support/codedText';
import { report, scaled, seed } from '../../../support/scale';
import { temporaryFolder } from '../../../support/temporaryRepository';

const KINDS = [...'read edit delete move search execute think fetch switch_mode other X'.split(' '), ''];
const TRIES = scaled(2_000, 100_000);

const place = fc.oneof(
  fc.constantFrom('', 'docs/index.md', 'a').map((path): PathLocation => ({ kind: 'inside', path })),
  fc.constantFrom<PathLocation>({ kind: 'outside' }, { kind: 'git' }, { kind: 'unclear' }),
);

describe('decide', () => {
  it('allows paths known to be inside, commands where enabled, and thinking, and nothing else', () => {
    const asked = fc.record({ kind: fc.constantFrom(...KINDS), places: fc.array(place, { maxLength: 4 }) });
    fc.assert(
      fc.property(asked, fc.boolean(), ({ kind, places }, mayRunCommands) => {
        const { isAllowed, why } = decide({ kind, places }, { mayRunCommands, mayWriteSettings: false });
        const isInside = places.length > 0 && places.every((each) => each.kind === 'inside');
        const hasNoRoot = places.every((each) => each.kind !== 'inside' || each.path !== '');
        const expected =
          (kind === 'think' && places.length === 0) ||
          (mayRunCommands && (kind === 'execute' || kind === 'fetch')) ||
          (isInside && (kind === 'read' || kind === 'search')) ||
          (isInside && hasNoRoot && (kind === 'edit' || kind === 'delete' || kind === 'move'));
        assert.equal(isAllowed, expected);
        assert.match(inEnglish(why), /^(It|It’s|The) .+\.$/);
      }),
      { seed, numRuns: TRIES },
    );
  });

  const NO_EDIT = `
.claude .claude/agents/evil.md .github .github/hooks .opencode/agent/x.md site/.VSCode site/.mcp.json`
    .trim()
    .split(/\s+/);
  for (const path of NO_EDIT) {
    it(`refuses to edit ${path} unless the project settings allow it`, () => {
      for (const kind of ['edit', 'delete', 'move']) {
        const asked = { kind, places: [{ kind: 'inside', path } as const] };
        assert.equal(decide(asked, { mayRunCommands: true, mayWriteSettings: false }).isAllowed, false);
        assert.equal(decide(asked, { mayRunCommands: false, mayWriteSettings: true }).isAllowed, true);
      }
      const read = { kind: 'read', places: [{ kind: 'inside', path } as const] };
      assert.equal(decide(read, { mayRunCommands: false, mayWriteSettings: false }).isAllowed, true);
    });
  }

  it('allows editing other files', () => {
    for (const path of [
      'AGENTS.md',
      'package.json',
      'node_modules/a/index.js',
      'docs/claude/x.md',
      '.github/workflows/ci.yml',
      '.vscode/x.json',
    ]) {
      const asked = { kind: 'edit', places: [{ kind: 'inside', path } as const] };
      assert.equal(decide(asked, { mayRunCommands: false, mayWriteSettings: false }).isAllowed, true);
    }
  });

  it('treats a “read” tool call that writes as an edit', () => {
    const rights = { mayRunCommands: false, mayWriteSettings: false };
    const asked = { kind: 'read', places: [{ kind: 'inside', path: '.mcp.json' } as const] };
    assert.equal(decide(asked, rights).isAllowed, true);
    assert.equal(decide({ ...asked, writes: true }, rights).isAllowed, false);
  });

  it('refuses a “think” tool call that writes', () => {
    const rights = { mayRunCommands: true, mayWriteSettings: true };
    const asked = { kind: 'think', places: [] };
    assert.equal(decide(asked, rights).isAllowed, true);
    assert.equal(decide({ ...asked, writes: true }, rights).isAllowed, false);
    const saves = { toolCallId: '1', kind: 'think', content: [{ type: 'diff', path: 'GEMINI.md' }] };
    assert.equal(new ToolCalls().update(saves).writes, true);
  });

  it('chooses the one-time option and never “always allow”', () => {
    const option = (kind: string) => ({ optionId: `id of ${kind}`, kind });
    const kind = fc.constantFrom('allow_once', 'allow_always', 'reject_once', 'reject_always', 'other');
    fc.assert(
      fc.property(fc.array(kind, { maxLength: 6 }), fc.boolean(), (kinds, isAllowed) => {
        const wanted = isAllowed ? ['allow_once'] : ['reject_once', 'reject_always'];
        const expected = wanted.find((each) => kinds.some((given) => given === each));
        assert.equal(optionFor(kinds.map(option), isAllowed)?.kind, expected);
      }),
      { seed, numRuns: TRIES },
    );
  });
});

describe('classifyPath', () => {
  const isEditAllowed = (real: string, path: typeof win32): boolean => {
    const place = classifyPath(path === win32 ? 'C:\\work' : '/work', real, real, path);
    return decide({ kind: 'edit', places: [place] }, { mayRunCommands: false, mayWriteSettings: false }).isAllowed;
  };
  for (const name of [
    '.claude\\settings.json',
    'docs\\.mcp.json',
    '.claude.\\settings.json',
    '.CLAUDE \\settings.json',
    '.mcp.json::$DATA',
    '.mcp.json. .',
  ]) {
    it(`prevents an agent on Windows from editing ${name}`, () => {
      assert.equal(isEditAllowed(`C:\\work\\${name}`, win32), false);
    });
  }

  it('recognizes settings under spellings that HFS+ treats as the same name', () => {
    assert.equal(isEditAllowed('/project/.cl\u200caude/settings.json', posix), false);
  });

  it('lets an agent on Windows edit other files', () => {
    assert.equal(isEditAllowed('C:\\work\\docs\\claude.md', win32), true);
    assert.deepEqual(classifyPath('C:\\work', 'C:\\work\\docs\\a.md', 'C:\\work\\docs\\a.md', win32), {
      kind: 'inside',
      path: 'docs/a.md',
    });
    assert.deepEqual(classifyPath('C:\\work', 'D:\\a.md', 'D:\\a.md', win32), { kind: 'outside' });
  });
});

describe('locatePath', function () {
  this.timeout(600_000);
  let folder = '';
  let outside = '';

  before(async function () {
    if (process.platform === 'win32') {
      this.skip();
    }
    const parent = await temporaryFolder();
    [folder, outside] = [join(parent, 'work'), join(parent, 'outside')];
    await mkdir(join(folder, 'docs', 'deep'), { recursive: true });
    await mkdir(join(folder, '.git', 'hooks'), { recursive: true });
    await mkdir(outside);
    await writeFile(join(folder, 'docs', 'index.md'), '');
    await writeFile(join(outside, 'secret'), '');
    await symlink(outside, join(folder, 'out'));
    await symlink(join(folder, 'docs'), join(folder, 'in'));
    await symlink(join(outside, 'new'), join(folder, 'dangling'));
    await symlink('.git', join(folder, 'hidden'));
    await symlink('round', join(folder, 'round'));
    await symlink(folder, join(outside, 'back'));
  });

  const cases: [string, PathLocation['kind']][] = [
    ['docs/index.md', 'inside'],
    ['docs/new/page.md', 'inside'],
    ['docs/../README.md', 'inside'],
    ['in/index.md', 'inside'],
    ['out/back/docs/index.md', 'inside'],
    ['.', 'inside'],
    ['.github/workflow.yml', 'inside'],
    ['.gitignore', 'inside'],
    ['..', 'outside'],
    ['../work2/x', 'outside'],
    ['docs/../../outside/secret', 'outside'],
    ['/etc/passwd', 'outside'],
    ['out/secret', 'outside'],
    ['out/..', 'outside'],
    ['out/../docs/index.md', 'outside'],
    ['out/new', 'outside'],
    ['file:///etc/passwd', 'outside'],
    ['.git', 'git'],
    ['.GIT/config', 'git'],
    ['docs/.git/x', 'git'],
    ['hidden/config', 'git'],
    ['.git./config', 'git'],
    ['.git::$INDEX_ALLOCATION/config', 'git'],
    ['.g\u200cit/config', 'git'],
    ['GIT~1/config', 'git'],
    ['dangling', 'unclear'],
    ['round/x', 'unclear'],
    ['docs/index.md/x', 'unclear'],
    ['~/x', 'unclear'],
    ['', 'unclear'],
    ['a\0b', 'unclear'],
    [' docs/index.md', 'unclear'],
    ['\uFEFF/etc/passwd', 'unclear'],
    ['\u00a0/etc/passwd', 'unclear'],
    ['out/secret\n', 'unclear'],
    ['docs\u001b/index.md', 'unclear'],
    ['docs/index\u0085.md', 'unclear'],
    ['docs/my page.md', 'inside'],
    ['file://host/x', 'unclear'],
    ['vscode-userdata:/settings.json', 'unclear'],
    ['a/'.repeat(150), 'inside'],
    ['a/'.repeat(201), 'unclear'],
  ];
  for (const [path, kind] of cases) {
    it(`classifies ${JSON.stringify(path).slice(0, 60)} (${path.length} characters) as ${kind}`, async () =>
      assert.equal((await locatePath(folder, path)).kind, kind));
  }

  it('accepts absolute paths and `file:` URLs inside the folder', async () => {
    assert.deepEqual(await locatePath(folder, join(folder, 'docs')), { kind: 'inside', path: 'docs' });
    assert.deepEqual(await locatePath(folder, `file://${folder}/docs`), { kind: 'inside', path: 'docs' });
  });

  it('never classifies a path as inside when its real path is outside', async () => {
    const part = fc.constantFrom('..', '.', 'docs', 'deep', 'out', 'in', 'back', 'work', 'outside', 'new', '.git', '');
    let inside = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 8 }), async (parts) => {
        const named = parts.join('/');
        const found = await locatePath(folder, named);
        // The path as the system resolves it, and as a program that normalizes the path first resolves it.
        const ways = named.startsWith('/') ? [] : [`${folder}/${named}`, resolve(folder, named)];
        const reals = await Promise.all(ways.map((way) => realpath(way).catch(() => folder)));
        for (const real of found.kind === 'inside' ? reals : []) {
          inside += 1;
          assert.ok(real === folder || real.startsWith(folder + sep), `${named} is ${real}`);
          assert.ok(!real.includes('.git'), named);
        }
      }),
      { seed, numRuns: TRIES },
    );
    report({ promise: 'S12', what: `${TRIES} places that an agent names`, figure: `0 of ${inside} inside were not` });
  });
});
