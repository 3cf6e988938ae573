import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { COMMAND, emptyFolder } from '../cli/run-command.ts';
import type { Behaviour, Endpoint } from './behaviour.ts';
import { startMalformedServer } from './malformed-server.ts';

const PEAK_MEMORY = path.resolve(import.meta.dirname, 'peak-memory.cjs');

/** A behaviour at the endpoint where it is played; nothing for the conforming server. */
export interface Play {
  readonly behaviour: Behaviour;
  readonly endpoint: Endpoint;
}

/** What is to be seen of the command from outside. */
export interface Outcome {
  readonly url: string;
  readonly deadlineMs: number;
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** From the start of the process to its end. */
  readonly wallMs: number;
  readonly peakMegabytes: number;
  /** Connections to the server that nobody has a reason to ask. */
  readonly strayConnections: number;
}

/** No machine is so busy that it takes as long, so that these end what would never end, and nothing else. */
const DEADLINE_SECONDS = 300;
const TIMEOUT_SECONDS = 60;
/** What hangs is waited for; what does not still answers in time on a machine with other things to do. */
const HANGING_TIMEOUT_SECONDS = 4;
/** Requests that hang do so at the same time. */
const HANGING_CONCURRENCY = 32;

/** Runs the built command as a process of its own against a server that plays. */
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

/** Only calls are so many that a run is cut short; null where none is to be. */
export function shortDeadlineSeconds(play: Play | null): number | null {
  return play?.endpoint === 'execute' ? (play.behaviour.deadlineSeconds ?? null) : null;
}

function flagsOf(play: Play | null): readonly string[] {
  const skip = ['--no-latency', '--skip', 'robustness/*,security/*,transport/keep-alive,transport/websocket'];
  if (play === null) return skip;
  const { behaviour, endpoint } = play;
  return [
    ...skip,
    // Before a request is there, nobody knows which endpoint it will be for.
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
