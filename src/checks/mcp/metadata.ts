import { isJsonObject, type Json, ownProperty, showJson } from '../../json/json.ts';
import { failed, inapplicable, passed } from '../../model/judgement.ts';
import type { Conversation } from '../../model/wire.ts';
import { type Asked, defineCheck, judgeEach, judgeFirst } from '../define-check.ts';
import { receivedIn } from './received.ts';

// What servers say besides the content of a message: keys in _meta, icons, and the names of extensions.

/** What authors and their users fill as they like: a member with a known name has no known meaning in there. */
const OPAQUE: ReadonlySet<string> = new Set([
  '_meta',
  'arguments',
  'data',
  'experimental',
  'extensions',
  'inputSchema',
  'outputSchema',
  'requestedSchema',
  'structuredContent',
]);

interface Member {
  readonly value: Json;
  readonly pointer: string;
  readonly exchangeKey: string | undefined;
}

/** Each member of this name that has the meaning that the protocol gives it. */
function membersNamed(
  name: string,
  asked: readonly Asked[],
  conversations: readonly Conversation[],
): readonly Member[] {
  return receivedIn(asked, conversations).flatMap(({ read: { value, pointer }, exchange }) =>
    membersIn(value ?? null, name, pointer).map((one) => ({ ...one, exchangeKey: exchange?.request.key })),
  );
}

function membersIn(value: Json, name: string, pointer: string): readonly Omit<Member, 'exchangeKey'>[] {
  if (!isJsonObject(value) && !Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const at = `${pointer}/${key}`;
    const isMember = !Array.isArray(value) && key === name;
    if (isMember) return [{ value: inner, pointer: at }];
    return OPAQUE.has(key) ? [] : membersIn(inner, name, at);
  });
}

const LABEL = '[a-z](?:[a-z0-9-]*[a-z0-9])?';
const KEY = new RegExp(`^(?:${LABEL}(?:\\.${LABEL})*/)?(?:[a-z0-9](?:[\\w.-]*[a-z0-9])?)?$`, 'i');
const EXTENSION = new RegExp(`^${LABEL}(?:\\.${LABEL})*/[a-z0-9](?:[\\w.-]*[a-z0-9])?$`, 'i');
const TRACE = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}/;

export const metaKeys = defineCheck(
  'step',
  'meta-keys',
  'the keys in _meta have the form that the protocol gives them',
  ({ asked, conversations, opened }) => {
    const keys = membersNamed('_meta', asked, conversations).flatMap(({ value, ...place }) =>
      Object.entries(isJsonObject(value) ? value : {}).map(([key, given]) => ({ key, given, ...place })),
    );
    // Reserved for it since 2026-07-28.
    const isWrongTrace = (key: string, given: Json): boolean =>
      key === 'traceparent' &&
      opened?.era === 'stateless' &&
      !(typeof given === 'string' && TRACE.test(given));
    return judgeFirst(
      keys,
      'no message has _meta',
      ({ key, given }) => !KEY.test(key) || isWrongTrace(key, given),
      ({ key, given, pointer, exchangeKey }) => ({
        message: KEY.test(key) ? 'traceparent in _meta is no trace context' : 'a key in _meta is not valid',
        expected: KEY.test(key)
          ? 'the form of W3C Trace Context'
          : 'letters and digits, with "-", "_" or "." between them, after a prefix such as com.example/ or none',
        received: KEY.test(key) ? showJson(given) : showJson(key),
        pointer,
        exchangeKey,
      }),
    );
  },
  { breaksAlone: true },
);

export const extensionIds = defineCheck(
  'step',
  'extension-ids',
  'the extensions in the capabilities have names with a prefix',
  ({ opened }) => {
    const extensions = ownProperty(opened?.capabilities, 'extensions');
    const names = isJsonObject(extensions) ? Object.keys(extensions) : [];
    if (names.length === 0) return inapplicable('the server announces no extensions');
    return judgeEach(names, (name) =>
      EXTENSION.test(name)
        ? passed
        : failed({
            message: 'an extension has a name without a valid prefix',
            expected: 'a name such as com.example/extension',
            received: showJson(name),
          }),
    );
  },
  { breaksAlone: true },
);

export const iconAddresses = defineCheck(
  'step',
  'icon-addresses',
  'every icon has an address that clients may load: https or data',
  ({ asked, conversations }) => {
    const icons = membersNamed('icons', asked, conversations).flatMap(({ value, pointer, exchangeKey }) =>
      (Array.isArray(value) ? value : []).flatMap((icon: Json, index) => {
        const source = ownProperty(icon, 'src');
        // What is no text is judged with the schema of the message.
        return typeof source === 'string'
          ? [{ source, pointer: `${pointer}/${index}/src`, exchangeKey }]
          : [];
      }),
    );
    return judgeFirst(
      icons,
      'nothing has an icon',
      ({ source }) => !/^(?:https:\/\/|data:)/i.test(source),
      ({ source, pointer, exchangeKey }) => ({
        message: 'an icon has an address that clients do not load',
        expected: 'https:// or data:',
        received: showJson(source),
        pointer,
        exchangeKey,
      }),
    );
  },
);
