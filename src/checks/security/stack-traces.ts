import { words } from '../../text/words.ts';

/**
 * Lines of traces in the most common languages: JavaScript, Python, JVM languages, .NET, Go, Ruby, PHP, Rust, Elixir.
 * Each pattern matches one line. Lines are cut, and no pattern backtracks for long.
 */
const FRAMES: readonly RegExp[] = [
  // at handler (/app/src/server.js:10:5), at async file:///app/x.mjs:1:2, at node:internal/main:1:2
  /^[ \t]*at (?:[^()\n]{1,200} \()?(?:async )?(?:[a-z][a-z\d+.-]{1,20}:\/\/|node:|[A-Za-z]:[\\/]|\/|webpack)[^()\n]{0,300}:\d{1,6}:\d{1,6}\)?[ \t]*$/,
  // at handler (src/server.ts:10:5)
  /^[ \t]*at [^()\n]{1,200} \([\w.@+/\\-]{1,300}\.[cm]?[jt]sx?:\d{1,6}:\d{1,6}\)[ \t]*$/,
  // at new Promise (<anonymous>), at eval (eval at run (…))
  /^[ \t]*at [^()\n]{1,200} \((?:<anonymous>\)|native\)|eval at )/,
  // handler@file:///app/x.js:1:2
  /^[\w$.<>/*]{1,200}@(?:file:\/\/|https?:\/\/|\/)[^\s]{1,300}:\d{1,6}:\d{1,6}$/,
  // at java.base/java.lang.Thread.run(Native Method)
  /^[ \t]*at [\w$.<>/]{1,200}\((?:Unknown Source|Native Method)\)/,
  // at com.example.Main.run(Main.java:10)
  /^[ \t]*at [\w$.<>/]{1,200}\([\w$]{1,100}\.(?:java|kt|scala|groovy|clj):\d{1,6}\)/,
  // at Example.Program.Main(String[] args) in C:\app\Program.cs:line 10
  /^[ \t]*at [^()\n]{1,300}\([^()\n]{0,300}\) in [^\n]{1,300}:line \d{1,6}/,
  // at Example.Program.Main(String[] args), without debugging symbols
  /^ {3}at [\w`<>]{1,100}(?:[.+][\w`<>$[\],|]{1,100}){2,20}\([^()\n]{0,300}\)$/,
  // File "/app/main.py", line 10, in handler; a file that is not a program may be the caller's
  /^[ \t|]*File "[^"\n]{1,300}", line \d{1,6}, in /,
  /^[ \t|]*File "(?:[^"\n]{1,300}\.pyw?|<[\w .]{1,60}>)", line \d{1,6}$/,
  // /app/lib/server.rb:10:in `handle'
  /(?:^|\s)\/?[\w./@-]{1,300}\.rb:\d{1,6}:in [`']/,
  // #0 /app/index.php(10): handle()
  /^[ \t]*#\d{1,4} [^\n]{1,300}\.php\(\d{1,6}\): /,
  // /app/main.go:10 +0x1d
  /^[ \t]*[^\s]{1,300}\.go:\d{1,6} \+0x[0-9a-f]{1,16}/,
  // (app 1.0.0) lib/app.ex:10: App.handle/1
  /^[ \t]*\([\w.]{1,60} [\w.-]{1,40}\) [\w./-]{1,200}\.exs?:\d{1,6}: /,
];

/** Lines that begin only traces. */
const HEADS: readonly RegExp[] = [
  /^[ \t|+-]*(?:Exception Group )?Traceback \(most recent call last\):/,
  /^goroutine \d{1,9} \[[a-z ,\d]{1,60}\]:/,
  /^thread '[^'\n]{1,100}' (?:\(\d+\) )?panicked at /,
  /^stack (?:backtrace|traceback):$/,
  /^[ \t]*--- End of stack trace from previous location/,
  /^Exception in thread "/,
];

export const TRACE_LINES: readonly RegExp[] = [...HEADS, ...FRAMES];

/** Every line of a trace contains one of these, or an entity for it. Most texts need no further search. */
const HINTS = /&|at |@|File "|\.rb:|\.php\(|\.go:|\.exs?:|Traceback|goroutine|panicked|stack |Exception in /;

const MAX_LINES = 20_000;
const MAX_LINE_CHARACTERS = 2000;

