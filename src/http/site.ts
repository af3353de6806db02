/** What every room of `http/` shares: the engine, the public origin, the clock, the assets. */
import type { Engine, Session } from "../engine/engine.ts";
import type { ProofAsked } from "../page/bar.tsx";
import { draw } from "../page/draw.tsx";
import type { Frame } from "../page/layout.tsx";
import type { Assets } from "./assets.ts";

export interface Site {
  readonly engine: Engine;
  /** Scheme, host and port, without a path. */
  readonly origin: string;
  readonly port: number;
  readonly https: boolean;
  readonly allowedOrigins: readonly string[];
  readonly trustProxy: boolean;
  readonly insecureHttp: boolean;
  readonly passkeys: boolean;
  readonly proofWindowMs: number;
  readonly assets: Assets;
  now(): number;
  report(problem: { id: string; where: string; error: unknown }): void;
}

export function frameOf(site: Site, session: Session | undefined): Frame {
  return {
    asset: (name) => site.assets.address(name),
    now: site.now(),
    insecureHttp: site.insecureHttp,
    signedIn: session && { name: session.reviewer.name, csrf: session.csrf },
  };
}

/** Which proof a page asks for. The engine judges again: this only keeps a needless field off the page. */
export function proofAsked(site: Site, session: Session, needed: boolean = !proofIsFresh(site, session)): ProofAsked {
  return { needed, password: session.reviewer.hasPassword, passkey: site.passkeys && session.reviewer.passkeys > 0 };
}

function proofIsFresh(site: Site, session: Session): boolean {
  return site.https && session.provedAt !== null && site.now() - session.provedAt <= site.proofWindowMs;
}

/** @param page A rendered page of `page/`. */
export function html(status: number, page: Parameters<typeof draw>[0], headers: Record<string, string> = {}): Response {
  return new Response(`<!doctype html>${draw(page)}`, {
    status,
    headers: { "content-type": "text/html; charset=utf-8", ...headers },
  });
}

/** After a POST: the browser fetches the target with GET. */
export function seeOther(location: string, headers: Record<string, string> = {}): Response {
  return new Response(null, { status: 303, headers: { location, ...headers } });
}

export function reviewPath(approvalId: string): string {
  return `/review?elicitationId=${encodeURIComponent(approvalId)}`;
}
