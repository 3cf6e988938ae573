import { describe, expect, test } from 'vitest';
import type { Exchange } from '../../src/model/exchange.ts';
import { createReplayingProbe, replayClock } from '../../src/probe/replaying-probe.ts';
import { head, listenAndAnswer } from './raw-server.ts';
import { plan, send } from './send.ts';

const UNUSED_URL = 'http://127.0.0.1:9/health';

/** Converted through JSON, like the exchanges of a saved report. */
function saved(exchanges: readonly Exchange[]): readonly Exchange[] {
  return JSON.parse(JSON.stringify(exchanges)) as readonly Exchange[];
}

async function recorded(): Promise<readonly Exchange[]> {
  const server = await listenAndAnswer(
    head(200, { 'Set-Cookie': 'a=1', 'content-length': 3 }),
    Buffer.from([0x7b, 0xff, 0x7d]),
  );
  const exchanges = [
    await send(server.url, { key: 'one#0' }),
    await send(server.url, { key: 'one#1', body: Buffer.from([0xff, 0]), headers: [['x-a', 'b']] }),
  ];
  await server.close();
  return [...exchanges, await send(server.url, { key: 'refused#0' })];
}

describe('the replaying probe', () => {
  test('returns the same exchanges, answered or not', async () => {
    const exchanges = await recorded();
    expect(exchanges.map(({ kind }) => kind)).toEqual(['answered', 'answered', 'unanswered']);
    const probe = createReplayingProbe(saved(exchanges));
    for (const exchange of exchanges) {
      expect(await probe.send(plan(UNUSED_URL, { key: exchange.request.key }))).toEqual(exchange);
    }
  });

  test('returns them in any order, any number of times', async () => {
    const exchanges = await recorded();
    const probe = createReplayingProbe(exchanges);
    const keys = ['refused#0', 'one#0', 'one#1', 'one#0'];
    const replayed = await Promise.all(keys.map((key) => probe.send(plan(UNUSED_URL, { key }))));
    expect(replayed.map(({ request }) => request.key)).toEqual(keys);
  });

  test.each(['one#2', 'one', 'constructor', '__proto__', ''])(
    'reports the unknown key %j as not recorded',
    async (key) => {
      const probe = createReplayingProbe(await recorded());
      const body = Buffer.from('{"a":1}');
      expect(await probe.send(plan(UNUSED_URL, { key, body }))).toEqual({
        kind: 'unanswered',
        request: { key, method: 'POST', url: UNUSED_URL, headers: [], body: { text: '{"a":1}' } },
        reason: {
          code: 'not-recorded',
          fault: 'harness',
          message: 'the saved report holds no answer to this request',
        },
        timing: { startedAtMs: 0, connectMs: null, firstByteMs: null, durationMs: 0 },
      });
    },
  );

  test('has a clock that does not advance', async () => {
    await replayClock.sleep(3_600_000, new AbortController().signal);
    expect([replayClock.nowMs(), replayClock.monotonicMs()]).toEqual([0, 0]);
  });
});
