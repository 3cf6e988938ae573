import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { build } from 'rolldown';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import type { HeardExchange } from '../../../src/model/exchange.ts';
import { bufferFrom } from '../../../src/model/sent.ts';
import { createRedactor } from '../../../src/probe/redactor.ts';
import {
  ProcessConversation,
  type ProcessSettings,
  type ToWrite,
} from '../../../src/probe/stdio/process-conversation.ts';
import { systemClock } from '../../../src/probe/system-clock.ts';
import { answersTo, messagesInLine } from '../../../src/wires/mcp/messages.ts';
import { isRunning } from '../../cli/started.ts';
import { eventually, until } from '../../eventually.ts';

const SERVER = path.join(import.meta.dirname, 'server.mjs');
/** In the repository, where a started process finds its supervisor. */
const DIST = path.resolve(import.meta.dirname, '../../../dist');
const SECRET = 'a-long-secret-value';
const LONG_MS = 300_000;
const never = new AbortController().signal;

const opened: ProcessConversation[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
});

function converse(kind: string, settings: Partial<ProcessSettings> = {}): ProcessConversation {
  const conversation = new ProcessConversation({
    name: kind,
    command: [process.execPath, SERVER, kind],
    cwd: null,
    env: { KEY: SECRET },
    redactor: createRedactor([{ value: SECRET, variable: 'KEY' }]),
    clock: systemClock,
    ...settings,
  });
  opened.push(conversation);
  return conversation;
}

function asks(
  conversation: ProcessConversation,
  id: number,
  more: Partial<ToWrite> = {},
): Promise<HeardExchange> {
  return conversation.exchange({
    key: `ask#${id}`,
    awaited: id,
    bytes: Buffer.from(`{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`),
    isAnswer: (line) => messagesInLine(line).some(({ message }) => answersTo(id, message)),
    timeoutMs: LONG_MS,
    signal: never,
    ...more,
  });
}

const textOf = ({ heard }: Pick<HeardExchange, 'heard'>): readonly string[] =>
  heard.map(({ bytes }) => bufferFrom(bytes).toString('latin1'));

