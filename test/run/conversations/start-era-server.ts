import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'vitest';

export const ERA_SERVER = path.join(import.meta.dirname, 'era-server.mjs');

/** Starts the server over HTTP until the test ends, and returns its address. */
export async function startEraServer(
  options: Readonly<Record<string, unknown>>,
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
): Promise<string> {
  const child = spawn(process.execPath, [ERA_SERVER, JSON.stringify({ ...options, http: true })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error('the server printed no address');
}
