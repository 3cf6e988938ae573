import type { ComponentChildren, VNode } from 'preact';
import { BADGE_COLOURS, badgePicture, Heads } from 'probity/html';
import {
  type ListingDecision,
  parseUrl,
  type ServerDetails,
  type ServerRecord,
  shorten,
  visible,
} from 'probity/model';
import { refuseUrl } from 'probity/service';

/** A name with its value, in a list of them. */
export function Pair({ name, children }: Readonly<{ name: string; children: ComponentChildren }>): VNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

export const DECISIONS = {
  list: { words: 'listed', mark: 'passed', kind: 'pass' },
  hold: { words: 'on hold', mark: 'warning', kind: 'incomplete' },
  reject: { words: 'rejected', mark: 'failed', kind: 'fail' },
} as const satisfies Record<ListingDecision, object>;

/** Neither a hold nor a listing: only its figures are missing. */
const AWAITS_FIGURES = {
  words: 'approved, waits for its figures',
  mark: 'warning',
  kind: 'incomplete',
} as const;

interface Decision {
  readonly decision: ListingDecision;
  readonly awaitsFigures: boolean;
}

/** How a decision is shown, and how serious it is. Pure. */
export function decisionShown({ decision, awaitsFigures }: Decision) {
  return awaitsFigures ? AWAITS_FIGURES : DECISIONS[decision];
}

export function DecisionMark({ of }: { readonly of: Decision }): VNode {
  const { mark, words } = decisionShown(of);
  return <span class={`mark ${mark}`}>{words}</span>;
}

/** A part of a page that links lead to. */
export function Section({
  id,
  title,
  children,
}: Readonly<{ id: string; title: string; children: ComponentChildren }>): VNode {
  return (
    <section id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      {children}
    </section>
  );
}

/** A part of a page that is closed at first; `words` say what is in it. Links lead to it, and open it. */
export function Fold({
  id,
  title,
  words,
  children,
}: Readonly<{ id: string; title: string; words?: ComponentChildren; children: ComponentChildren }>): VNode {
  return (
    <details id={id} class="fold">
      <summary>
        <h2>{title}</h2> {words === undefined ? null : <span class="level">{words}</span>}
      </summary>
      {children}
    </details>
  );
}

/** A table that may be wider than the window. */
export function Table({
  label,
  caption,
  heads,
  children,
}: Readonly<{
  label: string;
  caption?: string;
  heads: readonly string[];
  children: ComponentChildren;
}>): VNode {
  return (
    <section class="scroll" aria-label={label} tabIndex={0}>
      <table class="history">
        {caption === undefined ? null : <caption>{caption}</caption>}
        <Heads heads={heads} />
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

/** Null words: unknown. Beside a claim is a word, not only a style: a screen reader and a print have it too. */
export function Figure({
  name,
  words,
  figures,
}: Readonly<{ name: string; words: string | null; figures: ServerRecord['figures'] }>): VNode {
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

/** An untrusted address. It is a link only when it leads to a web page and its text shows the true destination. */
export function Address({ text, isTrusted = false }: Readonly<{ text: string; isTrusted?: boolean }>): VNode {
  const href = webAddress(text, isTrusted);
  if (href === null) return <span class="address">{text}</span>;
  return (
    <a class="address" href={href} rel="nofollow noopener noreferrer">
      {text}
    </a>
  );
}

/**
 * Null for other protocols, for addresses that are not public, to which a server could lead readers inside their own
 * network, for addresses with a user name, and for text that was shortened or contains escapes.
 */
function webAddress(text: string, isTrusted: boolean): string | null {
  if (!/^https?:\/\/[^\s\\…]+$/i.test(text) || parseUrl(text) === null) return null;
  const url = new URL(text);
  return url.username === '' && url.password === '' && (isTrusted || refuseUrl(url) === null)
    ? url.href
    : null;
}

/** In characters; longer texts are shortened, so that a listing cannot fill the page. */
export const MAX_LENGTHS = { name: 200, description: 1000, label: 100 } as const;

/** Untrusted text, shortened, with invisible characters escaped. Pure. */
export function visibleText(text: string, kind: keyof typeof MAX_LENGTHS): string {
  return visible(shorten(text, MAX_LENGTHS[kind]));
}

type Badged = Pick<ServerDetails, 'status' | 'uptime' | 'figures'> & {
  readonly listing: Pick<ServerDetails['listing'], 'decision' | 'awaitsFigures'>;
};

export function entryBadge(entry: Badged): string {
  return badgePicture({ label: 'MCP', message: badgeMessage(entry), colour: BADGE_COLOURS[colourOf(entry)] });
}

/** Shows only observed figures, never claims. Pure. */
export function badgeMessage({ status, uptime, figures, listing }: Badged): string {
  if (listing.decision !== 'list') return decisionShown(listing).words;
  const state = BADGE_STATES[status];
  const hasNoUptime = figures === 'claimed' || uptime === null || state.colour === 'fail';
  return hasNoUptime || status === 'paused' ? state.words : `${state.words} · ${percentWords(uptime)}`;
}

function colourOf({ status, listing }: Badged): keyof typeof BADGE_COLOURS {
  return listing.decision === 'list' ? BADGE_STATES[status].colour : decisionShown(listing).kind;
}

const BADGE_STATES = {
  up: { words: 'listed', colour: 'pass' },
  unknown: { words: 'listed', colour: 'pass' },
  down: { words: 'down', colour: 'fail' },
  gated: { words: 'wants a key', colour: 'incomplete' },
  paused: { words: 'paused', colour: 'incomplete' },
  undecided: { words: 'undecided', colour: 'incomplete' },
  stale: { words: 'stale', colour: 'incomplete' },
} as const satisfies Record<ServerDetails['status'], object>;
