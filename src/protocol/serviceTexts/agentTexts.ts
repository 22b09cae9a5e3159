/** Texts about coding agents: which ones exist, how a turn went, and what an agent may do. */
export const AGENT_TEXTS = {
  // Which agent.
  agentFound: 'Found at {path}.',
  agentFoundWithProgram: 'Found at {path}, which starts {program}.',
  agentNotInstalled: '{title} isn’t installed: “{program}” wasn’t found. {get}',
  agentAndAdapterNotInstalled:
    '{title} isn’t installed. It’s used through “{program}”, an adapter that includes it. {get}',
  adapterNotInstalled: '{title} is installed ({path}), but its adapter “{program}” isn’t. {get}',
  getWithCommand: 'Install it with “{command}”.',
  getAtAddress: 'To install it, see {address}.',
  agentMissing: '{how} Or choose another agent (docsAgent.local.agent, or --agent).',
  agentUnknown: 'There is no agent named “{name}”. Choose auto, custom, or one of {names}.',
  noAgent:
    'No coding agent was found. Install one ({titles}), or set a custom command (docsAgent.local.agentCommand, or --agent-command).',
  onlyAdapterMissing:
    'No usable coding agent was found. {how} Or install another one ({titles}), or set a custom command (docsAgent.local.agentCommand, or --agent-command).',
  noOwnCommand:
    'A custom agent is selected, but its command isn’t set (docsAgent.local.agentCommand, or --agent-command).',
  ownProgramIsRelative:
    '“{program}” is a path relative to the repository, and a repository can’t decide what runs. Use the program’s absolute path (docsAgent.local.agentCommand, or --agent-command).',
  batchFile:
    '“{program}” is a batch file, which can’t be started safely. Set the program that it starts as your custom agent instead.',
  programNotFound:
    'The agent “{program}” wasn’t found. Install it, or choose another agent (docsAgent.local.agent, or --agent).',
  programNotStarted: 'The agent “{program}” couldn’t be started ({code}). Start it in a terminal to see why.',
  ownProgramNotUsed:
    'Couldn’t use “{path}”: {why} The version that comes with the adapter is used instead. Update or remove “{program}”.',

  // How it ended. If the agent reported something itself, that comes first, unless our text says what to do about it.
  saying: '{text} The agent reported: {words}',
  endedSaying: '{words}. {text}',
  agentEndedWithCode: 'The agent failed with exit code {code}.',
  agentEndedBySignal: 'The agent was terminated by {signal}.',
  agentEndedEarly: 'The agent exited before it finished.',
  agentStoppedFromOutside: 'The agent was stopped by another program.',
  agentTooSlow:
    'The agent was started but didn’t respond within {seconds} seconds. Start it in a terminal to see whether it works there.',
  agentTimeOver: 'The agent reached its time limit ({time}). Send a follow-up to continue.',
  agentTookTooLong: 'The agent took too long and was stopped. Send a follow-up to continue.',
  oneSecond: '1 second',
  seconds: '{count} seconds',
  oneMinute: '1 minute',
  minutes: '{count} minutes',
  messageTooLarge:
    'The agent sent a message of more than {megabytes} MB and was stopped. Send a follow-up with a smaller request.',
  agentError: 'The agent reported an error: {words}',
  noSessionName: 'The agent didn’t return a session ID. Install another version.',
  otherProtocolVersion:
    'The agent doesn’t support version {version} of the Agent Client Protocol. Install another version of the agent.',
  unknownEnd: 'The agent returned an unknown stop reason. Install another version.',
  agentRefused: 'The agent declined this request. Rephrase the prompt, or choose another agent.',
  modelFull: 'The agent ran out of context. Try a smaller request.',
  stepsUsedUp: 'The agent reached its step limit. Send a follow-up to continue.',
  agentStoppedItself: 'The agent stopped before it finished. Send a follow-up to continue.',
  commandRefused:
    'The agent stopped when permission for “{title}” was denied. Allow commands (docsAgent.local.permissions, or --allow-commands) or ask for less, then send a follow-up.',
  callRefused:
    'The agent stopped when permission for “{title}” was denied. Ask only for work inside the repository, then send a follow-up.',
  nothingAllowed:
    'Nothing was changed. Denied requests: {count} (see the log). Ask only for work inside the repository, then send a follow-up.',
  nothingWithoutCommands:
    'Nothing was changed. Denied requests: {count} (see the log). Allow commands (docsAgent.local.permissions, or --allow-commands) or ask for less, then send a follow-up.',
  editsLost: 'These edits were denied, or failed because another one was: {names}. The log says why.',

  processesEnded:
    'The agent said it was done while “{name}” was still running, which was ended after {time}. Check the changes for unfinished work, or send a follow-up.',

  // Whether it is signed in.
  unknownAgentNotSignedIn:
    'The agent “{program}” requires you to sign in. Start it in a terminal, sign in, then send the prompt again.',
  keyNotAccepted:
    '{title} rejected the key in {variable}. Set a valid key in the environment that VS Code or the service starts from, restart VS Code and the service, then send a follow-up.',
  notSignedIn:
    '{title} isn’t signed in. {signIn}, or set {variable} and add it to docsAgent.local.environment (or --environment). Then send a follow-up.',
  signInClaude:
    'Run “claude” in a terminal and enter “/login” (or “claude-agent-acp --cli” if only the adapter is installed)',
  signInInProgram: 'Run “{program}” in a terminal and sign in',
  signInCline:
    'Run “cline auth” in a terminal and sign in to Cline or ChatGPT (another provider also needs CLINE_PROVIDER)',
  signInByCommand: 'Run “{command}” in a terminal',

  // Notes in a turn's activity log.
  conversationLost: 'The agent couldn’t resume its session, so the earlier prompts were sent again.',
  moreThanTold: 'Some activity isn’t shown.',
  olderStepsDropped: 'Older activity isn’t available.',
  agentIdle:
    'The agent has been idle for {time}. It may be stuck, or its model may be slow. It runs until its time limit; to continue sooner, stop the run and send a follow-up.',
  agentIdleIn:
    'The agent has been idle for {time} in “{name}”. It may be stuck, or its model may be slow. It runs until its time limit; to continue sooner, stop the run and send a follow-up.',
  waitsForLimit: 'The agent’s usage limit is reached. The run will resume when it resets. The agent reported: {words}',
  agentFinishing: 'The agent said it was done, but “{name}” is still running. Waiting for it for up to {time}.',
  codexRunsCommands:
    'Codex runs commands in its own read-only sandbox without asking. It asks before it edits files or uses the network.',
  cursorDecidesItself:
    'Cursor CLI’s own settings decide which commands it asks about. Commands it doesn’t ask about aren’t denied.',
  mayNotAsk:
    'Docs Agent can’t tell whether this agent asks before it acts. Anything it does without asking isn’t denied.',
  mayNotAskIn:
    'Docs Agent can’t tell whether this agent asks before it acts (mode: {mode}). Anything it does without asking isn’t denied.',
  modeNotSet:
    'Couldn’t switch {title} to “{mode}” mode, in which it asks before it acts. Actions it doesn’t ask about aren’t denied. Install another version.',
  notSandboxed: 'The agent runs without a sandbox. {why}',
  sandboxRequired: 'The agent wasn’t started, because it can’t be sandboxed. {why}',
  sandboxNotHere: 'The sandbox isn’t available on this system.',
  sandboxMissing: '“srt” isn’t installed. Run “npm install --global @anthropic-ai/sandbox-runtime”.',
  sandboxNeeds: '“srt” needs these packages, too: {names}.',
  sandboxFails: '“srt” can’t start: {words}',
  sandboxBeyond: '“srt” can’t allow the host “{host}”, because its name has no dot.',
  sandboxNested:
    '{title} has its own sandbox. It works inside another one only on Linux, with “use_legacy_landlock = true” under “[features]” in its configuration.',
  sandboxUnknownAgent:
    '“{program}” wasn’t tested in the sandbox. To use it there, name a host or folder in docsAgent.local.allowedHosts (or --allow-host) or docsAgent.local.writableFolders (or --allow-folder).',
  sandboxKeyring:
    '{title} may have its sign-in in the desktop’s keyring, which can’t be reached from the sandbox. Set {variable} in the environment instead.',
  hostsBlocked:
    'The sandbox blocked these hosts: {names}. If the agent needs one, add it to docsAgent.local.allowedHosts (or --allow-host).',
  filesBlocked:
    'The sandbox blocked writing to these files: {names}. If the agent needs one, add its folder to docsAgent.local.writableFolders (or --allow-folder).',
  settingsInForce: 'This repository’s settings for coding agents are in effect: {names}.',
  settingsLeftOut:
    'This repository has settings for coding agents. They were left out: {names}. To use them, enable docsAgent.local.repositoryAgentSettings (or --allow-repository-agent-settings).',
  linksLeftOut: 'Links that point outside this repository are left out while the agent runs: {names}.',
  settingsWritten: 'The agent wrote settings for coding agents: {names}. Review them before you merge.',

  // Why a permission is granted or refused.
  unknownRequest: 'The agent sent an unknown permission request, which was denied.',
  beingStopped: 'The agent was being stopped.',
  notAskedOnce: 'The agent didn’t offer an “allow once” option.',
  agentForbids: 'The agent’s own settings don’t allow it.',
  commandsForbidden: 'The project’s settings don’t let the agent run commands.',
  networkForbidden: 'The project’s settings don’t let the agent use the network.',
  commandsAllowed: 'The project’s settings let the agent run commands.',
  networkAllowed: 'The project’s settings let the agent use the network.',
  outsideFolder: 'It’s outside the job folder.',
  onlyThinks: 'It’s only a thinking step.',
  unclearWhat: 'It’s unclear what it would do.',
  unclearWhere: 'It’s unclear which files it would affect.',
  inGitDirectory: 'It’s in the job’s Git directory.',
  changesAgentSettings: 'It could change what a coding agent runs.',
  wholeFolder: 'It’s the whole job folder.',
  insideFolder: 'It’s inside the job folder.',
} as const;
