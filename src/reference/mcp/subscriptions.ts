import { isJsonObject, type JsonObject } from '../validate-input.ts';
import type { RequestOptions } from './protocol/caller.ts';
import { type Catalog, lists, type Subject } from './protocol/catalog.ts';
import { type Id, notificationText, ProtocolError, type Request } from './protocol/messages.ts';
import { hasResource } from './resources.ts';

/** The notification of a change. */
export const changeOf = (subject: Subject): { readonly method: string; readonly params: JsonObject } =>
  typeof subject === 'string'
    ? { method: `notifications/${subject}/list_changed`, params: {} }
    : { method: 'notifications/resources/updated', params: subject };

/**
 * Serves subscriptions/listen of revision 2026-07-28: sends the changes that the client asked for, until it cancels the
 * request, or until the server closes. Resolves with the members of `_meta` in its result.
 */
export const listen = async (
  catalog: Catalog,
  { id, params }: Request,
  { outlet, signal, closing }: RequestOptions,
): Promise<string> => {
  const filter = filterIn(params);
  const member = `"_meta":{${subscriptionMember(id)}}`;
  const uris = filter.uris.filter((uri) => hasResource(catalog, uri));
  const subjects: readonly Subject[] = [...filter.lists, ...uris.map((uri) => ({ uri }))];
  const notifications = {
    ...Object.fromEntries(filter.lists.map((list) => [`${list}ListChanged`, true])),
    ...(filter.hasUris && { resourceSubscriptions: uris }),
  };
  outlet.send(notificationText('notifications/subscriptions/acknowledged', { notifications }, member));

  const stops = subjects.map((subject) => {
    const { method, params: changed } = changeOf(subject);
    return catalog.watch(subject, () => outlet.send(notificationText(method, changed, member)));
  });
  await aborted(signal, closing);
  for (const stop of stops) stop();
  // The server ends the subscription: it cancels it, and its answer says that nothing was lost.
  if (!signal.aborted) {
    const cancelled = `${member},"requestId":${id}`;
    outlet.send(notificationText('notifications/cancelled', { reason: 'The server closes.' }, cancelled));
  }
  return subscriptionMember(id);
};

const subscriptionMember = (id: Id): string => `"io.modelcontextprotocol/subscriptionId":${id}`;

type Filter = {
  readonly lists: readonly (typeof lists)[number][];
  readonly hasUris: boolean;
  readonly uris: readonly string[];
};

const filterIn = ({ notifications }: JsonObject): Filter => {
  if (!isJsonObject(notifications))
    throw new ProtocolError('invalidParams', 'notifications must be an object.');
  const { resourceSubscriptions = [] } = notifications;
  if (!isArrayOfStrings(resourceSubscriptions))
    throw new ProtocolError('invalidParams', 'resourceSubscriptions must be an array of strings.');
  return {
    lists: lists.filter((list) => notifications[`${list}ListChanged`] === true),
    hasUris: 'resourceSubscriptions' in notifications,
    uris: [...new Set(resourceSubscriptions)],
  };
};

const isArrayOfStrings = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

const aborted = (...signals: readonly AbortSignal[]): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of signals) {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    }
  });
