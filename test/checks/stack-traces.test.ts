import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  SOURCE_PATH,
  shownText,
  sourcePathIn,
  stackTraceIn,
  TRACE_LINES,
} from '../../src/checks/security/stack-traces.ts';
import { anyCharacter } from '../any-character.ts';
import { stepsToSearch } from './backtracking.ts';

const anything = (): boolean => true;

/** Traces as runtimes and frameworks print them, with the line that must be found. */
const TRACES: readonly (readonly [what: string, trace: string, line: string])[] = [
  [
    'Node.js',
    [
      "TypeError: Cannot read properties of undefined (reading 'length')",
      '    at Object.handler (/srv/app/src/server.js:10:23)',
      '    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)',
    ].join('\n'),
    'at Object.handler (/srv/app/src/server.js:10:23)',
  ],
  [
    'Node.js, only internal modules',
    '    at node:internal/main/run_main_module:23:47',
    'at node:internal/main/run_main_module:23:47',
  ],
  ['Node.js, an ES module', 'Error\n    at file:///srv/app/x.mjs:1:7', 'at file:///srv/app/x.mjs:1:7'],
  ['Node.js, async', 'Error\n    at async run (/srv/app/x.mjs:1:7)', 'at async run (/srv/app/x.mjs:1:7)'],
  [
    'Node.js, async and without a name',
    'Error\n    at async /srv/app/x.mjs:1:7',
    'at async /srv/app/x.mjs:1:7',
  ],
  [
    'Node.js, on Windows',
    'Error\r\n    at run (C:\\app\\node_modules\\x\\index.js:1:7)\r\n',
    'at run (C:\\app\\node_modules\\x\\index.js:1:7)',
  ],
  [
    'Node.js, a bundle',
    'Error\n    at run (webpack:///./src/server.ts:10:5)',
    'at run (webpack:///./src/server.ts:10:5)',
  ],
  ['Node.js, with source maps', 'Error\n    at run (src/server.ts:10:5)', 'at run (src/server.ts:10:5)'],
  [
    'Node.js, a constructor',
    'Error\n    at new Server (/srv/app/server.js:3:9)',
    'at new Server (/srv/app/server.js:3:9)',
  ],
  [
    'Deno',
    'error: Uncaught (in promise) Error: boom\n    at file:///srv/main.ts:2:9',
    'at file:///srv/main.ts:2:9',
  ],
  [
    'Python',
    [
      'Traceback (most recent call last):',
      '  File "/srv/app/main.py", line 10, in handler',
      '    return 1 / 0',
      'ZeroDivisionError: division by zero',
    ].join('\n'),
    'Traceback (most recent call last):',
  ],
  [
    'Python, without its head',
    '  File "/srv/app/main.py", line 10, in <module>',
    'File "/srv/app/main.py", line 10, in <module>',
  ],
  [
    'Python, a syntax error',
    '  File "/srv/app/main.py", line 3\n    x = = 1',
    'File "/srv/app/main.py", line 3',
  ],
  ['Python, code without a file', '  File "<string>", line 1\n    x = = 1', 'File "<string>", line 1'],
  [
    'Python, a group of exceptions',
    '  + Exception Group Traceback (most recent call last):\n  | File "/srv/a.py", line 1, in x\n',
    '+ Exception Group Traceback (most recent call last):',
  ],
  ['Python, inside a group', '  | File "/srv/a.py", line 1, in x', '| File "/srv/a.py", line 1, in x'],
  [
    'Java',
    [
      'java.lang.NullPointerException: Cannot invoke "String.length()" because "<local1>" is null',
      '\tat com.example.mcp.Handler.run(Handler.java:42)',
      '\tat java.base/java.lang.Thread.run(Thread.java:1583)',
    ].join('\n'),
    'at com.example.mcp.Handler.run(Handler.java:42)',
  ],
  [
    'Java, an uncaught exception',
    'Exception in thread "main" java.lang.Error: boom',
    'Exception in thread "main" java.lang.Error: boom',
  ],
  [
    'Kotlin',
    '\tat com.example.MainKt$main$1.invoke(Main.kt:7)',
    'at com.example.MainKt$main$1.invoke(Main.kt:7)',
  ],
  ['Scala', '\tat example.Main$.<clinit>(Main.scala:3)', 'at example.Main$.<clinit>(Main.scala:3)'],
  ['Clojure', '\tat example.core$handler.invoke(core.clj:12)', 'at example.core$handler.invoke(core.clj:12)'],
  [
    '.NET',
    '   at Example.Handlers.Run(String name) in C:\\src\\Handlers.cs:line 12\n   at Program.<Main>$(String[] args)',
    'at Example.Handlers.Run(String name) in C:\\src\\Handlers.cs:line 12',
  ],
  [
    '.NET, without symbols',
    '   at System.Text.Json.JsonSerializer.Deserialize[TValue](String json, JsonSerializerOptions options)',
    'at System.Text.Json.JsonSerializer.Deserialize[TValue](String json, JsonSerializerOptions options)',
  ],
  [
    '.NET, async',
    '--- End of stack trace from previous location ---',
    '--- End of stack trace from previous location ---',
  ],
  [
    'Go',
    'panic: runtime error: index out of range\n\ngoroutine 18 [running]:\nmain.handler(0xc000010000)\n\t/srv/app/main.go:21 +0x1d',
    'goroutine 18 [running]:',
  ],
  [
    'Go, a frame',
    '\t/usr/local/go/src/net/http/server.go:2136 +0x29',
    '/usr/local/go/src/net/http/server.go:2136 +0x29',
  ],
  [
    'Ruby',
    "/srv/app/server.rb:10:in `handle': boom (RuntimeError)\n\tfrom /srv/app/server.rb:3:in `<main>'",
    "/srv/app/server.rb:10:in `handle': boom (RuntimeError)",
  ],
  [
    'Ruby 3.4',
    "app/controllers/tools.rb:7:in 'ToolsController#run'",
    "app/controllers/tools.rb:7:in 'ToolsController#run'",
  ],
  [
    'PHP',
    '#0 /var/www/html/index.php(12): Tools->run()\n#1 {main}',
    '#0 /var/www/html/index.php(12): Tools->run()',
  ],
  [
    'Rust',
    "thread 'tokio-runtime-worker' panicked at src/main.rs:12:9:\nindex out of bounds",
    "thread 'tokio-runtime-worker' panicked at src/main.rs:12:9:",
  ],
  [
    'Rust, with the number of the thread',
    "thread 'main' (4711) panicked at src/main.rs:2:5:",
    "thread 'main' (4711) panicked at src/main.rs:2:5:",
  ],
  ['Rust, a backtrace', 'stack backtrace:\n   0: rust_begin_unwind', 'stack backtrace:'],
  [
    'Elixir',
    '    (tools 0.1.0) lib/tools/router.ex:12: Tools.Router.run/2',
    '(tools 0.1.0) lib/tools/router.ex:12: Tools.Router.run/2',
  ],
  ['Lua', "lua: main.lua:3: boom\nstack traceback:\n\t[C]: in function 'error'", 'stack traceback:'],
  [
    'the page of Express',
    '<pre>Error: boom<br> &nbsp; &nbsp;at run (/srv/app/server.js:10:23)<br> &nbsp; &nbsp;at next (/srv/x.js:1:1)</pre>',
    'at run (/srv/app/server.js:10:23)',
  ],
  [
    'a page that writes quotes as entities',
    '  File &quot;/srv/app/main.py&quot;, line 10, in handler<br>',
    'File "/srv/app/main.py", line 10, in handler',
  ],
  [
    'a page that writes quotes as numbers',
    '<br>app/tools.rb:7:in &#39;run&#39;<br/>',
    "app/tools.rb:7:in 'run'",
  ],
  [
    'JSON inside JSON',
    'Error: boom\\n    at run (/srv/app/server.js:1:2)\\n    at x',
    'at run (/srv/app/server.js:1:2)',
  ],
  [
    'JSON inside JSON, of Java',
    'java.lang.Error\\r\\n\\tat com.example.Main.run(Main.java:4)\\r\\n',
    'at com.example.Main.run(Main.java:4)',
  ],
];

