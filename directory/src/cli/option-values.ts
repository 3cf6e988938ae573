import { InvalidArgumentError } from 'commander';
import { wholeNumber } from 'probity/command-line';
import { parseUrl, SERVER_STATUSES, type ServerStatus } from 'probity/model';
import { AUDIT_TIERS } from '../auditing/audits.ts';
import { msIn } from '../settings/durations.ts';
import {
  DEFAULT_LIMITS,
  QUEUE_NAMES,
  type QueueName,
  RATE_LIMIT_NAMES,
  type RateLimits,
  SCOPES,
  type Scope,
} from '../settings/settings.ts';

/** One of these names. */
function oneOf<Name extends string>(names: readonly Name[]): (value: string) => Name {
  return (value) => {
    const known = names.find((name) => name === value);
    if (known === undefined) throw new InvalidArgumentError(`It must be one of ${names.join(', ')}.`);
    return known;
  };
}

function namesIn(list: string): readonly string[] {
  return list.split(',').map((name) => name.trim());
}

export const tier = oneOf(AUDIT_TIERS);

export function states(value: string, before: readonly ServerStatus[] = []): readonly ServerStatus[] {
  return [...new Set([...before, ...namesIn(value).map(oneOf(SERVER_STATUSES))])];
}

const MAX_INTERVAL_MS = 365 * 86_400_000;

/** How often something happens, in milliseconds. */
export function interval(value: string): number {
  const ms = msIn(value);
  if (ms === null || ms > MAX_INTERVAL_MS)
    throw new InvalidArgumentError('It must be a duration of up to 365d, such as 30s, 15m, 1h or 1d.');
  return ms;
}

export function queues(value: string): readonly QueueName[] {
  return [...new Set(namesIn(value).map(oneOf(QUEUE_NAMES)))];
}

export function scopes(value: string, before: readonly Scope[] = []): readonly Scope[] {
  return [...new Set([...before, ...namesIn(value).map(oneOf(SCOPES))])];
}

export function rateLimits(value: string, before: Partial<RateLimits> = {}): Partial<RateLimits> {
  const [, name, calls, windowSeconds] = /^([a-zA-Z]+)=([1-9]\d{0,8})\/([1-9]\d{0,4})$/.exec(value) ?? [];
  const known = RATE_LIMIT_NAMES.find((one) => one === name);
  if (known === undefined)
    throw new InvalidArgumentError(
      `It must be ${RATE_LIMIT_NAMES.join(', ')}, with calls and seconds, such as read=600/60.`,
    );
  const limit = { ...DEFAULT_LIMITS[known], calls: Number(calls), windowSeconds: Number(windowSeconds) };
  return { ...before, [known]: limit };
}

/** Without a trailing slash, because paths are appended. It becomes links in pages and badges. */
export function publicAddress(value: string): string {
  const url = parseUrl(value);
  const isPlain =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    [url.username, url.password, url.search, url.hash].every((part) => part === '');
  if (!isPlain)
    throw new InvalidArgumentError(
      'It must be an http or https address without a user name, a query and a fragment, such as https://directory.example.org.',
    );
  return url.href.replace(/\/+$/, '');
}

/** The part of a server's name before the slash, as the registry API has it. */
export function namespace(value: string): string {
  if (
    !/^[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)+$/.test(
      value,
    ) ||
    value.length > 100
  )
    throw new InvalidArgumentError('It must be the name of a host backwards, such as org.example.directory.');
  return value;
}

/** A median needs at least six samples. */
export function timedCalls(text: string): number {
  return text === '0' ? 0 : wholeNumber(6, 10_000)(text);
}
