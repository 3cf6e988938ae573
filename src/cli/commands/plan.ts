import { type Plan, planRequests } from '../../check/plan-requests.ts';
import { EXIT } from '../../command-line/exit-codes.ts';
import { sayProxyUnused } from '../../command-line/terminal.ts';
import { visible } from '../../json/visible.ts';
import { isFirstAttemptOf } from '../../model/exchange-key.ts';
import { restrainedTexts } from '../../report/facts.ts';
import { wrap } from '../../report/view/wrap.ts';
import { CHECK_EXPLORING } from '../../run/steps/exploring-settings.ts';
import { chosenTarget } from '../options/chosen-target.ts';
import { type CheckFlags, readSettings } from '../options/settings.ts';

export async function plan(address: string | undefined, flags: CheckFlags): Promise<void> {
  const { url, options: ofTarget } = chosenTarget(address, { ...flags, listing: undefined });
  // Of the two reads, a plan needs the list only.
  const deciding = flags.deciding && { ...flags.deciding, reads: 1 as const };
  const { options } = await readSettings({ ...flags, deciding }, process.env);
  const made = await planRequests(url, { ...options, ...ofTarget });
  process.stdout.write(flags.json === true ? `${JSON.stringify(made, null, 2)}\n` : renderPlan(made));
  if (made.unanswered.length > 0) {
    sayProxyUnused(made.targetUrl);
    process.exitCode = EXIT.unreachable;
  } else process.exitCode = made.blocked.length > 0 ? EXIT.incomplete : EXIT.pass;
}

const MAX_BODY_CHARACTERS = 100;

function renderPlan(plan: Plan): string {
  const { targetUrl, requests, requirements, timed, generated, omissions, restrained, blocked, unanswered } =
    plan;
  const steps = [...new Set(requests.map(({ step }) => step))];
  const blocks = steps.map((step) => {
    const own = requests.filter((request) => request.step === step);
    const effects = own.some(({ mayHaveEffects }) => mayHaveEffects) ? '  may have side effects' : '';
    const negative = own.some(({ negative }) => negative) ? '  negative' : '';
    return [
      `${step}  ${own[0]?.title ?? ''}${effects}${negative}`,
      ...own.map((request) => `  ${requestLine(request, targetUrl)}${timedWords(request.key, timed)}`),
    ].join('\n');
  });
  const sent = requests.filter((request) => request.sent).length;
  const notes = [
    ...unanswered.map((message) => `The target did not answer a read that the plan needs: ${message}`),
    ...omissions.map(
      ({ step, listed, called }) =>
        `${step}: ${called} of ${listed} functions; --max-functions raises the limit`,
    ),
    ...restrainedTexts(restrained),
    ...blocked.map(({ step, by }) => `${step} cannot be planned: ${by} did not pass`),
    `${requests.length} requests for ${requirements.length} requirements. Sent now: ${sent}, the reads that the plan needs.`,
    ...(timed.length === 0
      ? plan.kind === 'server'
        ? ['The last read of /health, and of /capabilities, is left out if the two before it show enough.']
        : []
      : [
          `Additional timed calls: up to ${timed.reduce((sum, { calls }) => sum + calls, 0)}, fewer if they are slow, and repeated if their times are unreliable. --samples changes the number, --no-latency leaves them out.`,
        ]),
    ...(requests.some(({ negative }) => negative)
      ? ['Negative requests are invalid or harmful; --read-only or --skip "robustness/*" leaves them out.']
      : []),
    ...(generated.length > 0
      ? [
          `Calls with generated inputs, up to: ${generated.map(({ functionName, calls }) => `${functionName} ${calls}`).join(', ')}. The answers to earlier calls may change the inputs, and leave out functions that change something. An input that shows a fault is followed by up to ${CHECK_EXPLORING.smaller} smaller ones. --skip "inputs/*" leaves them out.`,
        ]
      : []),
    ...(plan.kind !== 'directory'
      ? [
          `${plan.kind === 'server' ? 'If the server refuses the first call, one more call may use the other form. ' : ''}A function that refuses a repeated call, or whose concurrent answers differ, may be called up to three more times. Functions that seem to only read may be called four more times, and again if their answers differ. A function that refuses a generated input may be called again with values of other answers. What calls created is deleted if the target has a function for it.${plan.kind === 'server' ? ' A call that is answered with 429 is repeated.' : ''}`,
        ]
      : []),
  ];
  return `${[...blocks, notes.flatMap((note) => wrap(visible(note), 80)).join('\n')].join('\n\n')}\n`;
}

function timedWords(key: string, timed: Plan['timed']): string {
  const found = timed.find((one) => isFirstAttemptOf(key, one.key));
  return found === undefined ? '' : `  then timed, up to ${found.calls} calls`;
}

function requestLine({ method, url, body: written }: Plan['requests'][number], targetUrl: string): string {
  const body = written?.trimEnd() ?? null;
  const path = visible(url.startsWith(`${targetUrl}/`) ? url.slice(targetUrl.length) : url);
  const text =
    body === null
      ? ''
      : ` ${visible(body.length > MAX_BODY_CHARACTERS ? `${body.slice(0, MAX_BODY_CHARACTERS)}…` : body)}`;
  return `${method} ${path}${text}`;
}
