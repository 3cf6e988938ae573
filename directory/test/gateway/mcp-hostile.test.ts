import type { Exchange } from 'probity/model';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import { startHttpSubject } from '../../../test/mcp/http-subject.ts';
import { QUEUE_NAMES } from '../../src/settings/settings.ts';
import { Bridges } from '../../src/targets/bridges.ts';
import {
  callFunction,
  createTargetPool,
  readCapabilities,
  readHealth,
} from '../../src/targets/target-client.ts';
import { stateOf } from '../../src/targets/target-state.ts';
import { startDirectory } from '../directory-under-test.ts';
import { listingOf } from '../entries/listings.ts';
import { type Answering, answerWith, startHostile } from './hostile-mcp-server.ts';

/** The connections of a directory whose calls take up to a second. */
function targets(changes: { readonly publicOnly?: boolean; readonly callTimeoutMs?: number } = {}) {
  const settings = { publicOnly: false, ca: null, environment: {}, callTimeoutMs: 60_000, ...changes };
  const pool = createTargetPool(settings);
  const bridges = new Bridges(settings);
  onTestFinished(async () => {
    await bridges.close();
    await pool.close();
  });
  return { settings, pool, bridges, ending: new AbortController().signal };
}

const entryAt = (endpoint: string) => ({
  id: 'it',
  endpoint,
  listing: listingOf('it', endpoint, { protocol: 'mcp' }),
});
const CALL = { form: 'B', functionName: 'add', inputText: '{}', requestId: '1' } as const;

function reasonIn(exchange: Exchange) {
  return exchange.kind === 'unanswered' ? exchange.reason : { code: null, message: '', fault: null };
}

