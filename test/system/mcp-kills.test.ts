import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { COMMAND, emptyFolder } from '../cli/run-command.ts';
import { isRunning } from '../cli/started.ts';
import { eventually, until } from '../eventually.ts';
import { SUBJECT } from '../mcp/subject-options.ts';

/** `npm run kills` sets it to 100. */
const KILLS = Number(process.env.PROBITY_KILLS ?? 6);
const KINDS = ['server', 'bridge', 'callers'] as const;
const CALLERS = 8;
const MAX_WAIT_MS = 250;
/** The status of a call whose server ended. */
const ENDED = 502;

interface Bridge {
  readonly url: string;
  readonly kill: () => void;
  readonly stop: () => Promise<void>;
  readonly ended: Promise<unknown>;
  /** The ids of all processes that were ever started for the server. */
  readonly serverIds: () => readonly number[];
  readonly receivedCalls: () => readonly number[];
}

async function startBridge(): Promise<Bridge> {
  const folder = emptyFolder();
  const [idFile, callFile] = ['ids', 'calls'].map((name) => path.join(folder, name)) as [string, string];
  for (const file of [idFile, callFile]) writeFileSync(file, '');
  const options = JSON.stringify({ idFile, callFile });
  const bridge = spawn(
    process.execPath,
    [COMMAND, 'bridge', '--port', '0', '--sessions', '2', '--', process.execPath, SUBJECT, options],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  onTestFinished(() => void bridge.kill('SIGKILL'));
  const ended = once(bridge, 'exit');
  const [url] = (await once(createInterface({ input: bridge.stdout }), 'line')) as [string];
  const numbersIn = (file: string): readonly number[] =>
    readFileSync(file, 'utf8').split('\n').filter(Boolean).map(Number);
  return {
    url,
    ended,
    kill: () => bridge.kill('SIGKILL'),
    stop: async () => {
      bridge.kill('SIGTERM');
      await ended;
    },
    serverIds: () => numbersIn(idFile),
    receivedCalls: () => numbersIn(callFile),
  };
}

let lastCall = 0;

/** The status of the answer, which has the result of this call and of no other. */
async function callOnce(url: string, signal: AbortSignal): Promise<number> {
  lastCall += 1;
  const a = lastCall;
  const response = await fetch(`${url}/execute`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ function: 'slowSum', parameters: { a, b: 0.5 } }),
    signal,
  });
  const body = (await response.json()) as { readonly result?: unknown };
  if (response.status === 200) expect(body.result).toEqual({ sum: a + 0.5 });
  return response.status;
}

async function callUntil(url: string, over: AbortSignal, leaving: AbortSignal): Promise<void> {
  while (!over.aborted) {
    const status = await callOnce(url, leaving).catch((error: unknown) => {
      // The bridge was killed, or this caller left.
      if (error instanceof TypeError || leaving.aborted) return null;
      throw error;
    });
    if (status === null) return;
    expect([200, ENDED]).toContain(status);
  }
}

it(`survives ${KILLS} kills of the server, the bridge and its callers`, async () => {
  for (let round = 0; round < KILLS; round += 1) {
    const kind = KINDS[round % KINDS.length];
    const bridge = await startBridge();
    const [over, leaving] = [new AbortController(), new AbortController()];
    const calling = Array.from({ length: CALLERS }, () => callUntil(bridge.url, over.signal, leaving.signal));
    await delay(Math.random() * MAX_WAIT_MS);
    if (kind === 'bridge') bridge.kill();
    else if (kind === 'callers') leaving.abort();
    else for (const id of bridge.serverIds().slice(-1)) process.kill(id, 'SIGKILL');
    // The bridge goes on with the other session, and starts a new one.
    if (kind !== 'bridge') {
      const status = await eventually(
        () => callOnce(bridge.url, new AbortController().signal),
        (found) => found !== ENDED,
      );
      expect(status).toBe(200);
    }
    await delay(Math.random() * MAX_WAIT_MS);
    over.abort();
    await Promise.all(calling);
    const received = bridge.receivedCalls();
    expect(new Set(received).size).toBe(received.length);
    if (kind !== 'bridge') await bridge.stop();
    await bridge.ended;
    await until(() => !bridge.serverIds().some(isRunning));
  }
});
