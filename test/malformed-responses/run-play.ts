import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { COMMAND, emptyFolder } from '../cli/run-command.ts';
import type { Behaviour, Endpoint } from './behaviour.ts';
import { startMalformedServer } from './malformed-server.ts';

const PEAK_MEMORY = path.resolve(import.meta.dirname, 'peak-memory.cjs');

/** A behaviour and the endpoint where it is played. */
export interface Play {
  readonly behaviour: Behaviour;
  readonly endpoint: Endpoint;
}

/** The result of the command, as seen from outside. */
export interface Outcome {
  readonly url: string;
  readonly deadlineMs: number;
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** From the start of the process to its end. */
  readonly wallMs: number;
  readonly peakMegabytes: number;
  /** Connections to the server that the client must never call. */
  readonly strayConnections: number;
}

/** Longer than any run on a busy machine: these end only runs that hang. */
const DEADLINE_SECONDS = 300;
const TIMEOUT_SECONDS = 60;
/** Short, because hanging requests run into it; long enough for other answers on a busy machine. */
const HANGING_TIMEOUT_SECONDS = 4;
/** Lets hanging requests wait at the same time. */
const HANGING_CONCURRENCY = 32;

/** Runs the built command as a separate process against a malformed server. */
export async function runPlay(play: Play | null): Promise<Outcome> {
  const server = await startMalformedServer(play?.behaviour, play?.endpoint);
  const deadlineSeconds = shortDeadlineSeconds(play) ?? DEADLINE_SECONDS;
  const timeoutSeconds = play?.behaviour.hangs ? HANGING_TIMEOUT_SECONDS : TIMEOUT_SECONDS;
  const times = ['--deadline', `${deadlineSeconds}s`, '--timeout', `${timeoutSeconds}s`];
  try {
    const seen = await runCommand(server.url, [...times, ...flagsOf(play)]);
    const { url, strayConnections } = server;
    return { ...seen, url, deadlineMs: deadlineSeconds * 1000, strayConnections: strayConnections() };
  } finally {
    await server.close();
  }
}

/** The short deadline of a play on /execute, which alone has many calls; null for other plays. */
export function shortDeadlineSeconds(play: Play | null): number | null {
  return play?.endpoint === 'execute' ? (play.behaviour.deadlineSeconds ?? null) : null;
}

function flagsOf(play: Play | null): readonly string[] {
  const skip = ['--no-latency', '--skip', 'robustness/*,security/*,transport/keep-alive,transport/websocket'];
  if (play === null) return skip;
  const { behaviour, endpoint } = play;
  return [
    ...skip,
    // The endpoint is unknown before the request is read.
    ...(behaviour.on === 'accepted'
      ? ['--only', `${endpoint}/*`, '--skip', 'capabilities/versions-agree']
      : []),
    ...(behaviour.hangs === true ? ['--concurrency', String(HANGING_CONCURRENCY)] : []),
    ...(behaviour.large === true && endpoint === 'execute' ? ['--max-functions', '2'] : []),
  ];
}

type Seen = Omit<Outcome, 'url' | 'deadlineMs' | 'strayConnections'>;

function runCommand(url: string, flags: readonly string[]): Promise<Seen> {
  const folder = emptyFolder();
  const startedMs = performance.now();
  const child = spawn(
    process.execPath,
    ['--require', PEAK_MEMORY, COMMAND, 'check', url, '--json', '--reports', folder, '--seed', '1', ...flags],
    { cwd: folder, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] },
  );
  const collected = [1, 2, 3].map((descriptor): Buffer[] => {
    const parts: Buffer[] = [];
    child.stdio[descriptor]?.on('data', (part: Buffer) => parts.push(part));
    return parts;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      const wallMs = performance.now() - startedMs;
      const texts = collected.map((parts) => Buffer.concat(parts).toString('utf8'));
      const [stdout = '', stderr = '', peak = ''] = texts;
      rmSync(folder, { recursive: true, force: true });
      resolve({ code, stdout, stderr, wallMs, peakMegabytes: Number(peak) / 1024 });
    });
  });
}