const NO_TRACES: readonly string[] = [
  '',
  'The divisor is 0, and nothing can be divided by 0.',
  'The shop opens at 10:30:15 (local)',
  'at 10:30:15',
  'at noon (see /help)',
  'at work (9:00:00)',
  'error at line 3 of your input',
  'Look at https://example.com/docs/a/b.js:1:2',
  'https://example.com/docs/a/b.js:1:2',
  'File not found',
  'File "notes.txt", line 3',
  'File "report.csv", line 10: the price is no number',
  '#3 of 10 (see index.php)',
  '#0 is the first: yes',
  'see main.go:12',
  'rb:10:in the morning',
  "server.rb is the file's name",
  'Thread "main" is busy',
  '2026-01-31T12:00:00Z ERROR [worker-1] com.example.Job - job 7 failed: out of stock',
  'INFO:     127.0.0.1:53210 - "POST /execute HTTP/1.1" 500 Internal Server Error',
  'at least one (1) of them',
  '   at the corner of Main.Street (north)',
  'meet at com.example.hall(Room 12)',
  'Stack traces are not sent.',
  'goroutine safety is the caller’s',
  'panicked at the disco',
];

describe('a stack trace', () => {
  test.each(TRACES)('of %s', (_what, trace, line) => {
    expect(stackTraceIn(trace, anything)).toBe(line);
    expect(stackTraceIn(`Something went wrong.\n${trace}\nSorry.`, anything)).toBe(line);
  });

  test.each(NO_TRACES)('is not found in %j', (text) => {
    expect(stackTraceIn(text, anything)).toBeNull();
  });

  test('skips a trace that does not count', () => {
    const [first, second] = ['at a (/srv/a.js:1:2)', 'at b (/srv/b.js:3:4)'];
    expect(stackTraceIn(`${first}\n${second}`, (found) => found !== first)).toBe(second);
    expect(stackTraceIn(`${first}\n${second}`, () => false)).toBeNull();
  });
});

