/** Configuration: flags over environment over defaults. STUB: the type only until built. */
export interface Config {
  readonly port: number;
  /** Addresses to listen on; the default is both loopback addresses. */
  readonly hosts: readonly string[];
  /** Origin without path, for example `https://approve.example.com`; undefined means `http://localhost:PORT` of the bound port. */
  readonly publicUrl: string | undefined;
  readonly insecureHttp: boolean;
  readonly trustProxy: boolean;
  /** The data folder; holds `countersign.db`, `server.json` and the lock. */
  readonly dataDir: string;
  readonly database: { readonly kind: "sqlite"; readonly path: string } | { readonly kind: "postgres"; readonly url: string };
  readonly proofWindowMs: number;
  readonly awaitMaxSeconds: number;
  readonly expiresMinSeconds: number;
  readonly expiresMaxSeconds: number;
  readonly expiresDefaultSeconds: number;
  readonly retentionDays: number;
  readonly allowedOrigins: readonly string[];
  readonly logLevel: "debug" | "info" | "warn" | "error" | "silent";
}
