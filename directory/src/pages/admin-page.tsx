import type { VNode } from 'preact';
import { visible } from 'probity/model';
import type { Entry } from '../entries/entries.ts';
import type { EntryOverview } from '../entries/entry-overviews.ts';
import { MAX_REASON_CHARACTERS } from '../entries/given-decision.ts';
import { DECISIONS, type DecisionName } from '../entries/operator-decisions.ts';
import type { OperatorAction } from '../entries/operator-log.ts';
import { AdminLayout, OperatorLog } from './admin-log.tsx';
import { DecisionMark, Moment, Pair, Section, visibleText } from './figures.tsx';
import { StateMark } from './state.tsx';

/** Entries that need a look, and why. */
export function AttentionPage({
  entries,
  next,
}: Readonly<{ entries: readonly EntryOverview[]; next: string | null }>): VNode {
  return (
    <AdminLayout title="Entries that need a look" path="/admin">
      {entries.length === 0 ? (
        <p class="empty">
          No entry needs a look: none is on hold, undecided, in doubt, not up, or like another one.
        </p>
      ) : (
        <ul class="attention">
          {entries.map((entry) => (
            <li key={entry.id}>
              <a href={`/admin/servers/${entry.id}`}>{entry.id}</a>{' '}
              <bdi>{visibleText(entry.name, 'label')}</bdi> <DecisionMark of={entry} />{' '}
              <StateMark status={entry.status} />
              <ul>
                {reasonsFor(entry).map((reason) => (
                  <li key={reason} dir="auto">
                    {reason}
                  </li>
                ))}
              </ul>
            </li>
          ))}
        </ul>
      )}
      {next === null ? null : (
        <p>
          <a href={`/admin?after=${next}`}>Further entries</a>
        </p>
      )}
    </AdminLayout>
  );
}

const AWAITS_FIGURES = 'it is approved, and waits for its uptime and its response time to be measured';

/** Why an entry needs a look. Pure. */
export function reasonsFor(entry: EntryOverview): readonly string[] {
  const { decision, status, operatorReason, missing, duplicates, lookAlikes, isDoubtful } = entry;
  const undecided = entry.rows.flatMap(({ requirement, level, outcome }) =>
    level === 'MUST' && outcome !== 'passed' ? [`${requirement} ${outcome}`] : [],
  );
  return [
    ...(operatorReason === null ? [] : [`the operator: ${visible(operatorReason)}`]),
    ...(entry.awaitsFigures ? [AWAITS_FIGURES] : []),
    ...(decision === 'list' || entry.awaitsFigures || operatorReason !== null ? [] : undecided),
    ...missing.map((one) => visible(one)),
    ...(isDoubtful ? ['a test saw something worse, and another look has to confirm it'] : []),
    ...(status === 'down' ? [decision === 'list' ? 'listed, and down' : 'down'] : []),
    ...(status === 'gated' ? ['it asks for a key'] : []),
    ...(status === 'paused' ? ['it is paused'] : []),
    ...(status === 'stale' ? ['its last test is too old'] : []),
    ...(duplicates.length === 0 ? [] : [`it has the same endpoint as ${duplicates.join(', ')}`]),
    ...(lookAlikes.length === 0 ? [] : [`its name looks like that of ${lookAlikes.join(', ')}`]),
  ];
}

interface AdminEntry {
  readonly entry: Entry;
  readonly actions: readonly OperatorAction[];
  readonly duplicates: readonly string[];
  /** Why the decision that was sent is refused. */
  readonly problem: string | null;
}

