/**
 * What traces look like where they leak most: JavaScript, Python, Java and its kin, .NET, Go, Ruby, PHP, Rust, Elixir.
 * Each pattern looks at one line; lines are cut, and nothing in a pattern can be tried in more than one way for long.
 */
const FRAMES: readonly RegExp[] = [
  // at handler (/app/src/server.js:10:5), at async file:///app/x.mjs:1:2, at node:internal/main:1:2
  /^[ \t]*at (?:[^()\n]{1,200} \()?(?:async )?(?:file:\/\/|node:|[A-Za-z]:[\\/]|\/|webpack)[^()\n]{0,300}:\d{1,6}:\d{1,6}\)?[ \t]*$/,
  // at com.example.Main.run(Main.java:10)
  /^[ \t]*at [\w$.<>/]{1,200}\([\w$]{1,100}\.(?:java|kt|scala|groovy|clj):\d{1,6}\)/,
  // at Example.Program.Main(String[] args) in C:\app\Program.cs:line 10
  /^[ \t]*at [^()\n]{1,300}\([^()\n]{0,300}\) in [^\n]{1,300}:line \d{1,6}/,
  // File "/app/main.py", line 10, in handler
  /^[ \t]*File "[^"\n]{1,300}", line \d{1,6}(?:, in |$)/,
  // /app/lib/server.rb:10:in `handle'
  /(?:^|\s)\/?[\w./@-]{1,300}\.rb:\d{1,6}:in [`']/,
  // #0 /app/index.php(10): handle()
  /^[ \t]*#\d{1,4} [^\n]{1,300}\.php\(\d{1,6}\): /,
  // /app/main.go:10 +0x1d
  /^[ \t]*[^\s]{1,300}\.go:\d{1,6} \+0x[0-9a-f]{1,16}/,
  // (app 1.0.0) lib/app.ex:10: App.handle/1
  /^[ \t]*\([\w.]{1,60} [\w.-]{1,40}\) [\w./-]{1,200}\.exs?:\d{1,6}: /,
];

/** Lines that only a trace begins with. */
const HEADS: readonly RegExp[] = [
  /^Traceback \(most recent call last\):/,
  /^goroutine \d{1,9} \[[a-z ,\d]{1,60}\]:/,
  /^thread '[^'\n]{1,100}' (?:\(\d+\) )?panicked at /,
  /^stack backtrace:$/,
  /^Exception in thread "/,
];

const MOST_LINES = 20_000;
const MOST_LINE_CHARACTERS = 2000;

/** The first line of a stack trace in a text, or null. */
export function stackTraceIn(text: string): string | null {
  return firstMatch(text, [...HEADS, ...FRAMES]);
}

/** An absolute path of a file of source code, with or without a line. */
const SOURCE_PATH =
  /(?:^|[\s"'`(=[,>])((?:file:\/\/)?(?:\/|[A-Za-z]:[\\/])(?:[\w.@+-]{1,100}[\\/]){1,30}[\w.@+-]{1,100}\.(?:[cm]?[jt]sx?|py|rb|php|java|kt|scala|go|rs|cs|exs?|erl|pl|pm|lua|swift|c|cc|cpp)(?![\w]))/;

/** A path of source code in a text, or null. */
export function sourcePathIn(text: string): string | null {
  for (const line of linesOf(text)) {
    const path = SOURCE_PATH.exec(line)?.[1];
    if (path !== undefined) return path;
  }
  return null;
}

function firstMatch(text: string, patterns: readonly RegExp[]): string | null {
  for (const line of linesOf(text)) {
    if (patterns.some((pattern) => pattern.test(line))) return line.trim();
  }
  return null;
}

function linesOf(text: string): readonly string[] {
  // Also as HTML pages break lines, and as a trace looks that was escaped once more.
  return text
    .split(/\r\n|\n|\r|<br ?\/?>|\\n/, MOST_LINES)
    .map((line) => line.slice(0, MOST_LINE_CHARACTERS).replaceAll('&nbsp;', ' ').replaceAll('&quot;', '"'));
}
