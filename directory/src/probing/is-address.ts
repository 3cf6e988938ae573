/** Whether the host of a URL is an IP address and not a name; `URL` writes addresses in one way. */
export function isAddress(host: string): boolean {
  return /^\[|^\d+(\.\d+){3}$/.test(host);
}
