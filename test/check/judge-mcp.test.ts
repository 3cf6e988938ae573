import { expect, it } from 'vitest';
import { judgeReport } from '../../src/check/judge-report.ts';
import { checkServer } from '../../src/check/threads/check-server.ts';
import type { TestResult } from '../../src/model/report.ts';
import type { Era } from '../../src/model/wire.ts';
import { serialiseReport } from '../../src/report/serialise-report.ts';
import { COMMAND } from '../cli/run-command.ts';

async function checked(era: Era): Promise<TestResult> {
  const command = `'${process.execPath}' '${COMMAND}' reference --wire mcp`;
  return checkServer(command, { mcp: { command, era }, latency: { off: true }, seed: 1 });
}

it.each(['session', 'stateless'] as const)(
  'a saved run of a command, in the era %s, is judged again to the byte',
  async (era) => {
    const result = await checked(era);
    expect(result.verdict).toBe('pass');
    expect(result.target).toMatchObject({ conversation: { channel: 'stdio', era } });
    expect(result.exchanges.filter(({ kind }) => kind === 'heard').length).toBeGreaterThan(50);
    expect(result.conversations?.length).toBeGreaterThan(0);
    const saved = serialiseReport(result);
    expect(serialiseReport(await judgeReport(JSON.parse(saved) as TestResult)) === saved).toBe(true);
  },
);
