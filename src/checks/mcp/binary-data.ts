import { isJsonObject, type Json, ownItems, ownProperty, showJson } from '../../json/json.ts';
import { resultOf } from '../../wires/mcp/lists.ts';
import { type Asked, defineCheck, judgeFirst } from '../define-check.ts';
import { answersOf, methodOf } from './received.ts';

export const binaryData = defineCheck(
  'step',
  'binary-data',
  'images, audio and blobs in results of tools, prompts and resources are base64, and their MIME types are valid',
  ({ asked }) =>
    judgeFirst(
      binariesIn(asked),
      'no result has an image, audio or a blob',
      (one) => problemOf(one) !== null,
      ({ exchangeKey, method, ...one }) => ({
        message: `a result of ${method} has binary data that clients cannot read`,
        expected: '',
        received: '',
        ...problemOf(one),
        exchangeKey,
      }),
    ),
  { breaksAlone: true },
);

/** An image, audio, or the contents of a resource with a blob. */
interface Binary {
  readonly holder: Json;
  readonly member: 'data' | 'blob';
  readonly pointer: string;
}

function binariesIn(asked: readonly Asked[]) {
  return answersOf(asked).flatMap((answer) => {
    const method = methodOf(answer) ?? '';
    const exchangeKey = answer.request.key;
    return holdersIn(method, resultOf(answer)).flatMap(({ holder, pointer }) =>
      binaryOf(holder, pointer).map((one) => ({ ...one, method, exchangeKey })),
    );
  });
}

type Holder = Pick<Binary, 'holder' | 'pointer'>;

/** The content of a result, whatever its method calls it. */
function holdersIn(method: string, result: Json | undefined): readonly Holder[] {
  const each = (member: string, below?: string): readonly Holder[] =>
    ownItems(result, member).flatMap((item, index) => {
      const pointer = `/result/${member}/${index}`;
      if (below === undefined) return [{ holder: item, pointer }];
      const holder = ownProperty(item, below);
      return holder === undefined ? [] : [{ holder, pointer: `${pointer}/${below}` }];
    });
  switch (method) {
    case 'tools/call':
      return each('content');
    case 'prompts/get':
      return each('messages', 'content');
    case 'resources/read':
      return each('contents');
    default:
      return [];
  }
}

function binaryOf(holder: Json, pointer: string): readonly Binary[] {
  const type = ownProperty(holder, 'type');
  if (type === 'image' || type === 'audio') return [{ holder, member: 'data', pointer }];
  const [contents, at] =
    type === 'resource' ? [ownProperty(holder, 'resource'), `${pointer}/resource`] : [holder, pointer];
  return isJsonObject(contents) && contents.blob !== undefined
    ? [{ holder: contents, member: 'blob', pointer: at }]
    : [];
}

/** What is missing, or is no string, is judged with the schema of the message. */
function problemOf({ holder, member, pointer }: Binary) {
  const [data, mimeType] = [ownProperty(holder, member), ownProperty(holder, 'mimeType')];
  if (typeof data === 'string' && !isBase64(data))
    return { expected: 'base64', received: showJson(data), pointer: `${pointer}/${member}` };
  if (typeof mimeType === 'string' && !MIME_TYPE.test(mimeType))
    return {
      expected: 'a MIME type, such as image/png',
      received: showJson(mimeType),
      pointer: `${pointer}/mimeType`,
    };
  return null;
}

/** RFC 6838, section 4.2, with parameters. */
const MIME_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*\s*(;.*)?$/i;

/** Many decoders accept base64 without padding, with line ends, and of the alphabet for addresses (RFC 4648, section 5). */
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

function isBase64(text: string): boolean {
  const compact = text.replaceAll(/[\t\n\f\r ]/g, '');
  if (!BASE64.test(compact)) return false;
  const digits = compact.replace(/=+$/, '').length;
  const isPadded = digits < compact.length;
  return isPadded ? compact.length % 4 === 0 : digits % 4 !== 1;
}
