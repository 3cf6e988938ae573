import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { type Diagnostic, type Place, SuiteError } from '../suite/yaml/diagnostic.ts';

/** A JSON file as editors write it, with comments and commas before closing brackets; each value knows its place. */
export class JsonFile {
  readonly name: string;
  readonly root: Node;
  readonly #text: string;

  /** @throws SuiteError if the text is no JSON */
  constructor(name: string, text: string) {
    this.name = name;
    this.#text = text;
    const errors: ParseError[] = [];
    const root = parseTree(text.replace(/^\uFEFF/, ' '), errors, { allowTrailingComma: true });
    const [first] = errors;
    if (first !== undefined || root === undefined)
      throw this.#error(
        'json-syntax',
        first ?? { offset: 0, length: 1 },
        `not valid JSON: ${first === undefined || text.trim() === '' ? 'the file is empty' : spaced(printParseErrorCode(first.error))}`,
        'Write names and texts in double quotes, and a comma between values. Comments are allowed.',
      );
    this.root = root;
  }

  /** The members of an object, in order; of two with the same name, the last, as clients read it. */
  members(node: Node, what: string): ReadonlyMap<string, Node> {
    if (node.type !== 'object') throw this.wrong(node, `${what} is not an object`, 'Write { "name": … }.');
    return new Map(
      (node.children ?? []).flatMap(({ children: [name, value] = [] }): [string, Node][] =>
        name === undefined || value === undefined ? [] : [[String(name.value), value]],
      ),
    );
  }

  items(node: Node, what: string): readonly Node[] {
    if (node.type !== 'array') throw this.wrong(node, `${what} is not a list`, 'Write [ … ].');
    return node.children ?? [];
  }

  text(node: Node, what: string): string {
    if (node.type !== 'string') throw this.wrong(node, `${what} is not a text`, 'Write it in double quotes.');
    return String(node.value);
  }

  texts(node: Node, what: string): readonly string[] {
    return this.items(node, what).map((item) => this.#scalar(item, `a value of ${what}`));
  }

  /** Numbers and booleans become texts, as they do in an environment. */
  record(node: Node, what: string): Readonly<Record<string, string>> {
    return Object.fromEntries(
      [...this.members(node, what)].map(([name, value]) => [name, this.#scalar(value, `${name} of ${what}`)]),
    );
  }

  wrong(
    node: Node,
    message: string,
    suggestion: string,
    code: Diagnostic['code'] = 'wrong-type',
  ): SuiteError {
    return this.#error(code, node, message, suggestion);
  }

  #scalar(node: Node, what: string): string {
    if (node.type === 'object' || node.type === 'array' || node.type === 'null')
      throw this.wrong(node, `${what} is not a text`, 'Write it in double quotes.');
    return String(getNodeValue(node));
  }

  #error(
    code: Diagnostic['code'],
    at: { readonly offset: number; readonly length: number },
    message: string,
    suggestion: string,
  ): SuiteError {
    const place = this.#place(at);
    return new SuiteError(
      [{ code, file: this.name, place, message, suggestion }],
      // A secret may be in the line of any other mistake.
      code === 'json-syntax' ? new Map() : new Map([[this.name, withoutTexts(this.#text)]]),
    );
  }

  #place({ offset, length }: { readonly offset: number; readonly length: number }): Place {
    const before = this.#text.slice(0, offset).split(/\r?\n/);
    const column = (before.at(-1) ?? '').length + 1;
    const [firstLine = ''] = this.#text.slice(offset, offset + length).split(/\r?\n/, 1);
    return { line: before.length, column, length: Math.max(1, firstLine.length) };
  }
}

/** InvalidCommentToken → "invalid comment token" */
function spaced(name: string): string {
  return name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
}

/** The shown line may have a secret, so each text that is a value is replaced by as many asterisks. */
function withoutTexts(text: string): string {
  return text.replaceAll(/"((?:[^"\\\n]|\\.)*)"(\s*:)?/g, (whole, inside: string, colon?: string) =>
    colon === undefined ? `"${'*'.repeat(inside.length)}"` : whole,
  );
}
