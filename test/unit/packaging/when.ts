/** The context keys of a window. */
export type Context = Readonly<Record<string, string | boolean | number>>;

/** Evaluates a `when` clause of the manifest like the editor does. Supports only the syntax that ours use. */
export function holds(when: string, context: Context): boolean {
  const tokens = when.match(/\/(?:\\.|[^/\\])+\/[a-z]*|&&|\|\||=~|==|!=|[!()>]|[\w.-]+/g) ?? [];
  const operand = (): boolean => {
    const token = tokens.shift() ?? '';
    if (token === '!') {
      return !operand();
    }
    if (token === '(') {
      const inner = any();
      if (tokens.shift() !== ')') {
        throw new Error(`no “)” in ${when}`);
      }
      return inner;
    }
    return compared(context[token]);
  };
  const compared = (value: Context[string] = ''): boolean => {
    const operator = ['==', '!=', '=~', '>'].includes(tokens[0] ?? '') ? tokens.shift() : undefined;
    if (operator === undefined) {
      return Boolean(value);
    }
    const right = tokens.shift() ?? '';
    if (operator === '>') {
      return Number(value) > Number(right);
    }
    if (operator === '=~') {
      const [, source = '', flags = ''] = /^\/(.*)\/([a-z]*)$/.exec(right) ?? [];
      return new RegExp(source, flags).test(String(value));
    }
    return (String(value) === right) === (operator === '==');
  };
  const all = (): boolean => {
    let result = operand();
    while (tokens[0] === '&&') {
      tokens.shift();
      result = operand() && result;
    }
    return result;
  };
  const any = (): boolean => {
    let result = all();
    while (tokens[0] === '||') {
      tokens.shift();
      result = all() || result;
    }
    return result;
  };
  const result = any();
  if (tokens.length > 0) {
    throw new Error(`not understood: ${tokens.join(' ')} in ${when}`);
  }
  return result;
}
