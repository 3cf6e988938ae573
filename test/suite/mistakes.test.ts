import { describe, expect, test } from 'vitest';
import {
  expectedSummaries,
  loadText,
  type Mistake,
  problemsOf,
  readMarks,
  suiteOf,
  summaryOf,
} from './loading.ts';

const health = '{ get: /health }';
const ok = '{ status: { is: 200, id: ok } }';
/** A valid step that reads the functions and saves them. */
const read = `- id: read
  request: { get: /capabilities }
  expect: { status: { is: 200, id: read-ok } }
  save: { functions: { at: "$.functions[*]", many: true } }`;

const step = (rest: string): string => suiteOf(`- id: one\n  request: ${health}\n  expect: ${ok}\n${rest}`);
const request = (text: string): string => suiteOf(`- id: one\n  request: ${text}\n  expect: ${ok}`);
const expectation = (text: string): string =>
  suiteOf(`- id: one\n  request: ${health}\n  expect:\n    ${text}`);
const timed = (experiment: string, budget: string): string =>
  suiteOf(`- id: one\n  request: ${health}\n  experiment: ${experiment}\n  expect: { budget: ${budget} }`);
const afterRead = (text: string): string => suiteOf(`${read}\n${text}`);

const keysAndValues: readonly Mistake[] = [
  {
    what: 'an unknown key of a suite',
    text: `${step('')}«defualts»: {}\n`,
    code: 'unknown-key',
    says: 'unknown key "defualts"',
    suggests: 'Did you mean "defaults"?',
  },
  {
    what: 'an unknown key of a step',
    text: step('  «expirement»: burst'),
    code: 'unknown-key',
    says: 'unknown key "expirement"',
    suggests: 'Did you mean "experiment"?',
  },
  {
    what: 'an unknown key of an assertion',
    text: expectation('status: { is: 200, id: ok, «becuase»: no }'),
    code: 'unknown-key',
    says: 'unknown key "becuase"',
    suggests: 'Known: is, not, requirement, id, level, why, fix, when, needs.',
  },
  {
    what: 'a key that every object inherits',
    text: step('  «constructor»: 2\n  «__proto__»: { experiment: { timed-calls: 3 } }\n  «toString»: 1'),
    code: 'unknown-key',
    says: 'unknown key "',
    suggests: 'Known: id, title, request,',
  },
  {
    what: 'a merge key, which YAML 1.2 does not have',
    text: step('  «<<»: { repeat: { times: 2, atOnce: true } }'),
    code: 'unknown-key',
    says: 'unknown key "<<"',
    suggests: 'Known: id, title, request,',
  },
  {
    what: 'text where a number belongs',
    text: step('  repeat: { times: «two» }'),
    code: 'wrong-type',
    says: 'expected a whole number from 2 to 1000, found text',
    suggests: 'Write a whole number from 2 to 1000 here.',
  },
  {
    what: 'a mapping where a list belongs',
    text: step('  needs: «{ read: true }»'),
    code: 'wrong-type',
    says: 'expected a list, each item a step id such as "read" or "capabilities/read", found a mapping',
    suggests: 'Write a list',
  },
  {
    what: 'a list where a mapping belongs',
    text: request('«[get, /health]»'),
    code: 'wrong-type',
    says: 'expected a request, found a list',
    suggests: 'Write a request here.',
  },
  {
    what: 'nothing where something belongs',
    text: step('  «title»:'),
    code: 'wrong-type',
    says: 'expected text, found nothing',
    suggests: 'Write text here.',
  },
  {
    what: 'a number where text belongs',
    text: step('  title: «12»'),
    code: 'wrong-type',
    says: 'expected text, found a number',
    suggests: 'Write text here.',
  },
  {
    what: 'yes, which is text in YAML 1.2',
    text: step('  repeat: { times: 2, atOnce: «yes» }'),
    code: 'wrong-type',
    says: 'expected true or false, found text',
    suggests: 'Write true or false here.',
  },
  {
    what: 'a number below the minimum',
    text: step('  repeat: { times: «1» }'),
    code: 'wrong-value',
    says: '1 is not a whole number from 2 to 1000',
    suggests: 'Write a whole number from 2 to 1000.',
  },
  {
    what: 'a number with a fraction',
    text: step('  repeat: { times: «2.5» }'),
    code: 'wrong-value',
    says: '2.5 is not a whole number from 2 to 1000',
    suggests: 'Write a whole number from 2 to 1000.',
  },
  {
    what: 'another version of the language',
    text: step('').replace('suite: v1', 'suite: «v2»'),
    code: 'wrong-value',
    says: '"v2" is not "v1"',
    suggests: 'Did you mean "v1"?',
  },
  {
    what: 'a typing error in a fixed word',
    text: request('{ execute: add, arguments: «smaple» }'),
    code: 'wrong-value',
    says: '"smaple" is not one of sample, distinct, failing, omitted, missing-required, wrong-type',
    suggests: 'Did you mean "sample"?',
  },
  {
    what: 'an unknown class of statuses',
    text: expectation('status: { is: «6xx», id: ok }'),
    code: 'wrong-value',
    says: '"6xx" is not one of 1xx, 2xx, 3xx, 4xx, 5xx',
    suggests: 'Did you mean "1xx"?',
  },
  {
    what: 'a path without its slash',
    text: request('{ get: «health» }'),
    code: 'wrong-value',
    says: '"health" is not a path that starts with "/"',
    suggests: 'Write a path that starts with "/".',
  },
  {
    what: 'an id with capitals',
    text: suiteOf(`- id: «Read»\n  request: ${health}\n  expect: ${ok}`),
    code: 'wrong-value',
    says: '"Read" is not an id of lower-case letters, digits and hyphens',
    suggests: 'Write an id of lower-case letters, digits and hyphens.',
  },
  {
    what: 'text of spaces only',
    text: step('  title: «"  "»'),
    code: 'wrong-value',
    says: '"  " is not text',
    suggests: 'Write text.',
  },
  {
    what: 'an empty list of cases',
    text: step('  cases: «[]»'),
    code: 'wrong-value',
    says: 'the list is empty',
    suggests: 'Add at least 1.',
  },
  {
    what: 'a number that JSON cannot represent',
    text: suiteOf(
      `- id: one\n  request: { post: /echo, body: [«.nan», «.inf», «-.inf», «1e999»] }\n  expect: ${ok}`,
    ),
    code: 'wrong-value',
    says: 'a number that JSON cannot represent',
    suggests: 'Write a finite number, or quote it to make it text.',
  },
  {
    what: 'bytes that are not base64',
    text: request('{ post: /echo, raw: { base64: «"a b"» } }'),
    code: 'wrong-value',
    says: '"a b" is not base64',
    suggests: 'Write base64.',
  },
  {
    what: 'a step without its id',
    text: suiteOf(`- «{ request: ${health}, expect: ${ok} }»`),
    code: 'missing-key',
    says: 'a step has no key "id"',
    suggests: 'Add "id": Names the step within the suite.',
  },
  {
    what: 'a body assertion without a selector',
    text: expectation('body: [{ at: $, is: {}, id: a }, «{ is: { type: string }, id: text }»]'),
    code: 'missing-key',
    says: 'a body assertion has no key "at"',
    suggests: 'Add "at": JSONPath (RFC 9535)',
  },
  {
    what: 'a case without its id',
    text: step('  cases: [«{ name: x }»]'),
    code: 'missing-key',
    says: 'the case has no `id`',
    suggests: 'Add `id:` with a short name.',
  },
  {
    what: 'a case with an id that is not text',
    text: step('  cases: [«{ id: 1 }»]'),
    code: 'missing-key',
    says: 'the case has no `id`',
    suggests: 'Add `id:` with a short name.',
  },
];

