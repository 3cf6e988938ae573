import { describe, expect, it, onTestFinished } from 'vitest';
import type { CheckOptions } from '../../src/check/check-options.ts';
import { judgeReport } from '../../src/check/judge-report.ts';
import type { TestResult } from '../../src/model/report.ts';
import { serialiseReport } from '../../src/report/serialise-report.ts';
import { checkHere } from '../check/check-here.ts';
import { type ProtectedOptions, type ProtectedServer, startProtectedServer } from './protected-server.ts';

async function protectedServer(options: ProtectedOptions = {}): Promise<ProtectedServer> {
  const server = await startProtectedServer(options);
  onTestFinished(server.close);
  return server;
}

function check({ url }: ProtectedServer, options: CheckOptions = {}): Promise<TestResult> {
  return checkHere(
    url,
    { mcp: {}, seed: 1, latency: { off: true }, deadlineMs: 120_000, ...options },
    { signal: new AbortController().signal },
  );
}

const rowsOf = ({ results }: TestResult): Readonly<Record<string, string>> =>
  Object.fromEntries(
    results
      .filter(({ id }) => id.startsWith('mcp/auth-'))
      .map(({ id, outcome }) => [id.slice('mcp/auth-'.length), outcome]),
  );
const failedIn = ({ findings }: TestResult): readonly string[] =>
  findings.filter(({ outcome }) => outcome === 'failed').map(({ id, message }) => `${id}: ${message}`);

const METADATA_ROWS = Object.fromEntries(
  [
    'challenge error-status metadata-found metadata-valid resource scope offline-access',
    'server-metadata server-issuer server-pkce server-https',
  ].flatMap((names) => names.split(' ').map((name) => [name, 'passed'])),
);

/** With a token. */
const WITH_TOKEN = { ...METADATA_ROWS, 'changed-token': 'passed', unauthorized: 'passed' };

describe('a server that is protected with the helpers of the SDK', () => {
  it('is gated without a token: its metadata are judged, and it is not called down', async () => {
    const server = await protectedServer();
    const result = await check(server);
    expect(failedIn(result)).toEqual([]);
    expect(result).toMatchObject({ verdict: 'incomplete', reachable: true });
    expect(result.findings.map(({ id, message, because }) => [id, message, because])).toEqual([
      ['mcp/initialize-answered', 'the target requires a key', 'turned-away'],
    ]);
    expect(rowsOf(result)).toEqual({
      ...METADATA_ROWS,
      'changed-token': 'undecided',
      unauthorized: 'undecided',
    });
    // Few reads of each server, and none of them with a key.
    expect(server.login.requests).toEqual(['/.well-known/oauth-authorization-server/tenant']);
    expect(new Set(server.statuses)).toEqual(new Set([401]));
    const saved = serialiseReport(result);
    expect(serialiseReport(await judgeReport(JSON.parse(saved) as TestResult))).toBe(saved);
  });

  it('is judged with a token', async () => {
    const server = await protectedServer();
    const { issue } = server.login;
    const audience = server.url;
    const result = await check(server, {
      bearerToken: issue({ audience }),
      bearerTokens: {
        expired: issue({ audience, expiresAt: 1000 }),
        otherAudience: issue({ audience: 'http://127.0.0.1:1/mcp' }),
      },
    });
    expect(failedIn(result)).toEqual([]);
    expect(result.verdict).toBe('pass');
    const ofTokens = { 'expired-token': 'passed', 'other-audience': 'passed' };
    expect(rowsOf(result)).toEqual({ ...WITH_TOKEN, ...ofTokens });
    const saved = serialiseReport(result);
    expect(serialiseReport(await judgeReport(JSON.parse(saved) as TestResult))).toBe(saved);
  });

  it('does not plan the rows of tokens that were not given', async () => {
    const server = await protectedServer();
    const result = await check(server, {
      bearerToken: server.login.issue({ audience: server.url }),
      only: ['mcp/auth-*'],
    });
    expect(rowsOf(result)).toEqual(WITH_TOKEN);
  });

  it('fails if it accepts tokens for other servers', async () => {
    const server = await protectedServer({ anyAudience: true });
    const { issue } = server.login;
    const result = await check(server, {
      bearerToken: issue({ audience: server.url }),
      bearerTokens: { otherAudience: issue({ audience: 'http://127.0.0.1:1/mcp' }) },
    });
    expect(failedIn(result)).toEqual([
      'mcp/auth-other-audience: the server accepts a token for another server',
    ]);
  });
});
