import { once } from '../../../base/async';
import { type Disposable, DisposableStore } from '../../../base/disposable';
import type { CommandHandlers } from '../../ids';
import { readFindings } from '../../platform/commandArguments';
import type { DocumentationChecks, DocumentationChecksOptions } from './documentationChecks';

/** The checks of documentation, loaded on first use. */
export interface LazyChecks extends Disposable {
  load(): Promise<DocumentationChecks>;
}

export function startChecks(options: DocumentationChecksOptions): LazyChecks {
  const owned = new DisposableStore();
  const load = once(async () => {
    const { DocumentationChecks } = await import('./documentationChecks');
    return owned.add(new DocumentationChecks(options));
  });
  return { load, dispose: () => owned.dispose() };
}

export function checksCommands({ checks }: { checks: LazyChecks }): CommandHandlers {
  return {
    'docsAgent.checkDocumentation': async () => (await checks.load()).check(),
    'docsAgent.fixFindings': async (argument) => (await checks.load()).fix(readFindings(argument)?.findings ?? []),
    'docsAgent.ignoreFinding': async (argument) => (await checks.load()).ignore(readFindings(argument)?.findings ?? []),
  };
}
