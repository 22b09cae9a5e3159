import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { DOCS_TOOLS, type DocsTool, inputSchemaOf } from '../../protocol/docsTools';
import { McpTools } from './mcpTools';
import { mcpUsage, parseMcpCommandLine } from './mcpCommandLine';

const TOOLS = Object.keys(DOCS_TOOLS) as DocsTool[];

/** Serves the tools until standard input ends. Only the protocol is written to standard output. Throws UsageError. */
export function mcp(args: string[], program: string, called: string): void {
  const options = parseMcpCommandLine(args, process.env);
  if (options === undefined) {
    process.stdout.write(mcpUsage(called));
    return;
  }
  const tools = new McpTools(options, program, called);
  process.stdin.once('close', () => void tools.dispose());
  serveStdio(() => {
    const mcpServer = new McpServer({ name: 'docs-agent', version: '1' }, { capabilities: { tools: {} } });
    const { server } = mcpServer;
    server.setRequestHandler('tools/list', () => ({
      tools: TOOLS.map((name) => {
        const { title, description, hints } = DOCS_TOOLS[name];
        return { name, title, description, inputSchema: inputSchemaOf(name), annotations: hints };
      }),
    }));
    server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
      const tool = TOOLS.find((each) => each === params.name);
      return tools.call(tool, params.arguments, mcpReq.signal);
    });
    return mcpServer;
  });
}
