import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { AddListingOptions } from '../../check/add-listing.ts';
import type { CheckOptions } from '../../check/check-options.ts';
import { shownTarget } from '../../check/mcp-options.ts';
import { targetUrlOf } from '../../check/run-settings.ts';
import { checkServer } from '../../check/threads/check-server.ts';
import { EXIT, UsageError } from '../../command-line/exit-codes.ts';
import { say, sayProxyUnused } from '../../command-line/terminal.ts';
import { visible } from '../../json/visible.ts';
import type { FirstFailure } from '../../judge/first-failure.ts';
import type { Baseline } from '../../model/judgement.ts';
import type { ParsedListing } from '../../model/listing.ts';
import type { TestResult } from '../../model/report.ts';
import { recordNothing } from '../../model/span.ts';
import type { StartedServer } from '../../processes/started-server.ts';
import { chosenTarget } from '../options/chosen-target.ts';
import { severalTargets, type TargetsFlags } from '../options/configured-targets.ts';
import type { ServerFlags } from '../options/listed-target.ts';
import {
  refuseDetailFlags,
  refuseFormatFlags,
  refuseStoreFlags,
  refuseUnwritable,
} from '../options/output-flags.ts';
import { type OnTargetFlags, runOnTarget } from '../options/run-on-target.ts';
import { type CheckFlags, readSettings, type Settings } from '../options/settings.ts';
import { exportTelemetry, telemetryOf, withTrace } from '../options/telemetry.ts';
import { postToWebhook, webhookIn } from '../options/webhook.ts';
import { interruptible } from '../process/interruptible.ts';
import type { Readiness, ToMakeReady } from '../process/make-ready.ts';
import { checkProgress, createLiveLine, failureSoFar } from '../terminal/live-line.ts';
import type { Profile } from '../terminal/profile.ts';
import type { CheckOutput } from './check-targets.ts';
import type { CheckedBefore } from './checked-before.ts';

const END_NOTICE_MS = 1000;

interface OwnFlags extends ServerFlags, TargetsFlags {
  readonly profile?: string;
}

/** Checks the server at an address, the server of a directory's entry, a directory, or what a configuration names. */
export async function check(given: string | undefined, flags: OwnFlags): Promise<void> {
  if (flags.profile === '-')
    throw new UsageError('--profile writes a file, beside the report on standard output: name one.');
  if (flags.profile !== undefined) await refuseUnwritable('--profile', flags.profile);
  if (flags.output !== undefined && flags.output !== '-') await refuseUnwritable('--output', flags.output);
  const profile =
    flags.profile === undefined ? undefined : new (await import('../terminal/profile.ts')).Profile();
  const targets = await severalTargets(given, flags);
  const interrupt = interruptible();
  if (targets !== null) {
    const { checkTargets } = await import('./check-targets.ts');
    return checkTargets(targets, flags, { check: checkOnce, signal: interrupt.signal }).finally(
      interrupt.done,
    );
  }
  const checked = await targetToCheck(given, flags, interrupt.signal)
    .then((target) =>
      target === null
        ? null
        : runOnTarget(target.url, target.flags, (url, own) =>
            checkOnce(url, own, interrupt.signal, { profile }),
          ),
    )
    .finally(interrupt.done);
  const server = checked?.server ?? null;
  if (server !== null) {
    const recordSpan = profile?.recordSpan ?? recordNothing;
    // If this process is interrupted, the supervisor ends the server.
    const output = await recordSpan('phase', 'stopping the server', () =>
      recordSpan('server', 'end', () => server.stop()),
    );
    if (process.exitCode !== EXIT.pass) (await import('../process/make-ready.ts')).sayOutput(output);
  }
  if (flags.profile !== undefined) await profile?.write(flags.profile);
}

async function targetToCheck(
  given: string | undefined,
  flags: ServerFlags,
  signal: AbortSignal,
): Promise<{ readonly url: string | undefined; readonly flags: CheckFlags & OnTargetFlags } | null> {
  if (flags.registry !== undefined) {
    if (flags.server !== undefined)
      throw new UsageError('--registry and --server name two servers: remove one of the two.');
    const { registryTarget } = await import('../options/registry-target.ts');
    return registryTarget(flags.registry, given, flags, signal);
  }
  // Without an address, a listing may name it.
  if (flags.server === undefined) return { url: given, flags };
  if (given !== undefined)
    throw new UsageError('The address and --server name two servers: remove one of the two.');
  const { listedTarget } = await import('../options/listed-target.ts');
  return listedTarget(flags.server, flags, signal);
}

