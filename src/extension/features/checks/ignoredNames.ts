import { CONFIGURATION_FILE, ConfigurationError, readConfiguration } from '../../../checks/configuration';

/** The longest reason that the file may have, in characters. */
export const MAX_REASON = 500;

/**
 * Returns the settings of a repository's checks with one more ignored name. Keeps everything else, the indentation, and
 * the kind of line ends. A name that is already ignored gets the new reason. Throws ConfigurationError rather than lose
 * something in a file that can't be read.
 *
 * @param text the file's text; undefined for a new file
 */
export function addIgnoredName(text: string | undefined, name: string, reason: string): string {
  const settings = text === undefined ? {} : read(text);
  const others = (settings.ignore ?? []).filter((each) => each.name !== name);
  const json = JSON.stringify({ ...settings, ignore: [...others, { name, reason }] }, null, indentOf(text));
  read(json);
  return `${json}\n`.replaceAll('\n', text?.includes('\r\n') === true ? '\r\n' : '\n');
}

/** The settings as they are in the file, without defaults. */
function read(text: string): { ignore?: { name: string }[] } {
  readConfiguration(text);
  const value = JSON.parse(text) as { ignore?: { name: string }[] };
  // Of several members with the same name, only the last was parsed.
  if (countMembers(text) !== countMembers(JSON.stringify(value))) {
    throw new ConfigurationError(`“${CONFIGURATION_FILE}” has a member twice.`);
  }
  return value;
}

/** Counts the members of all objects in a JSON text: its colons, except those in strings. */
function countMembers(json: string): number {
  return json.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').split(':').length;
}

function indentOf(text = ''): string {
  return /^\{\r?\n([ \t]{1,8})\S/.exec(text.trimStart())?.[1] ?? '  ';
}
