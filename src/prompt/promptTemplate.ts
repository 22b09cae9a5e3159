/** What a template names: `$selection` and `$changes` become blocks of context, `$file` a path. */
export type TemplateVariable = 'selection' | 'changes' | 'file';

/** A place for an answer: `$ask{Who reads this?}`. */
export interface Question {
  question: string;
}

/** A backslash in front keeps a variable as text. */
const VARIABLE = /(\\?)\$(?:(selection|changes|file)(?!\w)|ask\{([^{}\r\n]+)\})/g;

/** The variables of a template. */
export function variablesOf(template: string): Set<TemplateVariable> {
  const found = [...template.matchAll(VARIABLE)].filter(([, backslash]) => backslash === '');
  return new Set(found.flatMap(([, , name]) => (name === undefined ? [] : [name as TemplateVariable])));
}

/**
 * Fills in a template; questions are left for the user. Values are literal text: variables in them are not filled in.
 * Blocks are put on lines of their own.
 */
export function fillTemplate(
  template: string,
  values: Partial<Record<TemplateVariable, string>>,
): (string | Question)[] {
  const parts: (string | Question)[] = [];
  let pieces: string[] = [];
  let isAfterBlock = false;
  const put = (more: string): void => {
    const text = isAfterBlock && pieces.length + parts.length > 0 ? `\n\n${more}` : more;
    pieces.push(...(text === '' ? [] : [text]));
    isAfterBlock = false;
  };
  const trimEnd = (): void => {
    let last = '';
    while (last === '' && pieces.length > 0) {
      last = pieces.pop()?.trimEnd() ?? '';
    }
    pieces.push(...(last === '' ? [] : [last]));
  };
  const putText = (more: string): void => {
    // The indentation of a line below a block stays.
    const rest = isAfterBlock ? more.replace(/^\s*\n|^[ \t]+/, '') : more;
    if (rest.trim() !== '' || !isAfterBlock) {
      put(rest);
    }
  };
  let end = 0;
  for (const { 0: all, 1: backslash, 2: name, 3: question, index } of template.matchAll(VARIABLE)) {
    putText(template.slice(end, index));
    end = index + all.length;
    if (backslash !== '') {
      putText(all.slice(1));
    } else if (question !== undefined) {
      put('');
      parts.push(pieces.join(''), { question: question.trim() });
      pieces = [];
    } else if (name === 'file') {
      putText(values.file ?? '');
    } else {
      trimEnd();
      isAfterBlock = true;
      put(values[name as TemplateVariable] ?? '');
      isAfterBlock = true;
    }
  }
  putText(template.slice(end));
  parts.push(pieces.join('').trimEnd());
  return parts.filter((part) => part !== '');
}

/**
 * The questions of a template that a prompt still asks, because their text is where the template put it. A question may
 * be a common word, so what precedes it in its line counts.
 */
export function openQuestions(template: string, prompt: string, translate: (text: string) => string): string[] {
  let before = '\n';
  return fillTemplate(template, { selection: '\0', changes: '\0', file: '\0' }).flatMap((part) => {
    const line = before.slice(Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\0') + 1));
    before += typeof part === 'string' ? part : '\0';
    const question = typeof part === 'string' ? '' : translate(part.question);
    return question !== '' && `\n${prompt}`.includes(line + question) ? [question] : [];
  });
}
