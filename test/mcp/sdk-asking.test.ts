import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { CheckOptions } from '../../src/check/check-options.ts';
import type { TestResult } from '../../src/model/report.ts';
import type { Era } from '../../src/model/wire.ts';
import { checkHere } from '../check/check-here.ts';

const SERVER = path.join(import.meta.dirname, 'sdk-asking.mjs');
const ERAS: readonly Era[] = ['session', 'stateless'];
const ANSWERS = { elicitation: { name: 'Ada' }, sampling: 'Paris', roots: ['file:///srv'] };

function check(address: string, options: CheckOptions): Promise<TestResult> {
  const common = { seed: 1, latency: { off: true }, deadlineMs: 600_000 };
  return checkHere(address, { ...common, ...options }, { signal: new AbortController().signal });
}

const failed = ({ findings }: TestResult) => findings.filter(({ outcome }) => outcome === 'failed');

/** Over HTTP, it serves the session era without sessions, where nothing can be asked. */
async function startOverHttp(): Promise<string> {
  const process = spawn(globalThis.process.execPath, [SERVER, '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(async () => {
    process.kill();
    await once(process, 'exit');
  });
  const [port] = (await once(process.stdout, 'data')) as [Buffer];
  return `http://127.0.0.1:${port.toString().trim()}/mcp`;
}

describe('a server of the SDK whose tools ask the client', () => {
  it.each(ERAS)('breaks no rule over standard streams in the %s era', async (era) => {
    const mcp = { command: [process.execPath, SERVER] as const, era };
    const declined = await check('node sdk-asking.mjs', { mcp });
    expect(failed(declined)).toEqual([]);
    expect(declined.coverage).toMatchObject({ listed: 5, exercised: 3 });
    const answered = await check('node sdk-asking.mjs', { mcp, answers: ANSWERS });
    expect(failed(answered)).toEqual([]);
    expect(answered.coverage).toMatchObject({ listed: 5, exercised: 5 });
    const rows = new Map(answered.results.map(({ id, outcome }) => [id, outcome]));
    const only = [
      'missing-capability',
      'input-asked-again',
      'unknown-input-ignored',
      'request-state-protected',
    ];
    const decided = [
      'only-declared-asked',
      'form-schema',
      'sampling-request',
      ...(era === 'stateless' ? only : []),
    ];
    for (const id of decided) expect([id, rows.get(`mcp/${id}`)]).toEqual([id, 'passed']);
  });

  it.each(ERAS)('breaks no rule over HTTP in the %s era', async (era) => {
    const url = await startOverHttp();
    const result = await check(url, { mcp: { era }, answers: ANSWERS });
    // It looks neither at the origin nor at the host, as the SDK leaves that to its users.
    expect(failed(result).map(({ id }) => id)).toEqual([
      'mcp/http-origin',
      ...(era === 'session' ? ['mcp/http-batch-refused'] : []),
      'mcp/http-host',
    ]);
    expect(result.coverage?.exercised).toBe(era === 'stateless' ? 5 : 1);
  });
});
