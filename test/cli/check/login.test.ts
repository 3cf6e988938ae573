import { expect, it, onTestFinished } from 'vitest';
import type { TestResult } from '../../../src/model/report.ts';
import type { AuthorizationServerOptions } from '../../authorization/authorization-server.ts';
import { type ProtectedServer, startProtectedServer } from '../../authorization/protected-server.ts';
import { runCommand } from '../run-command.ts';

async function protectedServer(server: AuthorizationServerOptions = {}): Promise<ProtectedServer> {
  const started = await startProtectedServer({ server });
  onTestFinished(started.close);
  return started;
}

/** Runs the command beside a browser that opens the printed address once. */
async function logIn(args: readonly string[]) {
  let opened: Promise<string> | null = null;
  const onOutput = (stderr: string): void => {
    const [address] = /^http\S+(?=\n)/m.exec(stderr) ?? [];
    if (address !== undefined) opened ??= fetch(address).then((page) => page.text());
  };
  const finished = await runCommand(['login', ...args], { onOutput });
  return { ...finished, page: await opened };
}

it('prints only the token on standard output', async () => {
  const server = await protectedServer();
  const { code, stdout, stderr, page } = await logIn([server.url]);
  expect(stderr).toContain('Open this address in a browser on this machine, and log in:\n');
  expect(code).toBe(0);
  expect(page).toContain('return to the terminal');
  const token = stdout.trimEnd();
  expect(stdout).toBe(`${token}\n`);
  expect(server.login.grants.get(token)).toMatchObject({ audience: server.url, scopes: ['mcp'] });
  const old = server.login.issue({ audience: server.url, expiresAt: 1000 });
  const checked = await runCommand(
    [
      ...['check', server.url, '--only', 'mcp/auth-*', '--no-store', '--json'],
      ...['--bearer-env', 'TOKEN', '--expired-bearer-env', 'OLD'],
    ],
    { env: { TOKEN: token, OLD: old } },
  );
  expect(checked.stdout + checked.stderr).not.toContain(token);
  expect(checked.stdout).not.toContain(old);
  expect(checked.code).toBe(0);
  const { results, settings } = JSON.parse(checked.stdout) as TestResult;
  expect(results).toContainEqual(
    expect.objectContaining({ id: 'mcp/auth-expired-token', outcome: 'passed' }),
  );
  expect(settings.expiredBearerEnv).toBe('OLD');
});

it('says what to do if clients cannot register themselves', async () => {
  const server = await protectedServer({
    metadata: ({ registration_endpoint: _, ...others }) => others,
  });
  const { code, stdout, stderr } = await logIn([server.url]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain('pass its id with --client-id and the port with --port');
});

it('refuses a command', async () => {
  const { code, stderr } = await logIn(['node server.js']);
  expect(code).toBe(2);
  expect(stderr).toContain('A command needs no login');
});

it.each(['--expired-bearer-env', '--other-audience-bearer-env', '--other-bearer-env'])(
  'names %s if its variable is not set, and refuses it with --from',
  async (flag) => {
    const unset = await runCommand(['check', 'http://127.0.0.1:1/mcp', '--wire', 'mcp', flag, 'UNSET_TOKEN']);
    expect(unset.stderr).toContain(`${flag}: the environment variable UNSET_TOKEN is not set.`);
    expect(unset.code).toBe(2);
    const from = await runCommand(['check', '--from', 'mcp.json', flag, 'UNSET_TOKEN']);
    expect(from.stderr).toContain(`${flag} cannot be combined with --from`);
    expect(from.code).toBe(2);
  },
);
