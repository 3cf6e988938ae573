// What a suite sends: exactly one of the keys that name a request, and how it is sent.
import { LISTED_KINDS, NAMED_ARGUMENTS, TOKENS } from '../../model/request-template.ts';
import { mapOf, optional, record, required } from '../yaml/mapping.ts';
import { id, revision } from '../yaml/names.ts';
import {
  anyMapping,
  anything,
  either,
  flag,
  integer,
  listOf,
  nothing,
  oneOf,
  onlyTrue,
  placed,
  text,
  type ValueOf,
} from '../yaml/shape.ts';

const path = text({ pattern: /^\//, words: 'a path that starts with "/"' });
const pathOrRoot = text({ pattern: /^(\/.*)?$/s, words: 'a path that starts with "/", or nothing' });

export const headers = mapOf(placed(either(nothing, text())), 'header name');

const anyText = text({ pattern: /^/, words: 'text, also an empty one' });

export const rawPart = record('raw bytes', {
  text: optional(placed(anyText), 'Text, sent as UTF-8.'),
  base64: optional(text({ pattern: /^[A-Za-z0-9+/]*={0,2}$/, words: 'base64' }), 'Any bytes.'),
  json: optional(placed(anything), 'A value, written as JSON.'),
  times: optional(integer(1, 10_000_000), 'How many times to repeat it.'),
});

const rawBody = listOf(either(placed(anyText), rawPart), { orOne: true, atLeast: 1 });

export const retry = record('a retry', {
  attempts: required(integer(2, 10), 'How many times to try in total.'),
  waitMs: optional(integer(0, 60_000), 'Wait between two attempts.'),
  on: required(
    listOf(either(integer(100, 599), oneOf(['unanswered'])), { atLeast: 1 }),
    'Statuses on which to retry, and "unanswered" for no answer.',
  ),
});

export const request = record('a request', {
  get: optional(placed(path), 'GET this path, below the target’s URL.'),
  query: optional(
    placed(either(text(), anyMapping)),
    'With get: query parameters, or a reference to a mapping of them. A list of values repeats its name.',
  ),
  from: optional(
    placed(text()),
    'With get: a base address other than the target’s, such as that of a listed server. The user’s headers are not sent there.',
  ),
  post: optional(placed(path), 'POST to this path.'),
  websocket: optional(
    placed(pathOrRoot),
    'Request an upgrade to WebSocket at this path. Inapplicable if the configuration does not list this transport.',
  ),
  execute: optional(
    placed(text()),
    'Call this function: POST /execute in the target’s wire form, or tools/call.',
  ),
  arguments: optional(
    placed(either(oneOf(NAMED_ARGUMENTS), anyMapping)),
    'With execute: the input itself, or how to generate it. sample: a valid input; distinct: one that no other call uses; ' +
      'failing: configured samples marked as failing; omitted: no input; missing-required, wrong-type: an invalid variant of a valid one.',
  ),
  unlisted: optional(flag, 'With execute: inapplicable if a listed function has that name.'),
  requestId: optional(
    placed(text()),
    'With execute, form B: the requestId; "none" omits it; default: a generated one.',
  ),
  list: optional(
    oneOf(LISTED_KINDS),
    'Every page of a list. functions: GET /capabilities, or tools/list; prompts, resources, templates: prompts/list, resources/list, resources/templates/list.',
  ),
  alive: optional(onlyTrue, 'true: ask whether the target answers: GET /health, ping, or server/discover.'),
  open: optional(
    id,
    'Start the conversation of this name: a process, or a session over HTTP; and find out its era and revision.',
  ),
  version: optional(
    revision,
    'With open: ask for this revision only, once, in its era; for one that does not exist, in that of the first conversation.',
  ),
  capabilities: optional(
    oneOf(['none']),
    'With open: the client declares no capabilities, so that the server may ask it nothing. By default it declares elicitation, sampling and roots.',
  ),
  message: optional(
    placed(anyMapping),
    'Send this message of the Model Context Protocol. What every message has, such as jsonrpc and id, is added unless it is given; one with a method notifications/… gets no id, and no answer is awaited.',
  ),
  until: optional(
    text(),
    'With message: the method of a notification with which the reading ends, besides the answer, such as that of a subscription.',
  ),
  raw: optional(
    rawBody,
    'Bytes that need not be a message, as text or as parts that follow one another. With post: a body that need not be JSON.',
  ),
  http: optional(
    oneOf(['GET', 'DELETE']),
    'Send a request without a message to the endpoint. Inapplicable if the server is not reached over HTTP.',
  ),
  close: optional(
    id,
    'End the conversation of this name: close the standard input of the process, or end the session.',
  ),
  conversation: optional(
    id,
    'With message, raw and http: the name of the conversation that it belongs to; default: main.',
  ),
  headers: optional(headers, 'Additional headers; null: a header that is not sent, although others have it.'),
  body: optional(placed(anything), 'With post: a JSON body.'),
  anonymous: optional(flag, 'true: send it without the user’s headers; inapplicable if there are none.'),
  keepConnection: optional(
    flag,
    'true: send the repetitions of this step over one connection, while the target keeps it open.',
  ),
  scheme: optional(
    text({ pattern: /^[A-Za-z][A-Za-z0-9-]*$/, words: 'the name of an authentication scheme' }),
    'Send the user’s bearer token under this scheme instead of Bearer; inapplicable without a token.',
  ),
  token: optional(
    oneOf(TOKENS),
    'Send this token instead of the user’s: that one with a changed end, one that has expired, one for another server (otherAudience), or one of another user (other). A step with one of the last three is left out unless the user gives that token.',
  ),
  timeoutMs: optional(integer(1, 600_000), 'Minimum time to wait for the answer; --timeout can extend it.'),
  retry: optional(
    retry,
    'Retry on these answers. After a 429 with Retry-After, the run always waits and retries.',
  ),
  abort: optional(
    record('an abort', {
      afterBytes: required(integer(1, 10_000_000), 'Bytes of the body to send before the abort.'),
    }),
    'Close the connection in the middle of the request.',
  ),
});

export type RawRequest = ValueOf<typeof request>;
