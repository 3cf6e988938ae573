import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { visibleLines } from '../json/visible.ts';
import type { Look } from '../report/terminal/layout.ts';
import { COLOURS, type Palette, PLAIN } from '../report/terminal/layout.ts';
import { parseUrl } from '../text/parse-url.ts';
import { proxyVariable } from '../text/proxy-variable.ts';

/** Colours and width of a stream. */
export function lookOf(stream: NodeJS.WriteStream): Required<Look> {
  return { palette: paletteFor(stream), columns: columnsOf(stream) };
}

/** Colour only on a terminal; NO_COLOR and FORCE_COLOR override that. */
function paletteFor(stream: NodeJS.WriteStream): Palette {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  if (NO_COLOR !== undefined && NO_COLOR !== '') return PLAIN;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '0') return COLOURS;
  return stream.isTTY === true && TERM !== 'dumb' ? COLOURS : PLAIN;
}

export function columnsOf(stream: NodeJS.WriteStream): number {
  // Some terminals report 0 columns.
  return stream.isTTY === true && stream.columns > 0 ? stream.columns : 80;
}

type Listener = (text: string) => void;

const listeners = new AsyncLocalStorage<Listener>();

/** While `run` lasts, the listener gets what it says: several runs at once would mix up their lines. */
export function listenTo<Outcome>(listener: Listener, run: () => Outcome): Outcome {
  return listeners.run(listener, run);
}

export function say(text: string): void {
  const listener = listeners.getStore();
  if (listener !== undefined) listener(text);
  else process.stderr.write(`${visibleLines(text)}\n`);
}

/** For a user whose target is reachable only through a proxy. */
export function sayProxyUnused(targetUrl: string): void {
  const url = parseUrl(targetUrl);
  const variable = url === null ? null : proxyVariable(url, process.env);
  if (variable === null) return;
  say(
    `${variable} is set, but the requests went directly to the target, because Probity tests the target and not a proxy. Run this on a machine that reaches the target without a proxy.`,
  );
}

/** Writes the parts to standard output at the pace of the reader, and stops when the reader closes it. */
export async function print(parts: Iterable<string>): Promise<void> {
  const { stdout } = process;
  for (const part of parts) {
    if (stdout.destroyed) return;
    if (stdout.write(part)) continue;
    const done = new AbortController();
    const { signal } = done;
    const ignored = (): void => undefined;
    await Promise.race([
      once(stdout, 'drain', { signal }).catch(ignored),
      once(stdout, 'close', { signal }).catch(ignored),
    ]);
    done.abort();
  }
}
