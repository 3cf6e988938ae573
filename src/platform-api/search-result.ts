import * as Type from 'typebox';
import { count, known, listOf, recordSchema, whole } from '../model/saved/record-parts.ts';
import type { RecordOf } from '../model/saved/record-schema.ts';
import { serverRecord } from '../model/saved/server-record.ts';

/** The pagination object (specification, section 2.2). */
export const pagination = recordSchema({
  total: count,
  limit: count,
  offset: count,
  hasNext: Type.Boolean(),
});
export type Pagination = RecordOf<typeof pagination>;

/** The answer of a search (specification, section 4.1). */
export const searchResult = recordSchema(
  { servers: listOf(known(serverRecord)), pagination: whole(pagination) },
  { $id: 'SearchResult' },
);
export type SearchPage = RecordOf<typeof searchResult>;