const ids: readonly Mistake[] = [
  {
    what: 'two steps with one id',
    text: suiteOf(
      `- { id: one, request: ${health}, expect: ${ok} }\n- { id: «one», request: ${health}, expect: { status: { is: 200, id: b } } }`,
    ),
    code: 'duplicate-id',
    says: 'duplicate step "one"',
    suggests: 'Step ids are unique within a suite.',
  },
  {
    what: 'two cases with one id',
    text: step('  cases: [{ id: a }, { id: b }, «{ id: a }»]'),
    code: 'duplicate-id',
    says: 'duplicate case "a"',
    suggests: 'Case ids are unique within a step.',
  },
  {
    what: 'two assertions with one id in two steps',
    text: suiteOf(
      `- { id: one, request: ${health}, expect: ${ok} }\n- { id: two, request: ${health}, expect: { status: { is: 200, id: «ok» } } }`,
    ),
    code: 'duplicate-id',
    says: 'duplicate assertion "mine/ok"',
    suggests: 'Give each assertion a unique id.',
  },
  {
    what: 'an own id that is a requirement of the registry',
    text: expectation('status: { is: 200, id: «status-200» }').replace('id: mine', 'id: health'),
    code: 'duplicate-id',
    says: '"health/status-200" is a requirement of the registry',
    suggests: 'Write `requirement: health/status-200`, or choose another id.',
  },
];

const identities: readonly Mistake[] = [
  {
    what: 'a misspelt requirement',
    text: expectation('status: { is: 200, requirement: «health/status-20» }'),
    code: 'unknown-requirement',
    says: 'unknown requirement "health/status-20"',
    suggests: 'Did you mean "health/status-200"?',
  },
  {
    what: 'a requirement that is unlike any other',
    text: expectation('status: { is: 200, requirement: «zzzzzzzzzzzzzz» }'),
    code: 'unknown-requirement',
    says: 'unknown requirement "zzzzzzzzzzzzzz"',
    suggests: 'Or give the assertion its own `id`.',
  },
  {
    what: 'a requirement and an id',
    text: expectation('status: { is: 200, requirement: health/status-200, id: «mine» }'),
    code: 'one-of-keys',
    says: 'an assertion has `requirement` or `id`, not both',
    suggests: 'Remove `id`.',
  },
  {
    what: 'a requirement and a level',
    text: expectation('status: «{ is: 200, requirement: health/status-200, level: MAY }»'),
    code: 'one-of-keys',
    says: 'the level of a requirement comes from the registry',
    suggests: 'Remove `level`.',
  },
  {
    what: 'neither requirement nor id',
    text: expectation('status: «{ is: 200 }»'),
    code: 'one-of-keys',
    says: 'an assertion needs `requirement` or its own `id`',
    suggests: 'Add `requirement: …`, or `id:` and `level:`.',
  },
];

