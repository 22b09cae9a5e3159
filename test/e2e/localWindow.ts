import { createSampleRepository } from '../support/temporaryRepository';
import { scriptedServiceSettings } from '../support/vscode/scriptedService';
import type { WindowOptions } from './window';

/** How long a job of the scripted agent may take on a busy machine, in milliseconds. */
export const JOB_LIMIT = 60_000;

/** A window on a sample repository. The real local service runs its jobs with the scripted agent. */
export function localWindow(): WindowOptions {
  return { fill: createSampleRepository, settings: scriptedServiceSettings() };
}
