import { UsageError } from './exit-codes.ts';

/** The error of a failed listen, for a user who chose the host and the port. Pure. */
export function listenError(
  error: unknown,
  {
    host,
    port,
    option = '--port',
  }: { readonly host: string; readonly port: number; readonly option?: string },
): unknown {
  const { code } = error as { code?: string };
  if (code === 'EADDRINUSE')
    return new UsageError(
      `Port ${port} on ${host} is in use. Choose another with ${option}, or a free one with ${option} 0.`,
    );
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EACCES')
    return new UsageError(`Cannot listen on ${host}:${port}: ${code}.`);
  return error;
}