/** Files whose change causes another check. */
export interface NamedFiles extends Pick<Settings, 'configFile' | 'suiteFiles'> {
  readonly baselineFile: string | undefined;
  readonly listingFile: string | undefined;
  readonly contractFile: string | undefined;
}

/** The outcome of one check: null if there was nothing to check; the reason was printed. */
export interface Checked {
  readonly result: TestResult | null;
  /** Still running, for the caller to stop. */
  readonly server: StartedServer | null;
  readonly files: NamedFiles;
}

/** Reads the settings, starts the server or waits for it if requested, checks, and writes and prints the report. */
export async function checkOnce(
  given: string | undefined,
  flags: CheckFlags,
  signal: AbortSignal,
  output: Partial<CheckOutput> & { readonly profile?: Profile | undefined } = {},
  before: CheckedBefore | null = null,
): Promise<Checked> {
  const { progress = createLiveLine(process.stderr, checkProgress), profile, pool } = output;
  const recordSpan = profile?.recordSpan ?? recordNothing;
  const { waitMs, configuredBaseline, listing, contractFile, ...named } = await recordSpan(
    'phase',
    'reading the settings',
    () => readSettings(flags, process.env),
  );
  const baselineFile = flags.baseline ?? configuredBaseline;
  const files = {
    configFile: named.configFile,
    suiteFiles: named.suiteFiles,
    baselineFile,
    listingFile: listing?.where.file,
    contractFile,
  };
  const endpoint = listing?.said.endpoint;
  if (given === undefined && endpoint !== undefined && listing?.said.protocol === 'mcp') {
    return runOnTarget(undefined, { ...flags, mcp: endpoint }, (address, own) =>
      checkOnce(address, own, signal, output, before),
    );
  }
  const target = chosenTarget(given ?? endpoint, { ...flags, listing });
  const { url } = target;
  const telemetry = telemetryOf(process.env);
  const kept = await keptContract(flags, contractFile);
  const chosen = { ...named.options, ...target.options, ...kept?.options };
  const options = { ...chosen, headers: withTrace(telemetry, chosen.headers) };
  const trustedRoot = await trustedRootIn(flags);
  const accepted = baselineFile === undefined ? null : await acceptedIn(baselineFile);
  refuseFormatFlags(flags, flags.json === true);
  refuseDetailFlags(flags);
  if (flags.lastFailed === true && flags.only !== undefined)
    throw new UsageError('--last-failed and --only both select requirements: remove one of the two.');
  const webhook = webhookIn(flags.webhookEnv, process.env);
  refuseStoreFlags(flags);
  const announce = flags.announced === true ? () => undefined : say;
  if (files.configFile !== undefined && flags.configured === undefined)
    announce(`configuration: ${files.configFile}`);
  if (baselineFile !== undefined) announce(`baseline: ${baselineFile}`);
  if (listing !== undefined) announce(`listing: ${listing.where.file}`);
  if (contractFile !== undefined) announce(`contract: ${contractFile}`);
  // An address with a password is refused later, and must not be printed.
  const targetUrl = targetUrlOf(url, options.publicOnly ?? false, options.mcp);
  const failedBefore = flags.lastFailed === true ? await failedLast(flags.reports, targetUrl, options) : null;
  const { start: command = null } = flags;
  const known = before === null ? null : await stillKnown(before, url, { ...options, signal });
  if (known === null) await before?.server?.stop();
  const ready: Readiness =
    known === null
      ? await recordSpan('phase', 'starting the server', () =>
          readied({ url, options, command, waitMs, signal, recordSpan }),
        )
      : { kind: 'ready', server: before?.server ?? null };
  if (ready.kind === 'interrupted') {
    process.exitCode = EXIT.incomplete;
    return { result: null, server: null, files };
  }
  const server = ready.kind === 'ready' ? ready.server : null;
  // One of the check before was given its notice then.
  if (known === null)
    void server?.ended.then(({ exit }) => {
      progress.clear();
      say(`The started server ended: ${exit}.`);
    });
  try {
    const asked = {
      ...options,
      ...(failedBefore === null ? {} : { only: failedBefore }),
      ...known,
      ...(accepted === null ? {} : { knownFailures: accepted.entries }),
    };
    const run = async (): Promise<TestResult> => {
      if (ready.kind === 'unreachable')
        return (await import('../../check/check.ts')).reportUnreachable(url, asked, ready.reason);
      announce(`checking ${visible(shownTarget(targetUrl, options.mcp))}`);
      const onSpan = profile === undefined ? {} : { onSpan: profile.add };
      const all = {
        ...asked,
        signal,
        onFailure: (failure: FirstFailure) => progress.note(failureSoFar(failure)),
        ...progress.listening,
        ...onSpan,
      };
      return pool === undefined ? checkServer(url, all) : pool.check(url, all);
    };
    const [checked, { finish }] = await Promise.all([
      run(),
      // After the start of the check, so that its first request does not wait for it.
      import('../terminal/finish.ts'),
    ]);
    progress.clear();
    if (!checked.reachable) sayProxyUnused(targetUrl);
    // The exit of the server may be reported a moment after its connections failed.
    if (!checked.reachable && server !== null)
      await Promise.race([server.ended, delay(END_NOTICE_MS, null, { ref: false })]);
    const judged =
      listing === undefined
        ? checked
        : await decided(checked, listing, { ...options, ...trustedRoot, signal });
    const result =
      accepted === null ? judged : (await import('../../report/baseline.ts')).applyBaseline(judged, accepted);
    const { finish: finishWith = (made, inUse) => finish(made, flags, inUse) } = output;
    const finished = recordSpan('phase', 'writing the report', () => finishWith(result, filesOf(files)));
    await finished.finally(() =>
      Promise.all([
        exportTelemetry(telemetry, result),
        webhook === null ? null : postToWebhook(webhook, result, process.env),
      ]),
    );
    await kept?.renew(result);
    return { result, server, files };
  } catch (error) {
    await server?.stop();
    throw failedBefore === null ? error : (await import('../options/last-failed.ts')).ofLastFailed(error);
  }
}

