import type { HttpProbe, Probe } from '../model/probe.ts';
import { createLiveProbe, DEFAULT_BOUNDS, type LiveProbeOptions } from '../probe/live-probe.ts';
import { isLoopback } from '../text/loopback.ts';

/**
 * A probe of a server of the Model Context Protocol that also reads addresses besides its endpoint. A server may name any
 * address, so that those of other servers must be public, unless the checked server is on this machine itself: else it
 * could make this machine send requests into the private network around it.
 */
export function besideConversations(
  messages: Probe,
  targetUrl: string,
  options: Omit<LiveProbeOptions, 'bounds'>,
): Probe {
  const { origin, hostname } = new URL(targetUrl);
  const own = createLiveProbe({ ...options, bounds: DEFAULT_BOUNDS });
  const publicOnly = options.publicOnly || !isLoopback(hostname);
  const others = createLiveProbe({ ...options, publicOnly, bounds: DEFAULT_BOUNDS });
  const probeFor = (url: string): HttpProbe => (new URL(url).origin === origin ? own : others);
  const open = messages.open?.bind(messages);
  return {
    send: (planned) =>
      'conversation' in planned ? messages.send(planned) : probeFor(planned.url).send(planned),
    ...(open === undefined ? {} : { open }),
    close: (onLogs) => {
      own.close();
      others.close();
      return messages.close(onLogs);
    },
  };
}