type Counts = (found: string) => boolean;

/** The first line of a stack trace in a text that counts, or null. */
export function stackTraceIn(text: string, counts: Counts): string | null {
  if (!HINTS.test(text)) return null;
  for (const line of linesOf(text)) {
    if (!HINTS.test(line)) continue;
    if (TRACE_LINES.some((pattern) => pattern.test(line)) && counts(line.trim())) return line.trim();
  }
  return null;
}

/** An absolute path of a file of source code, with or without a line. */
export const SOURCE_PATH =
  /(?:^|[\s"'`(=[,>])((?:file:\/\/)?(?:\/|[A-Za-z]:[\\/])(?:[\w.@+-]{1,100}[\\/]){1,30}[\w.@+-]{1,100}\.(?:[cm]?[jt]sx?|py|rb|php|java|kt|scala|go|rs|cs|exs?|erl|pl|pm|lua|swift|c|cc|cpp)(?![\w]))/g;

/** Where programs are installed; a path below another root may be a path of the site. */
const OF_MACHINE =
  /^(?:file:|[A-Za-z]:|\/(?:home|root|usr|opt|srv|var|apps?|Users|tmp|mnt|workspaces?|builds?|code|src|private|nix|go)\/)|[\\/](?:node_modules|site-packages|dist-packages|vendor)[\\/]/;

/** The first path of source code in a text that counts, or null. */
export function sourcePathIn(text: string, counts: Counts): string | null {
  if (!text.includes('.') || !/[&/\\]/.test(text)) return null;
  for (const line of linesOf(text)) {
    for (const [, path = ''] of line.matchAll(SOURCE_PATH)) {
      if (OF_MACHINE.test(path) && counts(path)) return path;
    }
  }
  return null;
}

/** The lines of a text; also those that HTML breaks, and those of an escaped trace. */
function linesOf(text: string): readonly string[] {
  return text
    .split(/\r\n|\n|\r|<br ?\/?>/, MAX_LINES)
    .flatMap((line) => (line.includes('\\n') ? [line, ...escapedLines(line)] : [line]))
    .map((line) => withoutEntities(line.slice(0, MAX_LINE_CHARACTERS)));
}

function escapedLines(line: string): readonly string[] {
  return line.split(/(?:\\r)?\\n/, MAX_LINES).map((one) => one.replace(/^(?:\\t){1,20}/, ''));
}

const ENTITIES: Readonly<Record<string, string>> = {
  nbsp: ' ',
  quot: '"',
  '#34': '"',
  apos: "'",
  '#39': "'",
  '#x27': "'",
  lt: '<',
  gt: '>',
  amp: '&',
  '#47': '/',
  '#x2f': '/',
  '#96': '`',
  '#x60': '`',
};

function withoutEntities(line: string): string {
  return line.replaceAll(/&([a-z]{2,4}|#\d{2}|#x[\da-f]{2});/gi, (entity, name: string) => {
    return ENTITIES[name.toLowerCase()] ?? entity;
  });
}

/** Tags within a line; any other tag begins a new line. */
const INLINE = words('a b code em font i kbd mark samp small span strong tt u');
const HIDDEN = new Set(['script', 'style']);

/**
 * The visible text of an HTML page, or all of any other text. Tags and scripts are left out, because their addresses
 * are those of the site. One pass, even if tags are left open.
 */
export function shownText(text: string): string {
  if (!/^\s{0,1000}</.test(text)) return text;
  const [before = '', ...parts] = text.split('<');
  const shown = [before];
  let hidden: string | null = null;
  for (const part of parts) {
    const [, slash, name] = /^(\/?)([a-z][a-z\d]{0,20})/i.exec(part) ?? [];
    const tag = name?.toLowerCase() ?? null;
    if (hidden !== null && !(slash === '/' && tag === hidden)) continue;
    hidden = hidden === null && slash === '' && tag !== null && HIDDEN.has(tag) ? tag : null;
    const end = part.indexOf('>');
    if (tag === null && part[0] !== '!') shown.push(`<${part}`);
    else if (hidden === null)
      shown.push(tag !== null && INLINE.has(tag) ? '' : '\n', end < 0 ? '' : part.slice(end + 1));
  }
  return shown.join('');
}
