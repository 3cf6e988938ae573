export const OK = 'HTTP/1.1 200 OK\r\n';

/** A response that RFC 9112 allows, or that clients should tolerate. */
export interface Legal {
  readonly name: string;
  readonly bytes: string;
  readonly body: string;
  readonly method?: string;
  readonly status?: number;
}

export const LEGAL: readonly Legal[] = [
  { name: 'a length', bytes: `${OK}Content-Length: 2\r\n\r\n{}`, body: '{}' },
  {
    name: 'an equal length twice',
    bytes: `${OK}Content-Length: 2\r\ncontent-length: 2\r\n\r\n{}`,
    body: '{}',
  },
  { name: 'an equal length in a list', bytes: `${OK}Content-Length: 2, 2\r\n\r\n{}`, body: '{}' },
  { name: 'no reason phrase', bytes: 'HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n', body: '' },
  { name: 'bare line feeds', bytes: 'HTTP/1.1 200 OK\nContent-Length: 2\n\n{}', body: '{}' },
  { name: 'HTTP/1.0 until the connection closes', bytes: 'HTTP/1.0 200 OK\r\n\r\nabc', body: 'abc' },
  { name: 'a later minor version', bytes: 'HTTP/1.2 200 OK\r\nContent-Length: 1\r\n\r\nx', body: 'x' },
  {
    name: 'chunks',
    bytes: `${OK}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n`,
    body: 'abcde',
  },
  {
    name: 'chunk extensions and trailers',
    bytes: `${OK}Transfer-Encoding: Chunked\r\n\r\n1;a=b\r\nx\r\n0;last\r\nX-T: 1\r\n\r\n`,
    body: 'x',
  },
  { name: 'no body with 204', bytes: 'HTTP/1.1 204 No Content\r\n\r\n', body: '', status: 204 },
  { name: 'no body with HEAD', bytes: `${OK}Content-Length: 5\r\n\r\n`, body: '', method: 'HEAD' },
  {
    name: 'informational responses',
    bytes: `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n${OK}Content-Length: 1\r\n\r\nx`,
    body: 'x',
  },
  {
    name: 'a folded header',
    bytes: `${OK}X: a\r\n  b\r\nContent-Length: 1\r\n\r\nx`,
    body: 'x',
  },
  { name: 'an empty line first', bytes: `\r\n${OK}Content-Length: 1\r\n\r\nx`, body: 'x' },
];

/** Invalid responses, with the expected message. The connection ends after these bytes. */
export const VIOLATIONS: readonly (readonly [name: string, bytes: string, message: RegExp])[] = [
  ['nothing', '', /without an answer/],
  ['another protocol', 'SSH-2.0-x\r\n', /status line/],
  ['another protocol, without lines', '\x15\x03\x01\0\x02\x02\x28', /status line is not valid HTTP/],
  ['a status line cut off', 'HTTP/1.1 2', /middle of the status line/],
  ['HTTP/2 in text', 'HTTP/2.0 200 OK\r\n\r\n', /HTTP\/2\.0/],
  ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n', /status line/],
  ['a status below 100', 'HTTP/1.1 099 Low\r\n\r\n', /not a status/],
  ['two spaces', 'HTTP/1.1  200 OK\r\n\r\n', /status line/],
  ['different lengths', `${OK}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} `, /given twice/],
  ['a negative length', `${OK}Content-Length: -1\r\n\r\n`, /not a number/],
  ['a length with a plus', `${OK}Content-Length: +1\r\n\r\nx`, /not a number/],
  [
    'a length and chunks',
    `${OK}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n`,
    /both/,
  ],
  [
    'a transfer coding that is not a token',
    `${OK}Transfer-Encoding: \x0bchunked\r\n\r\n`,
    /not a transfer coding/,
  ],
  ['an empty transfer coding', `${OK}Transfer-Encoding:\r\n\r\n`, /not a transfer coding/],
  ['a body shorter than its length', `${OK}Content-Length: 5\r\n\r\nabc`, /shorter/],
  ['a chunk shorter than its size', `${OK}Transfer-Encoding: chunked\r\n\r\n5\r\nabc`, /chunked body/],
  [
    'a chunk longer than its size',
    `${OK}Transfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n`,
    /longer than its size/,
  ],
  ['no last chunk', `${OK}Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n`, /chunked body/],
  ['an invalid chunk size', `${OK}Transfer-Encoding: chunked\r\n\r\nxyz\r\n`, /chunk size/],
  [
    'chunks in chunks',
    `${OK}Transfer-Encoding: chunked, chunked\r\n\r\n3\r\n0\r\n\r\n0\r\n\r\n`,
    /chunked more than once/,
  ],
  ...(
    [
      ['a chunk size', '1\nx\r\n0\r\n\r\n', /the line of a chunk size ends in LF alone/],
      ['a chunk extension', '1;a=b\nx\r\n0\r\n\r\n', /the line of a chunk size ends in LF alone/],
      ['the end of a chunk', '1\r\nx\n0\r\n\r\n', /a chunk ends in LF alone/],
      ['the last chunk', '1\r\nx\r\n0\n\r\n', /the line of a chunk size ends in LF alone/],
      ['a trailer', '0\r\nT: u\n\r\n', /a line after the last chunk ends in LF alone/],
      ['the empty line at the end', '0\r\n\n', /a line after the last chunk ends in LF alone/],
    ] as const
  ).map(
    ([name, chunks, message]) =>
      [`a bare LF after ${name}`, `${OK}Transfer-Encoding: chunked\r\n\r\n${chunks}`, message] as const,
  ),
  ['an unframed body instead of chunks', `${OK}Transfer-Encoding: chunked\r\n\r\n{\n}\n`, /not a chunk size/],
  ['a negative chunk size', `${OK}Transfer-Encoding: chunked\r\n\r\n-1\r\n`, /chunk size/],
  ['a space before the colon', `${OK}Content-Length : 1\r\n\r\nx`, /not a header line/],
  ['a header without a colon', `${OK}nonsense\r\n\r\n`, /not a header line/],
  ['a NUL in a header', `${OK}X: a\0b\r\n\r\n`, /NUL/],
  ['an unrequested switch of protocols', 'HTTP/1.1 101 Switching Protocols\r\n\r\n', /101/],
  ['headers cut off', `${OK}X: a\r\n`, /middle of the headers/],
];
