/** The package has no types; this is the part that the tests use, as its README describes it. */
declare module '@elastic/mockotlpserver' {
  type Attributes = Readonly<Record<string, unknown>>;

  export class MockOtlpServer {
    constructor(options: {
      readonly services: readonly ('http' | 'grpc' | 'ui')[];
      readonly httpHostname: string;
      readonly httpPort: number;
      readonly logLevel: string;
      readonly onTrace: (trace: object) => void;
      readonly onMetrics: (metrics: object) => void;
    });
    readonly httpUrl: URL;
    start(): Promise<void>;
    close(): Promise<void>;
  }

  export function normalizeTrace(trace: object): {
    readonly resourceSpans: readonly {
      readonly resource: { readonly attributes: Attributes };
      readonly scopeSpans: readonly {
        readonly spans: readonly {
          readonly name: string;
          readonly kind: string;
          readonly spanId: string;
          readonly parentSpanId?: string;
          readonly attributes: Attributes;
        }[];
      }[];
    }[];
  };

  export function normalizeMetrics(metrics: object): {
    readonly resourceMetrics: readonly {
      readonly scopeMetrics: readonly { readonly metrics: readonly { readonly name: string }[] }[];
    }[];
  };
}
