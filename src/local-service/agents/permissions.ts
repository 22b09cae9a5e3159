import { coded, type CodedText } from '../../protocol/codedText';
import type { PermissionOption } from './acpMessages';
import type { PathLocation } from './pathLocation';
import { isAgentSettingsPath } from './repositorySettings';

/** What the project’s settings allow. */
export interface PermissionSettings {
  mayRunCommands: boolean;
  mayWriteSettings: boolean;
}

/** The answer, and why. */
export interface Decision {
  isAllowed: boolean;
  why: CodedText;
}

const READS = ['read', 'search'];
const EDITS = ['edit', 'delete', 'move'];
const COMMANDS = ['execute', 'fetch'];

const allowed = (why: CodedText): Decision => ({ isAllowed: true, why });
const refused = (why: CodedText): Decision => ({ isAllowed: false, why });

/** Whether calls of this kind need permission from the settings. */
export function needsCommands(kind: string): boolean {
  return COMMANDS.includes(kind);
}

export function isEdit(kind: string): boolean {
  return EDITS.includes(kind);
}

/** Why an agent refuses a call itself: it was told not to run commands, or the user has configured it to. */
export function ownRefusal(kind: string): CodedText {
  return needsCommands(kind) ? settingsRefuse(kind) : coded('agentForbids');
}

function settingsRefuse(kind: string): CodedText {
  return coded(kind === 'fetch' ? 'networkForbidden' : 'commandsForbidden');
}

/**
 * Decides what an agent may do: read and edit in the job's folder, and the rest if the project's settings allow commands.
 * What names no place is refused, except thinking.
 */
export function decide(
  { kind, places }: { kind: string; places: readonly PathLocation[] },
  { mayRunCommands, mayWriteSettings }: PermissionSettings,
): Decision {
  if (needsCommands(kind)) {
    return mayRunCommands
      ? allowed(coded(kind === 'fetch' ? 'networkAllowed' : 'commandsAllowed'))
      : refused(settingsRefuse(kind));
  }
  if (places.some((place) => place.kind === 'outside')) {
    return refused(coded('outsideFolder'));
  }
  if (kind === 'think' && places.length === 0) {
    return allowed(coded('onlyThinks'));
  }
  if (!isEdit(kind) && !READS.includes(kind)) {
    // Such as a tool of a server that the user has added. A command could do the same.
    return mayRunCommands ? allowed(coded('commandsAllowed')) : refused(coded('unclearWhat'));
  }
  if (places.length === 0 || places.some((place) => place.kind === 'unclear')) {
    return refused(coded('unclearWhere'));
  }
  if (places.some((place) => place.kind === 'git')) {
    return refused(coded('inGitDirectory'));
  }
  if (
    isEdit(kind) &&
    !mayWriteSettings &&
    places.some((place) => place.kind === 'inside' && isAgentSettingsPath(place.path))
  ) {
    return refused(coded('changesAgentSettings'));
  }
  if (isEdit(kind) && places.some((place) => place.kind === 'inside' && place.path === '')) {
    return refused(coded('wholeFolder'));
  }
  return allowed(coded('insideFolder'));
}

/**
 * The option that allows or refuses this one call; undefined if the agent offers none. An "always" option is never used
 * to allow, because it would apply to calls that were not checked. To refuse, it is better than none.
 */
export function optionFor(options: readonly PermissionOption[], isAllowed: boolean): PermissionOption | undefined {
  const kinds = isAllowed ? ['allow_once'] : ['reject_once', 'reject_always'];
  return kinds.map((kind) => options.find((option) => option.kind === kind)).find((option) => option !== undefined);
}
