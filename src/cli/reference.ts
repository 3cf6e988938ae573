import { startReferenceServer } from '../reference/server.ts';
import { UsageError } from './exit-codes.ts';
import { say } from './terminal.ts';

export interface ReferenceFlags {
  readonly form: 'A' | 'B';
  readonly host: string;
  readonly port: number;
  readonly basePath: string;
}

export async function reference({ form, host, port, basePath }: ReferenceFlags): Promise<void> {
  const server = await startReferenceServer({ form, host, port, basePath }).catch((error: unknown) => {
    const { code } = error as { code?: string };
    if (code === 'EADDRINUSE')
      throw new UsageError(
        `Port ${port} on ${host} is taken. Give another with --port, or --port 0 for a free one.`,
      );
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EACCES')
      throw new UsageError(`Cannot listen on ${host}:${port}: ${code}.`);
    throw error;
  });
  process.stdout.write(`${server.url}\n`);
  say(
    `A reference server of form ${form}. Check it from another terminal with: probity check ${server.url}\nctrl-C stops it.`,
  );
  const stop = (): void => void server.close();
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
}
