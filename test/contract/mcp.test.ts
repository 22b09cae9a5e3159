import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { DOCS_TOOLS, inputSchemaOf, type DocsTool } from '../../src/protocol/docsTools';
import { SCRIPTED_AGENT, SERVICE, startService, testNode } from '../support/serviceProcess';
import { createSampleRepository, git, sampleRepository, temporaryFolder } from '../support/temporaryRepository';
import { waitUntil } from './contractBench';

const AGENT = ['--no-pull-requests', '--agent-command', JSON.stringify([testNode(), SCRIPTED_AGENT])];
const ENVIRONMENT = { PATH: process.env['PATH'] ?? '' };

interface Answer {
  isError: boolean;
  text: string;
  facts: Record<string, unknown>[];
}

interface Options {
  cwd?: string;
  env?: Record<string, string>;
  mode?: 'legacy' | 'auto';
}

describe('the MCP server', function () {
  const open: Client[] = [];
  const started: string[] = [];
  let home: string;
  let repo: string;
  let data: string;

  before(async () => {
    [home, repo, data] = await Promise.all([temporaryFolder(), sampleRepository(), temporaryFolder()]);
    started.push(data);
  });
  afterEach(() => Promise.all(open.splice(0).map((each) => each.close())));
  after(() => Promise.all(started.map(async (folder) => process.kill(await servicePid(folder), 'SIGTERM'))));

  const servicePid = async (folder: string): Promise<number> =>
    (JSON.parse(await readFile(join(folder, 'state.json'), 'utf8')) as { pid: number }).pid;

  async function connect(args: string[], { cwd = repo, env = {}, mode }: Options = {}) {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: mode ?? 'legacy' } });
    open.push(client);
    const server = {
      command: testNode(),
      args: [SERVICE, 'mcp', ...args],
      cwd,
      env: { ...ENVIRONMENT, HOME: home, ...env },
    };
    await client.connect(new StdioClientTransport({ ...server, stderr: 'ignore' }));
    const call = async (tool: DocsTool, input: Record<string, unknown> = {}): Promise<Answer> => {
      const { content, structuredContent, isError = false } = await client.callTool({ name: tool, arguments: input });
      const text = content.map((part) => (part.type === 'text' ? part.text : '?')).join('');
      const [sentence, ...lines] = text.split('\n');
      const facts = isError ? [] : lines.map((line) => JSON.parse(line) as Record<string, unknown>);
      deepStrictEqual(structuredContent, isError ? undefined : { sentence, facts });
      return { isError, text, facts };
    };
    return { client, call };
  }

  type Call = Awaited<ReturnType<typeof connect>>['call'];

  /** Gets the job until it has ended. */
  async function ended(call: Call, job: unknown): Promise<Answer> {
    let answer: Answer | undefined;
    await waitUntil(async () => (answer = await call('docsAgent_getJob', { job })).facts[0]?.['status'] !== 'active');
    return answer ?? { isError: true, text: '', facts: [] };
  }

  for (const mode of ['legacy', 'auto'] as const) {
    it(`offers the tools of the table to ${mode === 'auto' ? 'new' : 'old'} clients without starting a service`, async () => {
      const { client } = await connect(['--data', join(home, 'none')], { mode });
      strictEqual(client.getProtocolEra(), mode === 'auto' ? 'modern' : 'legacy');
      const { tools } = await client.listTools();
      deepStrictEqual(
        tools.map(({ name, title, description, inputSchema, annotations }) => [
          ...[name, title, description, inputSchema, annotations],
        ]),
        Object.entries(DOCS_TOOLS).map(([name, { title, description, hints }]) => [
          ...[name, title, description, inputSchemaOf(name as DocsTool), hints],
        ]),
      );
    });
  }

  it('starts a service, creates a job there, returns its state and result, and sends follow-ups', async () => {
    const { call } = await connect(['--data', data, ...AGENT]);
    const created = await call('docsAgent_createJob', { prompt: 'Document the retry policy\n\nIn detail.' });
    match(created.text, /^The job was accepted\. .*do not wait for it\.\n/);
    const [made] = created.facts;
    deepStrictEqual([made?.['status'], made?.['title']], ['active', 'Document the retry policy']);
    const first = await ended(call, made?.['id']);
    match(first.text, /^It finished with changes to review\. In the changed words, /);
    const [job] = first.facts;
    match(String(job?.['summary']), /wrote docs\/retry-policy\.md/);
    match(JSON.stringify(job?.['changedWords']), /"docs\/retry-policy\.md","changes":\["\{\+# Retry policy\+\}"/);
    match(await git(repo, 'log', '-1', '--format=%s', String(job?.['branch'])), /Document the retry policy/);

    strictEqual(job?.['toMerge'], `node service.mjs merge ${String(job?.['id'])}`);
    ok((await fetch(String(job['reviewPage']), { redirect: 'manual' })).headers.has('set-cookie'));

    await writeFile(join(repo, 'unsaved.md'), 'mine');
    const followUp = await call('docsAgent_sendFollowUp', { job: job['id'], prompt: 'Extend README.md' });
    match(followUp.text, /^The follow-up was accepted\./);
    match(String((await ended(call, job['id'])).facts[0]?.['summary']), /^extended README\.md/);
    const second = await call('docsAgent_createJob', { prompt: '[scripted: fail] It’s\u200B so' });
    match(second.text, /It does not see the uncommitted changes in the repository\./);
    match((await ended(call, second.facts[0]?.['id'])).text, /^It failed\.\n.*told to fail/);
    const list = await call('docsAgent_listJobs');
    deepStrictEqual(
      list.facts.map(({ id, status, followUps }) => [id, status, followUps]),
      [
        [second.facts[0]?.['id'], 'failed', 0],
        [job['id'], 'completed', 1],
      ],
    );
    const newest = await call('docsAgent_listJobs', { limit: 1 });
    match(newest.text, /^Jobs, newest first: 1\. Older jobs are not shown\./);
    deepStrictEqual((await call('docsAgent_listJobs', { status: 'archived' })).text, 'No job matches.');
  });

  it('uses the service that runs, also one that another server is starting', async () => {
    const pid = await servicePid(data);
    const { call } = await connect(['--data', data]);
    strictEqual((await call('docsAgent_listJobs')).facts.length, 2, 'without settings, those of the project stay');
    strictEqual(await servicePid(data), pid);
    const other = await temporaryFolder();
    started.push(other);
    const both = await Promise.all([connect(['--data', other]), connect(['--data', other])]);
    const answers = await Promise.all(both.map((each) => each.call('docsAgent_listJobs')));
    deepStrictEqual(
      answers.map(({ text }) => text),
      ['No job matches.', 'No job matches.'],
    );
  });

  it('changes the settings of the project only when it sends a prompt', async () => {
    const reading = await connect(['--data', data, '--agent', 'goose']);
    await reading.call('docsAgent_listJobs');
    const { call } = await connect(['--data', data]);
    match((await call('docsAgent_createJob', { prompt: 'Document more' })).text, /^The job was accepted\./);
  });

  it('checks the documentation on disk, and the lines added since a commit', async () => {
    const folder = await sampleRepository();
    await writeFile(join(folder, 'limits.ts'), 'export const MAX_RETRY_COUNT = 3;\n');
    await writeFile(join(folder, 'limits.md'), 'Set `MAX_RETRY_COUNT`.\n');
    await git(folder, 'add', '.');
    await git(folder, 'commit', '--quiet', '-m', 'Add a limit');
    await writeFile(join(folder, 'limits.ts'), 'export const MAX_TRIES = 3;\n');
    await git(folder, 'commit', '--quiet', '-am', 'Rename it');
    const { call } = await connect(['--repo', folder], { cwd: home });
    const { text, facts } = await call('docsAgent_checkDocs');
    match(text, /^1 problem was found\. Checked \d+ names/);
    deepStrictEqual([facts[0]?.['page'], facts[0]?.['line']], ['limits.md', 1]);
    match((await call('docsAgent_checkDocs', { base: 'HEAD' })).text, /^0 problems were found\./);
  });

  it('uses a service for a team by its URL and a key in the environment', async () => {
    const service = await startService({ repo: await sampleRepository() });
    try {
      const args = ['--url', service.baseUrl, '--project', service.projectId];
      const { call } = await connect(args, { env: { DOCS_AGENT_KEY: service.key } });
      const { facts } = await call('docsAgent_createJob', { prompt: 'Document the retry policy' });
      match((await ended(call, facts[0]?.['id'])).text, /^It finished with changes to review\./);
      const wrong = await connect(args, { env: { DOCS_AGENT_KEY: `local_${'0'.repeat(64)}` } });
      match((await wrong.call('docsAgent_listJobs')).text, /^The service rejected the key\. The user has to check/);
    } finally {
      await service.stop();
    }
  });

  it('returns errors as results that say what to do', async () => {
    const nowhere = await temporaryFolder();
    const foreign = await temporaryFolder();
    await writeFile(join(foreign, 'thesis.txt'), 'mine');
    const stateFile = join(await temporaryFolder(), 'state.json');
    const editors = await startService({ stateFile });
    await writeFile(join(editors.data, 'state.json'), await readFile(stateFile));
    const clone = join(nowhere, 'jobs', '0123456789abcdef', 'work');
    await mkdir(clone, { recursive: true });
    await createSampleRepository(clone);
    const usual = ['--data', data];
    const prompt = 'Document the limits';
    const cases: [string[], DocsTool, Record<string, unknown>, RegExp, string?][] = [
      [usual, 'docsAgent_getJob', { job: 'none' }, /^There is no such job in this project\. Use docsAgent_listJobs/],
      [
        usual,
        'docsAgent_sendFollowUp',
        { job: 'https://x.example/pull/1', prompt },
        /^There is no such job.*Nothing was sent/,
      ],
      [usual, 'docsAgent_createJob', { prompt: ' \n' }, /nothing was done\. Check: prompt\./],
      [usual, 'docsAgent_createJob', { prompt, project: 'x' }, /nothing was done\. It takes only the fields/],
      [[...usual, '--agent', 'droid'], 'docsAgent_createJob', { prompt }, /^Nothing was sent: no coding agent/],
      [
        usual,
        'docsAgent_createJob',
        { prompt },
        /^The service refused this\. Nothing was sent\..*not a Git repository|isn’t in a Git/,
        nowhere,
      ],
      [usual, 'docsAgent_createJob', { prompt }, /^This is the clone of a documentation job/, clone],
      [usual, 'docsAgent_checkDocs', {}, /^The documentation could not be checked: .*not a git repository/, nowhere],
      [
        usual,
        'docsAgent_checkDocs',
        { base: 'none' },
        /^The documentation could not be checked: There is no commit “none”/,
      ],
      [['--data', foreign], 'docsAgent_createJob', { prompt }, /contains files from another program/],
      [['--data', editors.data], 'docsAgent_listJobs', {}, /^This service was started by VS Code/],
      [
        ['--url', 'http://127.0.0.1:1', '--project', 'p'],
        'docsAgent_createJob',
        { prompt },
        /^The service can’t be reached\. .* Nothing was sent\./,
      ],
    ];
    try {
      for (const [args, tool, input, expected, cwd] of cases) {
        const { call } = await connect(args, { env: { DOCS_AGENT_KEY: 'none' }, ...(cwd !== undefined && { cwd }) });
        const { isError, text } = await call(tool, input);
        match(text, expected);
        ok(isError, text);
      }
    } finally {
      await editors.stop();
    }
  });

  it('writes only the protocol to standard output, ends with standard input, and leaves jobs to the service', async () => {
    const args = [SERVICE, 'mcp', '--data', data, ...AGENT];
    const child = spawn(testNode(), args, { cwd: repo, env: { ...ENVIRONMENT, HOME: home }, stdio: 'pipe' });
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
    const exit = once(child, 'exit');
    const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const initialize = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
    send({ id: 1, method: 'initialize', params: initialize });
    send({ method: 'notifications/initialized' });
    const prompt = 'Document the quota [scripted: wait 1500]';
    send({ id: 2, method: 'tools/call', params: { name: 'docsAgent_createJob', arguments: { prompt } } });
    await waitUntil(() => said.includes('"id":2'));
    const { call } = await connect(['--data', data]);
    strictEqual((await call('docsAgent_listJobs', { status: 'active' })).facts.length, 1);
    child.stdin.end();
    deepStrictEqual(await exit, [0, null]);
    const messages = said.trimEnd().split('\n');
    deepStrictEqual(
      messages.map((line) => (JSON.parse(line) as { id: number }).id),
      [1, 2],
    );
    const [job] = (await call('docsAgent_listJobs')).facts;
    match((await ended(call, job?.['id'])).text, /^It finished with changes to review\./);
  });

  it('says how it is used', async () => {
    for (const [args, expected] of [
      [['mcp', '--help'], /^Usage: node service\.mjs mcp \[options\]/],
      [['mcp', '--url', 'https://x.example'], /--url needs --project/],
      [['mcp', '--url', 'http://x.example'], /--url must be an https URL/],
      [['--help'], /“node service\.mjs mcp --help” explains/],
    ] as const) {
      const child = spawn(testNode(), [SERVICE, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
      const texts = await Promise.all([child.stdout, child.stderr].map((each) => each.setEncoding('utf8').toArray()));
      match(texts.flat().join(''), expected);
    }
  });
});
