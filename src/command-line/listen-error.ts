import { UsageError } from './exit-codes.ts';

/** What came of an attempt to listen, in words for a user who chose the host and the port. Pure. */
export function listenError(
  error: unknown,
  { host, port }: { readonly host: string; readonly port: number },
): unknown {
  const { code } = error as { code?: string };
  if (code === 'EADDRINUSE')
    return new UsageError(
      `Port ${port} on ${host} is taken. Give another with --port, or --port 0 for a free one.`,
    );
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EACCES')
    return new UsageError(`Cannot listen on ${host}:${port}: ${code}.`);
  return error;
}
