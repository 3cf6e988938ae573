import { runCheck } from '../../../src/app/run-check.ts';
import { mcpTarget } from '../../../src/cli/options/mcp-target.ts';
import { startBridge } from '../../../src/mcp/start-bridge.ts';
import type { Session } from '../../../src/mcp/subject.ts';
import type { TestResult } from '../../../src/model/report.ts';
import { systemClock } from '../../../src/probe/system-clock.ts';

/** Far more than any answer takes, however busy the machine is. */
const PATIENT_MS = 600_000;

/** Checks a server of the Model Context Protocol, as the command does; `reach` may put something before the bridge. */
export async function checkSubject(
  target: readonly [string, ...string[]],
  reach: (bridgeUrl: string) => Promise<string> = async (url) => url,
): Promise<TestResult> {
  const { open, channels, redactor } = await mcpTarget(target, {}, () => undefined);
  const bridge = await startBridge({
    form: 'B',
    sessions: 1,
    open,
    channels,
    redactor,
    timeoutMs: PATIENT_MS,
    startTimeoutMs: 60_000,
    clientVersion: '0.0.0',
    clock: systemClock,
    onOpen: () => undefined,
    onLost: () => undefined,
  });
  try {
    const session = await bridge.first.catch((): Session | null => null);
    const result = await runCheck(
      await reach(bridge.url),
      {
        seed: 20_260_101,
        latency: { off: true },
        requestTimeoutMs: 5000,
        deadlineMs: PATIENT_MS,
        ...(session === null ? { only: ['mcp/*'] } : {}),
        bridged: {
          address: target[0],
          transport: channels.transport,
          protocolVersion: session?.info.protocolVersion ?? 'unknown',
        },
      },
      { signal: new AbortController().signal },
    );
    return result;
  } finally {
    await bridge.close();
  }
}
