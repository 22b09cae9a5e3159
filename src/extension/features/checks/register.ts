import * as z from 'zod/mini';
import { once } from '../../../base/async';
import type { App } from '../../app';
import type { CommandHandlers } from '../../ids';
import { reader } from '../../platform/commandArguments';

/** The numbers of findings in the Problems view. */
const readFindings = reader(z.object({ findings: z.array(z.int()) }));

export function register(app: App): CommandHandlers {
  const checks = once(async () => {
    const { DocumentationChecks } = await import('./documentationChecks');
    return app.owned.add(new DocumentationChecks(app));
  });
  return {
    'docsAgent.checkDocumentation': async () => (await checks()).check(),
    'docsAgent.fixFindings': async (argument) => (await checks()).fix(readFindings(argument)?.findings ?? []),
    'docsAgent.showFindingCommit': async (argument) =>
      (await checks()).showCommit(readFindings(argument)?.findings ?? []),
    'docsAgent.ignoreFinding': async (argument) => (await checks()).ignore(readFindings(argument)?.findings ?? []),
  };
}
