import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../src/json/json.ts';
import type { Exchange } from '../../../src/model/exchange.ts';
import type { MessageToSend, PlannedMessage } from '../../../src/model/probe.ts';
import { messageMethod, wholeBody } from '../../../src/model/sent.ts';
import type { Era } from '../../../src/model/wire.ts';
import { createRedactor } from '../../../src/probe/redactor.ts';
import { systemClock } from '../../../src/probe/system-clock.ts';
import { McpProbe } from '../../../src/run/conversations/mcp-probe.ts';
import { openProcess } from '../../../src/run/conversations/open-process.ts';
import type { Opening } from '../../../src/run/conversations/opened.ts';
import { answeringMessage } from '../../../src/wires/mcp/answer.ts';

const SERVER = path.join(import.meta.dirname, 'probe-server.mjs');
const LONG_MS = 300_000;
const client = { name: 'probity', version: '0.0.0' };

function probeOf(
  command: readonly [string, ...string[]] = [process.execPath, SERVER],
  era: Era | 'auto' = 'session',
): McpProbe {
  const probe = newProbe(command, era);
  onTestFinished(async () => void (await probe.close()));
  return probe;
}

function newProbe(
  command: readonly [string, ...string[]],
  era: Era | 'auto',
  signal = new AbortController().signal,
  change = (opening: Opening): Opening => opening,
): McpProbe {
  const common = { handshake: true, client, signal, clock: systemClock, redactor: createRedactor([]) };
  return new McpProbe({
    openTarget: async (asked) =>
      change(await openProcess({ ...common, ...asked, command, env: {}, cwd: null, silenceMs: 1 })),
    era,
    client,
    answers: null,
    redact: (text) => text,
    startTimeoutMs: LONG_MS,
    signal,
    nowMs: () => systemClock.nowMs(),
  });
}

async function openedProbe(): Promise<McpProbe> {
  const probe = probeOf();
  const { opened } = await probe.open(opening('main'));
  expect(opened).toMatchObject({ era: 'session', channel: 'stdio', name: 'probed' });
  return probe;
}

const opening = (conversation: string) => ({
  key: `mine/open[${conversation}]#0`,
  conversation,
  version: null,
  timeoutMs: LONG_MS,
  feedsLaterSteps: false,
});
const planned = (key: string, sends: MessageToSend, conversation = 'main'): PlannedMessage => ({
  key,
  conversation,
  sends,
  headers: [],
  anonymous: false,
  timeoutMs: LONG_MS,
  feedsLaterSteps: false,
});
const message = (method: string, more: JsonObject = {}): MessageToSend => ({
  kind: 'message',
  message: { method, ...more },
});

function resultOf(exchange: Exchange): unknown {
  if (exchange.kind === 'unanswered') throw new Error(exchange.reason.message);
  const answering = answeringMessage(exchange)?.message;
  return answering?.kind === 'result' ? answering.result : answering;
}

describe('opening a conversation', () => {
  it('gives the deciding question its key, and the others keys of their own', async () => {
    const { deciding, others } = await probeOf().open(opening('main'));
    expect(deciding).toMatchObject({ kind: 'heard', request: { key: 'mine/open[main]#0' } });
    const keys = others.map(({ request }) => request.key);
    expect(new Set([...keys, 'mine/open[main]#0']).size).toBe(keys.length + 1);
    expect(keys.length).toBeGreaterThan(0);
  });

  it('says why none was opened', async () => {
    const { deciding, opened } = await probeOf([process.execPath, '-e', 'process.exit(5)']).open(
      opening('main'),
    );
    expect(opened).toBeNull();
    expect(deciding).toMatchObject({ kind: 'unanswered', reason: { fault: 'server' } });
  });

  it('is needed before a message', async () => {
    expect(await probeOf().send(planned('a#0', message('ping')))).toMatchObject({
      kind: 'unanswered',
      reason: { code: 'no-session', fault: 'harness' },
    });
  });
});

