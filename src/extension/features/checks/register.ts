import * as z from 'zod/mini';
import { once } from '../../../base/async';
import type { App } from '../../app';
import type { CommandHandlers } from '../../ids';
import { reader } from '../../platform/commandArguments';
import { FINDINGS_KEY } from '../../presentation/findingRows';

/** A quick fix passes the numbers of its findings, a menu of the list its rows, which may be of jobs as well. */
const shape = z.object({ findings: z._default(z.array(z.int()), []) });
const read = reader(z.union([z.array(shape), shape]));
const readFindings = (argument: unknown): number[] => [read(argument) ?? []].flat().flatMap(({ findings }) => findings);

export function register(app: App): CommandHandlers {
  const checks = once(async () => {
    const { DocumentationChecks } = await import('./documentationChecks');
    return app.owned.add(new DocumentationChecks(app));
  });
  // Shows them again, after a reload.
  void (app.workspaceState.get(FINDINGS_KEY) === undefined || checks());
  return {
    'docsAgent.checkDocumentation': async (argument) => (await checks()).check(argument !== undefined),
    'docsAgent.fixFindings': async (argument) => (await checks()).fix(readFindings(argument)),
    'docsAgent.fixAllFindings': async (argument) => (await checks()).fix(readFindings(argument)),
    'docsAgent.dismissFindings': async (argument) => (await checks()).dismiss(readFindings(argument)),
    'docsAgent.showFindingCommit': async (argument) => (await checks()).showCommit(readFindings(argument)),
    'docsAgent.ignoreFinding': async (argument) => (await checks()).ignore(readFindings(argument)),
  };
}
