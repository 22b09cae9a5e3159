/** Texts about coding agents: which ones exist, how a turn went, and what an agent may do. */
export const AGENT_TEXTS = {
  // Which agent.
  agentFound: 'Found at {path}.',
  agentFoundWithProgram: 'Found at {path}; it starts {program}.',
  agentNotInstalled: '{title} is not installed: “{program}” was not found. {get}',
  adapterNotInstalled: '{title} is installed ({path}), its adapter “{program}” is not. {get}',
  getWithCommand: 'Get it with “{command}”.',
  getAtAddress: 'To get it, see {address}.',
  agentMissing: '{how} Or choose another agent (docsAgent.local.agent, or --agent).',
  agentUnknown: 'There is no agent named “{name}”. Choose auto, custom, or one of {names}.',
  noAgent:
    'No coding agent was found. Install one ({titles}), or name your own command (docsAgent.local.agentCommand, or --agent-command).',
  onlyAdapterMissing:
    'No coding agent was found. {how} Install one ({titles}), or name your own command (docsAgent.local.agentCommand, or --agent-command).',
  noOwnCommand: 'The settings name an agent of your own and no command for it. Name its program there.',
  ownProgramIsRelative:
    '“{program}” is a path from the folder of the repository, and nothing in a repository decides what runs. Name the program by its absolute path (docsAgent.local.agentCommand, or --agent-command).',
  ownScriptInRepository:
    '“{path}” in your agent’s command is a file of the repository, and nothing in a repository decides what runs. Name the script by its absolute path (docsAgent.local.agentCommand, or --agent-command).',
  ownModulesInRepository:
    '“{program}” in your agent’s command would look for modules in the repository first, and nothing in a repository decides what runs. Put -P before the other arguments (Python 3.11 or newer), or name the agent’s own program (docsAgent.local.agentCommand, or --agent-command).',
  ownProgramFollowsFiles:
    '“{program}” in your agent’s command does what files of the repository say, and nothing in a repository decides what runs. Name a folder or file outside by its absolute path (such as -f, -C or --directory), or the agent’s own program (docsAgent.local.agentCommand, or --agent-command).',
  batchFile:
    '“{program}” is a batch file, which can’t be started safely. Name the program that it starts as your own agent in the settings.',
  programNotFound:
    'The agent program “{program}” was not found. Install it, or choose another agent (docsAgent.local.agent, or --agent).',
  programNotStarted: 'The agent program “{program}” could not be started ({code}). Start it in a terminal to see why.',
  ownProgramNotUsed:
    '“{path}” could not be used: {why} The one that comes with the adapter is used. Update “{program}”, or remove it.',

  // How it ended.
  agentEndedWithCode: 'agent ended with code {code}',
  agentEndedBySignal: 'agent ended by {signal}',
  withWords: '{text}: {words}',
  agentEndedEarly: 'The agent ended before it was done.',
  agentEndedEarlySaying: 'The agent ended before it was done: {words}',
  agentStoppedFromOutside: 'The agent was stopped from outside.',
  agentTooSlow:
    'The agent was started and did not answer within {seconds} seconds. Start it in a terminal to see whether it works there.',
  agentTimeOver: 'The agent did not end within {time} and was stopped. Send a follow-up to let it go on.',
  agentTookTooLong: 'The agent took too long and was stopped. Send a follow-up to let it go on.',
  oneSecond: '1 second',
  seconds: '{count} seconds',
  oneMinute: '1 minute',
  minutes: '{count} minutes',
  messageTooLarge: 'The agent sent a message of more than {megabytes} MB and was stopped.',
  agentError: 'The agent answered with an error: {words}',
  noSessionName: 'The agent began a conversation and did not name it. Install another version of the agent.',
  otherProtocolVersion:
    'The agent does not speak version {version} of the Agent Client Protocol. Install another version of it.',
  unknownEnd: 'The agent ended its turn in a form that is not known. Install another version of it.',
  agentRefused: 'The agent refused to go on with this. Word the message in another way, or choose another agent.',
  modelFull: 'The agent reached the limit of what its model can hold before it was done. Ask for less at a time.',
  stepsUsedUp: 'The agent reached the limit of its steps before it was done. Send a follow-up to let it go on.',
  agentStoppedItself: 'The agent stopped by itself before it was done. Send a follow-up to let it go on.',
  commandRefused:
    'The agent ended when it was refused “{title}”. Allow commands (setting docsAgent.local.permissions, or --allow-commands), or ask for less, and send a follow-up.',
  callRefused:
    'The agent ended when it was refused “{title}”. Ask for work inside the repository only, and send a follow-up.',

  // Whether it is signed in. `saying` wraps a text if the agent reported something itself.
  saying: '{text} It says: {words}',
  unknownAgentNotSignedIn:
    'The agent “{program}” wants you to sign in. Start it once in a terminal, sign in there, and send the message again.',
  keyNotAccepted:
    '{title} was not let in with the key in {variable}. Change the key where the editor or the service was started, and send a follow-up.',
  notSignedIn:
    '{title} is not signed in. {signIn}, or set {variable} and name it in docsAgent.local.environment (or --environment). Then send a follow-up.',
  signInClaude:
    'Run “claude” in a terminal and enter “/login” (“claude-agent-acp --cli” where only the adapter is installed)',
  signInGemini: 'Run “gemini” in a terminal and sign in there',
  signInByCommand: 'Run “{command}” in a terminal',

  // Notes in a turn's activity log.
  conversationLost: 'The agent could not go on in its earlier conversation. It was told the earlier messages anew.',
  moreThanTold: 'The agent did more than is told here.',
  olderStepsDropped: 'Older steps of the agent are not kept.',
  agentSilent: 'No sign of the agent for {seconds} s. It goes on until its time is over.',
  codexRunsCommands:
    'Codex runs commands without asking in its own sandbox, where they can only read. It asks before it edits files or reaches the network.',
  cursorDecidesItself:
    'Cursor CLI decides by its own settings which commands it asks for: set them there. What it does not ask for is not refused.',
  modeNotSet:
    '{title} could not be switched to its mode “{mode}”, in which it asks before it acts. What it does without asking is not refused. Install another version of it.',
  notConfinedHere: 'The agent is not confined: that is not possible on this system.',
  notConfined:
    'The agent is not confined: {names} was not found. Install it (npm install --global @anthropic-ai/sandbox-runtime) with all that it needs, or switch confinement off.',
  settingsInForce:
    'This repository brings settings of coding agents or of programs that they start, and they are in force: {names}.',
  settingsLeftOut:
    'This repository brings settings of coding agents or of programs that they start. They are left out: {names}. To use them, switch on docsAgent.local.repositoryAgentSettings (or --allow-repository-agent-settings).',
  packageFieldsRenamed:
    'The package.json of this repository names programs that npx would run in place of others. While the agent runs, “bin”, “directories” and “workspaces” have “//” before their names there. To prevent that, switch on docsAgent.local.repositoryAgentSettings (or --allow-repository-agent-settings).',
  linksLeftOut: 'Links that lead out of this repository are left out while the agent runs: {names}.',
  settingsWritten:
    'The agent wrote settings of coding agents or of programs that they start: {names}. Look at them before you merge.',

  // Why a permission is granted or refused.
  unknownRequest: 'The agent asked for a permission in a form that is not known. It was refused.',
  beingStopped: 'The agent was being stopped.',
  notAskedOnce: 'The agent does not ask for this once alone.',
  agentForbids: 'The agent’s own settings do not allow it.',
  commandsForbidden: 'The settings of the project do not let the agent run commands.',
  networkForbidden: 'The settings of the project do not let the agent reach the network.',
  commandsAllowed: 'The settings of the project let the agent run commands.',
  networkAllowed: 'The settings of the project let the agent reach the network.',
  outsideFolder: 'It is outside the folder of the job.',
  onlyThinks: 'It only thinks.',
  unclearWhat: 'It is unclear what it would do.',
  unclearWhere: 'It is unclear where it would do that.',
  inGitDirectory: 'It is in the git directory of the job.',
  changesAgentSettings: 'It could change what a coding agent runs.',
  wholeFolder: 'It is the folder of the job as a whole.',
  insideFolder: 'It is inside the folder of the job.',
} as const;
