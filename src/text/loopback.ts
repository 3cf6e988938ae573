/** Names and addresses as a URL writes them, also those of IPv4 inside IPv6. */
const LOOPBACK =
  /^(?:(?:.*\.)?localhost\.?|127\.\d+\.\d+\.\d+|\[::1\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\])$/;

/** Whether a host name, as a URL writes it, leads to this machine. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}
