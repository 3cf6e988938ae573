import { UsageError } from './exit-codes.ts';

/** The error of a failed listen, for a user who chose the host and the port. Pure. */
export function listenError(
  error: unknown,
  { host, port }: { readonly host: string; readonly port: number },
): unknown {
  const { code } = error as { code?: string };
  if (code === 'EADDRINUSE')
    return new UsageError(
      `Port ${port} on ${host} is in use. Choose another with --port, or a free one with --port 0.`,
    );
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EACCES')
    return new UsageError(`Cannot listen on ${host}:${port}: ${code}.`);
  return error;
}
