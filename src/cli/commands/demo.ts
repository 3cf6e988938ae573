import { checkServer } from '../../app/check-server.ts';
import { say } from '../../command-line/terminal.ts';
import { REFERENCE_SAMPLES } from '../../reference/samples.ts';
import { startReferenceServer } from '../../reference/server.ts';
import { checkProgress, createLiveLine } from '../terminal/live-line.ts';
import { finish, requireFolder } from './check.ts';

export async function demo({
  form,
  reports,
  latency,
}: {
  readonly form: 'A' | 'B';
  readonly reports: string;
  readonly latency: boolean;
}): Promise<void> {
  await requireFolder(reports);
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
    await finish(result, { reports, format: ['html'] });
    say('The server is stopped. `probity reference` starts one that keeps running.');
  } finally {
    await server.close();
  }
}
