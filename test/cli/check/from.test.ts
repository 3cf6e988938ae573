import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { readReport } from '../../../src/report/read-report.ts';
import { startHttpSubject } from '../../mcp/http-subject.ts';
import { SUBJECT } from '../../mcp/subject-options.ts';
import { COMMAND, emptyFolder, runCommand } from '../run-command.ts';

const closers: (() => unknown)[] = [];
afterAll(() => Promise.all(closers.map((close) => close())));

const QUICK = ['--no-latency', '--timeout', '60', '--deadline', '600'];
const PING = ['--only', 'mcp/ping-answered,mcp/server-info', ...QUICK];
const stdio = { command: process.execPath, args: [SUBJECT, JSON.stringify({ only: ['add'] })] };

function folderWith(value: unknown, file = 'mcp.json'): string {
  const cwd = emptyFolder();
  writeFileSync(path.join(cwd, file), typeof value === 'string' ? value : JSON.stringify(value));
  return cwd;
}

/** What a command prints that is run as it was printed. */
async function shell(command: string, cwd: string): Promise<string> {
  const built = `'${process.execPath}' '${COMMAND}'`;
  return (await promisify(execFile)('sh', ['-c', command.replace('probity', built)], { cwd })).stdout;
}

/** Everything that a run wrote. */
function written(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'mcp.json')
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');
}

