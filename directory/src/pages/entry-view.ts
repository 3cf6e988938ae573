import { madeVisible, type Visible, type VisibleJudgement } from 'probity/html';
import type { LastResult, ServerDetails } from 'probity/model';
import { isMeasurement, type Measurement, ownProperty, type ReportedFinding, shorten } from 'probity/model';
import { type FunctionView, functionView } from './function-view.ts';
import { MOST } from './visible-text.ts';

/** Everything that an entry's page shows, with every text made visible. */
export type EntryView = Omit<ServerDetails, 'functions' | 'lastResult'> & {
  readonly functions: readonly FunctionView[];
  /** How many functions there are beside those. */
  readonly moreFunctions: number;
  readonly lastResult: LastResultView | null;
  readonly pageUrl: string;
  readonly apiUrl: string;
};

export type LastResultView = Omit<LastResult, 'results' | 'findings' | 'responseTimes' | 'samples'> & {
  readonly judgement: VisibleJudgement;
  readonly measured: readonly Measurement[];
};

const MAX_FUNCTIONS = 50;

/** `address` is where the service is reached. Pure. */
export function entryView(details: ServerDetails, address: string): Visible<EntryView> {
  const { functions, lastResult, ...rest } = details;
  const apiUrl = `${address}/v1/servers/${details.id}`;
  const view = {
    ...rest,
    name: shorten(rest.name, MOST.name),
    description: shorten(rest.description, MOST.description),
    functions: functions.slice(0, MAX_FUNCTIONS).map((descriptor) =>
      functionView(descriptor, {
        executeUrl: `${apiUrl}/execute`,
        lastInput: lastResult?.samples.find((sample) => sample.function === ownProperty(descriptor, 'name'))
          ?.input,
      }),
    ),
    moreFunctions: Math.max(0, functions.length - MAX_FUNCTIONS),
    lastResult: lastResult === null ? null : resultView(lastResult),
    pageUrl: `${address}/servers/${details.id}`,
    apiUrl,
  };
  const shown = madeVisible({ ...view, functions: view.functions.map((one) => ({ ...one, call: null })) });
  return {
    ...shown,
    // Live characters in it are escapes of JSON already, and its line breaks are wanted.
    functions: shown.functions.map((one, index) => ({ ...one, call: view.functions[index]?.call ?? null })),
  };
}

function resultView({ results, findings, responseTimes, samples: _, ...rest }: LastResult): LastResultView {
  return {
    ...rest,
    judgement: madeVisible({
      results,
      findings: findings.map(withTargetsToken),
      // As every test of the directory does: nothing else keeps a server from being listed.
      settings: { failOn: 'must' as const },
    }),
    measured: responseTimes.filter(isMeasurement),
  };
}

/**
 * A finding's commands ask the target, with the target's own key. Under the name that the API key has on this page, they
 * would send that one to a stranger.
 */
function withTargetsToken(finding: ReportedFinding): ReportedFinding {
  const renamed = (command: string): string => command.replaceAll('PROBITY_', 'TARGET_');
  return {
    ...finding,
    curl: finding.curl === null ? null : renamed(finding.curl),
    check: renamed(finding.check),
  };
}
