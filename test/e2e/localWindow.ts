import { createSampleRepository } from '../support/temporaryRepository';
import { scriptedServiceSettings } from '../support/vscode/scriptedService';
import type { WindowOptions } from './window';

/** A window on a sample repository. The real local service runs its jobs with the scripted agent. */
export function localWindow(): WindowOptions {
  return { fill: createSampleRepository, settings: scriptedServiceSettings() };
}
