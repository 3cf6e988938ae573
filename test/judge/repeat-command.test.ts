import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringifyExactly } from '../../src/json/exact-json.ts';
import type { JsonObject } from '../../src/json/json.ts';
import { type RepeatTarget, repeatCommand } from '../../src/judge/repeat-command.ts';
import { type Answer, type Exchange, isAnswer } from '../../src/model/exchange.ts';
import { isHttpRequest, sentBytes } from '../../src/model/sent.ts';
import type { Era } from '../../src/model/wire.ts';
import { createRedactor } from '../../src/probe/redactor.ts';
import { systemClock } from '../../src/probe/system-clock.ts';
import { startMcpReferenceServer } from '../../src/reference/mcp/http.ts';
import type { RunningServer } from '../../src/reference/server.ts';
import { wrapCommand } from '../../src/report/view/wrap.ts';
import { openHttp } from '../../src/run/conversations/open-http.ts';
import { openProcess } from '../../src/run/conversations/open-process.ts';
import type { Opening } from '../../src/run/conversations/opened.ts';
import { answeringMessage, messagesOf } from '../../src/wires/mcp/answer.ts';
import { ANSWERING } from '../../src/wires/mcp/client-answers.ts';
import { completeMessage } from '../../src/wires/mcp/opening.ts';
import { COMMAND, emptyFolder } from '../cli/run-command.ts';

const SERVER = `'${process.execPath}' '${COMMAND}' reference --wire mcp`;
const TARGET: RepeatTarget = { command: SERVER, env: [] };
const CLIENT = { name: 'probity', version: '0.0.0', capabilities: ANSWERING };

let server: RunningServer;
/** With `probity`, and a `sleep` that ends when the output has what is waited for. */
let bin = '';

beforeAll(async () => {
  server = await startMcpReferenceServer({});
  bin = emptyFolder();
  const mode = { mode: 0o755 };
  writeFileSync(path.join(bin, 'probity'), `#!/bin/sh\nexec '${process.execPath}' '${COMMAND}' "$@"\n`, mode);
  const sleep = `#!/bin/sh\nuntil grep -qF -e "$AWAITED" "$OUT"; do /bin/sleep 0.05; done\n`;
  writeFileSync(path.join(bin, 'sleep'), sleep, mode);
});
afterAll(() => server.close());

/** Runs a command as it is printed, and returns what the server answered, with what tools print around it. */
async function run(command: string, awaited: string, environment: Readonly<Record<string, string>> = {}) {
  const cwd = emptyFolder();
  const out = path.join(cwd, 'out');
  writeFileSync(out, '');
  const env = {
    ...process.env,
    ...environment,
    PATH: `${bin}:${process.env.PATH}`,
    OUT: out,
    AWAITED: awaited,
  };
  // The output of the last command; a server that ends may be unable to read the rest.
  await promisify(execFile)('sh', ['-c', `{ ${command}\n} > "$OUT" 2>&1`], { cwd, env });
  const { stdout } = await promisify(execFile)('cat', [out]);
  return stdout;
}

interface Asked {
  /** The messages that opened the conversation, and those before the last one. */
  readonly conversation: readonly Exchange[];
  readonly exchange: Answer;
}

/** What is sent in a conversation: a message, completed as a check does, or bytes as they are. */
type ToSend = JsonObject | Buffer;

const CHANNELS = ['stdio', 'http'] as const;
type Channel = (typeof CHANNELS)[number];
const ERAS: readonly Era[] = ['session', 'stateless'];
const EACH = CHANNELS.flatMap((channel) => ERAS.map((era) => [channel, era] as const));

async function open(channel: Channel, era: Era, handshake: boolean): Promise<Opening> {
  const settings = {
    era,
    handshake,
    client: CLIENT,
    startTimeoutMs: 300_000,
    signal: new AbortController().signal,
    clock: systemClock,
    redactor: createRedactor([]),
  };
  if (channel === 'stdio') return openProcess({ ...settings, command: SERVER, env: {}, cwd: null });
  return openHttp({ ...settings, url: server.url, headers: [], secrets: [], publicOnly: false, ca: null });
}

