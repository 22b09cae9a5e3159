import { match, ok, strictEqual } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { waitUntil } from '../../../contract/contractBench';
import { problemOfInstall, type RealAgent, realAgent } from '../../../support/realAgents';
import { report } from '../../../support/scale';
import { SCRIPTED_AGENT, SERVICE, testNode } from '../../../support/serviceProcess';
import { git, sampleRepository, temporaryFolder } from '../../../support/temporaryRepository';

const isWanted = process.env['DOCS_AGENT_TEST_LONG'] === '1' || process.env['DOCS_AGENT_TEST_REAL_AGENTS'] === '1';

/** Configures the server as users do. Returns the command that sends a prompt, without the prompt. */
const CLIENTS = {
  claude: async (bin: string, repo: string, server: readonly string[]) => {
    const [command, ...args] = server;
    await writeFile(join(repo, '.mcp.json'), JSON.stringify({ mcpServers: { 'docs-agent': { command, args } } }));
    const programs = join(dirname(bin), '@anthropic-ai');
    const own = (await readdir(programs)).find((name) => name.startsWith('claude-agent-sdk-')) ?? '';
    const allowed = ['--mcp-config', join(repo, '.mcp.json'), '--allowedTools', 'mcp__docs-agent'];
    return [join(programs, own, 'claude'), ...allowed, '--print'];
  },
  opencode: async (bin: string, repo: string, server: readonly string[]) => {
    const mcp = { 'docs-agent': { type: 'local', command: server, enabled: true } };
    await writeFile(join(repo, 'opencode.json'), JSON.stringify({ mcp }));
    return [join(bin, 'opencode'), 'run'];
  },
};

for (const name of ['claude', 'opencode'] as const) {
  describe(`the MCP server and the real agent ${name}, with a scripted model`, function () {
    this.timeout(600_000);
    let agent: RealAgent | undefined;
    let data = '';
    const servicePid = async () =>
      (JSON.parse(await readFile(join(data, 'state.json'), 'utf8')) as { pid: number }).pid;

    before(async function () {
      const why = isWanted ? await problemOfInstall(name) : 'only in the long run';
      if (why !== undefined) {
        report({ promise: 'S12', what: `${name} and the MCP server`, figure: `skipped: ${why}` });
        this.test?.parent?.eachTest((test) => (test.title += ` (skipped: ${why})`));
        this.skip();
      }
    });
    after(async () => {
      await agent?.close();
      const pid = await servicePid().catch(() => undefined);
      if (pid !== undefined) {
        process.kill(pid, 'SIGTERM');
      }
    });

    it('create a job that runs, and read its state and its work', async () => {
      const own = (agent = await realAgent(name));
      const repo = await sampleRepository();
      data = await temporaryFolder();
      const scripted = ['--no-pull-requests', '--agent-command', JSON.stringify([testNode(), SCRIPTED_AGENT])];
      const server = [testNode(), SERVICE, 'mcp', '--data', data, ...scripted];
      const [program = '', ...args] = await CLIENTS[name](dirname(own.command[0] ?? ''), repo, server);
      /** Resolves to all that the model has seen. */
      const ask = async (prompt: string): Promise<string> => {
        // By default, Claude Code shows a model the names of such tools only, until it asks for them.
        const env = { ...own.environment, ENABLE_TOOL_SEARCH: 'false' };
        const child = spawn(program, [...args, prompt], { cwd: repo, env, stdio: ['ignore', 'pipe', 'pipe'] });
        const output = [child.stdout, child.stderr].map((each) => each.setEncoding('utf8').toArray());
        const [code] = (await once(child, 'exit')) as [number | null];
        strictEqual(code, 0, (await Promise.all(output)).flat().join(''));
        return own.asked().at(-1) ?? '';
      };

      const created = await ask('[tool: docsAgent_createJob {"prompt":"Document the quota"}]');
      match(created, /The job was accepted\. The agent is working on it/);
      const pid = await servicePid();
      const [, id = ''] = /id\\*":\\*"([0-9a-f]{16})/.exec(created) ?? [];
      const job = { text: '' };
      await waitUntil(async () => {
        job.text = await ask(`[tool: docsAgent_getJob {"job":"${id}"}]`);
        return !job.text.includes('The agent is working on it.');
      }, 120_000);
      strictEqual(await servicePid(), pid, 'the service outlives its client');
      match(job.text, /It finished with changes to review\./);
      match(job.text, /wrote docs\/quota\.md.*# Quota/s);
      const branches = await git(repo, 'for-each-ref', '--format=%(subject)', 'refs/heads/docs-agent/');
      ok(branches.includes('Document the quota'));
      report({ promise: 'S12', what: `${name} as a client of the MCP server`, figure: 'created a job, read its work' });
    });
  });
}
