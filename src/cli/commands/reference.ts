import { listenError } from '../../command-line/listen-error.ts';
import { say } from '../../command-line/terminal.ts';
import { startReferenceServer } from '../../reference/server.ts';

export interface ReferenceFlags {
  readonly form: 'A' | 'B';
  readonly host: string;
  readonly port: number;
  readonly basePath: string;
}

export async function reference({ form, host, port, basePath }: ReferenceFlags): Promise<void> {
  const server = await startReferenceServer({ form, host, port, basePath }).catch((error: unknown) => {
    throw listenError(error, { host, port });
  });
  const stop = (): void => void server.close();
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  // A program that reads the address may stop the server at once.
  process.stdout.write(`${server.url}\n`);
  say(
    `A reference server of form ${form}. Check it from another terminal with: probity check ${server.url}\nctrl-C stops it.`,
  );
}
