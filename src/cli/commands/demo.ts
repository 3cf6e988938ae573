import { checkServer } from '../../check/threads/check-server.ts';
import { say } from '../../command-line/terminal.ts';
import { REFERENCE_SAMPLES } from '../../reference/functions.ts';
import { startReferenceServer } from '../../reference/server.ts';
import type { StoreFlags } from '../options/output-flags.ts';
import { finish } from '../terminal/finish.ts';
import { checkProgress, createLiveLine } from '../terminal/live-line.ts';
import { type ReferenceFlags, requireNoForm } from './reference.ts';

interface DemoFlags extends StoreFlags, Pick<ReferenceFlags, 'wire' | 'form'> {
  readonly latency: boolean;
}

interface Shown {
  readonly address: string;
  /** Of a server on standard streams, which the check starts. */
  readonly command?: readonly [string, ...string[]];
  readonly close: () => Promise<void>;
}

export async function demo({ wire, form, latency, ...stored }: DemoFlags): Promise<void> {
  const { address, command, close } = wire === 'mcp' ? mcpServer({ form }) : await restServer(form);
  try {
    const progress = createLiveLine(process.stderr, checkProgress);
    const result = await checkServer(address, {
      ...(command === undefined ? { samples: REFERENCE_SAMPLES } : { mcp: { command } }),
      latency: { off: !latency },
      ...progress.listening,
    });
    progress.clear();
    await finish(result, { ...stored, format: ['html'] });
    if (command === undefined)
      say('The server is stopped. `probity reference` starts one that keeps running.');
    else say(`The server is stopped. \`${address}\` starts one on standard streams, with --port over HTTP.`);
  } finally {
    await close();
  }
}

async function restServer(form: 'A' | 'B' = 'B'): Promise<Shown> {
  const { url, close } = await startReferenceServer({ form });
  say(`a reference server of form ${form} runs at ${url}; checking it`);
  return { address: url, close };
}

function mcpServer(flags: Pick<ReferenceFlags, 'form'>): Shown {
  requireNoForm(flags);
  const address = 'probity reference --wire mcp';
  say(`checking a reference server of the Model Context Protocol, the command ${address}`);
  const [, script = ''] = process.argv;
  const command = [process.execPath, script, 'reference', '--wire', 'mcp'] as const;
  return { address, command, close: async () => undefined };
}
