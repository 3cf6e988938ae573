import { startReferenceServer } from 'probity';
import { expect, it } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import { QUEUE_NAMES } from '../../src/settings/settings.ts';
import { startDirectory } from '../directory-under-test.ts';

it('counts tests, probes and calls by their outcomes', async () => {
  const target = await startReferenceServer({ form: 'A' });
  const directory = await startDirectory();
  // The other instance counts the tests that it takes.
  const queues = QUEUE_NAMES.filter((name) => name !== 'test');
  const prober = await directory.another({ queues, probeEveryMs: 3_600_000 });
  try {
    await directory.list('counted', target.url);
    expect((await directory.test('counted')).status).toBe(200);
    const call = { function: 'add', input: { a: 1, b: 2 } };
    expect((await directory.execute('counted', call)).status).toBe(200);
    expect((await directory.execute('counted', { ...call, function: 'nope' })).status).toBe(404);
    const metrics = await directory.metrics();
    // The planned test of the new entry may have ended, too.
    expect(metrics).toMatch(
      /^probity_tests_total\{verdict="(pass|incomplete)",decision="list",reachable="true"\} [12]$/m,
    );
    expect(metrics).toMatch(/^probity_test_duration_seconds_count [12]$/m);
    expect(metrics).toMatch(/^probity_gateway_calls_total\{outcome="succeeded"\} 1$/m);
    expect(metrics).toMatch(/^probity_gateway_calls_total\{outcome="function-not-found"\} 1$/m);
    expect(metrics).toMatch(/^probity_gateway_call_duration_seconds_count 2$/m);
    expect(metrics).toMatch(/^probity_jobs_total\{queue="test",outcome="ended"\} [12]$/m);
    expect(metrics).toMatch(/^probity_queue_jobs\{queue="test",state="failed"\} 0$/m);
    expect(metrics).toMatch(/^probity_queue_oldest_waiting_seconds\{queue="probe"\} \d/m);
    expect(metrics).toMatch(/^probity_gateway_added_seconds_count 1$/m);
    // An idle connection is closed soon.
    expect(metrics).toMatch(/^probity_target_connections \d/m);
    const [, busySeconds] = /^probity_check_busy_seconds_total (\S+)$/m.exec(metrics) ?? [];
    expect(Number(busySeconds)).toBeGreaterThan(0);
    expect(metrics).toMatch(/^probity_own_network_believed 1$/m);
    await eventually(prober.metrics, (text) => /^probity_probes_total\{outcome="up"\} [1-9]/m.test(text));
  } finally {
    await prober.stop();
    await directory.stop();
    await target.close();
  }
});
