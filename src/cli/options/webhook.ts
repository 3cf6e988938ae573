import { UsageError } from '../../command-line/exit-codes.ts';
import { say } from '../../command-line/terminal.ts';
import type { TestResult } from '../../model/report.ts';
import { parseUrl } from '../../text/parse-url.ts';
import { fromEnvironment } from './given-headers.ts';

const TIMEOUT_MS = 10_000;

/** The address in the variable, which is a secret: it is never printed. Null without a variable. */
export function webhookIn(variable: string | undefined, environment: NodeJS.ProcessEnv): string | null {
  if (variable === undefined) return null;
  const address = fromEnvironment(variable, environment, '--webhook-env');
  const protocol = parseUrl(address)?.protocol;
  if (protocol === 'https:' || protocol === 'http:') return address;
  throw new UsageError(
    `--webhook-env: the value of ${variable} is not an address. Set it to the whole address of the webhook, which begins with https://.`,
  );
}

/** A message that cannot be sent does not change the outcome of the check. */
export async function postToWebhook(
  address: string,
  result: TestResult,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const { slackMessage } = await import('../../notify/slack-message.ts');
  const { postJson } = await import('../../notify/post.ts');
  const problem = await postJson(address, slackMessage(result, linkToRun(environment)), TIMEOUT_MS);
  if (problem !== null)
    say(`warning: the message was not sent to the webhook: ${problem}. Check the address in the variable.`);
}

/** The page of the running job on GitHub, GitLab or Jenkins. */
function linkToRun(environment: NodeJS.ProcessEnv): string | null {
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_RUN_ID, CI_JOB_URL, BUILD_URL } = environment;
  const named =
    GITHUB_SERVER_URL && GITHUB_REPOSITORY && GITHUB_RUN_ID
      ? `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}`
      : (CI_JOB_URL ?? BUILD_URL ?? '');
  return /^https?:\/\/[^\s<>|]+$/.test(named) ? named : null;
}
