import * as Type from 'typebox';
import { count, known, listOf, recordSchema, text, whole } from '../model/saved/record-parts.ts';
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

const facet = listOf(recordSchema({ value: text, count }));

/** By which values a search can be narrowed; the members are named like the parameters. */
const facets = recordSchema({
  category: facet,
  tags: facet,
  transport: facet,
  protocol: facet,
  status: facet,
  verdict: facet,
});

/** The answer of a search (specification, section 4.1). */
export const searchResult = recordSchema(
  {
    servers: listOf(known(serverRecord)),
    pagination: whole(pagination),
    facets: Type.Optional({
      ...facets,
      description:
        'Extension, with facets=true: by which values the search can be narrowed, and how many servers it finds then. Up to 30 categories, without case, and as many tags.',
    }),
  },
  { $id: 'SearchResult' },
);
export type SearchPage = RecordOf<typeof searchResult>;