/** Sends these one after another; the last one is the one to repeat. */
async function ask(channel: Channel, era: Era, toSend: readonly ToSend[], handshake = true): Promise<Asked> {
  const opening = await open(channel, era, handshake);
  if (opening.kind !== 'open') throw new Error(opening.message);
  const { conversation, spoken, nextId } = opening;
  const exchanges: Exchange[] = [...opening.exchanges];
  for (const [index, given] of toSend.entries()) {
    const isBytes = Buffer.isBuffer(given);
    const message = isBytes ? null : completeMessage(given, nextId + index, spoken, CLIENT);
    const awaited = message?.id ?? null;
    const sent = {
      key: `step#${index}`,
      bytes: isBytes ? given : Buffer.from(stringifyExactly(message)),
      message,
      awaited,
      timeoutMs: awaited === null && !(isBytes && channel === 'http') ? 500 : 300_000,
    };
    exchanges.push(await conversation.send(sent));
  }
  await conversation.close();
  const conversed = exchanges.map(named);
  const last = conversed.at(-1);
  if (last === undefined || !isAnswer(last)) throw new Error('no answer');
  return { conversation: conversed, exchange: last };
}

/** As a check records it. */
function named(exchange: Exchange): Exchange {
  const bytes = sentBytes(exchange.request);
  const message = {
    conversation: 'main',
    awaited: idIn(bytes !== null && 'text' in bytes ? bytes.text : ''),
  };
  return { ...exchange, request: { ...exchange.request, message } } as Exchange;
}

function idIn(text: string): string | number | null {
  try {
    return (JSON.parse(text) as { readonly id?: string | number }).id ?? null;
  } catch {
    return null;
  }
}

/** The text of the answer, as the server wrote it. */
function answerIn(exchange: Answer): string {
  const found = answeringMessage(exchange) ?? messagesOf(exchange)[0];
  if (found === undefined) throw new Error('no message');
  return Buffer.from(found.bytes).toString();
}

async function expectRepeated(asked: Asked, form: RegExp, target = TARGET): Promise<string> {
  const command = repeatCommand(asked.exchange, asked.conversation, target);
  expect(command).toMatch(form);
  const answer = answerIn(asked.exchange);
  expect(await run(command, answer)).toContain(answer);
  return command;
}

