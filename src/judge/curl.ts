import { visible } from '../json/visible.ts';
import { headerValue, type RepeatedBytes, type SentRequest } from '../model/exchange.ts';
import { bufferFrom } from '../model/sent.ts';

// How a request of HTTP is repeated with curl. `repeat-command.ts` uses it for requests that need others before them.

/** Headers that curl sends by itself or that change nothing in the answer. */
const LEFT_OUT = new Set(['user-agent', 'accept-encoding', 'content-length']);
export const MAX_BODY_CHARACTERS = 4000;

const lines = new WeakMap<SentRequest, string>();

/** A command that sends the same request from a POSIX shell; secrets appear as `$PROBITY_…` variables. */
export function curlLine(request: SentRequest): string {
  // Each judgement of an answer has the command of its request.
  const line = lines.get(request) ?? curlLineWith(request, {});
  lines.set(request, line);
  return line;
}

export interface CurlOptions {
  /** Default: `-i`, the answer with its headers. */
  readonly prints?: string;
  /** The value of a header that a variable of the shell has when the line runs, and the variable. */
  readonly variable?: { readonly value: string; readonly name: string } | undefined;
}

export function curlLineWith(request: SentRequest, { prints = '-i', variable }: CurlOptions): string {
  const headers = request.headers
    .filter(([name]) => !LEFT_OUT.has(name.toLowerCase()))
    .map(([name, value]) =>
      value === variable?.value
        ? `-H "${name}: $${variable.name}"`
        : `-H ${shellQuote(value === '' ? `${name};` : `${name}: ${value}`)}`,
    );
  // Otherwise curl declares a form.
  if (request.body !== null && headerValue(request.headers, 'content-type') === undefined)
    headers.push('-H content-type:');
  const method =
    request.method === 'GET' || (request.method === 'POST' && request.body !== null)
      ? []
      : [`-X ${request.method}`];
  // Without -g, curl reads brackets and braces in a URL as patterns.
  const literal = /[[\]{}]/.test(request.url) ? ['-g'] : [];
  const parts = ['curl -sS', prints, ...literal, ...method, ...headers];
  if (request.body === null) return [...parts, shellQuote(request.url)].join(' ');
  const { body } = request;
  const fromPipe = [...parts, '--data-binary @-', shellQuote(request.url)].join(' ');
  if ('parts' in body) return `{ ${body.parts.map(printed).join('; ')}; } | ${fromPipe}`;
  if ('text' in body && isPlain(body.text) && body.text.length <= MAX_BODY_CHARACTERS) {
    return [...parts, `--data-binary ${shellQuote(body.text)}`, shellQuote(request.url)].join(' ');
  }
  const base64 = bufferFrom(body).toString('base64');
  if (base64.length > MAX_BODY_CHARACTERS) {
    return [
      ...parts,
      '--data-binary @body.bin',
      shellQuote(request.url),
      `# body.bin: the ${bufferFrom(body).length} bytes sent`,
    ].join(' ');
  }
  return `printf %s ${base64} | base64 -d | ${fromPipe}`;
}

/** A command that prints a part of a body. */
export function printed(part: RepeatedBytes): string {
  const { times } = part;
  const text = 'text' in part && isPlain(part.text) ? part.text : null;
  if (text !== null && text.length === 1 && times > 1)
    return `head -c ${times} /dev/zero | tr '\\0' ${shellQuote(text)}`;
  const once =
    text === null
      ? `printf %s ${bufferFrom(part).toString('base64')} | base64 -d`
      : `printf %s ${shellQuote(text)}`;
  return times === 1 ? once : `for i in $(seq ${times}); do ${once}; done`;
}

/** Whether a text can be shown unchanged and does not start with `@`, which curl reads as a file name. */
export function isPlain(text: string): boolean {
  return !text.startsWith('@') && visible(text) === text;
}

const SAFE = /^[A-Za-z0-9_./:=@%+,-]+$/;
const PLACEHOLDER = /(\$PROBITY_[A-Z0-9_]+)/;

/**
 * Single quotes, but double ones around the placeholders of secrets, which the shell must expand: those of Probity, and
 * other variables that stand for some.
 */
export function shellQuote(text: string, variables: readonly string[] = []): string {
  if (SAFE.test(text)) return text;
  if (text === '') return "''";
  const placeholder = variables.length === 0 ? PLACEHOLDER : placeholderOf(variables);
  return text
    .split(placeholder)
    .filter((part) => part !== '')
    .map((part) => (placeholder.test(part) ? `"${part}"` : `'${part.replaceAll("'", `'\\''`)}'`))
    .join('');
}

function placeholderOf(variables: readonly string[]): RegExp {
  // Of two names of which one begins with the other, the longer one.
  const names = variables
    .filter((name) => /^\w+$/.test(name))
    .toSorted((one, other) => other.length - one.length);
  return new RegExp(`(\\$(?:${['PROBITY_[A-Z0-9_]+', ...names].join('|')}))`);
}
