import type { VNode } from 'preact';
import { Sign } from 'probity/html';
import type { ServerStatus } from 'probity/model';
import type { EntryView } from './entry-view.ts';
import { Address, Moment } from './figures.tsx';

/** How a state is shown, and what it says. */
export const STATES = {
  up: { sign: 'pass', words: 'Up', mark: 'passed', said: 'Up at the last observation.' },
  down: { sign: 'fail', words: 'Down', mark: 'failed', said: 'Down at the last observation.' },
  gated: {
    sign: 'incomplete',
    words: 'Wants a key',
    mark: 'warning',
    said: 'It is alive, and refuses callers without a key.',
  },
  paused: { sign: 'incomplete', words: 'Paused', mark: 'inapplicable', said: 'Not observed for a while.' },
  undecided: {
    sign: 'incomplete',
    words: 'Undecided',
    mark: 'undecided',
    said: 'Up at the last observation, but too little of it could be tested.',
  },
  stale: {
    sign: 'incomplete',
    words: 'Stale',
    mark: 'warning',
    said: 'Up at the last observation, but not tested for long.',
  },
  unknown: { sign: 'incomplete', words: 'Unknown', mark: 'inapplicable', said: 'Not observed yet.' },
} as const satisfies Record<ServerStatus, object>;

export function StateMark({ status }: { readonly status: ServerStatus }): VNode {
  const { sign, words, mark, said } = STATES[status];
  return (
    <span class={`mark ${mark}`} title={said}>
      <Sign mark={sign} /> {words}
    </span>
  );
}

/** Why an entry is in its state, for its author and its users; null when there is nothing to say. */
export function StateReasons({ entry }: { readonly entry: EntryView }): VNode | null {
  const { status, doubt } = entry;
  const reason = reasonOf(entry);
  if (reason === null && doubt === null) return null;
  return (
    <section class="box state" aria-label={`State: ${STATES[status].words}`}>
      {reason}
      {doubt === null ? null : (
        <p>
          <b>In doubt.</b> A test at <Moment at={doubt.at} /> saw: {doubt.reason}. A second look follows; if
          it sees the same, the entry is {doubt.decision === 'reject' ? 'rejected' : 'put on hold'}.
        </p>
      )}
    </section>
  );
}

function reasonOf({ status, gate, pausedUntil, pauseReason, missing, history }: EntryView): VNode | null {
  switch (status) {
    case 'gated':
      return (
        <>
          <p>
            <b>It wants a key.</b> It is alive, and refuses callers without one
            {gate === null ? '' : ` (status ${gate.httpStatus})`}.{' '}
            {gate?.hasKey === true
              ? 'It also refused the key that the directory has.'
              : 'The directory has no key for it, so that only its availability is observed.'}
          </p>
          {gate === null ? null : <p class="about">For the operator of this directory: {gate.remedy}</p>}
          {gate === null || (gate.challenge === null && gate.metadataUrl === null) ? null : (
            <dl class="pairs">
              {gate.challenge === null ? null : (
                <div>
                  <dt>Challenge</dt>
                  <dd>
                    <code>{gate.challenge}</code>
                  </dd>
                </div>
              )}
              {gate.metadataUrl === null ? null : (
                <div>
                  <dt>Where keys come from</dt>
                  <dd>
                    <Address text={gate.metadataUrl} />
                  </dd>
                </div>
              )}
            </dl>
          )}
        </>
      );
    case 'paused':
      return (
        <p>
          <b>It is paused</b>{' '}
          {pausedUntil === null ? (
            'until the operator of the directory resumes it'
          ) : (
            <>
              until <Moment at={pausedUntil} />
            </>
          )}
          : it is not probed and not tested meanwhile.
          {pauseReason === null ? null : (
            <>
              {' '}
              The operator says: <bdi>{pauseReason}</bdi>
            </>
          )}
        </p>
      );
    case 'undecided':
      return (
        <>
          <p>
            <b>It is undecided:</b> too little of it could be tested.
            {missing.length === 0 ? '' : ' What is missing:'}
          </p>
          {missing.length === 0 ? null : (
            <ul class="found">
              {missing.slice(0, MAX_MISSING).map((one, index) => (
                <li key={index}>{one}</li>
              ))}
              {missing.length > MAX_MISSING ? <li>and {missing.length - MAX_MISSING} more</li> : null}
            </ul>
          )}
        </>
      );
    case 'stale': {
      const [last] = history;
      return (
        <p>
          <b>It is stale:</b>{' '}
          {last === undefined ? (
            'it was not tested yet.'
          ) : (
            <>
              its last test was at <Moment at={last.startedAt} />.
            </>
          )}
        </p>
      );
    }
    default:
      return null;
  }
}

const MAX_MISSING = 10;
