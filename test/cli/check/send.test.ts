import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { until } from '../../eventually.ts';
import { SUBJECT } from '../../mcp/subject-options.ts';
import { ERA_SERVER, startEraServer } from '../../run/conversations/start-era-server.ts';
import { emptyFolder, type Finished, type RunOptions, runCommand } from '../run-command.ts';
import { isRunning } from '../started.ts';

const LIST = '{"method":"tools/list"}';

function command(file: string, options: Readonly<Record<string, unknown>>): string {
  return `"${process.execPath}" "${file}" '${JSON.stringify(options)}'`;
}

function send(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  return runCommand(['send', ...args], options);
}

/** What `--json` printed. */
function linesOf({ stdout }: Finished): readonly { readonly text: string; readonly answers: boolean }[] {
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { text: string; answers: boolean });
}

describe.concurrent('probity send to a command', () => {
  it.each([
    ['session', '2025-11-25', null, 3],
    ['stateless', '2026-07-28', '2026-07-28', 2],
  ])(
    'makes the handshake of the era %s, and prints the answer as it is',
    async (_era, version, spoke, id) => {
      const server = command(ERA_SERVER, { versions: [version] });
      const { code, stdout, stderr } = await send([server, LIST]);
      expect(stderr).toMatch(new RegExp(`MCP ${version} over standard streams\n$`));
      const answer = `{"jsonrpc":"2.0","id":${id},"result":{"tools":[],"spoke":${JSON.stringify(spoke)}}}`;
      expect(stdout).toMatch(/^ +\d+\.\d{4} s {2}\{.*\}\n$/);
      expect(stdout).toContain(answer);
      expect(code).toBe(0);
    },
  );

  it.each([
    ['session', 'The server asks for elicitation/create. Answered with {"result":{"action":"decline"}}.'],
    ['stateless', 'The server asks for input. Sent again with {"ask":{"action":"decline"}}.'],
  ])('declines what it is asked in the %s era, and says so', async (era, said) => {
    const asking = { tools: ['ask'] };
    const call = '{"method":"tools/call","params":{"name":"ask","arguments":{}}}';
    const { code, stdout, stderr } = await send([command(SUBJECT, { era, asking }), call]);
    expect(stderr).toContain(said);
    expect(stdout).toContain('You chose decline.');
    expect(code).toBe(0);
  });

  it('prints noise and notifications as they arrive, and what is wrong with them', async () => {
    const { code, stdout, stderr } = await send([command(SUBJECT, { noise: true }), LIST]);
    expect(stdout).toMatch(/^ +before {2}starting …\n/);
    expect(stderr).toContain('It is no message of JSON-RPC 2.0: the line is not JSON.');
    expect(code).toBe(0);
  });

  it('keeps an id that is given, digit by digit, and counts an error as an answer', async () => {
    const message = '{"method":"no/such","id":9007199254740993}';
    const finished = await send([
      command(ERA_SERVER, {}),
      message,
      '--json',
      '--era',
      'session',
      '--timeout',
      '1',
    ]);
    // The server reads the id as a double, so that its answer has another one.
    expect(linesOf(finished)).toMatchObject([{ answers: false }]);
    expect(linesOf(finished)[0]?.text).toContain('"id":9007199254740992');
    expect(finished).toMatchObject({ code: 3, stderr: expect.stringContaining('No answer within 1 s.') });
  });

  it('reads the message from a file, and sends bytes as they are', async () => {
    const cwd = emptyFolder();
    writeFileSync(path.join(cwd, 'message.txt'), '{"half":');
    const { code, stdout } = await send([command(SUBJECT, {}), '@message.txt', '--raw'], { cwd });
    expect(stdout).toContain(
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"this is no JSON"}}',
    );
    expect(code).toBe(0);
  });

  it('sends what opens a conversation as the first message', async () => {
    const log = path.join(emptyFolder(), 'log');
    const message = '{"method":"initialize","params":{"protocolVersion":"2025-11-25"}}';
    const { code, stdout } = await send([command(ERA_SERVER, { log }), message]);
    expect(stdout).toContain('"id":1,"result":{"protocolVersion":"2025-11-25"');
    expect(readFileSync(log, 'utf8')).toMatch(/^\d+ initialize\n$/);
    expect(code).toBe(0);
  });

  it('passes variables on, and shows no secret', async () => {
    const env = { SUBJECT_KEY: 'a-secret-from-outside' };
    const { stderr } = await send(
      [command(SUBJECT, { ends: 'x', fragile: true }), '{', '--raw', '--env', 'SUBJECT_KEY'],
      {
        env,
      },
    );
    expect(stderr).toContain('serving, with $SUBJECT_KEY');
    expect(stderr).not.toContain(env.SUBJECT_KEY);
    const given = await send([
      command(SUBJECT, { fragile: true }),
      '{',
      '--raw',
      '--env',
      'SUBJECT_KEY=short',
    ]);
    expect(given.stderr).toContain('serving, with short');
    expect(given.code).toBe(3);
  });

  it('says what is wrong with its arguments', async () => {
    expect(await send(['node x.js', 'tools/list'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The message is not a JSON object. Write it like'),
    });
    expect(await send(['node x.js', '@no-such-file'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The file no-such-file cannot be read: ENOENT.'),
    });
  });

  it('says that a server did not start in time, and how to wait longer', async () => {
    const gate = path.join(emptyFolder(), 'never');
    const finished = await send([command(ERA_SERVER, { gate }), LIST, '--start-timeout', '1ms']);
    expect(finished.code).toBe(3);
    expect(finished.stderr).toContain('within 0.001 s of its start. Give it longer with --start-timeout.');
  });
});

