import {
  documentIn,
  isProtected,
  isRedirect,
  RESOURCE,
  serverCase,
  serversIn,
} from '../../checks/authorization/metadata.ts';
import { wantsKey } from '../../checks/authorization/tokens.ts';
import type { JsonObject } from '../../json/json.ts';
import { type Exchange, headerValue } from '../../model/exchange.ts';
import { exploredKey } from '../../model/exchange-key.ts';
import { parseUrl } from '../../text/parse-url.ts';
import {
  namedMetadata,
  refusalsIn,
  resourceMetadataUrls,
  serverMetadataUrls,
} from '../../wires/mcp/authorization.ts';
import type { PlannedInstance } from '../calls/expand-context.ts';
import type { InstanceRun, Skip } from '../state/record.ts';
import { defineExperiment } from './define-experiment.ts';
import type { Laboratory } from './laboratory.ts';

/**
 * Reads where a server that refused a request with 401 says how a token is obtained. Each document is read without the
 * user's headers: nothing that gives access is sent to an address that a server names. At most two tries for the
 * resource and three for each of two authorization servers, each with one redirect.
 */
export const authorizationMetadata = defineExperiment(
  'authorization-metadata',
  'nothing: the metadata of authorization are read, of the server and of its authorization servers',
  async (lab) => {
    const known = lab.runner.scheduler.exchanges();
    const { targetUrl, settings } = lab.input;
    if (refusalsIn(known).length === 0 && !wantsKey(known, settings.headerNames))
      return withoutRefusal(lab, known);
    const made: InstanceRun[] = [];
    const named = namedMetadata(known);
    const resource = await read(
      lab,
      made,
      RESOURCE,
      named === null ? resourceMetadataUrls(targetUrl) : [named],
    );
    for (const [index, issuer] of serversIn(resource).entries())
      if (isProtected(issuer)) await read(lab, made, serverCase(index), serverMetadataUrls(issuer));
    return made;
  },
);

/** If nothing was answered, what should have opened the conversation says so. */
function withoutRefusal({ turn, state }: Laboratory, known: readonly Exchange[]): Skip {
  const [opener] = turn.step.use.kind === 'named' ? Object.values(turn.step.use.steps) : [];
  const wasAnswered = known.some(({ kind }) => kind === 'answered');
  const { steps, settings } = state();
  const opening = steps.find(({ id }) => opener?.kind === 'step' && id === opener.id);
  const by =
    opening?.expect.find(({ when }) => when.era === null || when.era === settings.mcp?.era) ??
    opening?.expect[0];
  return wasAnswered || by === undefined
    ? { kind: 'inapplicable', reason: 'the server refuses no request for lack of a token' }
    : { kind: 'blocked', by: by.requirement };
}

/** The first document at one of the addresses; null if there is none. */
async function read(
  lab: Laboratory,
  made: InstanceRun[],
  name: string,
  addresses: readonly string[],
): Promise<JsonObject | null> {
  for (const [index, address] of addresses.entries()) {
    const key = exploredKey(lab.turn.step.id, `${name}-${index + 1}`);
    let exchange = await readOnce(lab, made, name, key, address);
    const moved = exchange !== null && isRedirect(exchange) ? locationOf(exchange, address) : null;
    if (moved !== null) exchange = await readOnce(lab, made, name, `${key}-moved`, moved);
    const document = exchange === null ? null : documentIn(exchange);
    if (document !== null) return document;
    // Whoever does not answer would not answer the next one either.
    if (exchange?.kind === 'unanswered') return null;
  }
  return null;
}

async function readOnce(
  { input, runner, turn }: Laboratory,
  made: InstanceRun[],
  name: string,
  key: string,
  address: string,
): Promise<Exchange | null> {
  const url = parseUrl(address);
  const isOwn = url?.origin === new URL(input.targetUrl).origin;
  if (url === null || url.username !== '' || url.password !== '' || !(isOwn || isProtected(address)))
    return null;
  const request = {
    method: 'GET',
    path: url.pathname + url.search,
    from: url.origin,
    headers: [],
    body: null,
    abortAfterBytes: null,
    anonymous: true,
    keepConnection: false,
    upgrade: null,
    scheme: null,
    token: null,
    timeoutMs: null,
  };
  const instance: PlannedInstance = {
    key,
    item: undefined,
    functionName: null,
    caseId: name,
    call: null,
    request,
  };
  const [run] = await runner.run(turn, [instance]);
  if (run === undefined) return null;
  made.push(run);
  return run.exchanges[0] ?? null;
}

function locationOf(exchange: Exchange, address: string): string | null {
  const location =
    exchange.kind === 'answered' ? headerValue(exchange.response.headers, 'location') : undefined;
  return location === undefined
    ? null
    : URL.canParse(location, address)
      ? new URL(location, address).href
      : null;
}
