/** The frame of every page: head, header with the mark, notices, main. */
import type { Child } from "hono/jsx";
import { copy } from "./copy.tsx";

/** What each page needs to know about where it is drawn. */
export interface Frame {
  /** The address of an asset, with its version. */
  asset(name: string): string;
  /** Epoch milliseconds. */
  readonly now: number;
  /** True on plain http that is not localhost. */
  readonly insecureHttp: boolean;
  readonly signedIn: { readonly name: string; readonly csrf: string } | undefined;
}

interface LayoutProps {
  readonly frame: Frame;
  /** Without the product's name. */
  readonly title: string;
  readonly passkeys?: boolean;
  /** `narrow` for a page with one small form. */
  readonly shape?: "narrow" | "wide";
  /** When the page stops being true: the script reads it again then. Epoch milliseconds. */
  readonly expiresAt?: number | undefined;
  readonly children?: Child;
}

export function Layout({ frame, title, passkeys = false, shape = "wide", expiresAt, children }: LayoutProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>{`${title} – ${copy.product}`}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <link rel="icon" type="image/svg+xml" href={frame.asset("mark.svg")} />
        <link rel="stylesheet" href={frame.asset("style.css")} />
        <script src={frame.asset("page.js")}></script>
        {passkeys && <script defer src={frame.asset("webauthn.js")}></script>}
        {passkeys && <script defer src={frame.asset("passkey.js")}></script>}
      </head>
      <body class={shape} data-now={frame.now} data-expires={expiresAt}>
        <a class="skip" href="#main">
          {copy.nav.skip}
        </a>
        <header class="top">
          <a class="brand" href="/">
            <Mark />
            <span>{copy.product}</span>
          </a>
          {frame.signedIn !== undefined && (
            <div class="who">
              <span>
                <span class="visually-hidden">{copy.nav.signedInAs} </span>
                <bdi>{frame.signedIn.name}</bdi>
              </span>
              <form method="post" action="/signout">
                <input type="hidden" name="csrf" value={frame.signedIn.csrf} />
                <button class="link">{copy.nav.signOut}</button>
              </form>
            </div>
          )}
        </header>
        {frame.insecureHttp && <p class="warning strip">{copy.insecure}</p>}
        <main id="main">{children}</main>
      </body>
    </html>
  );
}

/** Two strokes: the first proposes, the second, over it, countersigns. */
function Mark() {
  return (
    <svg class="mark-svg" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true" focusable="false">
      <path class="first" d="M4 20c4-9 7-11 8-8s-5 10-2 10 6-9 9-9" />
      <path class="second" d="M9 25c6-3 9-12 12-16s3 2 0 8-2 8 1 6 4-4 6-5" />
    </svg>
  );
}

/** What is wrong, at the top, each with a way to its field. Takes the focus, so that it is read out. */
export function ErrorSummary({ errors }: { errors: readonly { message: string; href?: string | undefined }[] }) {
  if (errors.length === 0) return <></>;
  return (
    <div class="errors" id="errors" role="alert" tabindex={-1} autofocus>
      <h2>{errors.length === 1 ? copy.errors.one : copy.errors.many(errors.length)}</h2>
      <ul>
        {errors.map(({ message, href }) => (
          <li>{href === undefined ? message : <a href={href}>{message}</a>}</li>
        ))}
      </ul>
    </div>
  );
}

/** Where a script says what went wrong without leaving the page. */
export function ScriptAlert() {
  return <p class="errors" id="script-alert" role="alert" tabindex={-1} hidden></p>;
}
