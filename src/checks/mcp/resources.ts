import { type Json, ownItems, ownProperty, ownText, showJson } from '../../json/json.ts';
import { type Answer, type Exchange, isAnswer } from '../../model/exchange.ts';
import { failed, inapplicable, passed } from '../../model/judgement.ts';
import type { Listed } from '../../model/request-template.ts';
import { sentJson } from '../../model/sent.ts';
import { answeringMessage } from '../../wires/mcp/answer.ts';
import { entriesOn, resultOf } from '../../wires/mcp/lists.ts';
import { type Asked, defineCheck, judgeEach, judgeFirst } from '../define-check.ts';
import { answersOf, listedIn } from './received.ts';

export const resourceUris = defineCheck(
  'step',
  'resource-uris',
  'the URI of every listed resource is valid by RFC 3986',
  ({ asked }) => judgeAddresses(asked, 'resources', 'uri', isUri, 'a URI of RFC 3986, with a scheme'),
);

export const resourceTemplates = defineCheck(
  'step',
  'resource-templates',
  'every listed URI template is valid by RFC 6570',
  ({ asked }) =>
    judgeAddresses(asked, 'templates', 'uriTemplate', isUriTemplate, 'a URI template of RFC 6570'),
);

export const nothingOutside = defineCheck(
  'step',
  'nothing-outside',
  'no address that leads out of a folder with ".." shows the file of users of the system',
  ({ asked, exchanges }) => {
    const isOpen = offersAllFiles(exchanges);
    const read = answersOf(asked).filter(
      (answer) => answeringMessage(answer) !== undefined && !(isOpen && /^file:/i.test(addressIn(answer))),
    );
    return judgeFirst(read, 'no such address was answered', showsUsers, (answer) => ({
      message: 'an address with ".." shows a file of the system',
      expected: 'an error',
      received: 'the lines of /etc/passwd',
      pointer: '/result/contents',
      exchangeKey: answer.request.key,
    }));
  },
);

/** The file of users at its own address. */
export const PLAIN_ADDRESS = 'file:///etc/passwd';

/** Whether a template may name every file of the machine, or every one of a folder: that depends on the server. */
export function namesAllFiles(template: Json): boolean {
  return /^file:\/\/(?:localhost)?\/?\{[^{}]*\}$/i.test(ownText(template, 'uriTemplate') ?? '');
}

/** Whether a server offers every file of its machine: by RFC 3986, ".." leads nowhere from the root. */
function offersAllFiles(exchanges: readonly Exchange[]): boolean {
  const answers = exchanges.filter(isAnswer);
  return (
    answers.flatMap((answer) => entriesOn(answer, 'templates')).some(({ entry }) => namesAllFiles(entry)) &&
    answers.some((answer) => addressIn(answer) === PLAIN_ADDRESS && showsUsers(answer))
  );
}

function showsUsers(answer: Answer): boolean {
  return ownItems(resultOf(answer), 'contents').some(isUsersFile);
}

function addressIn({ request }: Answer): string {
  return ownText(ownProperty(sentJson(request), 'params'), 'uri') ?? '';
}

/** Its first lines have this form on every system that has the file. */
function isUsersFile(content: Json): boolean {
  const blob = ownText(content, 'blob');
  const text = ownText(content, 'text') ?? (blob === null ? '' : Buffer.from(blob, 'base64').toString());
  return /^root:[^:\n]*:0:0:/m.test(text);
}

/** What is missing, or is no string, is judged with the schema of the message. */
function judgeAddresses(
  asked: readonly Asked[],
  listed: Listed,
  member: string,
  isValid: (address: string) => boolean,
  expected: string,
) {
  const listedOnes = listedIn(asked, listed);
  if (listedOnes.length === 0) return inapplicable(`the server lists no ${listed}`);
  return judgeEach(listedOnes, ({ entry, pointer, exchangeKey }) => {
    const address = ownProperty(entry, member);
    if (typeof address !== 'string' || isValid(address)) return passed;
    const received = showJson(address);
    const message = `a listed ${member} is not valid`;
    return failed({ message, expected, received, pointer: `${pointer}/${member}`, exchangeKey });
  });
}

/**
 * The characters of RFC 3986 after a scheme, of which a fragment has no further "#". Brackets are accepted everywhere,
 * because parsers of addresses accept them in paths.
 */
const URI =
  /^[a-z][a-z0-9+.-]*:(?:[\w.~:/?[\]@!$&'()*+,;=-]|%[0-9a-f]{2})*(?:#(?:[\w.~:/?[\]@!$&'()*+,;=-]|%[0-9a-f]{2})*)?$/i;

function isUri(address: string): boolean {
  return URI.test(address);
}

/** RFC 6570, section 2: expressions, and between them what no address needs to encode, or can be encoded. */
const EXPRESSION = /\{[+#./;?&=,!@|]?[^{}]*\}/g;
const VARIABLES =
  /^\{[+#./;?&=,!@|]?(?:\w|%[0-9a-f]{2})(?:\.?(?:\w|%[0-9a-f]{2}))*(?:\*|:[1-9]\d{0,3})?(?:,(?:\w|%[0-9a-f]{2})(?:\.?(?:\w|%[0-9a-f]{2}))*(?:\*|:[1-9]\d{0,3})?)*\}$/i;
const LITERALS = /^(?:[^\p{Cc}\s"<>\\^`{|}%]|%[0-9a-f]{2})*$/iu;

function isUriTemplate(template: string): boolean {
  const expressions = template.match(EXPRESSION) ?? [];
  return (
    expressions.every((expression) => VARIABLES.test(expression)) &&
    LITERALS.test(template.replaceAll(EXPRESSION, ''))
  );
}
