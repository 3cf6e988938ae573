import { readFile } from 'node:fs/promises';
import { buffer as bytesOf } from 'node:stream/consumers';
import { EXIT, UsageError } from '../../command-line/exit-codes.ts';
import { say } from '../../command-line/terminal.ts';
import { parseExactly, stringifyExactly } from '../../json/exact-json.ts';
import { isExactNumber } from '../../json/exact-number.ts';
import { isJsonObject, type Json, type JsonObject, ownProperty } from '../../json/json.ts';
import { type Exchange, headerValue, isSuccess } from '../../model/exchange.ts';
import { bufferFrom, type HttpExchange, overHttp } from '../../model/sent.ts';
import type { Conversation } from '../../model/wire.ts';
import { createRedactor } from '../../probe/redactor.ts';
import { systemClock } from '../../probe/system-clock.ts';
import { gatedWords, openHttp } from '../../run/conversations/open-http.ts';
import { openProcess } from '../../run/conversations/open-process.ts';
import type { Opening, OpeningFailure, OpeningSettings } from '../../run/conversations/opened.ts';
import { harnessVersion } from '../../suite/product-files.ts';
import { messagesOf } from '../../wires/mcp/answer.ts';
import { ANSWERING } from '../../wires/mcp/client-answers.ts';
import { messagesInLine, type ReadMessage } from '../../wires/mcp/messages.ts';
import { completeMessage } from '../../wires/mcp/opening.ts';
import { accessOfAddress, accessOfCommand, isAddress, type McpFlags } from '../options/mcp-access.ts';
import { requireCommand } from '../options/wire-choice.ts';
import { interruptible } from '../process/interruptible.ts';
import { answerQuestions, sendAgain } from '../terminal/answer-questions.ts';
import { createHeardPrinter } from '../terminal/heard-printer.ts';

interface SendFlags extends McpFlags {
  /** A client's configuration or a server.json, in which the target is the name of a server. */
  readonly from?: string;
  readonly era: OpeningSettings['era'];
  readonly raw?: boolean;
  /** False with --no-open. */
  readonly open: boolean;
  readonly json?: boolean;
  /** In seconds. */
  readonly timeout?: number;
  /** In seconds. */
  readonly startTimeout: number;
}

/** For lines that nobody waits for, such as those that follow a notification. */
const NOTHING_EXPECTED_S = 1;
const ANSWER_S = 60;

/** The exit code for a conversation that could not be opened. */
const EXIT_OF: Readonly<Record<OpeningFailure, number>> = {
  unreachable: EXIT.unreachable,
  ended: EXIT.unreachable,
  silent: EXIT.unreachable,
  interrupted: EXIT.unreachable,
  'old-transport': EXIT.unreachable,
  refused: EXIT.fail,
  gated: EXIT.incomplete,
};

export async function send(target: string, given: string, flags: SendFlags): Promise<void> {
  const bytes = await messageBytes(given);
  const message = flags.raw === true ? null : messageIn(bytes);
  const interrupt = interruptible('ending the conversation; ctrl-C again to stop at once');
  try {
    process.exitCode = await sendTo(target, { bytes, message }, flags, interrupt.signal);
  } finally {
    interrupt.done();
  }
}

interface Given {
  readonly bytes: Buffer;
  /** Null with --raw. */
  readonly message: JsonObject | null;
}

/** Resolves with the exit code. */
async function sendTo(target: string, given: Given, flags: SendFlags, signal: AbortSignal): Promise<number> {
  const printer = createHeardPrinter(KEY, flags.json === true);
  const handshake = flags.open && !isOpening(given);
  const self = { name: 'probity', version: harnessVersion() };
  const client = handshake ? { ...self, capabilities: ANSWERING } : self;
  const questions = answerQuestions(printer.take, handshake);
  const settings = {
    era: eraOf(given, flags),
    handshake,
    client,
    startTimeoutMs: flags.startTimeout * 1000,
    signal,
    clock: systemClock,
    onHeard: questions.take,
  };
  const opening = await openConversation(target, flags, settings);
  for (const note of opening.notes) say(note);
  if (opening.kind === 'not-open') {
    say(opening.message);
    if (opening.failure === 'silent') say('Give it more time with --start-timeout.');
    return EXIT_OF[opening.failure];
  }
  const { conversation, spoken, name, nextId } = opening;
  const channel = spoken.channel === 'http' ? 'HTTP' : 'standard streams';
  if (handshake) say(`${name === null ? '' : `${name}, `}MCP ${spoken.version} over ${channel}`);
  questions.start(conversation, spoken);
  const message = given.message === null ? null : completeMessage(given.message, nextId, spoken, client);
  const bytes = message === null ? given.bytes : Buffer.from(stringifyExactly(message));
  const awaited = awaitedIn(message ?? parsed(bytes));
  const timeoutS = flags.timeout ?? (awaited === null ? NOTHING_EXPECTED_S : ANSWER_S);
  let log: Conversation | null = null;
  try {
    printer.start();
    const timeoutMs = timeoutS * 1000;
    const first = await conversation.send({ key: KEY, bytes, message, awaited, timeoutMs });
    const exchange = await sendAgain(first, handshake ? message : null, nextId + 1, (sent) =>
      conversation.send({ key: KEY, timeoutMs, ...sent }),
    );
    log = await conversation.close();
    return outcomeOf(exchange, log, { isExpected: awaited !== null, timeoutS });
  } finally {
    if (log === null) await conversation.close();
    await printer.done();
  }
}