const references: readonly Mistake[] = [
  ...(
    [
      ['execute', 'request: { execute: «"${nope}"» }'],
      ['a path', 'request: { get: «"/files/${nope}"» }'],
      ['the path of a post', 'request: { post: «"/${nope.a.b}"» }'],
      ['a header', 'request: { get: /health, headers: { x-a: «"a ${nope} b"» } }'],
      ['a body', 'request: { post: /echo, body: «{ list: [{ deep: "${nope}" }] }» }'],
      ['raw text', 'request: { post: /echo, raw: «"a ${nope}"» }'],
      ['repeated raw text', 'request: { post: /echo, raw: { text: «"${nope}"», times: 3 } }'],
      ['arguments', 'request: { execute: add, arguments: «{ a: "${nope}" }» }'],
      ['a request id', 'request: { execute: add, requestId: «"x-${nope}"» }'],
      [
        'the list of a loop',
        'request: { get: /health }\n  forEach: { in: «"${nope}"», as: fn, key: "${fn}" }',
      ],
      [
        'the key of a loop',
        'request: { get: /health }\n  forEach: { in: "${functions}", as: fn, key: «"${nope.name}"» }',
      ],
    ] as const
  ).map(
    ([where, lines]): Mistake => ({
      what: `an unresolved reference in ${where}`,
      text: afterRead(`- id: two\n  needs: [read]\n  ${lines}\n  expect: ${ok}`),
      code: 'unresolved-reference',
      says: 'unknown name "nope" in ${nope',
      suggests: 'Save it in a step that this one `needs`, or loop with `forEach`. Known: run, functions',
    }),
  ),
  {
    what: 'a reference with a typing error',
    text: afterRead(`- id: two\n  needs: [read]\n  request: { get: «"/\${function}"» }\n  expect: ${ok}`),
    code: 'unresolved-reference',
    says: 'unknown name "function" in ${function}',
    suggests: 'Did you mean "functions"?',
  },
  {
    what: 'a reference to a value of a step that is not in needs',
    text: afterRead(`- id: two\n  request: { get: «"/\${functions}"» }\n  expect: ${ok}`),
    code: 'unresolved-reference',
    says: 'unknown name "functions" in ${functions}',
    suggests: 'Known: run.',
  },
  {
    what: 'the item of a loop outside the loop',
    text: afterRead(
      `- id: two\n  needs: [read]\n  request: { get: "/\${fn.name}" }\n  forEach: { in: «"\${fn.list}"», as: fn, key: "\${fn.name}" }\n  expect: ${ok}`,
    ),
    code: 'unresolved-reference',
    says: 'unknown name "fn" in ${fn.list}',
    suggests: 'Save it in a step that this one `needs`',
  },
  {
    what: 'a case in a step without cases',
    text: request('{ get: «"/${case.name}"» }'),
    code: 'unresolved-reference',
    says: 'unknown name "case" in ${case.name}',
    suggests: 'Give the step `cases`.',
  },
  {
    what: 'an unclosed ${',
    text: request('{ get: «"/${functions"» }'),
    code: 'unresolved-reference',
    says: '"/${functions" contains a "${" that is not a reference',
    suggests: 'Write "${name}" or "${name.path}".',
  },
  {
    what: 'an expression, which the language does not have',
    text: request('{ get: «"/${1 + 1}"» }'),
    code: 'unresolved-reference',
    says: '"/${1 + 1}" contains a "${" that is not a reference',
    suggests: 'Write "${name}" or "${name.path}".',
  },
  {
    what: 'an unresolved header in the defaults, once for all steps',
    text: suiteOf(
      `- { id: one, request: ${health}, expect: ${ok} }\n- { id: two, request: ${health}, expect: { status: { is: 200, id: b } } }`,
    ).replace('steps:', 'defaults: { headers: { x-a: «"${nope}"» } }\nsteps:'),
    code: 'unresolved-reference',
    says: 'unknown name "nope" in ${nope}',
    suggests: 'Known: run.',
  },
  {
    what: 'an unknown assertion in `needs`',
    text: expectation('body: [{ at: $.a, is: { type: string }, id: a, needs: «okay» }]'),
    code: 'unresolved-reference',
    says: '`needs: mine/okay` names no assertion of the step "one", nor of one that it needs or uses',
    suggests: 'Did you mean "mine/a"?',
  },
  {
    what: 'an assertion in `needs` with a typing error',
    text: expectation(
      'status: { is: 200, requirement: health/status-200 }\n    body: [{ at: $.a, is: { type: string }, id: a, needs: «health/status-20» }]',
    ),
    code: 'unresolved-reference',
    says: '`needs: health/status-20` names no assertion',
    suggests: 'Did you mean "health/status-200"?',
  },
  {
    what: 'a saved value that needs an assertion of another step',
    text: step('  save: { list: { at: $.a, needs: «okk» } }'),
    code: 'unresolved-reference',
    says: '"list" needs "okk", which this step does not decide',
    suggests: 'Did you mean "mine/ok"?',
  },
];

