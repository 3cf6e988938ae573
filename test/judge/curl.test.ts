import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { visible } from '../../src/json/visible.ts';
import { curlLine } from '../../src/judge/curl.ts';
import type { SentRequest } from '../../src/model/exchange.ts';
import { bytesFrom } from '../../src/model/sent.ts';
import { wrapCommand } from '../../src/report/view/wrap.ts';
import { unless } from '../set-up/skips.ts';

const URL_SENT = 'http://target.example/execute';

function request(
  parts: Omit<Partial<SentRequest>, 'body'> & { readonly body?: string | Uint8Array | null },
): SentRequest {
  const { body = null, ...rest } = parts;
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return {
    key: 'step#0',
    method: bytes === null ? 'GET' : 'POST',
    url: URL_SENT,
    headers: [],
    ...rest,
    body: bytes === null ? null : bytesFrom(bytes),
  };
}

/** The arguments of curl, recorded by a stub. */
interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly string[];
  readonly body: Buffer | null;
}

let folder = '';

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'curl-lines-'));
  // Writes each argument with its length, then standard input if the body comes from there.
  const stub = `#!/bin/sh
for argument in "$@"; do printf '%s\\0' "$argument" >> "$CURL_STUB_OUT"; done
for argument in "$@"; do if [ "$argument" = '@-' ]; then cat > "$CURL_STUB_OUT.stdin"; fi; done
`;
  writeFileSync(path.join(folder, 'curl'), stub);
  chmodSync(path.join(folder, 'curl'), 0o755);
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

let runs = 0;

/** Runs the line in a real shell, with the stub first on the path. */
function runLine(line: string, environment: Readonly<Record<string, string>> = {}): Asked {
  runs += 1;
  const out = path.join(folder, `run-${runs}`);
  execFileSync('sh', ['-c', line], {
    env: { ...environment, PATH: `${folder}:${process.env.PATH}`, CURL_STUB_OUT: out },
    cwd: folder,
  });
  const args = readFileSync(out, 'utf8').split('\0').slice(0, -1);
  const sent: { method: string; url: string; headers: string[]; body: Buffer | null } = {
    method: 'GET',
    url: '',
    headers: [],
    body: null,
  };
  let method: string | null = null;
  for (let index = 0; index < args.length; index += 1) {
    const argument = args[index] ?? '';
    const value = args[index + 1] ?? '';
    if (argument === '-sS' || argument === '-i' || argument === '-g') continue;
    if (argument === '-X') method = value;
    else if (argument === '-H') sent.headers.push(value);
    else if (argument === '--data-binary') {
      sent.method = 'POST';
      sent.body = value === '@-' ? readFileSync(`${out}.stdin`) : Buffer.from(value);
      if (value.startsWith('@') && value !== '@-')
        sent.body = readFileSync(path.join(folder, value.slice(1)));
    } else if (argument.startsWith('-'))
      throw new Error(`an option that the stub does not know: ${argument}`);
    else {
      sent.url = argument;
      continue;
    }
    index += 1;
  }
  return { ...sent, method: method ?? sent.method };
}

const NUL_AND_MORE = Uint8Array.from([0, 1, 2, 0xff, 0xfe, 0x27, 0x22, 0x0a, 0x24, 0x60, 0x5c]);

