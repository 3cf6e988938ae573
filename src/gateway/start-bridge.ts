import { errorAnswer } from '../reference/endpoints.ts';
import { type ListenOptions, serve } from '../reference/server.ts';
import { parseUrl } from '../text/parse-url.ts';
import { Bridge, type BridgeSettings } from './bridge.ts';
import type { Session } from './subject.ts';

export interface ListeningSettings extends BridgeSettings, ListenOptions {}

/** A bridge for callers in the same process. */
export interface OpenBridge extends Pick<Bridge, 'answer' | 'hasSession' | 'close'> {
  /** The first session; rejects with a SubjectError if it could not be opened. */
  readonly first: Promise<Session>;
}

/** A bridge that listens. */
export interface RunningBridge extends Pick<OpenBridge, 'first' | 'close'> {
  /** The address of the three endpoints, without a slash at its end. */
  readonly url: string;
}

const LOCAL = /^(localhost|127\.0\.0\.1|\[?::1\]?)$/;

/** Opens a bridge and its sessions; requests may come at once. */
export function openBridge(settings: BridgeSettings): OpenBridge {
  const bridge = new Bridge(settings);
  return Object.assign(bridge, { first: bridge.start() });
}

/** Starts a bridge. Rejects when the address is taken or cannot be bound; nothing is started then. */
export async function startBridge(settings: ListeningSettings): Promise<RunningBridge> {
  const bridge = new Bridge(settings);
  const isLocal = LOCAL.test(settings.host ?? 'localhost');
  const server = await serve(async (request) => {
    // DNS rebinding makes a page of another site one of this address.
    if (isLocal && isOfOtherSite(request.origin))
      return errorAnswer('FORBIDDEN', 'Web pages of other sites must not use a bridge on this machine.');
    return bridge.answer(request);
  }, settings);
  return {
    url: server.url,
    first: bridge.start(),
    close: async () => {
      // Calls under way end first, with an error.
      await bridge.close();
      await server.close();
    },
  };
}

function isOfOtherSite(origin: string | undefined): boolean {
  return origin !== undefined && !LOCAL.test(parseUrl(origin)?.hostname ?? '');
}