describe('a path of source code', () => {
  test.each([
    ['/srv/app/server.js', '/srv/app/server.js'],
    ['Error in "/srv/app/main.py"', '/srv/app/main.py'],
    ['(file:///srv/app/x.mjs:1:2)', 'file:///srv/app/x.mjs'],
    ['in /var/www/html/index.php on line 3', '/var/www/html/index.php'],
    ['C:\\app\\Program.cs: boom', 'C:\\app\\Program.cs'],
    ['C:/app/node_modules/x/index.cjs', 'C:/app/node_modules/x/index.cjs'],
    ['path=/usr/src/app/main.go', '/usr/src/app/main.go'],
    ['[/home/app/lib/tools.ex]', '/home/app/lib/tools.ex'],
    ['/opt/app-1.0/@scope/name+x/a.b.tsx', '/opt/app-1.0/@scope/name+x/a.b.tsx'],
  ])('in %j', (text, path) => {
    expect(sourcePathIn(text, anything)).toBe(path);
  });

  test.each([
    'server.js',
    'src/server.js',
    '/server.js',
    '/var/data/report.pdf',
    '/health',
    '/docs/index.html',
    '/srv/app/notes.json',
    '/srv/app/main.python',
    'https://example.com/docs/a/b.js',
    'https://example.com/docs/a/b.js:1:2',
    'http://127.0.0.1:3000/srv/app/server.js',
    'ftp://example.com/a/b.py',
    '10/12/2026.c',
    'and/or.ex',
    'a:/b.js',
    '//example.com/b.js',
  ])('is not found in %j', (text) => {
    expect(sourcePathIn(text, anything)).toBeNull();
  });

  test.each([
    'see /docs/errors/index.php for help',
    'the file /uploads/user/data.c is not valid',
    'use /templates/add.go, or GET /static/js/client.js',
  ])('ignores a path of the site: %s', (text) => {
    expect(sourcePathIn(text, () => true)).toBeNull();
  });

  test('skips a path that does not count, even on the same line', () => {
    expect(sourcePathIn('/srv/b.js, /app/d.js', (path) => path !== '/srv/b.js')).toBe('/app/d.js');
  });
});

describe('the visible text of a page', () => {
  test.each([
    ['no page at all: a < b > c', 'no page at all: a < b > c'],
    ['<p>one</p><p>two</p>', '\none\n\ntwo\n'],
    ['<p>in <code>a</code>, line <b>3</b>', '\nin a, line 3'],
    ['<script>var a = "</p>";</script>b', '\nb'],
    ['<STYLE>a</Style>b', '\nb'],
    ['<script>never closed <p>a</p>', ''],
    ['<p>a < b', '\na < b'],
    ['<p', '\n'],
    ['<!-- a --><p>b', '\n\nb'],
  ])('%j', (html, shown) => {
    expect(shownText(html)).toBe(shown);
  });
});

