const loopbackHosts = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * Whether a request may come from a page of another site. Such a page reaches a server on this machine through DNS
 * rebinding: its name then leads to this machine. The name is in the header Host, and in Origin, which only browsers send.
 */
export const mayBeRebound = (
  serverHost: string,
  { host, origin }: { readonly host?: string | undefined; readonly origin?: string | undefined },
): boolean => {
  const isKnown = (url: string): boolean => {
    const name = URL.canParse(url) ? new URL(url).hostname : '';
    return name === serverHost || loopbackHosts.test(name);
  };
  if (origin !== undefined && !isKnown(origin)) return true;
  // A server that other machines reach cannot know all of its names.
  return loopbackHosts.test(serverHost) && !isKnown(`http://${host}`);
};
