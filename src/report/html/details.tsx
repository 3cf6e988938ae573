import type { VNode } from 'preact';
import { decisionWords } from '../view/words.ts';
import type { VisibleResult } from './visible-result.ts';

const MAX_SAMPLES = 20;

export function Details({ result }: { readonly result: VisibleResult }): VNode {
  const { harness, seed, suites, settings, facts, errors, samples, target } = result;
  const run: readonly (readonly [string, string])[] = [
    ['harness', `${harness.name} ${harness.version}`],
    ['seed', String(seed)],
    ['suites', suites.map(({ id }) => id).join(', ')],
    ['protocol', target.mcpVersion === undefined ? '' : `mcpVersion ${target.mcpVersion}`],
    ['fails on', settings.failOn === 'must' ? 'MUST' : 'SHOULD and MUST'],
    ['only', settings.only.join(', ')],
    ['left out', settings.skip.join(', ')],
    ['read only', settings.readOnly ? 'yes' : ''],
    ['listing', result.bench === undefined ? listingWords(result) : ''],
    ['begun', result.startedAt],
    ['ended', result.finishedAt],
    ['id', result.id],
  ];
  return (
    <section id="details" aria-labelledby="details-title">
      <h2 id="details-title">Details</h2>
      {facts.length === 0 ? null : (
        <>
          <h3>Facts</h3>
          <Pairs pairs={facts.map(({ name, text }) => [name, text])} />
        </>
      )}
      <ListingState result={result} />
      {samples.length === 0 ? null : (
        <>
          <h3>Output samples</h3>
          {samples.slice(0, MAX_SAMPLES).map(({ function: name, input, output, durationMs }, index) => (
            <details key={index} class="sample">
              <summary>
                <code>{name}</code> {durationMs.toFixed(1)} ms
              </summary>
              <p class="label">input</p>
              <pre>
                <code>{input}</code>
              </pre>
              <p class="label">output</p>
              <pre>
                <code>{output}</code>
              </pre>
            </details>
          ))}
        </>
      )}
      {errors.length === 0 ? null : (
        <>
          <h3>Errors that the server answered, wanted ones among them</h3>
          <ul>
            {errors.slice(0, MAX_SAMPLES).map(({ operation, code, message, status, count }, index) => (
              <li key={index}>
                {operation}
                {status === undefined ? '' : ` ${status}`} <code>{code}</code> {message}
                {count > 1 ? ` (${count} times)` : ''}
              </li>
            ))}
            {errors.length > MAX_SAMPLES ? (
              <li>and {errors.length - MAX_SAMPLES} more, in the JSON result</li>
            ) : null}
          </ul>
        </>
      )}
      <h3>The run</h3>
      <Pairs pairs={run.filter(([, text]) => text !== '')} />
    </section>
  );
}

function ListingState({ result }: { readonly result: VisibleResult }): VNode | null {
  const { listing } = result;
  if (listing === undefined) return null;
  return (
    <>
      <h3>The listing</h3>
      <p>{decisionWords(result)}</p>
      {listing.map(({ requirement, level, outcome, evidence }, index) => (
        <div key={index}>
          <p class="label">
            {requirement} ({level}): {outcome}
          </p>
          <ul>
            {evidence.slice(0, MAX_SAMPLES).map((one, place) => (
              <li key={place}>
                {one.kind}: {one.text}
                {one.kind === 'found' ? '' : `. ${one.remedy}`}
              </li>
            ))}
          </ul>
        </div>
      ))}
    </>
  );
}

export function Pairs({ pairs }: { readonly pairs: readonly (readonly [string, string])[] }): VNode {
  return (
    <dl class="pairs">
      {pairs.map(([name, text], index) => (
        <div key={index}>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

/** What was known of the listing that a directory shows. */
function listingWords({ settings, listing }: VisibleResult): string {
  const claimed = settings.claimedResponseTimeMs;
  const time = claimed === null ? '' : `; response time ${claimed} ms`;
  return `${settings.transports.join(' and ')}${claimed === null && listing === undefined ? '; no listing was given' : time}`;
}