/** An entry, what operators did, and a form to decide. */
export function AdminEntryPage({ entry, actions, duplicates, problem }: AdminEntry): VNode {
  const { id, name, endpoint, decision, status, decided_by, public_reason, pause_reason, paused_until } =
    entry;
  const { gate, doubt } = entry;
  return (
    <AdminLayout title={`Server ${id}`}>
      <dl class="pairs">
        <Pair name="Name">
          <span dir="auto">{visibleText(name, 'name')}</span>
        </Pair>
        <Pair name="Endpoint">
          <code>{visible(endpoint)}</code>
        </Pair>
        <Pair name="Decision">
          <DecisionMark of={{ decision, awaitsFigures: entry.awaits_figures }} />, by{' '}
          {decided_by === 'checks' ? 'the checks' : 'the operator'}
        </Pair>
        <Pair name="State">
          <StateMark status={status} />
          {paused_until === null ? null : (
            <>
              {' until '}
              <Moment at={paused_until.toISOString()} />
            </>
          )}
        </Pair>
        {status !== 'gated' || gate === null ? null : (
          <Pair name="Asks for a key">
            status {gate.httpStatus}
            {gate.challenge === null ? '' : `, ${visible(gate.challenge)}`}
          </Pair>
        )}
        {doubt === null ? null : (
          <Pair name="In doubt">
            since <Moment at={doubt.at} />: {visible(doubt.reason)}
          </Pair>
        )}
        {pause_reason === null ? null : <Pair name="Pause, for everybody">{visible(pause_reason)}</Pair>}
        {public_reason === null ? null : <Pair name="For everybody">{visible(public_reason)}</Pair>}
        {duplicates.length === 0 ? null : (
          <Pair name="Same endpoint">
            {duplicates.map((other) => (
              <>
                <a href={`/admin/servers/${other}`}>{other}</a>{' '}
              </>
            ))}
          </Pair>
        )}
        {entry.missing.length === 0 ? null : (
          <Pair name="Missing">{entry.missing.map((one) => visible(one)).join('; ')}</Pair>
        )}
      </dl>
      <p>
        <a href={`/servers/${id}`}>The page of this server</a>
      </p>
      <Decide id={id} problem={problem} />
      <Section id="log" title="History">
        <OperatorLog actions={actions} />
      </Section>
    </AdminLayout>
  );
}

const WORDS: Readonly<Record<DecisionName, string>> = {
  approve: 'Approve: list it in any case',
  hold: 'Hold: do not show it',
  reject: 'Reject: remove its page, refuse calls',
  release: 'Release: let the checks decide',
  pause: 'Pause: neither probe nor test it',
  resume: 'Resume: probe and test it again',
};

function Decide({ id, problem }: Readonly<{ id: string; problem: string | null }>): VNode {
  const described = problem === null ? {} : { 'aria-describedby': 'problem' };
  return (
    <Section id="decide" title="Decide">
      <form class="decide" method="post" action={`/admin/servers/${id}`}>
        {problem === null ? null : (
          <p id="problem" class="problem" role="alert">
            {problem}
          </p>
        )}
        <div class="fields">
          <div class="field">
            <label for="action">Decision</label>
            <select id="action" name="action" required {...described}>
              <option value="">Choose a decision</option>
              {DECISIONS.map((name) => (
                <option key={name} value={name}>
                  {WORDS[name]}
                </option>
              ))}
            </select>
          </div>
          <div class="field">
            <label for="reason">Reason, for operators</label>
            <input id="reason" name="reason" required maxLength={MAX_REASON_CHARACTERS} />
          </div>
          <div class="field">
            <label for="public-reason">Reason, for everybody (optional)</label>
            <input id="public-reason" name="publicReason" maxLength={MAX_REASON_CHARACTERS} />
          </div>
          <div class="field">
            <label for="until">End of a pause, in UTC (optional)</label>
            <input id="until" name="until" type="datetime-local" />
          </div>
        </div>
        <button type="submit">Decide</button>
      </form>
    </Section>
  );
}

/** `text` is the policy as a file. */
export function PolicyPage({ text }: { readonly text: string }): VNode {
  return (
    <AdminLayout title="Policy" path="/admin/policy">
      <p>
        Change it with <code>probity directory policy FILE</code>.
      </p>
      <section class="scroll" aria-label="Policy" tabIndex={0}>
        <pre>{text}</pre>
      </section>
    </AdminLayout>
  );
}