describe.concurrent('probity send to an address', () => {
  it.for([
    ['2025-11-25', ['s-1', '2025-11-25', '']],
    ['2026-07-28', ['', '2026-07-28', 'tools/list']],
  ] as const)('sends the headers of revision %s', async ([version, headers], test) => {
    const url = await startEraServer({ versions: [version] }, test);
    const finished = await send([url, LIST, '--json']);
    const [line] = linesOf(finished);
    expect(JSON.parse(line?.text ?? '')).toMatchObject({ result: { headers } });
    expect(finished.stderr).toContain(`MCP ${version} over HTTP\nHTTP 200, application/json\n`);
    expect(finished.code).toBe(0);
  });

  it('ends the reading of a stream that the server keeps open', async (test) => {
    const url = await startEraServer({ stream: 'open' }, test);
    const finished = await send([url, LIST, '--json']);
    expect(linesOf(finished).map(({ text }) => JSON.parse(text) as unknown)).toMatchObject([
      { method: 'notifications/progress' },
      { result: { tools: [] } },
    ]);
    expect(finished.code).toBe(0);
  });

  it('reports a stream without an answer', async (test) => {
    const url = await startEraServer({ stream: 'unanswered' }, test);
    const { code, stderr } = await send([url, LIST]);
    expect(stderr).toContain('The stream of events had no answer; it was closed by the server.');
    expect(code).toBe(1);
  });

  it('says what a server wants that asks for a key', async (test) => {
    const url = await startEraServer({ key: 'a-secret-key' }, test);
    const without = await send([url, LIST]);
    expect(without).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('Pass a token with --bearer-env'),
    });
    const given = await send([url, LIST, '--bearer-env', 'TOKEN'], { env: { TOKEN: 'a-secret-key' } });
    expect(given.code).toBe(0);
  });

  it('says that nothing answers', async () => {
    expect((await send(['http://127.0.0.1:9/mcp', LIST])).code).toBe(3);
  });
});

describe('probity send, ended by a signal', () => {
  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'leaves nothing of a stubborn server behind after %s',
    async (signal) => {
      const idFile = path.join(emptyFolder(), 'ids');
      writeFileSync(idFile, '');
      let isSent = false;
      const { code } = await send(
        // Its answer never comes.
        [command(SUBJECT, { stubborn: true, idFile, deafTo: 'tools/list' }), LIST],
        {
          onOutput: (said, kill) => {
            if (!said.includes('over standard streams') || isSent) return;
            isSent = true;
            kill(signal);
          },
        },
      );
      const ids = readFileSync(idFile, 'utf8').split(' ').map(Number);
      expect(ids).toHaveLength(2);
      await until(() => !ids.some(isRunning));
      expect(code).toBe(signal === 'SIGKILL' ? null : 4);
    },
  );
});
