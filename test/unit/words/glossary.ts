/** One thing that the texts speak of, and the words for it. */
export interface Term {
  /** How English texts name it. */
  english: RegExp;
  /** How German texts name it, wherever the English one does. */
  german: RegExp;
  /** Words for the same thing that no English text uses. */
  instead?: RegExp;
  /** The same in German. */
  germanInstead?: RegExp;
}

/**
 * The words of the product, in both languages. German speaks to people as “Sie” in sentences and uses infinitives for
 * commands and buttons, as the editor itself does. A follow-up is a “Nachtrag”: more to the same job, where
 * “Folgeauftrag” would be another job.
 */
export const GLOSSARY: Readonly<Record<string, Term>> = {
  job: {
    english: /\bjobs?\b/i,
    german: /auftr[aä]g/i,
    instead: /\b(background tasks?|sessions?)\b/i,
    germanInstead: /\b(Jobs?|Aufgaben?)\b/,
  },
  prompt: {
    english: /\bprompts?\b/i,
    german: /prompt/i,
    instead: /\b(query|queries|requests? text)\b/i,
    germanInstead: /\b(Eingabeaufforderung|Anweisung)/,
  },
  followUp: {
    english: /\bfollow-ups?\b/i,
    german: /nachtr[aä]g/i,
    instead: /\bfollow ups?\b(?! on)|\bfollowups?\b/,
    germanInstead: /Follow-?up|Folgeauftr|Nachverfolgung/i,
  },
  pullRequest: {
    english: /\bpull requests?\b/i,
    german: /Pull[ -]requests?/i,
    instead: /\bPRs?\b|\b[Mm]erge requests?\b/,
    germanInstead: /\bPRs?\b(?!ü)|Pullanforderung|Merge[ -]Request/,
  },
  apiKey: {
    english: /\bAPI keys?\b/,
    german: /API-Schlüssel/,
    instead: /\bapi key|\bcredentials?\b|\bAPI token\b(?! with)/,
    germanInstead: /API-Key|\bKeys?\b|Anmeldedaten/,
  },
  localService: {
    english: /\blocal service\b/i,
    german: /lokale[nrms]? Dienst/i,
    instead: /\b(daemon|backend|server process)\b/i,
    germanInstead: /\b(Daemon|Backend|Service)\b/,
  },
  hostedService: { english: /\bhosted service\b/i, german: /gehostete[nrms]? Dienst/i },
  codingAgent: {
    english: /\bcoding agents?\b/i,
    german: /Coding-Agent/,
    instead: /\b(bot|assistant|AI|LLM)s?\b/,
    germanInstead: /\b(Bot|Assistent|KI)\b/,
  },
  codeHost: {
    english: /\bcode hosts?\b/i,
    german: /Codeplattform/,
    instead: /\bforges?\b/i,
    germanInstead: /Code-Host|Forge/,
  },
  project: { english: /\bprojects?\b/i, german: /projekt/i },
  repository: {
    english: /\brepositor(y|ies)\b/i,
    german: /Repository/,
    instead: /\brepos?\b/i,
    germanInstead: /\bRepos?\b/,
  },
  workspace: { english: /\bworkspaces?\b/i, german: /Arbeitsbereich/, germanInstead: /Workspace/ },
  folder: {
    english: /\bfolders?\b/i,
    german: /ordner/i,
    instead: /\bdirector(y|ies)\b/i,
    germanInstead: /(?<!Arbeits)verzeichnis/i,
  },
  branch: { english: /\bbranch(es)?\b/i, german: /Branch/, germanInstead: /Zweig/ },
  commit: { english: /\bcommits?\b/i, german: /commit/i },
  template: { english: /\btemplates?\b/i, german: /vorlage/i, germanInstead: /Template/ },
  setting: {
    english: /\bsettings?\b/i,
    german: /einstellung/i,
    instead: /\b(preferences?|configuration|config)\b/i,
    germanInstead: /Konfiguration|Präferenz/,
  },
  log: { english: /\blog\b(?! in)/i, german: /protokoll/i, germanInstead: /\bLogs?\b/ },
  baseUrl: { english: /\bbase URL\b/i, german: /Basis-URL/ },
  secret: { english: /\bsecrets?\b/i, german: /geheimnis/i },
  blotOut: { english: /\bblot(ted)? out\b/i, german: /schwärz/i, instead: /\b(redact|mask)(ed)?\b/i },
  list: { english: /\blist\b(?! of lines)/i, german: /list/i },
  signIn: {
    english: /\bsign in\b/i,
    german: /anmeld|melden Sie sich/i,
    instead: /\blog(ged)? ?in\b/i,
    germanInstead: /einlogg/i,
  },
  organisation: { english: /\borganisation\b/i, german: /Organisation/, instead: /\borganization/i },
  machine: { english: /\bthis machine\b/i, german: /diese[nrms]? Computer/i, germanInstead: /Maschine|Rechner/ },
};