const steps: readonly Mistake[] = [
  {
    what: 'an unknown picker',
    text: step('  save: { pages: { pick: «page» } }'),
    code: 'unknown-picker',
    says: 'unknown picker "page"',
    suggests: 'Did you mean "pages"?',
  },
  {
    what: 'a query parameter that is neither a value nor a list',
    text: request('{ get: /x, query: «{ a: { b: 1 } }» }'),
    code: 'wrong-type',
    says: 'the query parameter "a" is neither a value nor a list of values',
    suggests: 'Write a text, a number, true or false, or a list of these.',
  },
  {
    what: 'a step of a suite for another kind of target',
    text: step('  needs: [«directory-search/first»]'),
    code: 'unknown-step',
    says: 'unknown step "directory-search/first"',
    suggests: 'Known:',
  },
  {
    what: 'an unknown step in needs',
    text: afterRead(`- id: two\n  needs: [read, «raed»]\n  request: ${health}\n  expect: ${ok}`),
    code: 'unknown-step',
    says: 'unknown step "mine/raed"',
    suggests: 'Did you mean "mine/read"?',
  },
  {
    what: 'an unknown step of another suite in needs',
    text: afterRead(`- id: two\n  needs: [«other/read»]\n  request: ${health}\n  expect: ${ok}`),
    code: 'unknown-step',
    says: 'unknown step "other/read"',
    suggests: 'Known: mine/read, mine/two.',
  },
  {
    what: 'an unknown step in use',
    text: afterRead(`- id: two\n  use: «reed»\n  expect: ${ok}`),
    code: 'unknown-step',
    says: 'unknown step "mine/reed"',
    suggests: 'Did you mean "mine/read"?',
  },
  {
    what: 'unknown steps in named uses',
    text: afterRead(`- id: two\n  use: { good: read, a: «raed», b: «reads» }\n  expect: ${ok}`),
    code: 'unknown-step',
    says: 'unknown step "mine/r',
    suggests: 'Did you mean "mine/read"?',
  },
  {
    what: 'an unknown step in succeeded',
    text: afterRead(
      `- id: two\n  needs: [read]\n  request: { execute: "\${fn.name}" }\n  forEach: { in: "\${functions}", as: fn, key: "\${fn.name}", succeeded: «tow» }\n  expect: ${ok}`,
    ),
    code: 'unknown-step',
    says: 'unknown step "mine/tow"',
    suggests: 'Did you mean "mine/two"?',
  },
  {
    what: 'a step that needs itself',
    text: suiteOf(`- id: «one»\n  needs: [one]\n  request: ${health}\n  expect: ${ok}`),
    code: 'circular-needs',
    says: 'the step needs itself: mine/one needs mine/one',
    suggests: 'Remove one of these needs.',
  },
  {
    what: 'two steps that depend on each other, one by use',
    text: suiteOf(
      `- { id: «a», needs: [b], request: ${health}, expect: ${ok} }\n- { id: «b», use: a, expect: { status: { is: 200, id: b } } }`,
    ),
    code: 'circular-needs',
    says: 'the step needs itself: mine/',
    suggests: 'Remove one of these needs.',
  },
  {
    what: 'an assertion that needs itself',
    text: expectation('status: «{» is: 200, id: ok, needs: ok }'),
    code: 'circular-needs',
    says: 'the assertion "mine/ok" needs itself',
    suggests: 'Remove one of these `needs`.',
  },
  {
    what: 'assertions that need each other',
    text: expectation(
      'body: [«{» at: $.a, is: {}, id: a, needs: b }, «{» at: $.b, is: {}, id: b, needs: a }, { at: $.c, is: {}, id: c, needs: a }]',
    ),
    code: 'circular-needs',
    says: 'needs itself',
    suggests: 'Remove one of these `needs`.',
  },
  {
    what: 'an assertion on one answer that needs one on several',
    text: expectation(
      'status: { is: 200, id: ok, needs: «back» }\n    checks: [{ check: uptime-never-back, id: back }]',
    ),
    code: 'wrong-value',
    says: '`needs: mine/back` names an assertion on several answers of the step',
    suggests: 'Name an assertion on one answer, or move the dependent assertion to a later step.',
  },
  {
    what: 'an assertion on several answers that needs another on several',
    text: expectation(
      'checks: [{ check: uptime-never-back, id: back }, { check: same-functions, id: same, needs: «back» }]',
    ),
    code: 'wrong-value',
    says: '`needs: mine/back` names an assertion on several answers of the step',
    suggests: 'Name an assertion on one answer',
  },
  {
    what: 'an assertion that needs a requirement that is judged on one answer and on several',
    text: expectation(
      'status: { is: 200, requirement: health/status-200 }\n    checks: [{ check: uptime-never-back, requirement: health/status-200 }]\n    body: [{ at: $.a, is: {}, id: a, needs: «health/status-200» }]',
    ),
    code: 'wrong-value',
    says: '`needs: health/status-200` names an assertion on several answers of the step',
    suggests: 'Name an assertion on one answer',
  },
  {
    what: 'a saved value that needs an assertion on several answers',
    text: suiteOf(
      `- id: one\n  request: ${health}\n  expect: { checks: [{ check: uptime-never-back, id: back }] }\n  save: { list: { at: $.a, needs: «back» } }`,
    ),
    code: 'wrong-value',
    says: '`needs: mine/back` names an assertion on several answers of the step',
    suggests: 'Name an assertion on one answer',
  },
  {
    what: 'a step that expects nothing',
    text: suiteOf(`- id: «one»\n  request: ${health}\n  expect: {}`),
    code: 'expects-nothing',
    says: 'the step "one" expects nothing, so it cannot fail',
    suggests: 'Add `expect` with at least a status.',
  },
  {
    what: 'a step without expect',
    text: suiteOf(`- id: «one»\n  request: ${health}`),
    code: 'expects-nothing',
    says: 'the step "one" expects nothing',
    suggests: 'Add `expect` with at least a status.',
  },
  {
    what: 'a step that sends nothing and uses nothing',
    text: suiteOf(`- id: «one»\n  expect: ${ok}`),
    code: 'one-of-keys',
    says: 'the step "one" sends nothing and uses no other step',
    suggests: 'Add `request` or `use`.',
  },
  {
    what: 'a step that sends a request and uses an unnamed step',
    text: afterRead(`- id: «two»\n  use: read\n  request: ${health}\n  expect: ${ok}`),
    code: 'one-of-keys',
    says: 'a step with a request must name the steps that it uses',
    suggests: 'Write `use: { name: step }`.',
  },
  {
    what: 'a step that loops and saves',
    text: afterRead(
      `- id: «two»\n  needs: [read]\n  request: ${health}\n  forEach: { in: "\${functions}", as: fn, key: "\${fn.name}" }\n  save: { x: { at: $.x } }\n  expect: ${ok}`,
    ),
    code: 'one-of-keys',
    says: 'a step that runs several times cannot `save`',
    suggests: 'Save in a separate step that runs once.',
  },
  {
    what: 'a step with cases that saves',
    text: suiteOf(
      `- id: «one»\n  request: ${health}\n  cases: [{ id: a }]\n  save: { x: { at: $.x } }\n  expect: ${ok}`,
    ),
    code: 'one-of-keys',
    says: 'a step that runs several times cannot `save`',
    suggests: 'Save in a separate step that runs once.',
  },
  {
    what: 'words for a condition that is not there',
    text: expectation('status: { is: 200, id: ok, when: { form: A, otherwise: «none» } }'),
    code: 'one-of-keys',
    says: '`otherwise` has no effect without `present`',
    suggests: 'Add `present:`, or remove it.',
  },
  {
    what: 'a step with a condition on its own answer',
    text: step('  when: { present: «$.a» }'),
    code: 'wrong-value',
    says: '`present` needs an answer, which a step does not have yet',
    suggests: 'Move it to the assertions.',
  },
];