const ADD: JsonObject = { method: 'tools/call', params: { name: 'add', arguments: { a: 1, b: 2 } } };
const FORMS: Readonly<Record<Channel, Readonly<Record<Era, RegExp>>>> = {
  stdio: { session: /^probity send --era session '/, stateless: /^probity send --era stateless '/ },
  http: {
    session: /^S=\$\(curl -sS -D- -o \/dev\/null .* && curl -sS -i /,
    stateless: /^curl -sS -i [^&]*$/,
  },
};

describe.each(EACH)('a command that repeats a message over %s in the era %s', (channel, era) => {
  test('is run as printed, and gets the same answer', async () => {
    await expectRepeated(await ask(channel, era, [ADD]), FORMS[channel][era]);
  });

  test('survives what a shell could read in it, and being broken into lines', async () => {
    const name = `it's "so" $HOME \`id\` \\ ! ünï – 🚀`;
    const asked = await ask(channel, era, [{ method: 'tools/call', params: { name, arguments: {} } }]);
    const command = await expectRepeated(asked, FORMS[channel][era]);
    const answer = answerIn(asked.exchange);
    expect(await run(wrapCommand(command, 60).join('\n'), answer)).toContain(answer);
  });

  test('has ids and members that are wrong on purpose', async () => {
    const wrong = { jsonrpc: '1.0', id: 'of a text', method: 'tools/list', params: { _meta: {} } };
    const text = JSON.stringify(wrong).replace('"params"', ' "params"');
    const asked = await ask(channel, era, [Buffer.from(text)]);
    const { stdio, http } = FORMS;
    await expectRepeated(
      asked,
      channel === 'http' ? http[era] : new RegExp(`${stdio[era].source.slice(0, 13)} --raw`),
    );
  });
});

describe('over standard streams', () => {
  test.each(ERAS)('bytes that are no text are sent through a pipe, in the era %s', async (era) => {
    const asked = await ask('stdio', era, [Buffer.from([0x7b, 0xff, 0x27, 0x00])]);
    const command = await expectRepeated(asked, /^\(printf .*base64 -d; sleep 5\) \| /);
    expect(command.includes('"method":"initialize"')).toBe(era === 'session');
  });

  test('what was sent before it on purpose is sent again', async () => {
    const asked = await ask('stdio', 'session', [Buffer.from('{"cut":'), { method: 'ping' }]);
    await expectRepeated(
      asked,
      /^\(printf '%s\\n' '.*initialize.*' '.*initialized.*' '\{"cut":' '.*ping.*'; sleep/,
    );
  });

  test('the message that opens the conversation is the first one', async () => {
    const { conversation } = await ask('stdio', 'session', [ADD]);
    const [initialize] = conversation;
    if (initialize?.kind !== 'heard') throw new Error('no answer');
    const asked = { conversation, exchange: initialize };
    await expectRepeated(asked, /^probity send '.*' '\{"jsonrpc":"2.0","id":1,"method":"initialize"/);
    const discovered = await ask('stdio', 'stateless', [ADD]);
    const [discover] = discovered.conversation;
    if (discover?.kind !== 'heard') throw new Error('no answer');
    await expectRepeated({ ...discovered, exchange: discover }, /^probity send '.*server\/discover/);
  });

  test('nothing is opened where nothing was', async () => {
    const asked = await ask('stdio', 'session', [ADD], false);
    await expectRepeated(asked, /^probity send --no-open '/);
  });

  test('another revision than the newest one is asked for by hand', async () => {
    const initialize = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: CLIENT };
    const sent = [
      { id: 1, method: 'initialize', params: initialize },
      { method: 'notifications/initialized' },
      { ...ADD, id: 2 },
    ];
    const asked = await ask('stdio', 'session', sent, false);
    await expectRepeated(asked, /^\(printf .*2024-11-05.*sleep 5\)/);
  });

  test('variables are passed on, and expanded where they stand for a secret', async () => {
    const call = { method: 'tools/call', params: { name: 'greet', arguments: { name: '$THE_KEY' } } };
    const asked = await ask('stdio', 'session', [call]);
    const command = repeatCommand(asked.exchange, asked.conversation, { ...TARGET, env: ['THE_KEY'] });
    expect(command).toContain(' --env THE_KEY ');
    const answer = answerIn(asked.exchange).replaceAll('$THE_KEY', 'Ada');
    expect(await run(command, answer, { THE_KEY: 'Ada' })).toContain(answer);
  });

  test('bytes that are too long to print are in a file', async () => {
    const { conversation, exchange } = await ask('stdio', 'session', [ADD]);
    if (exchange.kind !== 'heard') throw new Error('not over standard streams');
    const long = { ...exchange, request: { ...exchange.request, line: { text: `"${'x'.repeat(5000)}"\n` } } };
    expect(repeatCommand(long, conversation, TARGET)).toMatch(
      /; cat line\.bin; sleep 5\) \| .* # line\.bin: the 5003 bytes sent$/,
    );
  });
});

describe('over HTTP', () => {
  test('a request without the id of its session is sent alone', async () => {
    const { conversation, exchange } = await ask('http', 'session', [ADD]);
    if (!isHttpRequest(exchange.request)) throw new Error('not over HTTP');
    const headers = exchange.request.headers.filter(([name]) => name !== 'mcp-session-id');
    const without = { ...exchange, request: { ...exchange.request, headers } } as Exchange;
    const command = repeatCommand(without, conversation, { command: null, env: [] });
    expect(command).toMatch(/^curl -sS -i [^&]*$/);
    expect(await run(command, 'HTTP/1.1')).toMatch(/^HTTP\/1\.1 400/);
  });

  test('the calls of a sequence are in the session of the last one', async () => {
    const asked = await ask('http', 'session', [ADD, { method: 'ping' }]);
    const command = await expectRepeated(
      asked,
      /^S=.* "mcp-session-id: \$S" .*"add".* && curl -sS -i .*ping/,
    );
    const [first] = asked.conversation.filter(({ request }) => request.key === 'step#0');
    if (first === undefined || !isAnswer(first)) throw new Error('no answer');
    expect(await run(command, 'x')).toContain(answerIn(first));
  });

  test('a stream that the server keeps open does not hold it', () => {
    const request = { key: 'a#0', method: 'POST', url: 'http://127.0.0.1:1/mcp', headers: [], body: null };
    const response = { status: 200, headers: [], body: { text: '' }, repeatedSecrets: [], oddities: [] };
    const exchange: Exchange = {
      kind: 'answered',
      request,
      response,
      connection: { reused: false, tls: null },
      stream: { answeredAtMs: 1, closedBy: 'probe' },
      timing: { startedAtMs: 0, connectMs: 1, firstByteMs: 1, durationMs: 1 },
    };
    expect(repeatCommand(exchange, [], TARGET)).toMatch(/^curl -sS -i -N -m 5 /);
  });
});