describe('a message', () => {
  it('gets what every message has, and a new id each time', async () => {
    const probe = await openedProbe();
    const exchanges = [
      await probe.send(planned('a#0', message('ping'))),
      await probe.send(planned('a#1', message('ping'))),
    ];
    const ids = exchanges.map(({ request }) => request.message?.awaited);
    expect(ids[0]).not.toEqual(ids[1]);
    expect(exchanges.map(resultOf)).toEqual([{ pid: expect.any(Number) }, { pid: expect.any(Number) }]);
    const own = await probe.send(planned('a#2', message('ping', { id: 'mine' })));
    expect(own.request.message).toEqual({ conversation: 'main', awaited: 'mine' });
  });

  it('is answered by what answers no request, because nobody need wait for a better answer', async () => {
    const probe = await openedProbe();
    const exchange = await probe.send(planned('a#0', message('stray')));
    expect(exchange).toMatchObject({ kind: 'heard', end: 'answered', heard: [{ bytes: expect.anything() }] });
    expect(resultOf(exchange)).toBeUndefined();
  });

  it('is not answered by an error that refuses the notification before it', async () => {
    const probe = await openedProbe();
    await probe.send(planned('a#0', message('notifications/refused')));
    expect(resultOf(await probe.send(planned('a#1', message('ping'))))).toEqual({ pid: expect.any(Number) });
  });

  it('is not answered by the late answer to another one', async () => {
    const probe = await openedProbe();
    const late = await probe.send({ ...planned('a#0', message('late')), timeoutMs: 1 });
    expect(late).toMatchObject({ kind: 'unanswered', reason: { code: 'timeout', fault: 'server' } });
    expect(resultOf(await probe.send(planned('a#1', message('ping'))))).toEqual({ pid: expect.any(Number) });
  });

  it('is not answered by an error about earlier bytes that are no message', async () => {
    const probe = await openedProbe();
    const sends = { kind: 'raw', body: wholeBody(Buffer.from('{"broken')) } as const;
    expect(await probe.send(planned('a#0', sends))).toMatchObject({
      kind: 'heard',
      request: { line: { text: '{"broken\n' }, message: { awaited: null } },
      heard: [],
    });
    expect(resultOf(await probe.send(planned('a#1', message('ping'))))).toEqual({ pid: expect.any(Number) });
    const [log] = await probe.close();
    expect(log?.unasked).toMatchObject([{ bytes: { text: expect.stringContaining('-32700') as unknown } }]);
  });
});

describe('a request of the server', () => {
  it('is answered as a client without capabilities does', async () => {
    const probe = await openedProbe();
    expect(resultOf(await probe.send(planned('a#0', message('ask'))))).toEqual({
      replies: [
        { jsonrpc: '2.0', id: 'p', result: {} },
        {
          jsonrpc: '2.0',
          id: 'r',
          error: {
            code: -32601,
            message: 'method not found: roots/list (this client declared no capabilities)',
          },
        },
      ],
    });
  });
});

describe('a server that answers nothing before initialize', () => {
  it('is open in the session era, and the question that was given up decides nothing', async () => {
    const probe = probeOf([process.execPath, SERVER, 'quiet'], 'auto');
    const { deciding, opened } = await probe.open(opening('main'));
    expect(opened).toMatchObject({ era: 'session', name: 'probed' });
    expect(deciding.kind).toBe('heard');
    expect(messageMethod(deciding.request)).toBe('initialize');
  });
});

describe('a server that ends', () => {
  it('is started again for the next message, a few times, and its ends are in the log', async () => {
    const probe = await openedProbe();
    for (let index = 0; index < 7; index += 1) {
      expect(await probe.send(planned(`crash#${index}`, message('crash')))).toMatchObject({
        kind: 'unanswered',
        reason: { code: 'closed-early', message: 'the server ended before it answered: exit code 3' },
      });
      const next = await probe.send(planned(`ping#${index}`, message('ping')));
      if (index < 6) expect(resultOf(next)).toEqual({ pid: expect.any(Number) });
      else
        expect(next).toMatchObject({
          kind: 'unanswered',
          reason: { code: 'not-running', message: 'the server had ended before: exit code 3' },
        });
    }
    const conversations = await probe.close();
    expect(conversations.map(({ name }) => name)).toEqual([
      'main',
      ...[1, 2, 3, 4, 5, 6].map((count) => `main-again-${count}`),
    ]);
    for (const { ended, stderr } of conversations) {
      expect(ended).toMatchObject({ by: 'server', reason: 'exit code 3' });
      expect(stderr).toBe('out of luck\n');
    }
  });
});

