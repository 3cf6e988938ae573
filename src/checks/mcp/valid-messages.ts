import { isJsonObject, type Json, ownProperty, ownText } from '../../json/json.ts';
import { failed, inapplicable } from '../../model/judgement.ts';
import type { SchemaEvaluator } from '../../model/schema-evaluator.ts';
import { sentJson } from '../../model/sent.ts';
import { answeringMessage } from '../../wires/mcp/answer.ts';
import { CAPABILITY_OF } from '../../wires/mcp/client-answers.ts';
import { problemsOfMessage, type ServerMessage } from '../../wires/mcp/message-schema.ts';
import { defineCheck, judgeEach } from '../define-check.ts';
import { valueAt } from '../json/local-reference.ts';
import { methodOf, type Received, receivedIn } from './received.ts';

export const validMessages = defineCheck(
  'step',
  'valid-messages',
  'every message of the server is valid by JSON-RPC 2.0 and by the negotiated version of the protocol',
  ({ asked, conversations, opened, schemas }) => {
    const messages = receivedIn(asked, conversations).filter(isJudged);
    if (messages.length === 0) return inapplicable('the server sent no message');
    const found = messages.flatMap((one) => problemsOf(one, opened?.version ?? null, schemas));
    return judgeEach(
      [...new Map(found.map((one) => [wordsOf(one), one])).values()],
      ({ of: _, ...evidence }) => failed(evidence),
    );
  },
  { breaksAlone: true },
);

type Problem = ReturnType<typeof problemsOf>[number];

/** What was found once about a tool, or about a kind of message, is not said again. */
function wordsOf({ of, pointer, expected }: Problem): string {
  return `${of} ${pointer.replaceAll(/\d+/g, '0')} ${expected}`;
}

/** What is no message at all is judged by only-messages. */
function isJudged({ read, exchange }: Received): boolean {
  const { message } = read;
  if (message.kind === 'noise') return false;
  if (message.kind !== 'not-json-rpc') return true;
  // A refusal over HTTP may be any JSON, unless it says that it is a message.
  const isRefusal = exchange?.kind === 'answered' && exchange.response.status >= 400;
  if (isRefusal && ownProperty(read.value, 'jsonrpc') === undefined) return false;
  return !message.problem.endsWith('holds no object');
}

function problemsOf({ read, exchange }: Received, version: string | null, schemas: SchemaEvaluator) {
  const message = read.value ?? null;
  const answers = exchange !== null && answeringMessage(exchange) === read;
  const answered = answers ? methodOf(exchange) : null;
  const one: ServerMessage = { message, version, answered };
  const params = answers ? ownProperty(sentJson(exchange.request), 'params') : undefined;
  const tool = answered === 'tools/call' ? ownText(params, 'name') : null;
  const answer =
    tool === null ? `the answer to ${answered ?? 'a request'}` : `a result of the tool "${tool}"`;
  const what = answers ? answer : `the message ${ownText(message, 'method') ?? ''}`.trim();
  const by = version === null ? 'JSON-RPC' : `version ${version} of the protocol`;
  return problemsOfMessage(one, schemas)
    .filter((problem) => !hasOwnCheck(problem.pointer, one))
    .map(({ expected, received, pointer }) => ({
      of: what,
      message: `${what} is not valid by ${by}`,
      expected,
      received,
      pointer: read.pointer + pointer,
      exchangeKey: exchange?.request.key,
      advice: adviceFor(pointer, expected, received),
    }));
}

/** What the requirement says of every message is about its outermost members. */
function adviceFor(pointer: string, expected: string, received: string): string | undefined {
  if (pointer.split('/').length < 3) return undefined;
  const or = received === 'null' ? ', or leave it out' : '';
  return `Make \`${pointer}\` ${expected}${or}. Serialise from types of the protocol, such as those of an SDK, so that the compiler finds such a member.`;
}

/** Members that other checks judge, with more to say. */
const WITH_OWN_CHECK: Readonly<Record<string, RegExp>> = {
  // The assertions of mcp-session on the result of initialize.
  initialize: /^\/result(\/(capabilities|serverInfo(\/(name|version))?))?$/,
  // The assertions of mcp-session, result-type and cache-fields.
  'server/discover': /^\/result(\/(capabilities|supportedVersions|resultType|ttlMs|cacheScope)(\/.*)?)?$/,
  // The assertions of mcp-tools, tool-pages, tool-schemas, result-type and cache-fields.
  'tools/list':
    /^\/result(\/(nextCursor|resultType|ttlMs|cacheScope)|\/tools(\/\d+\/(annotations|inputSchema|outputSchema)(\/.*)?)?)?$/,
  // list-answered, list-pages, result-type and cache-fields.
  'prompts/list': /^\/result(\/(prompts|nextCursor|resultType|ttlMs|cacheScope))?$/,
  'resources/list': /^\/result(\/(resources|nextCursor|resultType|ttlMs|cacheScope))?$/,
  'resources/templates/list': /^\/result\/(nextCursor|resultType|ttlMs|cacheScope)$/,
  // content-valid and error-flag.
  'tools/call': /^\/result(\/content(\/\d+(\/(text|data|resource(\/(uri|text|blob))?))?)?|\/isError)?$/,
};

/** What other results must have besides the members that result-type and cache-fields judge. */
const MAIN_MEMBER: Readonly<Record<string, string>> = {
  'resources/templates/list': 'resourceTemplates',
  'resources/read': 'contents',
  'prompts/get': 'messages',
  'completion/complete': 'completion',
};

/** A request in a result that asks for input. */
const ASKED = /^\/result\/inputRequests\/[^/]*/;

/** By forms-valid, addresses-valid, sampling-valid, or input-required; none of them looks into a request for roots. */
function isJudgedAsQuestion(pointer: string, message: Json): boolean {
  const asked = ASKED.exec(pointer)?.[0];
  const method = ownText(asked === undefined ? message : valueAt(message, asked), 'method') ?? '';
  if (asked !== undefined) return method !== 'roots/list';
  const isQuestion = method !== 'roots/list' && Object.hasOwn(CAPABILITY_OF, method);
  return isQuestion && (pointer === '' || pointer.startsWith('/params'));
}

function hasOwnCheck(pointer: string, { message, answered }: ServerMessage): boolean {
  if (isJudgedAsQuestion(pointer, message)) return true;
  // ids-returned compares the id of each answer with those of the requests.
  if (pointer === '/id' && ownProperty(message, 'method') === undefined) return true;
  if (answered === null) return false;
  const at = valueAt(message, pointer);
  // JSON Schema allows true and false as schemas, and older versions of the protocol only objects.
  if (typeof at === 'boolean' && /\/properties\/[^/]+$/.test(pointer)) return false;
  if (WITH_OWN_CHECK[answered]?.test(pointer)) return true;
  const main = MAIN_MEMBER[answered];
  const result = ownProperty(message, 'result');
  if (main !== undefined && /^\/result(\/(resultType|ttlMs|cacheScope))?$/.test(pointer))
    return ownProperty(result, main) !== undefined;
  // completion-values counts them.
  if (pointer === '/result/completion/values' && Array.isArray(at)) return true;
  if (answered === 'tools/list' && /^\/result\/tools\/\d+$/.test(pointer))
    return !isJsonObject(at) || at.inputSchema === undefined;
  const isError = ownProperty(result, 'isError') === true;
  return answered === 'tools/call' && pointer === '/result/structuredContent' && !isError;
}
