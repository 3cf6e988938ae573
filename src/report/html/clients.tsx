import type { VNode } from 'preact';
import { namesInLine } from '../../text/words.ts';
import { CLIENTS_TITLE, type ClientsView } from '../view/clients-view.ts';
import { andMore } from '../view/words.ts';
import { Pairs } from './details.tsx';
import { List, Table } from './elements.tsx';

const MAX_FUNCTIONS = 100;
const MAX_PROBLEMS = 30;
const MAX_CHANGES = 50;

/** What clients and models see of a server: cost, portability and changes of its definitions. */
export function Clients({ view }: { readonly view: ClientsView }): VNode {
  const { lines, profiles, changes } = view;
  return (
    <section id="clients" aria-labelledby="clients-title">
      <h2 id="clients-title">{CLIENTS_TITLE}</h2>
      <Pairs pairs={lines} />
      {changes.map(({ kind, changes: own }) => (
        <details key={kind} class="sample" open={kind === 'breaking' || kind === 'unclear'}>
          <summary>{`${own.length} ${kind} ${own.length === 1 ? 'change' : 'changes'}`}</summary>
          <List
            items={[
              ...own.slice(0, MAX_CHANGES).map(({ sentence }) => sentence),
              ...(own.length > MAX_CHANGES ? [andMore(own.length - MAX_CHANGES, 'change')] : []),
            ]}
          />
        </details>
      ))}
      <Definitions view={view} />
      {profiles
        .filter(({ groups }) => groups.length > 0)
        .map(({ profile, title, words, groups, more = 0 }) => (
          <details key={profile} class="sample">
            <summary>
              {title}: {words} portable
            </summary>
            <List
              items={[
                ...groups.slice(0, MAX_PROBLEMS).map(({ message, change, pointer, functions }) => (
                  <>
                    {functions.length === 0 ? null : <code>{namesInLine(functions, 5)}</code>} {message}
                    {pointer === '' ? null : (
                      <>
                        {' '}
                        at <code>{pointer}</code>
                      </>
                    )}
                    : {change}
                  </>
                )),
                ...(groups.length > MAX_PROBLEMS || more > 0
                  ? [andMore(Math.max(0, groups.length - MAX_PROBLEMS) + more, 'problem')]
                  : []),
              ]}
            />
          </details>
        ))}
    </section>
  );
}

function Definitions({ view: { functions, profiles, unit } }: { readonly view: ClientsView }): VNode {
  const more = functions.length - MAX_FUNCTIONS;
  return (
    <>
      <Table
        label={`Tokens of each ${unit}, and the clients that accept it`}
        caption={`Estimated tokens of each ${unit}, and which clients and providers accept it as it is`}
        heads={[unit, 'tokens', ...profiles.map(({ profile }) => profile)]}
      >
        {functions.slice(0, MAX_FUNCTIONS).map(({ name, tokens, fits }) => (
          <tr key={name}>
            <th scope="row">
              <code>{name}</code>
            </th>
            <td>{tokens}</td>
            {fits.map((isPortable, index) => (
              <td key={index} class={isPortable ? undefined : 'no'}>
                {isPortable ? 'yes' : 'no'}
              </td>
            ))}
          </tr>
        ))}
      </Table>
      {more > 0 ? <p>{andMore(more, unit)}</p> : null}
    </>
  );
}