const requests: readonly Mistake[] = [
  {
    what: 'get and post together',
    text: request('«{ get: /health, post: /health }»'),
    code: 'one-of-keys',
    says: 'a request needs exactly one of get, post, execute, websocket, list, alive, open, message, raw, http, close; found get and post',
    suggests: 'Keep one of them.',
  },
  {
    what: 'neither get nor post nor execute',
    text: request('«{ headers: { x-a: b } }»'),
    code: 'one-of-keys',
    says: 'found none',
    suggests: 'Keep one of them.',
  },
  {
    what: 'a body with get',
    text: request('{ get: /health, «body»: {} }'),
    code: 'unknown-key',
    says: '"body" cannot be combined with "get"',
    suggests: 'Known: get, headers, anonymous, keepConnection, scheme, token, timeoutMs, retry, query, from.',
  },
  {
    what: 'raw bytes with execute',
    text: request('{ execute: add, «raw»: x }'),
    code: 'unknown-key',
    says: '"raw" cannot be combined with "execute"',
    suggests:
      'Known: execute, headers, abort, anonymous, keepConnection, scheme, token, timeoutMs, retry, arguments, requestId, unlisted.',
  },
  {
    what: 'arguments and more with post',
    text: request('{ post: /execute, «arguments»: {}, «requestId»: x, «unlisted»: true }'),
    code: 'unknown-key',
    says: 'cannot be combined with "post"',
    suggests:
      'Known: post, headers, abort, anonymous, keepConnection, scheme, token, timeoutMs, retry, body, raw.',
  },
  {
    what: 'a body and raw bytes',
    text: suiteOf(`- id: «one»\n  request: { post: /x, body: {}, raw: x }\n  expect: ${ok}`),
    code: 'one-of-keys',
    says: 'a request has `body` or `raw`, not both',
    suggests: 'Keep one of them.',
  },
  {
    what: 'raw text and base64',
    text: request('{ post: /x, raw: «{ text: a, base64: aGk= }» }'),
    code: 'one-of-keys',
    says: '`raw` needs exactly one of text, base64',
    suggests: 'Keep one of them.',
  },
  {
    what: 'raw bytes without a kind',
    text: request('{ post: /x, raw: «{ times: 2 }» }'),
    code: 'one-of-keys',
    says: '`raw` needs exactly one of text, base64',
    suggests: 'Keep one of them.',
  },
];

