import { resolve } from 'node:path';
import { isConfidential } from '../../base/network';
import { DATA, JOB_SETTINGS, type SettingsOverrides, settingsOf } from '../commandLine';
import { userFolder } from '../dataFolder';
import { flag, readOptions, text, UsageError, usageOf } from '../options';

const OPTIONS = {
  repo: text('DIR', 'repository to work on (default: that of the current folder)'),
  ...DATA,
  url: text(
    'URL',
    'use a service for a team instead, with the key in the environment variable DOCS_AGENT_KEY',
    readServiceUrl,
  ),
  project: text('ID', 'project there'),
  help: flag('show this help'),
};

export interface McpOptions {
  /** A folder in the repository. */
  repo: string;
  data: string;
  settings: SettingsOverrides | undefined;
  /** A service for a team. */
  team: { baseUrl: string; projectId: string; apiKey: string } | undefined;
}

/** Returns undefined when help is asked for. Throws UsageError. */
export function parseMcpCommandLine(args: string[], environment: NodeJS.ProcessEnv): McpOptions | undefined {
  const { help, repo = '.', data, url, project, ...given } = readOptions({ ...OPTIONS, ...JOB_SETTINGS }, args).values;
  if (help) {
    return undefined;
  }
  const settings = settingsOf(given);
  const { DOCS_AGENT_KEY: apiKey } = environment;
  if (url !== undefined && (!project || !apiKey || settings !== undefined)) {
    throw new UsageError('--url needs --project, the variable DOCS_AGENT_KEY, and no job settings.');
  }
  const team = url && project && apiKey ? { baseUrl: url, projectId: project, apiKey } : undefined;
  return { repo: resolve(repo), data: resolve(data ?? userFolder('data', environment)), settings, team };
}

export const mcpUsage = (called: string): string => `Usage: ${called} mcp [options]

Offers documentation jobs and the check to other agents, as an MCP server on standard input and output. It uses the
service that is running with the data folder, or starts one, which stops when it has been idle for half an hour.

${usageOf(OPTIONS)}
Job settings for this repository (if omitted, the last value used, or else the default):
${usageOf(JOB_SETTINGS)}`;

function readServiceUrl(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !isConfidential(url)) {
    throw new UsageError('--url must be an https URL, or an http URL of this machine.');
  }
  return url.href;
}
