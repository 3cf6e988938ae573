import type { ComponentChildren, VNode } from 'preact';
import type { ServerRecord } from 'probity/model';

/** A name with its value, in a list of them. */
export function Pair({
  name,
  children,
}: {
  readonly name: string;
  readonly children: ComponentChildren;
}): VNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Null words: unknown. Beside a claim is a word, not only a style: a screen reader and a print have it too. */
export function Figure({
  name,
  words,
  figures,
}: {
  readonly name: string;
  readonly words: string | null;
  readonly figures: ServerRecord['figures'];
}): VNode {
  return (
    <Pair name={name}>
      {words ?? 'unknown'}
      {words !== null && figures === 'claimed' ? <span class="claim"> (claimed)</span> : null}
    </Pair>
  );
}

export function Moment({ at }: { readonly at: string }): VNode {
  return <time dateTime={at}>{momentWords(at)}</time>;
}

/** Percentage with two decimals, always rounded down. Pure. */
export function percentWords(percentage: number): string {
  return `${Math.floor(percentage * 100 + 1e-9) / 100} %`;
}

/** About three significant digits. Pure. */
export function msWords(ms: number): string {
  if (ms >= 10_000) return `${Number((ms / 1000).toFixed(1))} s`;
  return `${Number(ms.toFixed(ms >= 100 ? 0 : ms >= 10 ? 1 : 2))} ms`;
}

/** `2026-01-31 12:00 UTC`. Pure. */
function momentWords(timestamp: string): string {
  return `${timestamp.slice(0, 10)} ${timestamp.slice(11, 16)} UTC`;
}

/** What `protocol: mcp` of a record means. */
export const MCP_WORDS = 'Model Context Protocol';
