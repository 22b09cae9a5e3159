/** A template as a setting holds it. */
export interface SettingTemplate {
  name: string;
  text: string;
}

export interface SettingTemplates {
  templates: readonly SettingTemplate[];
  /** Names of entries that are neither text nor lines of text. */
  unreadable: readonly string[];
}

/** Reads an object from names to a text or a list of lines; `null` hides what has that name. */
export function readSettingTemplates(value: unknown): SettingTemplates {
  const entries = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
  const read = entries.filter(([, held]) => held !== null).map(([name, held]) => ({ name, text: textOf(held) }));
  return {
    templates: read.flatMap(({ name, text }) => (text === undefined ? [] : [{ name, text }])),
    unreadable: read.filter(({ text }) => text === undefined).map(({ name }) => name),
  };
}

function textOf(held: unknown): string | undefined {
  const lines: unknown[] = Array.isArray(held) ? held : [held];
  const isText = lines.every((line) => typeof line === 'string');
  return isText && lines.join('').trim() !== '' ? lines.join('\n') : undefined;
}