/** Opens a conversation with a command, an address, or a server of a file; --env may be NAME=VALUE. */
async function openConversation(
  target: string,
  flags: Pick<SendFlags, 'from' | keyof McpFlags>,
  settings: Omit<OpeningSettings, 'redactor'>,
): Promise<Opening> {
  const { from, ofFile } = flags;
  if (from !== undefined && ofFile === undefined) {
    const { serverOfFile } = await import('../options/configured-targets.ts');
    const server = await serverOfFile(from, target, flags);
    return openConversation(server.target, server.flags, settings);
  }
  if (ofFile?.command != null) {
    const { words, env, cwd } = ofFile.command;
    return openProcess({ ...settings, command: words, env, cwd, redactor: createRedactor(ofFile.secrets) });
  }
  if (isAddress(target)) {
    const access = await accessOfAddress(target, flags);
    return openHttp({ ...settings, ...access, redactor: createRedactor(access.secrets) });
  }
  const command = requireCommand(target);
  return openProcess({ ...settings, ...accessOfCommand(flags, true), command, cwd: null });
}

const KEY = 'send';

/** A message that itself opens a conversation is the first one. */
function isOpening({ message }: Given): boolean {
  const method = ownProperty(message, 'method');
  return method === 'initialize' || method === 'server/discover';
}

function eraOf({ message }: Given, { era }: SendFlags): OpeningSettings['era'] {
  return era === 'auto' && ownProperty(message, 'method') === 'server/discover' ? 'stateless' : era;
}

/** The id whose answer ends the reading; null if there will be none. */
function awaitedIn(message: Json | undefined): Json {
  if (typeof ownProperty(message, 'method') !== 'string') return null;
  const id = ownProperty(message, 'id') ?? null;
  return typeof id === 'string' || typeof id === 'number' || isExactNumber(id) ? id : null;
}

/** The outcome of the message, as an exit code. What was received is printed already. */
function outcomeOf(
  exchange: Exchange,
  { omitted, stderr, ended }: Conversation,
  { isExpected, timeoutS }: { readonly isExpected: boolean; readonly timeoutS: number },
): number {
  if (omitted.lines > 0)
    say(`${omitted.lines} more lines were received, and left out: ${omitted.bytes} bytes.`);
  if (exchange.kind !== 'heard') return outcomeOfHttp(overHttp(exchange), isExpected);
  switch (exchange.end) {
    case 'answered': {
      const lines = exchange.heard.filter(({ omittedBytes }) => omittedBytes === 0);
      const messages = lines.flatMap(({ bytes }) => messagesInLine(bufferFrom(bytes)));
      return lines.length === 0 || hasAnswer(messages) ? EXIT.pass : EXIT.fail;
    }
    case 'silent':
      if (!isExpected) return EXIT.pass;
      say(`No answer within ${timeoutS} s. Give it more time with --timeout.`);
      return EXIT.unreachable;
    case 'not-read':
      say(`The server did not read the message within ${timeoutS} s.`);
      return EXIT.unreachable;
    case 'closed':
      say(`The server ended: ${ended?.reason}.`);
      if (stderr !== '') say(`The last lines of its standard error:\n${stderr.trimEnd()}`);
      return EXIT.unreachable;
    case 'interrupted':
      return EXIT.incomplete;
    default:
      return exchange.end satisfies never;
  }
}

function hasAnswer(messages: readonly ReadMessage[]): boolean {
  return messages.some(({ message: { kind } }) => kind === 'result' || kind === 'error');
}

function outcomeOfHttp(exchange: HttpExchange, isExpected: boolean): number {
  if (exchange.kind === 'unanswered') {
    const { code, message } = exchange.reason;
    say(`No answer: ${message}.`);
    return code === 'interrupted' ? EXIT.incomplete : EXIT.unreachable;
  }
  const { response, stream } = exchange;
  const { status } = response;
  const type = headerValue(response.headers, 'content-type');
  say(`HTTP ${status}${type === undefined ? '' : `, ${type}`}`);
  if (status === 401 || status === 403) {
    say(gatedWords(exchange, 'to the message'));
    return EXIT.incomplete;
  }
  if (stream?.answeredAtMs === null && isExpected) {
    say(
      `The stream of events had no answer; it was closed by the ${stream.closedBy === 'probe' ? 'time-out' : 'server'}.`,
    );
    return stream.closedBy === 'probe' ? EXIT.unreachable : EXIT.fail;
  }
  if (hasAnswer(messagesOf(exchange)) || (!isExpected && isSuccess(status))) return EXIT.pass;
  say('The server sent no answer of JSON-RPC.');
  return EXIT.fail;
}

async function messageBytes(given: string): Promise<Buffer> {
  if (given === '-') return bytesOf(process.stdin);
  if (!given.startsWith('@')) return Buffer.from(given);
  return readFile(given.slice(1)).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`The file ${given.slice(1)} cannot be read: ${error.code ?? error.message}.`);
  });
}

function messageIn(bytes: Buffer): JsonObject {
  const value = parsed(bytes);
  if (isJsonObject(value)) return value;
  throw new UsageError(
    'The message is not a JSON object. Write it like \'{"method":"tools/list"}\', or send the bytes as they are with --raw.',
  );
}

/** Undefined for a text that is not JSON. */
function parsed(bytes: Buffer): Json | undefined {
  try {
    return parseExactly(bytes.toString());
  } catch {
    return undefined;
  }
}
