import type { Answer, Behaviour } from './behaviour.ts';
import { CLEAN, everyEndpoint, failing, unanswered } from './finds.ts';
import { bytesOf, headed, headOf, sending } from './wire.ts';

const invalid = unanswered('invalid-http');

function lines(
  id: string,
  words: string,
  add: readonly (string | Buffer)[],
  more: Partial<Behaviour> & Pick<Behaviour, 'legal'>,
): Behaviour {
  return {
    id: `headers/${id}`,
    words,
    play: headed({ add }),
    finds: more.legal ? CLEAN : invalid,
    ...more,
  };
}

/** The answer with only these headers, and those that frame it. */
function only(answer: Answer, headers: Answer['headers']): Answer {
  return { ...answer, headers };
}

function typed(id: string, words: string, types: readonly string[], legal: boolean): Behaviour {
  const says = types.length === 0 ? 'no Content-Type' : 'the Content-Type';
  return {
    id: `headers/${id}`,
    words,
    legal,
    play: sending((answer) =>
      bytesOf(
        only(
          answer,
          types.map((type) => ['content-type', type]),
        ),
      ),
    ),
    finds: legal
      ? CLEAN
      : {
          health: failing(says, 'health/content-type'),
          capabilities: failing(says, 'capabilities/content-type'),
          execute: failing(says, 'execute/content-type'),
        },
  };
}

const bareLf = everyEndpoint(failing('end in LF alone', 'transport/line-ends'));

export const headers: readonly Behaviour[] = [
  lines('space-before-colon', 'puts a space before the colon of a header', ['x-malformed : yes'], {
    legal: false,
  }),
  lines('no-colon', 'sends a header line without a colon', ['x-malformed'], { legal: false }),
  lines('empty-name', 'sends a header without a name', [': yes'], { legal: false }),
  lines('name-with-space', 'sends a header name with a space in it', ['x odd: yes'], { legal: false }),
  lines('name-not-ascii', 'sends a header name that is not ASCII', ['x-zoö: yes'], { legal: false }),
  lines('nul', 'sends a NUL in a header', ['x-malformed: a\0b'], { legal: false }),
  lines('bare-cr', 'sends a CR without an LF in a header', ['x-malformed: a\rb'], { legal: false }),
  lines('folded', 'continues a header on a second line', ['x-malformed: one', '  two'], {
    legal: false,
    finds: CLEAN,
    fact: 'obsolete line folding',
  }),
  {
    id: 'headers/folded-first',
    words: 'begins the first header line with white space',
    legal: false,
    play: headed(({ status }) => ({ line: `HTTP/1.1 ${status} OK\r\n x-malformed: yes` })),
    finds: invalid,
  },
  lines('control-characters', 'sends control characters in a header', ['x-malformed: \x1b[31m\x07\x7f'], {
    legal: false,
    finds: CLEAN,
  }),
  lines(
    'other-bytes',
    'sends bytes beyond ASCII in a header',
    [Buffer.from('x-malformed: \xe9\xff', 'latin1')],
    {
      legal: true,
    },
  ),
  lines('utf-8', 'sends UTF-8 in a header', ['x-malformed: Zürich 東京'], { legal: true }),
  lines('tabs', 'sends tabs around and inside a header', ['x-malformed:\t a\tb\t '], { legal: true }),
  lines('empty-value', 'sends headers without a value', ['x-malformed:', 'x-malformed: '], { legal: true }),
  lines(
    'all-name-characters',
    'uses every character that a header name may have',
    ["!#$%&'*+-.^_`|~09azAZ: yes"],
    {
      legal: true,
    },
  ),
  lines(
    'inherited-names',
    'names headers like inherited members (constructor, …)',
    ['__proto__: a', 'constructor: b'],
    {
      legal: true,
    },
  ),
  lines(
    '500',
    'sends 500 headers',
    Array.from({ length: 500 }, (_, index) => `x-${index}: ${index}`),
    {
      legal: true,
    },
  ),
  lines(
    'injection',
    'sends text that looks like an injected header',
    ['x-malformed: %0d%0aset-cookie: a=b', 'x-log: ::error::owned ##[error] $(reboot)'],
    { legal: true },
  ),
  lines('colons', 'sends a header that begins with colons', ['x-malformed:::yes'], { legal: true }),
  {
    id: 'headers/lf',
    words: 'ends the lines of the head in LF alone',
    legal: false,
    play: headed({ newline: '\n' }),
    finds: bareLf,
    fact: 'lines end in LF alone',
  },
  {
    id: 'headers/cr',
    words: 'ends the lines of the head in CR alone',
    legal: false,
    play: headed({ newline: '\r' }),
    finds: unanswered(/invalid-http|closed-early/),
  },
  {
    id: 'headers/no-end',
    words: 'leaves out the empty line between head and body',
    legal: false,
    play: sending((answer) => {
      const head = headOf(answer);
      return Buffer.concat([head.subarray(0, head.length - 2), answer.body]);
    }),
    finds: unanswered(/invalid-http|closed-early/),
  },
  {
    id: 'headers/none',
    words: 'sends no header at all',
    legal: true,
    play: sending((answer) =>
      Buffer.concat([Buffer.from(`HTTP/1.1 ${answer.status} OK\r\n\r\n`), answer.body]),
    ),
    finds: {
      health: failing('no Content-Type', 'health/content-type'),
      capabilities: failing('no Content-Type', 'capabilities/content-type'),
      execute: failing('no Content-Type', 'execute/content-type'),
    },
  },
  typed(
    'type-with-parameters',
    'sends Content-Type: Application/JSON ; Charset="utf-8"',
    ['Application/JSON ; Charset="utf-8"'],
    true,
  ),
  typed('type-twice', 'sends the same Content-Type twice', ['application/json', 'application/json'], true),
  typed(
    'types-differ',
    'sends application/json and text/html in two headers',
    ['application/json', 'text/html'],
    false,
  ),
  typed('type-html', 'sends Content-Type: text/html', ['text/html'], false),
  typed('type-garbage', 'sends an invalid Content-Type', [';;;='], false),
];
