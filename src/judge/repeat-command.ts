import { parseExactly, stringifyExactly } from '../json/exact-json.ts';
import { isJsonObject, type JsonObject, ownProperty, sameJson } from '../json/json.ts';
import type { Exchange, Header, SentRequest, Timing } from '../model/exchange.ts';
import { bufferFrom, isHttpRequest, sentBytes } from '../model/sent.ts';
import type { Era } from '../model/wire.ts';
import { ANSWERING } from '../wires/mcp/client-answers.ts';
import { completeMessage, newestOf } from '../wires/mcp/opening.ts';
import { isInitialized, isOfSession, type SentBefore, sentBefore } from '../wires/mcp/repeat.ts';
import {
  type CurlOptions,
  curlLine,
  curlLineWith,
  isPlain,
  MAX_BODY_CHARACTERS,
  printed,
  shellQuote,
} from './curl.ts';

/** How the server of a process is started again. */
export interface RepeatTarget {
  /** As a shell reads it; null for an address. */
  readonly command: string | null;
  /** The names of the variables that it is given. Where its messages have `$NAME`, they stand for secrets. */
  readonly env: readonly string[];
  /** The server by its name in a file, which has its variables, its folder and its secrets. */
  readonly named?: { readonly file: string; readonly name: string } | undefined;
}

/**
 * A command that sends the same request from a POSIX shell. `opening`: what opened its conversation, in order, and
 * whatever else was sent before it on purpose, such as the calls of its sequence; nothing for REST. Not every earlier
 * message of the conversation, because all of them are repeated. `showsAll`: it also shows what comes after the answer.
 * Pure.
 */
export function repeatCommand(
  exchange: Exchange,
  opening: readonly Exchange[],
  target: RepeatTarget,
  showsAll = false,
): string {
  const before = sentBefore(exchange, opening);
  if (isHttpRequest(exchange.request)) return curlCommand(exchange, before);
  const ended = showsAll ? null : sendCommand(exchange, before, target);
  return ended ?? pipeCommand(exchange, before, target);
}

function curlCommand(exchange: Exchange, { initialize, others, sessionId }: SentBefore): string {
  if (sessionId === null || initialize === null || !isOfSession(exchange, sessionId)) {
    // Without its id, a server cannot know that a request belongs to a session.
    const calls = others.filter((one) => !isInitialized(one));
    return [...calls, exchange].map((one) => curlOf(one)).join(' && ');
  }
  const opening = curlOf(initialize, { prints: '-D- -o /dev/null' });
  const id = `${opening} | tr -d '\\r' | awk 'tolower($1) == "mcp-session-id:" { print $2 }'`;
  const variable = { value: sessionId, name: SESSION };
  const lines = [...others, exchange].map((one) =>
    curlOf(one, { variable, ...(isInitialized(one) ? { prints: '-o /dev/null' } : {}) }),
  );
  return [`${SESSION}=$(${id})`, ...lines].join(' && ');
}

const SESSION = 'S';
/** For streams that the server keeps open. */
const STREAM_S = 5;

/** How long the check waited for an answer that did not come; null if it came, or failed in another way. */
function lateSeconds(exchange: Exchange): number | null {
  if (exchange.kind !== 'unanswered' || exchange.reason.code !== 'timeout') return null;
  // As the failure says it: a busy machine may have noticed the end later.
  const saidS = Number(/ within ([\d.]+) s\b/.exec(exchange.reason.message)?.[1] ?? Number.NaN);
  return Math.max(1, Math.round(Number.isNaN(saidS) ? exchange.timing.durationMs / 1000 : saidS));
}

function curlOf(exchange: Exchange, options: CurlOptions = {}): string {
  const { request } = exchange;
  if (!isHttpRequest(request)) return '';
  const stream = exchange.kind === 'answered' ? exchange.stream : undefined;
  const lateS = lateSeconds(exchange);
  const endsAfterS = stream?.closedBy === 'probe' ? STREAM_S : lateS;
  if (stream?.resumed !== undefined) return resumedCurl(request, exchange.timing, endsAfterS, options);
  if (options.variable === undefined && options.prints === undefined && endsAfterS === null)
    return curlLine(request);
  const prints = options.prints ?? '-i';
  return curlLineWith(request, {
    ...options,
    prints: endsAfterS === null ? prints : `${prints} -N -m ${endsAfterS}`,
  });
}

/** A request, and another one for the answer, which the server gives to a client that connects again. Shows both. */
function resumedCurl(
  request: SentRequest,
  { durationMs }: Timing,
  endsAfterS: number | null,
  options: CurlOptions,
): string {
  const ids = `tr -d '\\r' | awk '{ print | "cat >&2" } sub(/^id: */, "") { id = $0 } END { print id }'`;
  const headers: readonly Header[] = [...request.headers, ['last-event-id', '$PROBITY_EVENT']];
  const prints = endsAfterS === null ? '-i' : `-i -N -m ${endsAfterS}`;
  const again = curlLineWith({ ...request, method: 'GET', body: null, headers }, { ...options, prints });
  const first = curlLineWith(request, { ...options, prints: '-i -N' });
  return `PROBITY_EVENT=$(${first} | ${ids}) && sleep ${Math.ceil(durationMs / 1000)} && ${again}`;
}