describe('closing', () => {
  it('ends the input of one conversation, which is over then', async () => {
    const probe = await openedProbe();
    await probe.open(opening('other'));
    expect(await probe.send(planned('end#0', { kind: 'close' }, 'other'))).toMatchObject({
      kind: 'heard',
      end: 'closed',
      request: { key: 'end#0', message: { conversation: 'other' } },
    });
    expect(await probe.send(planned('a#0', message('ping'), 'other'))).toMatchObject({
      reason: { code: 'no-session' },
    });
    expect(resultOf(await probe.send(planned('a#1', message('ping'))))).toEqual({ pid: expect.any(Number) });
  });

  it('is not said to stay if there was less time for it to end than it may take', async () => {
    const probe = probeOf([process.execPath, SERVER, 'linger']);
    await probe.open(opening('main'));
    const end = { ...planned('end#0', { kind: 'close' }), timeoutMs: 100 };
    expect(await probe.send(end)).toMatchObject({ kind: 'unanswered', reason: { code: 'timeout' } });
  });

  it('ends all conversations, and returns the log of each', async () => {
    const probe = await openedProbe();
    await probe.open(opening('other'));
    const conversations = await probe.close();
    expect(conversations.map(({ name }) => name)).toEqual(['main', 'other']);
    expect(conversations.map(({ ended }) => ended?.by)).toEqual(['probe', 'probe']);
    expect(await probe.send(planned('a#0', message('ping')))).toMatchObject({
      reason: { code: 'no-session' },
    });
  });
});

it('a process that takes long to end does not hold up what its conversation showed', async () => {
  const probe = probeOf([process.execPath, SERVER, 'linger']);
  await probe.open(opening('main'));
  const shown: unknown[] = [];
  const closed = probe.close((logs) => shown.push(...logs));
  expect(shown).toMatchObject([{ name: 'main', ended: { by: 'probe' }, stderr: '' }]);
  expect(await closed).toMatchObject([{ name: 'main', ended: { by: 'probe' }, stderr: 'last words\n' }]);
});

it('a process that does not end is not waited for after an interruption', async () => {
  const interruption = new AbortController();
  let noteClosing: () => void = () => undefined;
  const closing = new Promise<void>((resolve) => {
    noteClosing = resolve;
  });
  const neverCloses = (opened: Opening): Opening => {
    if (opened.kind !== 'open') return opened;
    const close = (): Promise<never> => {
      void opened.conversation.close();
      noteClosing();
      return new Promise(() => undefined);
    };
    return { ...opened, conversation: { ...opened.conversation, close } };
  };
  const probe = newProbe([process.execPath, SERVER], 'session', interruption.signal, neverCloses);
  await probe.open(opening('main'));
  const sent = probe.send(planned('end#0', { kind: 'close' }));
  await closing;
  interruption.abort();
  expect(await sent).toMatchObject({ kind: 'heard', request: { key: 'end#0' } });
});

describe('a server that ends beside other requests, or processes', () => {
  it('blames none of several requests that were under way, and is asked one thing at a time afterwards', async () => {
    const probe = await openedProbe();
    const sendAll = (...names: readonly string[]) =>
      Promise.all(names.map((name, index) => probe.send(planned(`${name}#${index}`, message(name)))));
    const lost = await sendAll('hang', 'crash', 'hang');
    expect(lost.map((one) => one.kind === 'unanswered' && one.reason.code)).toEqual([
      'ended-beside',
      'ended-beside',
      'ended-beside',
    ]);
    const [crash, ...pings] = await sendAll('crash', 'ping', 'ping');
    expect(crash).toMatchObject({ kind: 'unanswered', reason: { code: 'closed-early' } });
    for (const ping of pings) expect(resultOf(ping)).toEqual({ pid: expect.any(Number) });
  });

  it('is not blamed for a second process that cannot start beside the first one', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'probity-once-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = path.join(folder, 'lock');
    const probe = probeOf([process.execPath, SERVER, 'only', file]);
    expect((await probe.open(opening('main'))).opened).toMatchObject({ name: 'probed' });
    const { deciding, opened } = await probe.open({ ...opening('other'), version: '1999-01-01' });
    expect(opened).toBeNull();
    expect(deciding).toMatchObject({
      kind: 'unanswered',
      reason: {
        fault: 'harness',
        message: expect.stringContaining('no second process of the server starts'),
      },
    });
  });
});