describe('in general', () => {
  const pieces = fc.constantFrom(
    ...[
      'at ',
      ' (',
      ')',
      '/',
      '\\',
      ':1',
      ':1:1',
      '.js',
      '.py',
      'C:\\',
      'file://',
      'File "',
      '", line 1',
      '\\n',
      '\n',
    ],
    ...[
      '<br>',
      '<',
      '>',
      '<script>',
      '</script>',
      '&nbsp;',
      '&',
      ';',
      '\t',
      ' ',
      'Traceback',
      '#0 ',
      '.php(1): ',
    ],
  );

  test('nothing throws', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: anyCharacter, maxLength: 300 }),
          fc
            .array(fc.oneof(pieces, fc.string({ maxLength: 5 })), { maxLength: 60 })
            .map((list) => list.join('')),
        ),
        (text) => {
          for (const seen of [text, shownText(text)]) {
            const trace = stackTraceIn(seen, anything);
            expect(trace === null || trace.length <= 2000).toBe(true);
            expect(sourcePathIn(seen, () => false)).toBeNull();
          }
        },
      ),
    );
  });

  test('a trace is found between any other lines', () => {
    const line = fc.stringMatching(/^[a-z .:,]{0,40}$/);
    fc.assert(
      fc.property(fc.constantFrom(...TRACES), fc.array(line), fc.array(line), ([, trace], before, after) => {
        expect(stackTraceIn([...before, trace, ...after].join('\n'), anything)).not.toBeNull();
      }),
    );
  });

  test('only the beginning of a line of two million characters is read', () => {
    expect(stackTraceIn(`${' '.repeat(2_000_000)}at run (/srv/a.js:1:2)`, anything)).toBeNull();
  });
});

/** Parts of the patterns, and texts that fail right after them. */
const FRAGMENTS: readonly string[] = [
  ...[
    'a',
    '1',
    ' ',
    '\t',
    '.',
    '/',
    '\\',
    ':',
    '(',
    ')',
    '[',
    '"',
    '#',
    '<',
    '+',
    '@',
    '-',
    '_',
    ',',
    '=',
    '`',
    '|',
    '$',
  ],
  ...[
    'at ',
    'at a (',
    'async ',
    'file://',
    'node:',
    'C:\\',
    'webpack',
    ':1:1',
    ':1:1)',
    ':1:1 ',
    ':1:1\t',
    ':123456',
  ],
  ...[
    'a.',
    'a/',
    'a.a/',
    '/a.',
    '/a.js',
    '.js:1:1',
    ' (a.js:1:1',
    'a.js',
    '.jsx',
    '.c',
    '.cc',
    '.py", line 1',
    'a.rb:1:in ',
  ],
  ...[
    '.rb:1',
    ' /a.rb',
    'File "',
    '", line 1',
    '", line 1, in',
    '#0 ',
    '.php(1)',
    '.php(1): ',
    '.go:1 ',
    '.go:1 +0x',
    '0x',
  ],
  ...[
    '(a 1) ',
    '(a 1) a',
    '.ex:1',
    '.exs:1: ',
    'a.b(',
    'A.java',
    '(A.java:1',
    '() in ',
    ':line 1',
    ') in a',
    'a[',
    'a+a',
    '`a.',
  ],
  ...["thread '", "' panicked at ", 'goroutine 1 [', 'a ,', 'Traceback ', '|+-', '--- '],
];
const STARTS = [
  '',
  '    at ',
  '   at a.b.c(',
  '   at a(',
  'at a (/',
  '  File "',
  '#0 ',
  '(a 1) ',
  ' /',
  '"C:\\',
  'file:///',
];
/** The length to which a line is cut. */
const LENGTH = 2000;

describe('no pattern takes too many steps', () => {
  // In a matcher without optimisations; other engines need fewer.
  const MAX_STEPS_PER_CHARACTER = 20;

  test.each([...TRACE_LINES, SOURCE_PATH].map((pattern) => [pattern.source, pattern] as const))(
    '%s',
    (_source, pattern) => {
      for (const start of STARTS) {
        for (const fragment of FRAGMENTS) {
          const line = (start + fragment.repeat(LENGTH)).slice(0, LENGTH - 1);
          for (const text of [`${line}!`, `${line} `]) {
            const steps = stepsToSearch(pattern, text);
            expect(steps, JSON.stringify([start, fragment])).toBeLessThan(MAX_STEPS_PER_CHARACTER * LENGTH);
          }
        }
      }
    },
  );

  test('the counter detects a pattern that does', () => {
    const slow = stepsToSearch(/^(?:a{1,30}){1,30}$/, `${'a'.repeat(18)}!`);
    expect(slow).toBeGreaterThan(100_000);
    expect(stepsToSearch(/a*b/, 'a'.repeat(1000))).toBeGreaterThan(400_000);
    expect(stepsToSearch(/^a*b/, 'a'.repeat(1000))).toBeLessThan(3000);
    expect(stepsToSearch(/(?:^|x)b(?!c)[^\n]{2}\)/, 'xbdd)')).toBeLessThan(20);
  });
});
