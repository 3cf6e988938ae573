import { isJsonObject, type Json, ownProperty } from '../../model/json.ts';
import { failed, inapplicable } from '../../model/judgement.ts';
import type { SchemaEvaluator } from '../../model/schema-evaluator.ts';
import { problemsOfMessage, type ServerMessage } from '../../wires/mcp/message-schema.ts';
import { defineCheck, judgeEach } from '../define-check.ts';
import { valueAt } from '../json/local-reference.ts';
import { firstOfEachTool, listIn, resultsIn } from './relayed.ts';

export const validMessages = defineCheck(
  'json',
  'valid-messages',
  'every message of the server is valid by JSON-RPC 2.0 and by the negotiated version of the protocol',
  ({ value, schemas }) => {
    const [relayed, recorded] = [relayedMessages(value), recordedResults(value)];
    if (relayed.length + recorded.length === 0) return inapplicable('the server sent no message');
    const ofTools = recorded.flatMap((one) =>
      problemsOf(one, schemas).map((evidence) => ({ tool: one.tool, evidence })),
    );
    return judgeEach(
      [
        ...relayed.flatMap((one) => problemsOf(one, schemas)),
        ...firstOfEachTool(ofTools).map(({ evidence }) => evidence),
      ],
      failed,
    );
  },
);

interface Received extends ServerMessage {
  readonly what: string;
  readonly pointer: string;
}

function relayedMessages(value: Json): readonly Received[] {
  const version = textOf(ownProperty(value, 'learned'), 'protocolVersion');
  const methods = new Map(
    listIn(value, 'sent').map((sent) => [ownProperty(sent.value, 'id'), textOf(sent.value, 'method')]),
  );
  const answers = listIn(value, 'answers').map(({ value: message, pointer }) => {
    const id = ownProperty(message, 'id');
    const answered = id === undefined ? null : (methods.get(id) ?? null);
    return { message, pointer, version, answered, what: `the answer to ${answered ?? 'a request'}` };
  });
  const others = listIn(value, 'others').map(({ value: message, pointer }) => {
    const what = `the message ${textOf(message, 'method') ?? ''}`.trim();
    return { message, pointer, version, answered: null, what };
  });
  return [...answers, ...others];
}

/** The bridge keeps the results of its calls without the messages around them. */
function recordedResults(value: Json) {
  const version = textOf(value, 'protocolVersion');
  return resultsIn(value).map(({ tool, result, pointer }) => ({
    message: { jsonrpc: '2.0', id: 0, result },
    pointer: pointer.replace(/\/result$/, ''),
    version,
    answered: 'tools/call',
    what: `a result of the tool "${tool}"`,
    tool,
  }));
}

function textOf(value: Json | undefined, member: string): string | null {
  const text = ownProperty(value, member);
  return typeof text === 'string' ? text : null;
}

function problemsOf(one: Received, schemas: SchemaEvaluator) {
  const by = one.version === null ? 'JSON-RPC' : `version ${one.version} of the protocol`;
  return problemsOfMessage(one, schemas)
    .filter((problem) => !hasOwnCheck(problem.pointer, one))
    .map(({ expected, received, pointer }) => ({
      message: `${one.what} is not valid by ${by}`,
      expected,
      received,
      pointer: one.pointer + pointer,
    }));
}

/** Members that other checks judge, with more to say. */
const WITH_OWN_CHECK: Readonly<Record<string, RegExp>> = {
  // The assertions of mcp-session on the result of initialize.
  initialize: /^\/result(\/(capabilities|serverInfo(\/(name|version))?))?$/,
  // The assertions of mcp-tools, tool-pages and tool-schemas.
  'tools/list': /^\/result(\/nextCursor|\/tools(\/\d+\/(annotations|inputSchema|outputSchema)(\/.*)?)?)?$/,
  // content-valid and error-flag.
  'tools/call': /^\/result(\/content(\/\d+(\/(text|data|resource(\/(uri|text|blob))?))?)?|\/isError)?$/,
};

function hasOwnCheck(pointer: string, { message, answered }: ServerMessage): boolean {
  // ids-returned compares the id of each answer with those of the requests.
  if (pointer === '/id' && ownProperty(message, 'method') === undefined) return true;
  if (answered === null) return false;
  const at = valueAt(message, pointer);
  // JSON Schema allows true and false as schemas, and older versions of the protocol only objects.
  if (typeof at === 'boolean' && /\/properties\/[^/]+$/.test(pointer)) return false;
  if (WITH_OWN_CHECK[answered]?.test(pointer)) return true;
  if (answered === 'tools/list' && /^\/result\/tools\/\d+$/.test(pointer))
    return !isJsonObject(at) || at.inputSchema === undefined;
  const isError = ownProperty(ownProperty(message, 'result'), 'isError') === true;
  return answered === 'tools/call' && pointer === '/result/structuredContent' && !isError;
}
