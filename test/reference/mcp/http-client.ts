import http from 'node:http';
import { createParser } from 'eventsource-parser';

export type Headers = Readonly<Record<string, string>>;

export interface Event {
  readonly id: string | undefined;
  /** Undefined for an event without a message. */
  readonly message: Readonly<Record<string, unknown>> | undefined;
}

export interface Opened {
  readonly status: number | undefined;
  readonly headers: http.IncomingHttpHeaders;
  /** The next event; undefined after the last one. */
  readonly next: () => Promise<Event | undefined>;
  /** All that follow, and those that are there already. */
  readonly rest: () => Promise<readonly Event[]>;
  readonly close: () => void;
}

/** Sends a request, with any header, and reads the events of the answer as they come. */
export async function open(
  url: string,
  method: 'GET' | 'POST',
  headers: Headers,
  body?: object,
): Promise<Opened> {
  const sent = http.request(url, {
    method,
    agent: false,
    headers: {
      accept: 'application/json, text/event-stream',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
  });
  const answered = new Promise<http.IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve);
    sent.once('error', reject);
  });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const response = await answered;
  const events = eventsIn(response);
  const next = async (): Promise<Event | undefined> => {
    const { value, done } = await events.next();
    return done === true ? undefined : value;
  };
  return {
    status: response.statusCode,
    headers: response.headers,
    next,
    rest: async () => {
      const found: Event[] = [];
      for await (const event of events) found.push(event);
      return found;
    },
    close: () => sent.destroy(),
  };
}

async function* eventsIn(response: http.IncomingMessage): AsyncGenerator<Event, undefined> {
  const found: Event[] = [];
  const parser = createParser({
    onEvent: ({ id, data }) => found.push({ id, message: data === '' ? undefined : JSON.parse(data) }),
  });
  for await (const chunk of response.setEncoding('utf8')) {
    parser.feed(chunk);
    yield* found.splice(0);
  }
  return undefined;
}
