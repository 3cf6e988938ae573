import { expect, it, onTestFinished } from 'vitest';
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
  const checked = await runCommand(
    ['check', server.url, '--bearer-env', 'TOKEN', '--only', 'mcp/auth-*', '--no-store'],
    { env: { TOKEN: token } },
  );
  expect(checked.stdout + checked.stderr).not.toContain(token);
  expect(checked.code).toBe(0);
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
