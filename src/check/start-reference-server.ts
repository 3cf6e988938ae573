import { oneOf, record, requireArguments, required, text, wholeBetween } from '../model/arguments.ts';
import type { Kinds } from '../model/kind.ts';
import type { ReferenceServerOptions, RunningServer } from '../reference/server.ts';

const OPTIONS = {
  form: required(oneOf('A', 'B')),
  host: text,
  port: wholeBetween(0, 65_535),
  basePath: text,
} satisfies Kinds<ReferenceServerOptions>;

/**
 * Starts a conforming server. Its folder is a template to copy, so the options are validated here instead.
 *
 * @throws OptionError when an option is unknown or is of the wrong kind
 */
export async function startReferenceServer(options: ReferenceServerOptions): Promise<RunningServer> {
  requireArguments('startReferenceServer', { options }, { options: required(record(OPTIONS)) });
  const server = await import('../reference/server.ts');
  return server.startReferenceServer(options);
}
