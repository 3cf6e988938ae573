import { type Kysely, sql } from 'kysely';
import { indexedWords } from './words.ts';

const BATCH = 500;

interface Texts {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
}

/** Shortens texts from before the bounds of listings, so that an answer with many of them stays small. */
export async function boundTexts(db: Kysely<unknown>): Promise<void> {
  await sql`
    update entry_details set name = left(name, 200), description = left(description, 2000),
      category = left(category, 100), tags = array(select left(tag, 60) from unnest(tags[1:30]) as tag)
    where length(name) > 200 or length(description) > 2000 or length(category) > 100 or cardinality(tags) > 30
      or exists (select from unnest(tags) as tag where length(tag) > 60)`.execute(db);
}

/** Indexes the words of all entries again, for a migration after the rules of words changed. */
export async function indexWordsAgain(db: Kysely<unknown>): Promise<void> {
  for (let after = ''; ; ) {
    const { rows } = await sql<Texts>`
      select entry_id as id, name, description, tags from entry_details where entry_id > ${after}
      order by entry_id limit ${BATCH}`.execute(db);
    const last = rows.at(-1);
    if (last === undefined) return;
    const indexed = rows.map((row) => ({ id: row.id, ...indexedColumns(row) }));
    await sql`
      update entries set words = array_to_tsvector(given.words), name_words = array_to_tsvector(given.name_words)
      from jsonb_to_recordset(${JSON.stringify(indexed)}::jsonb) as given (id text, words text[], name_words text[])
      where entries.id = given.id`.execute(db);
    after = last.id;
  }
}

/** The words by which an entry is found. Pure. */
export function indexedColumns({ name, description, tags }: Omit<Texts, 'id'>) {
  return { words: indexedWords([name, description, ...tags].join(' ')), name_words: indexedWords(name) };
}
