import type { VNode } from 'preact';
import { Command } from 'probity/html';
import type { EntryView } from './entry-view.ts';
import type { FunctionView, ValueView } from './function-view.ts';

export function Functions({ entry }: { readonly entry: EntryView }): VNode {
  const { functions, moreFunctions } = entry;
  return (
    <section id="functions" aria-labelledby="functions-title">
      <h2 id="functions-title">Functions</h2>
      {functions.length === 0 ? (
        <p class="empty">No functions are known: the directory has not read the server’s capabilities yet.</p>
      ) : (
        <p>
          As described by the server. Calls through the directory require an API key with the scope{' '}
          <code>execute</code>; the commands read it from <code>$PROBITY_TOKEN</code>.
        </p>
      )}
      {functions.map((one, index) => (
        <FunctionBox key={index} one={one} open={functions.length === 1} />
      ))}
      {moreFunctions === 0 ? null : <p>and {moreFunctions} more, in the JSON of the API</p>}
    </section>
  );
}

function FunctionBox({ one, open }: { readonly one: FunctionView; readonly open: boolean }): VNode {
  return (
    <details class="sample function" open={open}>
      <summary>
        <code class="id">{one.name === '' ? '(without a name)' : one.name}</code>{' '}
        <span class="statement" dir="auto">
          {one.description}
        </span>
      </summary>
      <Values title="Input" values={one.inputs} />
      <Values title="Output" values={one.outputs} />
      {one.call === null ? (
        <p class="empty">The example call is too long to show here.</p>
      ) : (
        <Command label="Call it through the directory" text={one.call} />
      )}
      <p class="label">Descriptor</p>
      <pre>
        <code>{one.descriptor}</code>
      </pre>
    </details>
  );
}

function Values({ title, values }: Readonly<{ title: string; values: readonly ValueView[] }>): VNode | null {
  if (values.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul class="values">
        {values.map(({ name, type, description, required }, index) => (
          <li key={index}>
            <code class="id">{name}</code>
            {type === '' ? null : <span class="level"> {type}</span>}
            {required ? <span class="level">, required</span> : null}
            {description === '' ? null : <span class="statement">{description}</span>}
          </li>
        ))}
      </ul>
    </>
  );
}