describe('the line, run in a shell, sends the same request', () => {
  test.each<[string, string | Uint8Array]>([
    ['JSON', '{"function":"add","input":{"a":1}}'],
    ['single quotes', `it's 'quoted' ''twice'' '`],
    ['double quotes', 'say "hi"'],
    ['backslashes', 'a\\b\\\\c\\'],
    ['dollars', '$HOME ${PATH} $(id) $1 $$ $'],
    ['backticks', '`id` ``'],
    ['exclamation marks and hashes', '!! !x # not a comment'],
    ['line breaks', 'a\nb\r\nc\n'],
    ['line breaks at the end', 'a\n\n\n'],
    ['tabs and other controls', 'a\tb\u001B[31mc\u0007'],
    ['NUL and bytes that are not UTF-8', NUL_AND_MORE],
    ['a line separator and text that runs the other way', 'a\u2028b\u202Ec\u200Bd'],
    ['letters of all kinds', 'Zürich – 東京 – 🚀'],
    ['an @ in front, which curl would take for a file', '@/etc/passwd'],
    ['an @ alone', '@'],
    ['a dash in front', '-x --help'],
    ['semicolons and pipes', 'a; rm -rf / | cat && false > out < in & (x)'],
    ['globs and braces', '* ? [a-z] {a,b} ~'],
    ['spaces around', '  a  b  '],
    ['percent signs', '%s %d %% %n'],
    ['an empty body', ''],
    ['a byte order mark', '\uFEFF{}'],
    ['long text', 'x'.repeat(3999)],
    ['long bytes', Uint8Array.from({ length: 2900 }, (_, index) => index % 256)],
  ])('with a body of %s', (_, body) => {
    const sent = runLine(curlLine(request({ body, headers: [['content-type', 'application/json']] })));
    expect(sent).toEqual({
      method: 'POST',
      url: URL_SENT,
      headers: ['content-type: application/json'],
      body: Buffer.from(body),
    });
  });

  test.each([
    ['plain', 'x-a', 'b'],
    ['quotes', 'x-a', `it's "so"`],
    ['a dollar', 'x-a', 'cost: $5 `id` $(id)'],
    ['a colon', 'x-time', '12:00:00'],
    ['letters of all kinds', 'x-a', 'é'],
  ])('with a header of %s', (_, name, value) => {
    expect(runLine(curlLine(request({ headers: [[name, value]] }))).headers).toEqual([`${name}: ${value}`]);
  });

  test('with several headers, in their order, without those that curl sends by itself', () => {
    const headers = [
      ['accept', 'application/json'],
      ['Accept-Encoding', 'identity'],
      ['user-agent', 'probity'],
      ['x-b', '1'],
      ['x-b', '2'],
    ] as const;
    expect(runLine(curlLine(request({ headers }))).headers).toEqual([
      'accept: application/json',
      'x-b: 1',
      'x-b: 2',
    ]);
  });

  test('with an empty header, which curl would leave out if it ended in a colon', () => {
    expect(runLine(curlLine(request({ headers: [['x-empty', '']] }))).headers).toEqual(['x-empty;']);
  });

  test('without the content type that curl gives a body by itself', () => {
    expect(runLine(curlLine(request({ body: 'x' }))).headers).toEqual(['content-type:']);
    expect(runLine(curlLine(request({ body: NUL_AND_MORE }))).headers).toEqual(['content-type:']);
  });

  test.each([
    'http://target.example/health',
    'http://[::1]:3000/health',
    'http://target.example/a?b=c&d=e#f',
    "http://target.example/it's",
    'http://target.example/$HOME/`id`',
    'http://target.example/a;b|c>d',
    'http://target.example/{a,b}[1-3]',
    'http://target.example/%20%2F+',
  ])('to %s', (url) => {
    expect(runLine(curlLine(request({ url })))).toMatchObject({ method: 'GET', url, body: null });
  });

  test.each(['GET', 'POST', 'DELETE', 'PUT', 'HEAD'])('by %s without a body', (method) => {
    expect(runLine(curlLine(request({ method })))).toMatchObject({ method, body: null });
  });

  test.each(['PUT', 'DELETE', 'POST'])('by %s with a body', (method) => {
    expect(runLine(curlLine(request({ method, body: 'x' })))).toMatchObject({
      method,
      body: Buffer.from('x'),
    });
  });

  test('with secrets taken from the environment, and nothing else', () => {
    const secret = `s3cret '"$(id)\`\\ é`;
    const line = curlLine(
      request({
        body: '{"key":"$PROBITY_TOKEN","home":"$HOME"}',
        headers: [
          ['authorization', 'Bearer $PROBITY_TOKEN'],
          ['x-api-key', '$PROBITY_HEADER_X_API_KEY'],
          ['content-type', 'application/json'],
        ],
      }),
    );
    expect(line).not.toContain('s3cret');
    const environment = { PROBITY_TOKEN: secret, PROBITY_HEADER_X_API_KEY: 'key two', HOME: '/nowhere' };
    expect(runLine(line, environment)).toMatchObject({
      headers: [`authorization: Bearer ${secret}`, 'x-api-key: key two', 'content-type: application/json'],
      body: Buffer.from(`{"key":"${secret}","home":"$HOME"}`),
    });
  });

  test.each([
    ['\uFE0F', 'a sign in colours: \u2764\uFE0F'],
    ['\u2800', 'a fake blank: \u2800'],
    ['a log command', 'x ::error file=a:: y'],
    ['another', '{"a":"##vso[task.complete]"}'],
  ])('with the exact body, even if it is escaped when shown: %s', (_, body) => {
    const line = visible(curlLine(request({ body })));
    expect(runLine(line).body).toEqual(Buffer.from(body));
  });

  test('with a long body from a file, which it names with its size', () => {
    const body = 'x'.repeat(5000);
    writeFileSync(path.join(folder, 'body.bin'), body);
    const line = curlLine(request({ body }));
    expect(line).toMatch(/ # body\.bin: the 5000 bytes sent$/);
    expect(runLine(line).body).toEqual(Buffer.from(body));
  });

  test('even after it was broken into lines for a report', () => {
    const body = `{"a":"it's ${'a long text '.repeat(20)}","b":"two  spaces \\\\ and more"}`;
    const sent = request({
      body,
      headers: [
        ['content-type', 'application/json'],
        ['x-a', `it's "b c"`],
      ],
    });
    const lines = wrapCommand(curlLine(sent), 60);
    expect(lines.length).toBeGreaterThan(2);
    expect(runLine(lines.join('\n'))).toEqual({
      method: 'POST',
      url: URL_SENT,
      headers: ['content-type: application/json', `x-a: it's "b c"`],
      body: Buffer.from(body),
    });
  });

  test('with any content', () => {
    const hostile = fc.array(
      fc.constantFrom(`'`, `"`, '\\', '$', '`', '\n', ' ', '!', '@', '-', '#', 'é', '$(', 'a'),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(
        fc.oneof(
          hostile.map((parts) => Buffer.from(parts.join(''))),
          fc.uint8Array({ minLength: 1, maxLength: 40 }),
        ),
        hostile.map((parts) => parts.join('').replaceAll('\n', '').trim()),
        (body, value) => {
          const sent = request({
            body,
            headers: [
              ['content-type', 'a/b'],
              ['x-a', `v${value}`],
            ],
          });
          expect(runLine(curlLine(sent))).toEqual({
            method: 'POST',
            url: URL_SENT,
            headers: ['content-type: a/b', `x-a: v${value}`],
            body: Buffer.from(body),
          });
        },
      ),
      { numRuns: 60 },
    );
  });
});

function whyNoCurl(): string | null {
  try {
    execFileSync('curl', ['--version'], { stdio: 'ignore' });
    return null;
  } catch {
    return 'no curl: install it';
  }
}

describe('the line, run with the real curl', unless(whyNoCurl()), () => {
  let server: Server;
  let origin = '';
  let received: { method: string; url: string; headers: Record<string, unknown>; body: Buffer } | null = null;

  beforeAll(async () => {
    server = createServer((incoming, outgoing) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const { method = '', url = '', headers } = incoming;
        received = { method, url, headers, body: Buffer.concat(chunks) };
        outgoing.end('ok');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterAll(async () => {
    await new Promise((resolve) => server.close(resolve));
  });

  const send = async (parts: Parameters<typeof request>[0] & { readonly path: string }): Promise<void> => {
    const { path: below, ...rest } = parts;
    received = null;
    await new Promise<void>((resolve, reject) => {
      execFile('sh', ['-c', curlLine(request({ ...rest, url: origin + below }))], { cwd: folder }, (error) =>
        error === null ? resolve() : reject(error),
      );
    });
  };

  test('sends path, body and headers unchanged', async () => {
    await send({
      path: '/x[1-2]{a,b}?q=1',
      body: '@not-a-file',
      headers: [
        ['x-empty', ''],
        ['x-a', `it's`],
      ],
    });
    expect(received).toMatchObject({
      method: 'POST',
      url: '/x[1-2]{a,b}?q=1',
      body: Buffer.from('@not-a-file'),
      headers: { 'x-empty': '', 'x-a': `it's` },
    });
    expect(received).not.toHaveProperty('headers.content-type');
  });

  test('sends bytes unchanged', async () => {
    await send({
      path: '/upload',
      body: NUL_AND_MORE,
      headers: [['content-type', 'application/octet-stream']],
    });
    expect(received).toMatchObject({
      body: Buffer.from(NUL_AND_MORE),
      headers: { 'content-type': 'application/octet-stream', 'content-length': String(NUL_AND_MORE.length) },
    });
  });
});