/** With `probity send`, which waits for the answer; null if it would send something else. */
function sendCommand(exchange: Exchange, before: SentBefore, target: RepeatTarget): string | null {
  const line = plainLine(exchange);
  const opening = openingBySend(before);
  if (line === null || opening === null) return null;
  const value = objectIn(line);
  if (value === null) return null;
  const method = ownProperty(value, 'method');
  const opens = method === 'initialize' || method === 'server/discover';
  if (opens && opening.length > 0) return null;
  const era = before.discover !== null || method === 'server/discover' ? 'stateless' : 'session';
  const options = [...(isCompleted(value, line, era) ? [] : ['--raw']), ...opening];
  // A message that opens a conversation is the first one, unless it is sent as bytes.
  if (opening.length === 0 && (!opens || options.length > 0)) options.push('--no-open');
  const lateS = lateSeconds(exchange);
  if (lateS !== null && !opens) options.push(`--timeout ${lateS}`);
  return ['probity send', ...options, serverWords(target), shellQuote(line, target.env)].join(' ');
}

function serverWords({ command, env, named }: RepeatTarget): string {
  return named === undefined
    ? [...env.map((name) => `--env ${shellQuote(name)}`), shellQuote(command ?? '', env)].join(' ')
    : `--from ${shellQuote(named.file)} ${shellQuote(named.name)}`;
}

/** The options with which `probity send` opens the same conversation; null if it cannot. */
function openingBySend({ initialize, others, discover }: SentBefore): readonly string[] | null {
  if (initialize === null) return others.length > 0 ? null : discover === null ? [] : ['--era stateless'];
  const params = ownProperty(objectIn(plainLine(initialize) ?? ''), 'params');
  const isNewest = ownProperty(params, 'protocolVersion') === newestOf('session');
  // What the client declares decides what the server asks.
  const isAnswering = sameJson(ownProperty(params, 'capabilities') ?? null, ANSWERING);
  const isUsual = isNewest && isAnswering && others.length === 1 && others.every(isInitialized);
  return isUsual ? ['--era session'] : null;
}

/** Whether it already has all that `probity send` adds. */
function isCompleted(value: JsonObject, line: string, era: Era): boolean {
  const completed = completeMessage(value, 0, { era, version: newestOf(era) }, { name: '', version: '' });
  return stringifyExactly(completed) === line;
}

function objectIn(line: string): JsonObject | null {
  try {
    const value = parseExactly(line);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Many servers end when their input ends, before they have answered. */
const MIN_SLEEP_S = 5;

/** All lines at once, for what `probity send` cannot send, and for what comes after the answer, with which it ends. */
function pipeCommand(
  exchange: Exchange,
  { initialize, discover, others }: SentBefore,
  target: RepeatTarget,
): string {
  const { command, env, named } = target;
  const opening = initialize ?? discover;
  const sent = [...(opening === null ? [] : [opening]), ...others, exchange];
  const durationMs = sent.reduce((sum, { timing }) => sum + timing.durationMs, 0);
  const seconds = Math.max(MIN_SLEEP_S, Math.ceil((2 * durationMs) / 1000));
  const parts: string[] = [];
  let note = '';
  for (const one of sent) {
    const line = plainLine(one);
    const sent = sentBytes(one.request);
    // A line to a process has no parts.
    const bytes = bufferFrom(sent === null || 'parts' in sent ? { text: '' } : sent);
    const base64 = bytes.toString('base64');
    const last = parts.at(-1);
    if (line !== null && last?.startsWith(LINES) === true)
      parts.splice(-1, 1, `${last} ${shellQuote(line, env)}`);
    else if (line !== null) parts.push(`${LINES} ${shellQuote(line, env)}`);
    else if (base64.length <= MAX_BODY_CHARACTERS) parts.push(printed({ base64, times: 1 }));
    else {
      parts.push('cat line.bin');
      note = ` # line.bin: the ${bytes.length} bytes sent`;
    }
  }
  if (named !== undefined)
    return `(${parts.join('; ')}) | probity send --raw --no-open --timeout ${seconds} ${serverWords(target)} -${note}`;
  return `(${[...parts, `sleep ${seconds}`].join('; ')}) | ${command ?? ''}${note}`;
}

const LINES = `printf '%s\\n'`;

/** The line without its end, if a shell can show it; null for other bytes. */
function plainLine({ request }: Exchange): string | null {
  const bytes = sentBytes(request);
  if (bytes === null || !('text' in bytes) || !bytes.text.endsWith('\n')) return null;
  const line = bytes.text.slice(0, -1);
  return isPlain(line) && !line.includes('\n') && line.length <= MAX_BODY_CHARACTERS ? line : null;
}
