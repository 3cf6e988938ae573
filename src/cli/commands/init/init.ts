import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { type LearnedTarget, learnTarget } from '../../../check/learn/learn-target.ts';
import { EXIT, UsageError } from '../../../command-line/exit-codes.ts';
import { say, sayProxyUnused } from '../../../command-line/terminal.ts';
import { visible } from '../../../json/visible.ts';
import { shellQuote } from '../../../judge/curl.ts';
import { writeWhole } from '../../../report/store-report.ts';
import { writeYaml } from '../../../suite/yaml/write-yaml.ts';
import { DEFAULT_CONFIG } from '../../options/default-names.ts';
import { type CheckFlags, readSettings } from '../../options/settings.ts';
import { interruptible } from '../../process/interruptible.ts';
import { unwritable } from '../../terminal/write-file.ts';
import { configSections } from './init-config.ts';
import { listingSections } from './init-listing.ts';

const LISTING_FILE = 'probity.listing.yaml';

interface InitFlags
  extends Pick<
    CheckFlags,
    'form' | 'header' | 'bearerEnv' | 'mcpServer' | 'ca' | 'deciding' | 'publicOnly' | 'timeout'
  > {
  readonly force?: boolean;
}

export async function init(url: string | undefined, flags: InitFlags): Promise<void> {
  // Existing files are neither read nor overwritten without --force.
  if (flags.force !== true) refuseExisting();
  const { options } = await readSettings(flags, process.env, null);
  let target: LearnedTarget | null = null;
  if (url !== undefined) {
    const interrupt = interruptible('nothing is written');
    const learned = await learnTarget(url, options, interrupt.signal).finally(interrupt.done);
    if (interrupt.signal.aborted) {
      process.exitCode = EXIT.incomplete;
      return;
    }
    if (learned.kind === 'silent') {
      say(
        `${visible(learned.targetUrl)} did not answer${flags.mcpServer === undefined ? ' GET /capabilities' : ''}: ${visible(learned.failure)}. Start the server, check the address, or omit the address for files without samples. Nothing was written.`,
      );
      sayProxyUnused(learned.targetUrl);
      process.exitCode = EXIT.unreachable;
      return;
    }
    if (learned.kind === 'no-mcp-server') {
      say(
        `${visible(learned.targetUrl)} does not answer as an MCP server: ${visible(learned.problem)}. ${learned.remedy} Nothing was written.`,
      );
      process.exitCode = EXIT.incomplete;
      return;
    }
    ({ target } = learned);
  }
  const given = {
    form: flags.form === 'A' || flags.form === 'B' ? flags.form : null,
    bearerEnv: flags.bearerEnv ?? null,
    headerNames: Object.keys(options.headers ?? {}),
    address: flags.mcpServer === undefined ? null : (url ?? null),
  };
  if (flags.force !== true) refuseExisting();
  await writeBoth(
    writeYaml(configSections(target, given)),
    writeYaml(listingSections(target, given.address)),
  );
  sayWhatNext(targetArgument(url, target, flags), target);
}

function refuseExisting(): void {
  for (const file of [DEFAULT_CONFIG, LISTING_FILE])
    if (existsSync(file))
      throw new UsageError(
        `${file} already exists. Overwrite both files with --force, or use another folder.`,
      );
}

async function writeBoth(config: string, listing: string): Promise<void> {
  const before = await readFile(DEFAULT_CONFIG).catch(() => null);
  const wasThere = existsSync(DEFAULT_CONFIG);
  let file = DEFAULT_CONFIG;
  try {
    await writeWhole(file, [config]);
    file = LISTING_FILE;
    await writeWhole(file, [listing]);
  } catch (error) {
    // A single file would make the next attempt fail.
    if (file === LISTING_FILE && !wasThere) await rm(DEFAULT_CONFIG, { force: true });
    // Restore the earlier contents if the other file cannot be written.
    if (file === LISTING_FILE && before !== null) await writeFile(DEFAULT_CONFIG, before);
    throw unwritable(error, (code) => `Cannot write ${file}: ${code}. Use a writable folder.`);
  }
}

function targetArgument(
  url: string | undefined,
  target: LearnedTarget | null,
  { mcpServer }: Pick<InitFlags, 'mcpServer'>,
): string {
  if (mcpServer?.command !== undefined && url !== undefined) return visible(shellQuote(url));
  return url === undefined ? 'URL' : visible(target?.targetUrl ?? url);
}

function sayWhatNext(targetWords: string, target: LearnedTarget | null): void {
  say(`written: ${DEFAULT_CONFIG}, ${LISTING_FILE}`);
  const generated = (target?.functions ?? []).filter(({ sample }) => sample.kind === 'generated').length;
  const changing = (target?.functions ?? []).filter((one) => one.changesSomething).length;
  const steps = [
    ...(generated === 0
      ? []
      : [
          `${generated === 1 ? 'One sample was generated and is a comment' : `${generated} samples were generated and are comments`}: set sensible values, and remove the #.`,
        ]),
    ...(changing === 0
      ? []
      : [
          `${changing === 1 ? 'One function looks' : `${changing} functions look`} as if they change something: see mutating in the configuration.`,
        ]),
    `Then: probity check ${targetWords}, which uses the configuration of this folder.`,
    `Complete ${LISTING_FILE} before you submit the server to a directory.`,
  ];
  say(steps.join('\n'));
}
