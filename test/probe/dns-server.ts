import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import dns, { type StringAnswer } from 'dns-packet';

const RCODES = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5 } as const;

export interface DnsQuestion {
  readonly name: string;
  readonly type: string;
  /** How many earlier queries had this name and type. */
  readonly timesBefore: number;
}

/** The records of the answer, an error code, `truncated` (the client must retry over TCP), or silence. */
export type DnsReply = readonly StringAnswer[] | keyof typeof RCODES | 'truncated' | 'silence';

export interface DnsServer {
  readonly address: string;
  /** Queries such as `A one.example`, in the order of arrival. */
  readonly queries: readonly string[];
  readonly close: () => Promise<void>;
}

/** A DNS server on loopback, over UDP, and over TCP if `replyOverTcp` is given. */
export async function serveDns(
  reply: (question: DnsQuestion) => DnsReply,
  replyOverTcp?: (question: DnsQuestion) => DnsReply,
): Promise<DnsServer> {
  const queries: string[] = [];
  const answerTo = (message: Buffer, from: typeof reply): Buffer | null => {
    const { id = 0, questions = [] } = dns.decode(message);
    const [{ name, type } = { name: '', type: '' }] = questions;
    const query = `${type} ${name}`;
    const timesBefore = queries.filter((earlier) => earlier === query).length;
    queries.push(query);
    const response = from({ name, type, timesBefore });
    if (response === 'silence') return null;
    const rcode = typeof response === 'string' && response !== 'truncated' ? RCODES[response] : 0;
    const truncated = response === 'truncated' ? dns.TRUNCATED_RESPONSE : 0;
    const flags = dns.RECURSION_DESIRED | dns.RECURSION_AVAILABLE | truncated | rcode;
    return dns.encode({
      type: 'response',
      id,
      flags,
      questions,
      answers: typeof response === 'string' ? [] : [...response],
    });
  };
  const tcp = replyOverTcp === undefined ? null : serveTcp((message) => answerTo(message, replyOverTcp));
  const { udp, port } = await bindBoth(tcp);
  udp.on('message', (message, { port: theirs, address }) => {
    const answer = answerTo(message, reply);
    if (answer !== null) udp.send(answer, theirs, address);
  });
  return {
    address: `127.0.0.1:${port}`,
    queries,
    close: async () => {
      const closed = [once(udp, 'close'), ...(tcp === null ? [] : [once(tcp, 'close')])];
      udp.close();
      tcp?.close();
      await Promise.all(closed);
    },
  };
}

/** Port 0 gives a port that is free for one protocol only; if the other one is taken, tries again. */
async function bindBoth(tcp: Server | null) {
  for (;;) {
    const udp = createSocket('udp4');
    udp.bind(0, '127.0.0.1');
    await once(udp, 'listening');
    const { port } = udp.address();
    if (tcp === null) return { udp, port };
    const free = await new Promise<boolean>((resolve) => {
      tcp.once('error', () => resolve(false));
      tcp.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (free) return { udp, port: (tcp.address() as AddressInfo).port };
    udp.close();
  }
}

/** Over TCP, each message starts with its length and may arrive in pieces. */
function serveTcp(answerTo: (message: Buffer) => Buffer | null): Server {
  return createServer((socket: Socket) => {
    let received = Buffer.alloc(0);
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= 2 && received.length >= 2 + received.readUInt16BE()) {
        const end = 2 + received.readUInt16BE();
        const answer = answerTo(received.subarray(2, end));
        received = received.subarray(end);
        if (answer === null) continue;
        const length = Buffer.alloc(2);
        length.writeUInt16BE(answer.length);
        socket.write(Buffer.concat([length, answer]));
      }
    });
  });
}

export function a(name: string, ...addresses: readonly string[]): readonly StringAnswer[] {
  return addresses.map((data) => ({ type: 'A', name, data, ttl: 0 }));
}

export function aaaa(name: string, ...addresses: readonly string[]): readonly StringAnswer[] {
  return addresses.map((data) => ({ type: 'AAAA', name, data, ttl: 0 }));
}

export function cname(name: string, alias: string): readonly StringAnswer[] {
  return [{ type: 'CNAME', name, data: alias, ttl: 0 }];
}
