import path from 'node:path';
import { checkServer } from '../../check/threads/check-server.ts';
import { EXIT, UsageError } from '../../command-line/exit-codes.ts';
import { lookOf, print, say, sayProxyUnused } from '../../command-line/terminal.ts';
import { contractIn } from '../../contract/read-contract.ts';
import { PROFILES } from '../../generated/portability.ts';
import { visible } from '../../json/visible.ts';
import type { Contract } from '../../model/contract.ts';
import type { Profile, ProfileId } from '../../model/profile.ts';
import type { TestResult } from '../../model/report.ts';
import { definitionsIn, problemsOf, SCHEMA_MEMBERS } from '../../portability/fit.ts';
import { rewritten } from '../../portability/rewrite.ts';
import { type FitOfAll, renderPortability } from '../../report/terminal/portability-matrix.ts';
import { chosenTarget } from '../options/chosen-target.ts';
import { type CheckFlags, readSettings } from '../options/settings.ts';
import { interruptible } from '../process/interruptible.ts';
import { writeTextFile } from '../terminal/write-file.ts';
import { savedResult } from './render.ts';

interface PortableFlags extends CheckFlags {
  readonly profile?: readonly ProfileId[];
  readonly rewrite?: boolean;
  readonly output?: string;
}

/**
 * Prints which clients and providers accept the definitions of a server, or the definitions as they would need them. Of
 * the server, only the list of its functions is read.
 */
export async function portable(given: string | undefined, flags: PortableFlags): Promise<void> {
  if (flags.output !== undefined && flags.rewrite !== true)
    throw new UsageError('--output is where --rewrite writes. Add --rewrite, or remove --output.');
  const result = given?.endsWith('.json') === true ? await savedResult(given) : await read(given, flags);
  if (result === null) return;
  const contract = contractIn(result.exchanges);
  if (contract === null) return sayUnread(result);
  const profiles = PROFILES.filter(({ id }) => flags.profile?.includes(id) ?? true);
  if (flags.rewrite === true) return writeRewritten(contract, profiles, flags.output);
  const definitions = definitionsIn(contract);
  const fits = profiles.map((profile): FitOfAll => ({ profile, problems: problemsOf(definitions, profile) }));
  const names = contract.functions.map(({ name }) => name);
  await print([
    flags.json === true
      ? jsonOf(names, fits)
      : renderPortability({ names, fits, isDetailed: flags.profile !== undefined }, lookOf(process.stdout)),
  ]);
  // Without a name, the matrix is information.
  const isRefused = flags.profile !== undefined && fits.some(({ problems }) => problems.length > 0);
  process.exitCode = isRefused ? EXIT.fail : EXIT.pass;
}

/** Null: interrupted. */
async function read(given: string | undefined, flags: PortableFlags): Promise<TestResult | null> {
  const { url } = chosenTarget(given, { ...flags, listing: undefined });
  const only = ['portability/*'];
  const deciding = flags.deciding && { ...flags.deciding, reads: 1 as const };
  const { options } = await readSettings({ ...flags, deciding, only }, process.env);
  const interrupt = interruptible('nothing is printed');
  const { signal } = interrupt;
  const result = await checkServer(url, {
    ...options,
    only,
    skip: [],
    latency: { off: true },
    signal,
  }).finally(interrupt.done);
  if (!signal.aborted) return result;
  process.exitCode = EXIT.incomplete;
  return null;
}

function sayUnread({ target, reachable, exchanges }: TestResult): void {
  const [unanswered] = exchanges.flatMap((one) => (one.kind === 'unanswered' ? [one.reason.message] : []));
  const why = unanswered === undefined ? '' : `: ${visible(unanswered)}`;
  say(`${visible(target.url)} did not list its functions${why}. Nothing was compared.`);
  sayProxyUnused(target.url);
  process.exitCode = reachable ? EXIT.incomplete : EXIT.unreachable;
}

function jsonOf(functions: readonly string[], fits: readonly FitOfAll[]): string {
  const profiles = fits.map(({ profile: { id, title, read }, problems }) => {
    const unfit = new Set(problems.map((one) => one.function));
    return {
      profile: id,
      title,
      read,
      portable: functions.filter((name) => !unfit.has(name)),
      problems: problems.map(({ rule, ...problem }) => ({
        ...problem,
        rule: rule.id,
        says: rule.says,
        why: rule.why,
        page: rule.page,
      })),
    };
  });
  return `${JSON.stringify({ functions, profiles }, null, 2)}\n`;
}

async function writeRewritten(
  contract: Contract,
  profiles: readonly Profile[],
  folder: string | undefined,
): Promise<void> {
  const made = profiles.map((profile) => ({ id: profile.id, text: rewrittenText(contract, profile) }));
  if (folder === undefined) return print([`[\n${made.map(({ text }) => text).join(',\n')}\n]\n`]);
  for (const { id, text } of made) {
    const file = path.join(folder, `${id}.json`);
    say(
      `written: ${visible(await writeTextFile(file, `${text}\n`, 'Choose another folder with --output.'))}`,
    );
  }
}

function rewrittenText({ wire, functions }: Contract, { id, title, read, ...profile }: Profile): string {
  const [input, output] = SCHEMA_MEMBERS[wire] ?? [];
  const made = functions.map((one) => {
    const { definition, lost, unfit } = rewritten(one, wire, { ...profile, id, title, read });
    const { input: inputSchema, output: outputSchema, more, ...said } = definition;
    const schemas = [
      [input, inputSchema],
      [output, outputSchema],
    ] as const;
    const given = schemas.flatMap(([member, schema]) =>
      member === undefined || schema === null ? [] : [[member, schema] as const],
    );
    return { definition: { ...said, ...Object.fromEntries(given), ...more }, lost, unfit };
  });
  return JSON.stringify({ profile: id, title, read, functions: made }, null, 2);
}