describe('a broken or hostile server of the Model Context Protocol', () => {
  const silent: Answering = () => undefined;
  const endless: Answering = (_question, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const timer = setInterval(() => response.write(': still here\n\n'), 5);
    response.on('close', () => clearInterval(timer));
  };

  it.each([
    ['never answers', silent],
    ['answers with an endless stream of events', endless],
  ])('is down when it %s, also before its session is open', async (_name, answering) => {
    for (const initialises of [true, false]) {
      const entry = entryAt(await startHostile(answering, { initialises }));
      const exchange = await readHealth(entry, targets({ callTimeoutMs: 1000 }));
      expect([stateOf(exchange), exchange.timing.durationMs >= 900]).toEqual([false, true]);
      expect(exchange.request.url).toBe(`${entry.endpoint}/health`);
      const called = await callFunction(entry, targets({ callTimeoutMs: 1000 }), CALL);
      expect(called.kind).toBe('unanswered');
    }
  });

  it('is down when it has only the older transport, and its stream never names an address', async () => {
    const endpoint = await startHostile(
      (question, response) => {
        if (question.method === 'GET') endless(question, response);
        else response.writeHead(405).end();
      },
      { initialises: false },
    );
    const exchange = await readHealth(entryAt(endpoint), targets({ callTimeoutMs: 1000 }));
    expect(stateOf(exchange)).toBe(false);
  });

  it('is not waited for when it never ends its session', async () => {
    const { bridges, ...rest } = targets();
    const endpoint = await startHostile((question, response) => {
      if (question.method === 'ping') answerWith(response, question, {});
      // DELETE ends the session.
      else silent(question, response);
    });
    const exchange = await readHealth(entryAt(endpoint), { ...rest, bridges });
    expect(stateOf(exchange)).toBe(true);
    await bridges.close();
  });

  it.each([
    ['JSON', 'application/json', (text: string) => text],
    ['events', 'text/event-stream', (text: string) => `data: ${text}\n\n`],
  ])('is refused when its answer is too large, as %s', async (_name, type, written) => {
    const endpoint = await startHostile((question, response) => {
      const tools = [{ name: 'x'.repeat(5 * 1024 * 1024), inputSchema: {} }];
      response.writeHead(200, { 'content-type': type });
      response.end(written(JSON.stringify({ jsonrpc: '2.0', id: question.id, result: { tools } })));
    });
    const exchange = await readCapabilities(entryAt(endpoint), targets());
    expect(exchange.kind).toBe('unanswered');
  });

  it('is refused when its list of tools is longer than a capabilities record may be', async () => {
    const endpoint = await startHostile((question, response) => {
      const tools = [{ name: 'add', description: 'x'.repeat(1024 * 1024), inputSchema: {} }];
      answerWith(response, question, { tools });
    });
    const exchange = await readCapabilities(entryAt(endpoint), targets());
    expect(reasonIn(exchange)).toMatchObject({ code: 'body-too-large', fault: 'harness' });
  });

  it('keeps its status when it accepts no more calls', async () => {
    const endpoint = await startHostile((question, response) => {
      if (question.method === 'tools/call') response.writeHead(429).end();
      else answerWith(response, question, { tools: [{ name: 'add', inputSchema: { type: 'object' } }] });
    });
    const called = await callFunction(entryAt(endpoint), targets(), CALL);
    expect(called).toMatchObject({ kind: 'answered', response: { status: 429 } });
  });

  it('is refused by the guard when it is not on the public internet', async () => {
    const server = await startHttpSubject();
    onTestFinished(server.close);
    const exchange = await readHealth(entryAt(server.url), targets({ publicOnly: true }));
    expect(reasonIn(exchange)).toMatchObject({ code: 'address-refused', fault: 'harness' });
    expect(server.received).toEqual([]);
  });

  it('does not get the session of a server with another token', async () => {
    const server = await startHttpSubject();
    onTestFinished(server.close);
    const { bridges } = targets();
    const send = (value: string) =>
      bridges.send(
        { url: server.url, headers: [{ name: 'authorization', value, shownValue: '' }], secrets: [] },
        {
          request: {
            ...{ key: 'k', method: 'GET', url: server.url, headers: [], body: null, abortAfterBytes: null },
            ...{
              timeoutMs: 60_000,
              feedsLaterSteps: false,
              anonymous: false,
              connection: null,
              upgrade: null,
            },
          },
          path: '/health',
          maxBodyBytes: 1e6,
          signal: new AbortController().signal,
        },
      );
    for (const token of ['one', 'two', 'one']) expect(await send(token)).toMatchObject({ kind: 'answered' });
    expect(server.opened()).toBe(2);
  });

  it('is closed when it was idle', async () => {
    const server = await startHttpSubject();
    onTestFinished(server.close);
    const settings = { publicOnly: false, ca: null, environment: {}, callTimeoutMs: 60_000 };
    const pool = createTargetPool(settings);
    const bridges = new Bridges(settings, { maxIdle: 64, idleMs: 1 });
    const ended = () => server.ended();
    for (const sessions of [1, 2]) {
      const exchange = await readHealth(entryAt(server.url), {
        settings,
        pool,
        bridges,
        ending: new AbortController().signal,
      });
      expect(stateOf(exchange)).toBe(true);
      expect(await eventually(ended, (count) => count === sessions)).toBe(server.opened());
    }
    await bridges.close();
    await pool.close();
  });

  it('is the first to be closed when more bridges are idle than are kept', async () => {
    const settings = { publicOnly: false, ca: null, environment: {}, callTimeoutMs: 60_000 };
    const pool = createTargetPool(settings);
    const bridges = new Bridges(settings, { maxIdle: 1, idleMs: 3_600_000 });
    const [first, second] = [await startHttpSubject(), await startHttpSubject()];
    for (const server of [first, second])
      await readHealth(entryAt(server.url), {
        settings,
        pool,
        bridges,
        ending: new AbortController().signal,
      });
    expect(await eventually(first.ended, (count) => count === 1)).toBe(1);
    expect(second.ended()).toBe(0);
    await bridges.close();
    expect(second.ended()).toBe(1);
    await pool.close();
    await Promise.all([first.close(), second.close()]);
  });
});

it('interrupts the test of a silent server when the directory stops', async () => {
  const endpoint = await startHostile(() => undefined, { initialises: false });
  const directory = await startDirectory({ queues: [] });
  const tester = await directory.another({ queues: QUEUE_NAMES });
  try {
    await directory.add(listingOf('silent', endpoint, { protocol: 'mcp' }));
    await eventually(
      () => directory.details('silent'),
      ({ testStartedAt }) => testStartedAt !== null,
    );
    await tester.stop();
    expect(await directory.store.db.selectFrom('results').selectAll().execute()).toEqual([]);
  } finally {
    await directory.stop();
  }
});