const assertions: readonly Mistake[] = [
  {
    what: 'an unknown check',
    text: expectation('checks: [{ check: «unique-name», id: names }]'),
    code: 'unknown-check',
    says: 'unknown check "unique-name"',
    suggests: 'Did you mean "unique-names"?',
  },
  {
    what: 'an unknown option of a check',
    text: expectation('checks: [{ check: «properties-typed», with: { in: returns, inn: x }, id: typed }]'),
    code: 'unknown-key',
    says: 'the check "properties-typed" has no option "inn"',
    suggests: 'Did you mean "in"?',
  },
  {
    what: 'an option for a check without any',
    text: expectation('checks: [{ check: «answered», with: { deeply: true }, id: there }]'),
    code: 'unknown-key',
    says: 'the check "answered" has no option "deeply"',
    suggests: 'Remove it.',
  },
  {
    what: 'an unknown reason of a check',
    text: expectation(
      'status: { is: 200, id: ok }\n    checks: [{ check: error-body, blockedBy: { «no-answr»: ok }, id: body }]',
    ),
    code: 'unknown-key',
    says: 'the check "error-body" has no reason "no-answr" for which it cannot judge',
    suggests: 'Did you mean "no-answer"?',
  },
  {
    what: 'an unknown requirement to blame',
    text: expectation(
      'status: { is: 200, id: ok }\n    checks: [{ check: error-body, blockedBy: { no-answer: «okay» }, id: body }]',
    ),
    code: 'unresolved-reference',
    says: '`no-answer: mine/okay` under `blockedBy` names no assertion of any step',
    suggests: 'Did you mean "mine/ok"?',
  },
  {
    what: 'a missing option of a check',
    text: expectation('checks: [{ check: «properties-typed», id: typed }]'),
    code: 'missing-key',
    says: 'the check "properties-typed" needs the option "in"',
    suggests: 'Add it under `with`: parameters or returns.',
  },
  {
    what: 'an invalid schema in an option',
    text: expectation(
      'checks: [{ check: «descriptors», with: { form: A, schema: { tpye: object } }, id: typed }]',
    ),
    code: 'bad-schema',
    says: '"tpye" is not a JSON Schema keyword that a suite may use',
    suggests: 'Did you mean "type"?',
  },
  {
    what: 'a status assertion with two expectations',
    text: expectation('status: «{ is: 200, not: 5xx, id: ok }»'),
    code: 'one-of-keys',
    says: 'a status assertion needs exactly one of is, not, found is and not',
    suggests: 'Keep one of is, not.',
  },
  {
    what: 'a status assertion without an expectation',
    text: expectation('status: «{ id: ok }»'),
    code: 'one-of-keys',
    says: 'a status assertion needs exactly one of is, not, found none',
    suggests: 'Keep one of is, not.',
  },
  {
    what: 'a header assertion with two expectations',
    text: expectation('headers: [«{ name: etag, is: { type: string }, absent: true, id: tag }»]'),
    code: 'one-of-keys',
    says: 'a header assertion needs exactly one of is, absent, found is and absent',
    suggests: 'Keep one of is, absent.',
  },
  {
    what: 'a body assertion with two expectations',
    text: expectation('body: [«{ at: $, is: {}, count: 1, id: a }»]'),
    code: 'one-of-keys',
    says: 'a body assertion needs exactly one of is, each, any, none, count, absent, found is and count',
    suggests: 'Keep one of is, each, any, none, count, absent.',
  },
  {
    what: 'absent: false',
    text: expectation('body: [«{ at: $, absent: false, id: a }»]'),
    code: 'wrong-value',
    says: '`absent: false` has no effect',
    suggests: 'Write `is:` or `each:` with a schema; a node must be found then.',
  },
  {
    what: 'a percentile that needs a larger sample',
    text: timed('{ timed-calls: 71 }', '{ «p95Ms»: 100, p90Ms: 80, maxMs: 500, id: fast }'),
    code: 'unsupported-percentile',
    says: '71 timed calls are too few for p95, which needs 72',
    suggests: 'Write `experiment: { timed-calls: 72 }` or more, or remove the budget for p95.',
  },
  {
    what: 'percentiles without a sample',
    text: expectation('budget: { «p50Ms»: 100, «p99.9Ms»: 100, id: fast }'),
    code: 'unsupported-percentile',
    says: '0 timed calls are too few for p',
    suggests: 'or remove the budget for p',
  },
  {
    what: 'a budget for the slowest call without a sample',
    text: expectation('budget: «{ maxMs: 100, id: fast }»'),
    code: 'one-of-keys',
    says: 'a budget needs timed calls',
    suggests: 'Add `experiment: timed-calls` to the step.',
  },
  {
    what: 'a budget that limits nothing',
    text: timed('{ timed-calls: 10 }', '«{ id: fast }»'),
    code: 'expects-nothing',
    says: 'the budget limits nothing',
    suggests: 'Add p95Ms, maxMs or another limit',
  },
];

