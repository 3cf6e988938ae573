import { checkServer } from '../../app/check-server.ts';
import { say } from '../../command-line/terminal.ts';
import { REFERENCE_SAMPLES } from '../../reference/functions.ts';
import { startReferenceServer } from '../../reference/server.ts';
import type { StoreFlags } from '../options/output-flags.ts';
import { finish } from '../terminal/finish.ts';
import { checkProgress, createLiveLine } from '../terminal/live-line.ts';

export async function demo({
  form,
  latency,
  ...stored
}: StoreFlags & {
  readonly form: 'A' | 'B';
  readonly latency: boolean;
}): Promise<void> {
  const server = await startReferenceServer({ form });
  try {
    say(`a reference server of form ${form} runs at ${server.url}; checking it`);
    const progress = createLiveLine(process.stderr, checkProgress);
    const result = await checkServer(server.url, {
      samples: REFERENCE_SAMPLES,
      latency: { off: !latency },
      ...progress.listening,
    });
    progress.clear();
    await finish(result, { ...stored, format: ['html'] });
    say('The server is stopped. `probity reference` starts one that keeps running.');
  } finally {
    await server.close();
  }
}