async function decided(
  result: TestResult,
  listing: ParsedListing,
  options: Pick<CheckOptions, 'publicOnly' | 'ca' | 'deadlineMs'> &
    ChosenRoot & { readonly signal: AbortSignal },
): Promise<TestResult> {
  say('fetching the evidence of the listing');
  const { addListing } = await import('../../check/add-listing.ts');
  const { publicOnly, ca, deadlineMs, trustedRoot, signal } = options;
  return addListing(result, listing, {
    signal,
    ...(publicOnly === undefined ? {} : { publicOnly }),
    ...(ca === undefined ? {} : { ca }),
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
    ...(trustedRoot === undefined ? {} : { trustedRoot }),
  });
}

type ChosenRoot = Pick<AddListingOptions, 'trustedRoot'>;

async function failedLast(
  folder: string,
  address: string,
  options: CheckOptions,
): Promise<readonly string[] | null> {
  const { lastFailed } = await import('../options/last-failed.ts');
  return lastFailed(folder, address, options);
}

async function trustedRootIn({ trustedRoot: file }: CheckFlags): Promise<ChosenRoot> {
  if (file === undefined) return {};
  try {
    return { trustedRoot: { kind: 'given', text: await readFile(file, 'utf8'), name: file } };
  } catch (error) {
    const { code } = error as { code?: string };
    throw new UsageError(
      `--trusted-root: cannot read ${file}: ${code === 'ENOENT' ? 'the file does not exist' : code}.`,
    );
  }
}

/** The contract of the target, if there is one: to compare with, or to renew. */
async function keptContract({ accept = false, directory }: CheckFlags, file: string | undefined) {
  if (file === undefined && !accept) return null;
  const { compareWithContract, renewContract } = await import('./kept-contract.ts');
  if (accept) return renewContract(file, directory !== undefined);
  return compareWithContract(file ?? '', directory !== undefined);
}

async function readied(order: ToMakeReady): Promise<Readiness> {
  if (order.command === null && order.waitMs === null) return { kind: 'ready', server: null };
  const { makeReady } = await import('../process/make-ready.ts');
  return makeReady(order);
}

async function acceptedIn(file: string): Promise<Baseline> {
  const { readBaseline } = await import('../../suite/read-baseline.ts');
  return readBaseline(file);
}

async function stillKnown(
  before: CheckedBefore,
  url: string,
  options: CheckOptions & { readonly signal: AbortSignal },
): Promise<Pick<CheckOptions, 'answered' | 'seed'> | null> {
  const { answeredBefore } = await import('./checked-before.ts');
  return answeredBefore(before, url, options);
}

/** The files by which answers are judged; the server does not depend on them. */
export function judgingFilesOf(files: NamedFiles): readonly string[] {
  const { suiteFiles, baselineFile, listingFile, contractFile } = files;
  return [baselineFile, listingFile, contractFile, ...suiteFiles].filter((file) => file !== undefined);
}

function filesOf(files: NamedFiles): readonly string[] {
  const { configFile } = files;
  return [...(configFile === undefined ? [] : [configFile]), ...judgingFilesOf(files)];
}