const timing: readonly Mistake[] = [
  {
    what: 'a repetition that comes sooner than never',
    text: step('  repeat: { times: 2, apartMs: 100, soonerMs: «100» }'),
    code: 'one-of-keys',
    says: '`soonerMs` is 100, and `apartMs` only 100',
    suggests: 'Write a longer `apartMs`',
  },
  {
    what: 'a timed request that is repeated',
    text: step('  repeat: { times: 4, atOnce: true }\n  experiment: «timed-calls»'),
    code: 'one-of-keys',
    says: '`experiment: timed-calls` cannot be combined with repeat',
    suggests: 'Do it in a separate step.',
  },
  {
    what: 'a timed request with repeat in a negative step',
    text: step('  experiment: «{ timed-calls: 9 }»\n  repeat: { times: 2 }\n  phase: negative'),
    code: 'one-of-keys',
    says: '`experiment: timed-calls` cannot be combined with repeat and phase',
    suggests: 'in a separate step',
  },
  {
    what: 'an experiment that nobody knows',
    text: step('  experiment: «many»'),
    code: 'wrong-value',
    says: '"many" is not one of authorization-metadata, burst, cancelled-calls, client-rounds,',
    suggests: '',
  },
  {
    what: 'a budget with limits from the settings and its own',
    text: timed('timed-calls', '«{ of: health, p50Ms: 5, id: fast }»'),
    code: 'one-of-keys',
    says: 'a budget has `of:` or its own limits, not both',
    suggests: 'Keep `of:`, or the limits.',
  },
  {
    what: 'a budget from the settings without a sample',
    text: expectation('budget: «{ of: health, id: fast }»'),
    code: 'one-of-keys',
    says: 'a budget needs timed calls',
    suggests: 'Add `experiment: timed-calls` to the step.',
  },
  {
    what: 'a budget of an unknown operation',
    text: timed('timed-calls', '{ of: «helth», p50Ms: 5, id: fast }'),
    code: 'wrong-value',
    says: '"helth" is not one of health, capabilities, execute',
    suggests: 'Did you mean "health"?',
  },
];

const selectors: readonly Mistake[] = [
  {
    what: 'a plain selector without its $',
    text: expectation('body: [{ at: «f»unctions, is: {}, id: a }]'),
    code: 'bad-selector',
    says: "\"functions\" is not a JSONPath: expected '$', found 'f'",
    suggests: 'A selector starts with "$", as in $.functions[*].name (RFC 9535).',
  },
  {
    what: 'a selector in double quotes that is not closed',
    text: expectation('body: [{ at: "$.functions[*«"», each: {}, id: a }]'),
    code: 'bad-selector',
    says: '"$.functions[*" is not a JSONPath: unclosed bracketed selection',
    suggests: '(RFC 9535)',
  },
  {
    what: 'a selector in single quotes with an unknown function',
    text: expectation("body: [{ at: '$.a[?«n»ope(@)]', each: {}, id: a }]"),
    code: 'bad-selector',
    says: "no such function 'nope'",
    suggests: '(RFC 9535)',
  },
  {
    what: 'an incomplete selector',
    text: expectation('body: [{ at: "$.functions.«"», each: {}, id: a }]'),
    code: 'bad-selector',
    says: '"$.functions." is not a JSONPath: it ends too early',
    suggests: '(RFC 9535)',
  },
  {
    what: 'a selector with escapes, underlined as a whole',
    text: expectation('body: [{ at: «"$[\\"a\\"].b["», each: {}, id: a }]'),
    code: 'bad-selector',
    says: 'is not a JSONPath',
    suggests: '(RFC 9535)',
  },
  {
    what: 'the selector of a saved value',
    text: step('  save: { list: { at: "$.list[?@.a «=» 1]", many: true } }'),
    code: 'bad-selector',
    says: 'is not a JSONPath',
    suggests: '(RFC 9535)',
  },
  {
    what: 'the selector of a condition',
    text: expectation('status: { is: 200, id: ok, when: { present: $.a «b» } }'),
    code: 'bad-selector',
    says: "expected '.', '..' or a bracketed selection, found 'b'",
    suggests: '(RFC 9535)',
  },
];

