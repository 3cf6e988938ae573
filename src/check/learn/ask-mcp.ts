import { CHECK_SETTINGS } from '../../model/check-options.ts';
import { headerValue, isEventStream } from '../../model/exchange.ts';
import { type HttpExchange, isOverHttp } from '../../model/sent.ts';
import { createRedactor } from '../../probe/redactor.ts';
import { systemClock } from '../../probe/system-clock.ts';
import { openHttp } from '../../run/conversations/open-http.ts';
import { harnessVersion } from '../../suite/product-files.ts';
import { messagesOf } from '../../wires/mcp/answer.ts';
import { SESSION_ID } from '../../wires/mcp/http-headers.ts';
import { METHOD_NOT_FOUND } from '../../wires/mcp/opening.ts';
import type { CheckOptions } from '../check-options.ts';
import { givenHeaders } from '../request-headers.ts';
import { authoritiesOf } from '../run-settings.ts';

/** What an address answered to messages of the Model Context Protocol, for a person: "POST initialize: status 404". */
export interface McpAnswer {
  readonly speaksMcp: boolean;
  /** Access is missing, and nothing shows what kind of server it is. */
  readonly turnedAway: boolean;
  readonly said: readonly string[];
}

/** Asks an address whether it is an endpoint of the Model Context Protocol, by opening a conversation and ending it. */
export async function askMcp(
  url: string,
  options: Pick<CheckOptions, 'headers' | 'bearerToken' | 'ca' | 'publicOnly' | 'requestTimeoutMs'>,
  mayMove = true,
): Promise<McpAnswer> {
  const { headers, secrets } = givenHeaders(options);
  const opening = await openHttp({
    url,
    headers,
    secrets,
    publicOnly: options.publicOnly ?? false,
    ca: authoritiesOf(options),
    era: 'auto',
    handshake: true,
    client: { name: 'probity', version: harnessVersion() },
    startTimeoutMs: options.requestTimeoutMs ?? CHECK_SETTINGS.requestTimeoutMs.default,
    signal: new AbortController().signal,
    clock: systemClock,
    redactor: createRedactor(secrets),
  });
  const exchanges = opening.exchanges.filter(isOverHttp);
  const said = exchanges.map(answerWords);
  if (opening.kind === 'open') await opening.conversation.close();
  const moved = mayMove ? newAddress(exchanges, url) : null;
  if (moved !== null) {
    const there = await askMcp(moved, options, false);
    return { ...there, said: [...said, ...there.said] };
  }
  const failure = opening.kind === 'open' ? null : opening.failure;
  const speaksMcp = failure === 'old-transport' || exchanges.some(isOfMcp);
  return { speaksMcp, turnedAway: !speaksMcp && failure === 'gated', said };
}

/** Where a message is to be sent instead, on the same server, such as /mcp/ for /mcp; null if it was not said. */
function newAddress(exchanges: readonly HttpExchange[], url: string): string | null {
  for (const exchange of exchanges) {
    if (exchange.kind === 'unanswered' || ![307, 308].includes(exchange.response.status)) continue;
    const to = headerValue(exchange.response.headers, 'location') ?? '';
    if (URL.canParse(to, url) && new URL(to, url).origin === new URL(url).origin)
      return new URL(to, url).href;
  }
  return null;
}

/** An answer in JSON-RPC or as a stream of events, a session, or a challenge that names the metadata of a resource. */
function isOfMcp(exchange: HttpExchange): boolean {
  if (exchange.kind === 'unanswered') return false;
  const { headers } = exchange.response;
  return (
    isEventStream(headers) ||
    headerValue(headers, SESSION_ID) !== undefined ||
    /\bresource_metadata\s*=/i.test(headerValue(headers, 'www-authenticate') ?? '') ||
    // Servers of other protocols speak JSON-RPC too, and know no method of this one.
    messagesOf(exchange).some(
      ({ message }) =>
        message.kind === 'result' || (message.kind === 'error' && message.code !== METHOD_NOT_FOUND),
    )
  );
}

function answerWords(exchange: HttpExchange): string {
  const { method, key } = exchange.request;
  const what = `${method} ${key.replace(/^opening\/|#\d+$/g, '')}`;
  if (exchange.kind === 'unanswered') return `${what}: no answer (${exchange.reason.message})`;
  const { status, headers } = exchange.response;
  const [type] = headerValue(headers, 'content-type')?.split(';', 1) ?? [];
  return `${what}: status ${status}${type === undefined ? '' : `, ${type}`}`;
}
