import type { ComponentChildren, VNode } from 'preact';
import { visible } from 'probity/model';
import { authorWords, type OperatorAction } from '../entries/operator-log.ts';
import { Moment } from './figures.tsx';
import { Layout } from './layout.tsx';

const PAGES = {
  '/admin': 'Entries that need a look',
  '/admin/log': 'Log',
  '/admin/policy': 'Policy',
} as const;

/** The frame of the pages of the operator. `path` is the page itself, if the navigation has it. */
export function AdminLayout({
  title,
  path,
  children,
}: Readonly<{ title: string; path?: keyof typeof PAGES; children: ComponentChildren }>): VNode {
  return (
    <Layout title={title} signedIn={true}>
      <h1>{title}</h1>
      <nav aria-label="Operator" class="links">
        {Object.entries(PAGES).map(([address, words]) => (
          <a key={address} href={address} {...(address === path ? { 'aria-current': 'page' } : {})}>
            {words}
          </a>
        ))}
      </nav>
      {children}
    </Layout>
  );
}

export function LogPage({
  actions,
  next,
}: Readonly<{ actions: readonly OperatorAction[]; next: number | null }>): VNode {
  return (
    <AdminLayout title="Log of the operators" path="/admin/log">
      <OperatorLog actions={actions} />
      {next === null ? null : (
        <p>
          <a href={`/admin/log?before=${next}`}>Older actions</a>
        </p>
      )}
    </AdminLayout>
  );
}

/** A list and no table: on a phone, a table would hide the reasons beside the screen. */
export function OperatorLog({ actions }: { readonly actions: readonly OperatorAction[] }): VNode {
  if (actions.length === 0) return <p class="empty">No operator did anything yet.</p>;
  return (
    <ol class="attention">
      {actions.map((action) => (
        <LoggedAction key={action.number} action={action} />
      ))}
    </ol>
  );
}

function LoggedAction({ action: given }: { readonly action: OperatorAction }): VNode {
  const { at, authorKind, operator, action, entryId, reason, publicReason, until, details } = given;
  return (
    <li>
      <b>{action}</b> {entryId === null ? null : <a href={`/admin/servers/${entryId}`}>{entryId}</a>}
      {until === null ? null : (
        <>
          {' until '}
          <Moment at={until.toISOString()} />
        </>
      )}{' '}
      <span class="by">
        <Moment at={at.toISOString()} />, <bdi>{authorWords({ authorKind, operator })}</bdi>
      </span>
      {reason === null ? null : <p dir="auto">{visible(reason)}</p>}
      {publicReason === null ? null : (
        <p>
          For everybody: <bdi>{visible(publicReason)}</bdi>
        </p>
      )}
      {details === null ? null : (
        <p>
          <bdi>{visible(details)}</bdi>
        </p>
      )}
    </li>
  );
}
