import type { NaturalRecord } from './natural-server.ts';
import * as clocks from './servers/clocks.ts';
import * as creators from './servers/creators.ts';
import * as languages from './servers/languages.ts';
import * as lookups from './servers/lookups.ts';
import * as machines from './servers/machines.ts';
import * as money from './servers/money.ts';
import * as people from './servers/people.ts';
import * as shops from './servers/shops.ts';
import * as stores from './servers/stores.ts';
import * as texts from './servers/text.ts';
import { bareGuestbook } from './whole/bare-guestbook.ts';
import { bareLedger } from './whole/bare-ledger.ts';
import { expressLinks } from './whole/express-links.ts';
import { expressPolls } from './whole/express-polls.ts';
import { fastifyFlights } from './whole/fastify-flights.ts';
import { fastifyKennel } from './whole/fastify-kennel.ts';

export const allServers: readonly NaturalRecord[] = [
  ...[stores, shops, creators, money, people, clocks, texts, lookups, machines, languages].flatMap(
    (subject): readonly NaturalRecord[] => Object.values(subject),
  ),
  expressLinks,
  expressPolls,
  fastifyFlights,
  fastifyKennel,
  bareLedger,
  bareGuestbook,
];