const schemas: readonly Mistake[] = [
  {
    what: 'a keyword with a typing error',
    text: expectation('body: [{ at: $, is: «{ tpye: string }», id: a }]'),
    code: 'bad-schema',
    says: '"tpye" is not a JSON Schema keyword that a suite may use',
    suggests: 'Did you mean "type"?',
  },
  {
    what: 'a nested keyword with a typing error',
    text: expectation('body: [{ at: $, each: «{ properties: { a: { items: { minLenght: 1 } } } }», id: a }]'),
    code: 'bad-schema',
    says: '"minLenght" is not a JSON Schema keyword',
    suggests: 'Did you mean "minLength"?',
  },
  {
    what: 'a keyword that would have no effect',
    text: expectation('body: [{ at: $, is: «{ type: string, format: email }», id: a }]'),
    code: 'bad-schema',
    says: '"format" is not a JSON Schema keyword that a suite may use',
    suggests: 'See JSON Schema 2020-12.',
  },
  {
    what: 'a keyword with a value of the wrong type',
    text: expectation('body: [{ at: $, any: «{ type: string, minLength: "1" }», id: a }]'),
    code: 'bad-schema',
    says: 'not a JSON Schema: /minLength must be integer',
    suggests: 'See JSON Schema 2020-12.',
  },
  {
    what: 'an unknown type',
    text: expectation('body: [{ at: $, none: «{ type: text }», id: a }]'),
    code: 'bad-schema',
    says: 'not a JSON Schema: /type must be',
    suggests: 'See JSON Schema 2020-12.',
  },
  {
    what: 'a duplicate type',
    text: expectation('body: [{ at: $, is: «{ type: [string, "null", string] }», id: a }]'),
    code: 'bad-schema',
    says: 'not a JSON Schema: /type must be',
    suggests: 'See JSON Schema 2020-12.',
  },
  {
    what: 'an invalid pattern',
    text: expectation('body: [{ at: $, is: «{ pattern: "(" }», id: a }]'),
    code: 'bad-schema',
    says: 'not a JSON Schema: the pattern (: Invalid regular expression',
    suggests: 'See JSON Schema 2020-12.',
  },
  {
    what: 'an invalid pattern for property names',
    text: expectation('body: [{ at: $, is: «{ patternProperties: { "[": {} } }», id: a }]'),
    code: 'bad-schema',
    says: 'not a JSON Schema: the pattern [: Invalid regular expression',
    suggests: 'See JSON Schema 2020-12.',
  },
  {
    what: 'an enum without values',
    text: expectation('headers: [{ name: etag, is: «{ enum: [] }», id: a }]'),
    code: 'bad-schema',
    says: 'an enum without values matches nothing',
    suggests: 'See JSON Schema 2020-12.',
  },
  ...['#/$defs/nope', '#nope', 'https://example.com/schema', 'other.json'].map(
    (target): Mistake => ({
      what: `a $ref to ${target}`,
      text: expectation(`body: [{ at: $, is: «{ properties: { a: { $ref: "${target}" } } }», id: a }]`),
      code: 'bad-schema',
      says: `the $ref ${target} has no target in the same schema`,
      suggests: 'See JSON Schema 2020-12.',
    }),
  ),
  {
    what: 'a schema that is text',
    text: expectation('body: [{ at: $, is: «string», id: a }]'),
    code: 'bad-schema',
    says: 'not a JSON Schema: it must be object,boolean',
    suggests: 'See JSON Schema 2020-12.',
  },
  {
    what: 'a count that is not a schema',
    text: expectation('body: [{ at: $, count: «{ minimum: many }», id: a }]'),
    code: 'bad-schema',
    says: 'not a JSON Schema: /minimum must be number',
    suggests: 'See JSON Schema 2020-12.',
  },
  {
    what: 'an invalid schema in a loop',
    text: afterRead(
      `- id: two\n  needs: [read]\n  request: ${health}\n  forEach: { in: "\${functions}", as: fn, key: "\${fn.name}", where: «{ requires: [a] }» }\n  expect: ${ok}`,
    ),
    code: 'bad-schema',
    says: '"requires" is not a JSON Schema keyword',
    suggests: 'Did you mean "required"?',
  },
];

const tables = {
  keysAndValues,
  ids,
  identities,
  references,
  steps,
  requests,
  assertions,
  timing,
  selectors,
  schemas,
};

describe.each(Object.entries(tables))('mistakes in %s', (_, mistakes) => {
  test.each(mistakes.map((mistake) => [mistake.what, mistake] as const))('%s', (_what, mistake) => {
    const { text, places } = readMarks(mistake.text);
    expect(places).not.toHaveLength(0);
    const found = problemsOf(() => loadText(text)).map(summaryOf);
    expect(found).toEqual(expectedSummaries(mistake, (part) => expect.stringContaining(part)));
  });
});
