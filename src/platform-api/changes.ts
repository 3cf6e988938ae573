import * as Type from 'typebox';
import { known, listOf, oneOf, recordSchema, timestamp, whole } from '../model/saved/record-parts.ts';
import type { RecordOf } from '../model/saved/record-schema.ts';
import { type ServerRecord, serverRecord } from '../model/saved/server-record.ts';
import { type LastContractChange, lastContractChange } from './server-details.ts';

/** What became of a server since a cursor. Apply changes in their order: a record replaces an earlier one. */
export type DirectoryChange =
  /** The record as it is now, and the last change of what the server offers, if one was seen. */
  | { readonly kind: 'changed'; readonly server: ServerRecord; readonly contract?: LastContractChange }
  /** It is no longer listed. */
  | { readonly kind: 'removed'; readonly id: string; readonly removedAt: string };

/** One change: the record of a server as it is now, or the id of one that is no longer listed. */
const recordChange = Type.Unsafe<DirectoryChange>(
  Type.Object({
    kind: oneOf(['changed', 'removed']),
    server: Type.Optional(known(serverRecord)),
    contract: Type.Optional(whole(lastContractChange)),
    id: Type.Optional(Type.String({ description: 'Of the removed server.' })),
    removedAt: Type.Optional(timestamp),
  }),
);

/** A page of changes, the oldest first. The specification has no such operation. */
export const changesPage = recordSchema(
  {
    changes: listOf(recordChange),
    cursor: Type.String({ description: 'Give it to read what changed afterwards.' }),
    hasMore: Type.Boolean({ description: 'Whether more changes can be read now.' }),
  },
  { $id: 'ChangesPage' },
);
export type ChangesPage = RecordOf<typeof changesPage>;