// Mostly they wait for processes.
describe.concurrent('probity check --from', () => {
  it('checks every server of the file, with its environment, headers and folder, and shows no secret', async () => {
    const { url, close, received } = await startHttpSubject({ only: ['add'] });
    closers.push(close);
    const program =
      'console.error(process.env.A_KEY, process.cwd()); process.exit(process.env.A_KEY === "environment-s3cret" ? 7 : 8)';
    const cwd = folderWith(`{
      // as an editor writes it
      "inputs": [{ "id": "header-token", "password": true }],
      "servers": {
        "by command": ${JSON.stringify({ type: 'stdio', ...stdio })},
        "by-address": { "type": "http", "url": "${url}", "headers": { "Authorization": "Bearer \${input:header-token}" } },
        "ends": { "command": ${JSON.stringify(process.execPath)}, "args": ["--eval", ${JSON.stringify(program)}], "env": { "A_KEY": "environment-s3cret" }, "cwd": "/" },
        "without": { "command": "x", "env": { "B": "\${env:NOT_SET_ANYWHERE}" } },
        "off": { "command": "x", "disabled": true },
      },
    }`);
    const { code, stdout, stderr } = await runCommand(
      ['check', '--from', 'mcp.json', '--output', 'out/', '--format', 'junit', ...PING],
      { cwd, env: { HEADER_TOKEN: 'header-s3cret' } },
    );
    expect(stderr).toContain('off: not checked, it is disabled in the file\n');
    expect(stderr).toContain('servers: mcp.json\n');
    expect(stderr).toContain('without: Not started: no value for ${env:NOT_SET_ANYWHERE}.');
    expect(stdout).toMatch(/^PASS +by-command +2 passed/m);
    expect(stdout).toMatch(/^PASS +by-address +2 passed/m);
    expect(stdout).toMatch(/^UNREACHABLE +ends/m);
    expect(stdout).toMatch(/^NOT CHECKED +without +no value for/m);
    expect(stdout).toMatch(/^4 targets: 2 pass, 1 unreachable, 1 not checked/m);
    expect(code).toBe(2);
    expect(received.at(-1)?.authorization).toBe('Bearer header-s3cret');
    expect(written(cwd)).toContain('exit code 7. Its last lines of standard error: $A_KEY /');
    for (const text of [stdout, stderr, written(cwd)]) expect(text).not.toContain('s3cret');
  });

  it('repeats a finding by the file and the name', async () => {
    const cwd = folderWith({
      mcpServers: {
        one: {
          command: 'sh',
          args: [
            '-c',
            `test "$X" = y && exec "${process.execPath}" "${SUBJECT}" '{"only":["add"],"wrongSums":true}'`,
          ],
          env: { X: 'y' },
        },
        two: stdio,
      },
    });
    const { stdout } = await runCommand(['check', '--from', 'mcp.json', '--target', 'o*', ...QUICK], { cwd });
    expect(stdout).toContain('1 target:');
    const [file = ''] = readdirSync(path.join(cwd, 'reports'));
    const { settings, findings } = await readReport(path.join(cwd, 'reports', file));
    expect(settings).toMatchObject({ targetName: 'one', mcp: { from: 'mcp.json', env: ['X'] } });
    for (const { check } of findings)
      expect(check).toMatch(/^probity check --from mcp\.json --target one --only /);
    const wrong = findings.find(({ id }) => id === 'mcp/structured-content');
    expect(wrong?.curl).toMatch(/^probity send --era session --from mcp\.json one /);
    expect(await shell(wrong?.curl ?? '', cwd)).toMatch(/"structuredContent":\{"sum":"/);
  });

  it('sends several lines at once to a server of the file, and shows all of what it answers', async () => {
    const cwd = folderWith({ mcpServers: { one: stdio } });
    const lines = [1, 2].map((id) => `'{"jsonrpc":"2.0","id":${id},"method":"ping"}'`).join(' ');
    const send = 'probity send --raw --no-open --from mcp.json one -';
    const printed = await shell(`(printf '%s\\n' ${lines}) | ${send} --timeout 3`, cwd);
    expect(printed.split('\n')).toEqual([
      expect.stringMatching(/\{"jsonrpc":"2.0","id":1,"result":\{\}\}$/),
      expect.stringMatching(/\{"jsonrpc":"2.0","id":2,"result":\{\}\}$/),
      '',
    ]);
    const refused = (args: readonly string[]) => runCommand(['send', '--from', 'mcp.json', ...args], { cwd });
    expect((await refused(['tow', '{"method":"ping"}'])).stderr).toContain('Its targets are one');
    expect((await refused(['one', '{"method":"ping"}', '--env', 'HOME'])).stderr).toContain('remove one');
  });

  it('checks the npm packages and remotes of a server.json, and says what it cannot start', async () => {
    const { url, close } = await startHttpSubject({ only: ['add'] });
    closers.push(close);
    const value = {
      name: 'io.github.a/b',
      packages: [{ registryType: 'oci', identifier: 'docker.io/a/b:1', transport: { type: 'stdio' } }],
      remotes: [{ type: 'streamable-http', url }],
    };
    const cwd = folderWith(value, 'server.json');
    const { code, stdout, stderr } = await runCommand(['check', '--from', 'server.json', ...PING], { cwd });
    expect(stderr).toContain('oci: not checked, docker.io/a/b:1 is a package of the kind oci');
    expect(stdout).toMatch(/^PASS +streamable-http /m);
    expect(code).toBe(0);
    const alone = folderWith({ ...value, remotes: [] }, 'server.json');
    expect(await runCommand(['check', '--from', 'server.json'], { cwd: alone })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('server.json names no server that can be checked'),
    });
  });

  it.each([
    [['--from', 'gone.json'], 'the file does not exist'],
    [['--from', 'mcp.json', 'http://127.0.0.1:1'], 'The target and --from both name what is checked'],
    [['--from', 'mcp.json', '--bearer-env', 'HOME'], '--bearer-env cannot be combined with --from'],
    [['--from', 'mcp.json', '--env', 'HOME'], '--env is for one server, and --from checks those of a file'],
    [['--from', 'mcp.json', '--target', 'onn'], 'no target of mcp.json is called onn. Did you mean one?'],
  ])('refuses %j', async (args, words) => {
    const { code, stderr } = await runCommand(['check', ...args], {
      cwd: folderWith({ mcpServers: { one: stdio } }),
    });
    expect(code).toBe(2);
    expect(stderr).toContain(words);
  });

  it('does not use the configuration of the folder, which has the keys of another server', async () => {
    const { url, close, received } = await startHttpSubject({ only: ['add'] });
    closers.push(close);
    const cwd = folderWith({ mcpServers: { one: { url } } });
    writeFileSync(path.join(cwd, 'probity.config.yaml'), 'config: v1\nheaders: { X-Own: other-server }\n');
    const { code } = await runCommand(['check', '--from', 'mcp.json', ...PING], { cwd });
    expect(code).toBe(0);
    expect(received.map((headers) => headers['x-own'])).not.toContain('other-server');
  });
});
