import { type ProjectSettings, projectSettingsSchema } from '../../src/protocol/localService';

/** The settings of a project whose agent is this program, which reads its prompt from standard input. */
export function customAgent(command: readonly string[]): ProjectSettings {
  return projectSettingsSchema.parse({ agent: 'custom', command });
}
