#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import { unescape } from 'node:querystring';
import { Redactor } from '../base/redact';
import { checkNode, orExit, runCommandLine } from '../local-service/runCommandLine';
import { streamLogger } from '../local-service/streamLogger';
import { TEAM_USAGE } from './teamUsage';

await orExit(() => main(process.argv.slice(2), fileURLToPath(import.meta.url)));

/** The commands for a team; all others, and none, are the local service's. */
async function main([command = '--help', ...rest]: string[], program: string): Promise<void> {
  switch (command) {
    case 'api': {
      checkNode();
      const { parseApi } = await import('./teamCommandLine');
      const options = parseApi(rest, process.env);
      await (await import('./api')).api(options, logging(options).log);
      return;
    }
    case 'worker': {
      checkNode();
      const { parseWorker } = await import('./teamCommandLine');
      const settings = parseWorker(rest, process.env);
      await (await import('./workerProcess')).workerProcess(settings, program, logging(settings));
      return;
    }
    case 'key':
    case 'project': {
      checkNode();
      const { parseManage } = await import('./teamCommandLine');
      const options = parseManage([command, ...rest], process.env, Date.now());
      process.stdout.write(await (await import('./manage')).manage(options, logging(options).log));
      return;
    }
    case 'help':
    case '--help':
      process.stdout.write(TEAM_USAGE);
      return;
    case 'serve':
      return runCommandLine(rest, program);
    default:
      return runCommandLine([command, ...rest], program);
  }
}

function logging({ database }: { database: string }) {
  const redactor = new Redactor();
  redactor.add(database);
  const { password } = new URL(database);
  redactor.add(password);
  redactor.add(unescape(password));
  return { redactor, log: streamLogger(process.stderr, redactor) };
}