describe('a conversation with a process', () => {
  it('gives the answer to its exchange, and the rest to its log, as bytes and without secrets', async () => {
    const conversation = converse('noise');
    const exchange = await asks(conversation, 1);
    expect(exchange).toMatchObject({
      kind: 'heard',
      end: 'answered',
      request: { message: { conversation: 'noise', awaited: 1 } },
    });
    expect(textOf(exchange)).toEqual(['{"jsonrpc":"2.0","id":1,"result":{}}']);
    await eventually(
      () => conversation.log().stderr,
      (stderr) => stderr !== '',
    );
    const { unasked, stderr } = await conversation.close();
    expect(textOf({ heard: unasked })).toEqual([
      Buffer.from('starting …').toString('latin1'),
      '{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"$KEY"}}',
      '\u00ff\u00fe',
    ]);
    expect(unasked.map(({ repeatedSecrets }) => repeatedSecrets)).toEqual([[], ['KEY'], []]);
    expect(unasked[2]?.bytes).toEqual({ base64: '//4=' });
    expect(stderr).toBe('the key is $KEY\n');
  });

  it('gives each of several requests its own answer', async () => {
    const conversation = converse('noise');
    const exchanges = await Promise.all([3, 1, 2].map((id) => asks(conversation, id)));
    expect(exchanges.map((one) => textOf(one)[0])).toEqual(
      [3, 1, 2].map((id) => `{"jsonrpc":"2.0","id":${id},"result":{}}`),
    );
  });

  it('gives what arrives in the time to a message without an answer', async () => {
    const heard: (string | null)[] = [];
    const conversation = converse('noise', { onHeard: (_heard, key) => heard.push(key) });
    await asks(conversation, 1);
    const over = new AbortController();
    const told = conversation.exchange({
      key: 'told',
      awaited: null,
      bytes: Buffer.from('{"jsonrpc":"2.0","method":"notifications/initialized"}\n'),
      isAnswer: null,
      timeoutMs: LONG_MS,
      signal: over.signal,
    });
    await eventually(
      () => heard.at(-1),
      (last) => last === 'told',
    );
    over.abort();
    expect(textOf(await told)).toEqual(['{"jsonrpc":"2.0","method":"notifications/heard"}']);
  });

  it('does not hang on a server that never reads', async () => {
    const conversation = converse('deaf');
    const exchange = await asks(conversation, 1, {
      bytes: Buffer.alloc(8 * 1024 * 1024, 0x20),
      timeoutMs: 200,
    });
    expect(exchange).toMatchObject({ end: 'not-read', heard: [] });
  });

  it('tells a server that reads and says nothing from one that does not read', async () => {
    const exchange = await asks(converse('noise'), 1, { isAnswer: () => false, timeoutMs: 50 });
    expect(exchange.end).toBe('silent');
  });

  it('counts a flood, keeps a bounded part of it, and still finds the answer', async () => {
    const bounds = { maxLineBytes: 1000, maxBytes: 100_000, maxUnaskedBytes: 5000, maxUnaskedLines: 30 };
    const conversation = converse('flood', { bounds });
    expect((await asks(conversation, 1)).end).toBe('answered');
    const { unasked, omitted } = await conversation.close();
    expect(unasked).toHaveLength(30);
    expect(omitted.lines).toBeGreaterThan(0);
    // The last line is incomplete when the conversation ends.
    expect(omitted.bytes).toBeGreaterThan((omitted.lines - 1) * 100);
  });

  it('keeps the start of a line that is too long, which may be the answer', async () => {
    const bounds = { maxLineBytes: 8192, maxBytes: 1e6, maxUnaskedBytes: 1e6, maxUnaskedLines: 10 };
    const exchange = await asks(converse('huge', { bounds }), 1);
    expect(exchange.end).toBe('answered');
    const [line] = exchange.heard;
    const whole = '{"jsonrpc":"2.0","id":1,"result":""}'.length + 20_000;
    expect(line?.omittedBytes).toBe(whole - 4096);
    expect(textOf(exchange)[0]).toHaveLength(4096);
  });

  it('reports a server that ends, with how and with its last words', async () => {
    const conversation = converse('dies');
    const exchange = await asks(conversation, 1);
    expect(exchange).toMatchObject({ end: 'closed', heard: [] });
    expect(await conversation.close()).toMatchObject({
      stderr: 'fatal: no such thing\n',
      ended: { by: 'server', reason: 'exit code 7' },
    });
    expect((await asks(conversation, 2)).end).toBe('closed');
  });

  it('reports a command that does not exist', async () => {
    const conversation = converse('noise', { command: ['no-such-program-anywhere'] });
    await eventually(
      () => conversation.ended,
      (ended) => ended !== null,
    );
    expect(conversation.ended).toMatchObject({ by: 'server' });
    expect(conversation.ended?.reason).toContain('no-such-program-anywhere');
  });

  it('leaves no process when the thread that opened it is terminated', async () => {
    const folder = mkdtempSync(path.join(DIST, 'test-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const idFile = path.join(folder, 'id');
    await build({
      input: path.join(import.meta.dirname, 'conversing-thread.ts'),
      platform: 'node',
      output: { file: path.join(folder, 'thread.mjs'), format: 'esm' },
      logLevel: 'silent',
    });
    const command = [process.execPath, SERVER, 'deaf', idFile];
    const thread = new Worker(path.join(folder, 'thread.mjs'), { workerData: command });
    await eventually(
      () => (existsSync(idFile) ? readFileSync(idFile, 'utf8') : ''),
      (text) => text !== '',
    );
    const id = Number(readFileSync(idFile, 'utf8'));
    expect(isRunning(id)).toBe(true);
    await thread.terminate();
    await until(() => !isRunning(id));
  });

  it('ends when it is interrupted', async () => {
    expect((await asks(converse('deaf'), 1, { signal: AbortSignal.abort() })).end).toBe('interrupted');
  });
});
