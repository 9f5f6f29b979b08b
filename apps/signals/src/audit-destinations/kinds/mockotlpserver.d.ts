/** The used parts of @elastic/mockotlpserver, which has no types. */
declare module '@elastic/mockotlpserver' {
  interface Options {
    services: 'http'[];
    httpHostname: string;
    /** 0 chooses a free port. */
    httpPort: number;
    logLevel: string;
    /** The body of each request for logs: of a request in JSON as it was parsed, before the schema is applied. */
    onLogs: (logs: object) => void;
  }
  export class MockOtlpServer {
    constructor(options: Options);
    readonly httpUrl: URL;
    start(): Promise<void>;
    close(): Promise<void>;
  }
}

declare module '@elastic/mockotlpserver/lib/proto.js' {
  /** A message of protobuf.js. */
  interface MessageType {
    fromObject(json: object): object;
    encode(message: object): { finish(): Uint8Array };
    decode(binary: Uint8Array): object;
    toObject(message: object, options: { longs: typeof String; bytes: typeof String }): object;
  }
  /** The definitions of the repository opentelemetry-proto. */
  export function getProtoRoot(): { lookupType(name: string): MessageType };
}
